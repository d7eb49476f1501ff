import ObservationController
import TestSupport

/// Records deliveries, and runs the scripts of handlers.
final class Journal {
  let recorder = Recorder<Entry>()

  /// Runs the script of a context.
  var act: (_ context: Int?, _ event: Delivery.Event) -> Void = { _, _ in }

  func receive<Value>(
    _ observer: Node, _ object: Node?, _ change: ObservedChange<Value>, _ registration: Int?
  ) {
    let path = Path.of(change.keyPath)
    let context = change.context.flatMap { Self.contexts.firstIndex(of: $0) }
    let event: Delivery.Event =
      if change.isInitial { .initial } else if change.isPrior { .prior } else { .change }
    recorder.append(
      .delivered(
        Delivery(
          event: event, observer: observer.number, object: object?.number, path: path,
          context: context, registration: registration, old: change.oldValue.map(recorded),
          new: recorded(change.newValue),
          current: object.flatMap { object in
            (change.keyPath as? PartialKeyPath<Node>).map { recorded(object[keyPath: $0]) }
          })))
    act(context, event)
  }

  func receive(_ observer: Node) {
    recorder.append(.delivered(Delivery(event: .unknown, observer: observer.number)))
  }

  func note(_ issue: ObservationIssue) {
    // Once for each two places in the source, in any order of programs.
    if case .alreadyObserved = issue { return }
    // Once for each controller; ObserverReleasedTests says when.
    if case .observerReleased = issue { return }
    let kind: Issue =
      switch issue {
      case .nothingObservable: .nothingObservable
      case .emptyKeyPaths: .emptyKeyPaths
      case .cycle: .cycle
      case .distinctNeedsEquatable: .distinctNeedsEquatable
      default: .other
      }
    recorder.append(.issue(kind, Path.of(issue.keyPath)))
  }

  /// - Parameter known: The observer's replay of the array, which is updated.
  func receive(
    _ observer: Node, _ object: Node, _ change: ArrayChange<Node>, _ observation: Observation,
    _ registration: Int, _ known: Known
  ) {
    var delivery = ArrayDelivery(
      kind: ArrayDelivery.Kind(rawValue: "\(change.kind)")!, observer: observer.number,
      object: object.number, context: observation.context, registration: registration,
      elements: change.elements.map(\.number), oldElements: change.oldElements?.map(\.number))
    switch change.kind {
    case .batch: delivery.changed = change.changedIndices
    case .initial, .setting: break
    case .insertion, .removal, .replacement, .move, .element:
      delivery.positions = change.entries.map {
        ArrayDelivery.Position(node: $0.element.number, from: $0.oldIndex, to: $0.newIndex)
      }
    }
    delivery.isContiguous = change.applyingNumbers(to: known.numbers) == delivery.elements
    known.numbers = delivery.elements
    delivery.old = change.elementChange?.oldValue.map(recorded)
    delivery.new = change.elementChange.map { recorded($0.newValue) }
    recorder.append(.deliveredArray(delivery))
    act(observation.context, .change)
  }

  static let contexts = (0..<Program.contexts).map { ObservationContext("\($0)") }
}

/// The form of a value in histories.
private func recorded(_ value: Any) -> Value {
  switch value {
  case let int as Int: .int(int)
  case let ints as [Int]: .ints(ints)
  case let spot as Spot: .int(spot.x)
  case let node as Node: .node(node.number)
  case let list as ObservableArray<Node>: .nodes(list.map(\.number))
  default: .nothing
  }
}

/// The replay of an array by an observer.
final class Known {
  var numbers: [Int]

  /// That of the handler which this one has taken the place of (C17).
  var first: Known?

  init(_ numbers: [Int]) { self.numbers = numbers }
}

extension ArrayChange where Element == Node {
  /// The array after the change.
  ///
  /// - Returns: `nil` if it is a change of another array.
  fileprivate func applyingNumbers(to numbers: [Int]) -> [Int]? {
    if kind == .initial || kind == .setting { return elements.map(\.number) }
    let changes = difference.map { change -> CollectionDifference<Int>.Change in
      switch change {
      case .insert(let offset, let node, let other):
        .insert(offset: offset, element: node.number, associatedWith: other)
      case .remove(let offset, let node, let other):
        .remove(offset: offset, element: node.number, associatedWith: other)
      }
    }
    return CollectionDifference(changes).flatMap { numbers.applying($0) }
  }
}

extension Path {
  // Key paths are immutable.
  nonisolated(unsafe) private static let keyPaths: [PartialKeyPath<Node>] =
    allCases.map(\.madeKeyPath)

  var keyPath: PartialKeyPath<Node> { Self.keyPaths[rawValue] }

  static func of(_ keyPath: AnyKeyPath?) -> Path? {
    keyPath.flatMap { keyPath in
      keyPaths.firstIndex { $0 == keyPath }.flatMap(Path.init(rawValue:))
    }
  }

  private var madeKeyPath: PartialKeyPath<Node> {
    switch self {
    case .a: \.a
    case .b: \.b
    case .tags: \.tags
    case .spot: \.spot
    case .link: \.link
    case .list: \.list
    case .listCount: \.list.count
    case .listFirstA: \.list.first?.a
    case .linkA: \.link?.a
    case .linkLink: \.link?.link
    case .linkLinkB: \.link?.link?.b
    case .linkTags: \.link?.tags
    case .sum: \.sum
    case .chosen: \.chosen
    case .total: \.total
    case .plain: \.plain
    }
  }
}
