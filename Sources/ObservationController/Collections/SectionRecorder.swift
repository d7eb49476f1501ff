/// Follows a list of sections and all that is in them for one observation, before any observer is
/// notified.
///
///     registration ─▶ recorder ─▶ log, journal, controller          strong
///                        ┊
///                        └┄▶ list of sections                       weak
///
/// Each edit is added to the journal, and the log, an array that nobody else sees, gets a mark
/// behind it. The handler is one of the log: so it has the order, the waiting and the joining in
/// transactions that handlers of arrays have.
final class SectionRecorder<Key: Hashable & Comparable, Element> {
  typealias List = ObservableArray<ObservableSection<Key, Element>>
  typealias Content = SectionEdit<Key, Element>.Content

  /// A section of the list.
  private final class Part {
    let section: ObservableSection<Key, Element>
    var token: ObservationToken?

    /// Index in the list; `nil` before it is there, and after.
    var index: Int?

    /// The rows, before it is in the list.
    var beginning: [Element] = []

    init(_ section: ObservableSection<Key, Element>) { self.section = section }

    deinit { feed?.remove(ObjectIdentifier(self), of: section.elements) }

    /// What the view that has made the section passes on.
    var feed: ElementFeed? { section.elements.link?.feed }

    /// What the list has of the section when it comes.
    func takeContent() -> Content { (section.key, exchange(&beginning, with: [])) }
  }

  let log: ObservableArray<SectionMark<Key, Element>>
  private let journal: SectionJournal<Key, Element>
  private let keyPaths: [PartialKeyPath<Element>]
  private let place: (file: String, line: UInt)
  private var parts: [Part] = []

  private lazy var observations = ObservationController(observer: self, retainsObserved: false)

  init(elements keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt) {
    (self.keyPaths, place) = (keyPaths, (file, line))
    let journal = SectionJournal<Key, Element>(followsElements: !keyPaths.isEmpty)
    self.journal = journal
    log = ArrayViewLink.makeView(file, line) { link in
      // At the end of a transaction it comes after all that it follows, and so once.
      link.depth = .max
      return ObservableArray([.place(0, in: journal)], link: link)
    }
  }
}

extension SectionRecorder {
  /// Begins to follow a list.
  ///
  /// - Parameter end: Released when the list is deallocated, or the recorder.
  func begin(with list: List, until end: AnyObject) {
    withUntrackedReads {
      _ = observations.observeArray(
        list, \List.elements, .array(itself: List.self), [], .initial, nil, nil, place.file,
        place.line, isEarly: true
      ) { [end] recorder, _, change in
        withExtendedLifetime(end) { recorder.follow(change) }
      }
    }
  }

  private func note(_ edit: SectionEdit<Key, Element>) {
    log.applySetting([journal.append(edit)])
  }

  /// Follows the list.
  private func follow(_ change: ArrayChange<ObservableSection<Key, Element>>) {
    let old = parts
    var entries = change.entries.map { $0.with(nil as Part?) }
    if change.isOfEverything { entries = replacing(old, by: change.elements) }
    entries = entries.map { entry in
      // Begins to follow those that come, which may run getters: their edits of other sections are
      // noted before this one.
      entry.with(
        entry.oldIndex.map { old[$0] } ?? entry.element
          ?? entry.newIndex.map { part(for: change.elements[$0]) })
    }
    parts.apply(entries.compactMap { entry in entry.element.map { entry.with($0) } })
    for part in old { part.index = nil }
    for (index, part) in parts.enumerated() { part.index = index }
    if change.kind == .initial {
      journal.begin(with: parts.map { $0.takeContent() })
    } else {
      note(.list(entries.map { $0.with($0.oldIndex == nil ? $0.element?.takeContent() : nil) }))
    }
    for part in old where part.index == nil { part.token?.invalidate() }
  }

  /// Entries that put other sections in the place of all: those that were there move.
  private func replacing(
    _ old: [Part], by new: [ObservableSection<Key, Element>]
  ) -> [ArrayChange<Part?>.Entry] {
    typealias Entry = ArrayChange<Part?>.Entry
    var known = Dictionary(
      old.enumerated().map { (ObjectIdentifier($1.section), $0) },
      uniquingKeysWith: { first, _ in first })
    let moved = new.enumerated().map { index, section in
      Entry(
        element: nil, oldIndex: known.removeValue(forKey: ObjectIdentifier(section)),
        newIndex: index)
    }
    let stayed = Set(moved.compactMap { $0.oldIndex })
    return old.indices.filter { !stayed.contains($0) }.map { Entry(nil, removedAt: $0) } + moved
  }

  /// Begins to follow a section. Properties of elements that its view follows are passed on by
  /// that, so that the place that they decide on and what is shown of them change at once.
  private func part(for section: ObservableSection<Key, Element>) -> Part {
    let part = Part(section)
    let passed = keyPaths.filter { part.feed?.keyPaths.contains($0) ?? false }
    if !passed.isEmpty {
      part.feed?.add(ObjectIdentifier(part), of: section.elements) {
        [weak self, weak part] keyPath, element, row in
        guard let self, let index = part?.index, part?.token?.isActive ?? false,
          keyPath.map({ keyPath in passed.contains { $0 == keyPath } }) ?? true
        else { return }
        note(.change(section: index, element, row: row))
      }
    }
    // A context for each, since a list that is no view may have a section twice.
    part.token = observations.observeArray(
      section.elements, \ObservableArray<Element>.elements,
      .array(itself: ObservableArray<Element>.self), keyPaths.filter { !passed.contains($0) },
      .initial,
      ObservationContext(), nil, place.file, place.line, isEarly: true
    ) { [weak part] recorder, _, change in
      guard let part else { return }
      if let index = part.index {
        recorder.note(.rows(section: index, WaitingArrayChanges(change)))
      } else {
        part.beginning = change.elements
      }
    }
    return part
  }
}
