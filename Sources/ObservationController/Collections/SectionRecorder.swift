/// Follows a list of sections and all that is in them for one observation, before any observer is
/// notified.
///
///     registration ─▶ recorder ─▶ log, controllers          strong
///                        ┊
///                        └┄▶ list of sections               weak
///
/// After each change the log, an array that nobody else sees, gets the sections as they are then.
/// The handler is one of the log: so it has the order, the waiting and the joining in transactions
/// that handlers of arrays have.
final class SectionRecorder<Key: Hashable & Comparable, Element> {
  typealias List = ObservableArray<ObservableSection<Key, Element>>
  typealias State = SectionState<Key, Element>

  /// A section of the list.
  private final class Part {
    let elements: ObservableArray<Element>
    var token: ObservationToken?
    var content: State.Part

    init(_ section: ObservableSection<Key, Element>, id: Int) {
      elements = section.elements
      content = State.Part(id: id, key: section.key)
    }
  }

  let log: ObservableArray<State>
  private let keyPaths: [PartialKeyPath<Element>]
  private let file: String
  private let line: UInt
  private let progress: SectionProgress<Key, Element>
  private var parts: [Part] = []

  /// What makes each section, row and state of a section different from all others.
  private var lastNumber = 0

  /// Whether several parts are being changed, and the log waits.
  private var isGathering = false

  private lazy var observations = ObservationController(observer: self, retainsObserved: false)

  init(
    elements keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt
  ) {
    (self.keyPaths, self.file, self.line) = (keyPaths, file, line)
    progress = SectionProgress(followsElements: !keyPaths.isEmpty)
    log = ArrayViewLink.makeView(file, line) { link in
      // At the end of a transaction it comes after all that it follows, and so once.
      link.depth = .max
      return ObservableArray([], link: link)
    }
  }

  private func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }
}

extension SectionRecorder {
  /// Begins to follow a list.
  ///
  /// - Parameter end: Released when the list is deallocated, or the recorder.
  func begin(with list: List, until end: AnyObject) {
    withUntrackedReads {
      isGathering = true
      // Safe: the list is the observed object itself.
      _ = observations.observeArray(
        list, \List.elements, .array(.root) { unsafeDowncast($0, to: List.self) }, [], .initial,
        nil, nil, file, line, isEarly: true
      ) { [end] recorder, _, change in
        withExtendedLifetime(end) { recorder.follow(change) }
      }
      isGathering = false
    }
    log.applySetting([state])
    progress.begin(with: state)
  }

  private var state: State { State(parts: parts.map(\.content), progress: progress) }

  private func note() {
    if !isGathering { log.applySetting([state]) }
  }

  /// Follows the list.
  private func follow(_ change: ArrayChange<ObservableSection<Key, Element>>) {
    let wasGathering = exchange(&isGathering, with: true)
    let before = parts
    let new: [Part]
    if change.isOfEverything {
      var known = Dictionary(
        before.map { (ObjectIdentifier($0.elements), $0) }, uniquingKeysWith: { first, _ in first })
      new = change.elements.map { section in
        known.removeValue(forKey: ObjectIdentifier(section.elements)) ?? part(for: section)
      }
    } else {
      var parts = before
      parts.apply(
        change.entries.map { entry in
          entry.with(entry.oldIndex.map { before[$0] } ?? part(for: entry.element))
        })
      new = parts
    }
    parts = new
    isGathering = wasGathering
    note()
    let kept = Set(new.map { ObjectIdentifier($0) })
    for part in before where !kept.contains(ObjectIdentifier(part)) { part.token?.invalidate() }
  }

  /// Begins to follow a section.
  private func part(for section: ObservableSection<Key, Element>) -> Part {
    let part = Part(section, id: nextNumber())
    // A context for each, since a list that is no view may have a section twice.
    part.token = observations.observeArray(
      section.elements, \ObservableArray<Element>.elements,
      // Safe: the array is the observed object itself.
      .array(.root) { unsafeDowncast($0, to: ObservableArray<Element>.self) }, keyPaths, .initial,
      ObservationContext(), nil, file, line, isEarly: true
    ) { [weak part] recorder, _, change in
      if let part { recorder.follow(change, of: part) }
    }
    return part
  }

  /// Follows the elements of a section.
  private func follow(_ change: ArrayChange<Element>, of part: Part) {
    typealias Row = State.Row
    let before = part.content.rows
    if change.isOfEverything {
      let origins = ElementIdentity.origins(of: change.elements, in: before.map(\.element))
      part.content.rows = change.elements.enumerated().map { index, element in
        let origin = origins.map { $0[index] } ?? -1
        return origin >= 0 ? before[origin] : Row(id: nextNumber(), element: element)
      }
    } else if change.kind != .element {
      part.content.rows.apply(
        change.entries.map { entry in
          entry.with(
            entry.oldIndex.map { before[$0] } ?? Row(id: nextNumber(), element: entry.element))
        })
    }
    for index in change.changedIndices { part.content.rows[index].revision = nextNumber() }
    part.content.version = nextNumber()
    note()
  }
}
