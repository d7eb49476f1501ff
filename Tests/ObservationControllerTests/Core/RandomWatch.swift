import ObservationController
import TestSupport

/// One observation of a node, with its expected deliveries.
final class RandomWatch: CustomStringConvertible {
  /// The observed key path; values are numbers.
  struct Property {
    let name: String
    let read: (RandomNode) -> Int
    let observe:
      (
        ObservationController<RandomWatch>, RandomNode, ObservationOptions,
        @escaping (RandomWatch, RecordedEvent<Int>) -> Void
      ) -> ObservationToken

    init<Value>(
      _ keyPath: KeyPath<RandomNode, Value>, _ name: String, _ number: @escaping (Value) -> Int
    ) {
      self.name = name
      read = { number($0[keyPath: keyPath]) }
      observe = { controller, node, options, handler in
        controller.observe(node, keyPath, options: options) { watch, _, change in
          handler(watch, RecordedEvent(change).map(number))
        }
      }
    }
  }

  private let property: Property
  private let options: ObservationOptions
  private weak var node: RandomNode?
  private let name: String
  private(set) var flaws: [String] = []

  /// The value last delivered.
  private var last: Int

  /// The number of prior deliveries without their change yet: several, if handlers set the property
  /// during a prior delivery.
  private var priorCount = 0

  /// The number of deliveries in the current transaction.
  var deliveryCount = 0

  /// The value last delivered when the transaction began.
  var lastAtBegin: Int?
  private var controller: ObservationController<RandomWatch>?

  init(
    _ property: Property, of node: RandomNode, _ options: ObservationOptions, retains: Bool,
    isSettled: @escaping () -> Bool, then act: @escaping (RecordedEvent<Int>) -> Void
  ) {
    self.property = property
    self.options = options
    self.node = node
    name = "\(node).\(property.name) \(options)"
    last = property.read(node)
    let controller = ObservationController(observer: self, retainsObserved: retains)
    self.controller = controller
    _ = property.observe(controller, node, options) { watch, event in
      watch.receive(event, isSettled: isSettled())
      act(event)
    }
  }

  private func receive(_ event: RecordedEvent<Int>, isSettled: Bool) {
    func expect(_ isRight: Bool, _ flaw: String) {
      if !isRight { flaws.append("\(flaw): \(event), knew \(last)") }
    }
    switch event {
    case .initial(let value):
      expect(value == last, "initial")
    case .prior(let value):
      expect(value == last, "prior")
      priorCount += 1
    case .changed(let old, let new):
      expect(old == (options.contains(.old) ? last : nil), "not contiguous")
      if options.contains(.prior) { expect(priorCount > 0, "no prior") }
      if options.contains(.distinct) { expect(new != last, "not distinct") }
      if isSettled, let node { expect(new == property.read(node), "not the stored value") }
      priorCount = max(0, priorCount - 1)
      last = new
      deliveryCount += 1
    }
  }

  /// Whether the value last delivered is the stored one.
  func check() {
    guard controller != nil, let node else { return }
    let value = property.read(node)
    if value != last { flaws.append("knows \(last) of \(value)") }
  }

  func begin() {
    deliveryCount = 0
    lastAtBegin = last
  }

  func checkDeliveredOnce() {
    if deliveryCount > 1 { flaws.append("delivered \(deliveryCount) times") }
    if options.contains(.distinct), last == lastAtBegin, deliveryCount > 0 {
      flaws.append("delivered without a difference")
    }
  }

  func end() { controller = nil }

  var description: String { "\(name) \(flaws)" }
}

extension RandomWatch.Property {
  /// A property of each kind: stored, nested, computed, derived.
  static var all: [RandomWatch.Property] {
    func own(_ keyPath: KeyPath<RandomNode, Int>, _ name: String) -> Self {
      Self(keyPath, name) { $0 }
    }
    return [
      own(\.a, "a"), own(\.b, "b"), Self(\.isOn, "isOn") { $0 ? 1 : 0 },
      Self(\.link, "link") { $0?.number ?? -1 }, Self(\.link?.a, "link.a") { $0 ?? -1 },
      Self(\.link?.link?.b, "link.link.b") { $0 ?? -1 }, own(\.sum, "sum"),
      own(\.linked, "linked"), own(\.chosen, "chosen"), own(\.branch, "branch"),
      own(\.double, "double"), own(\.total, "total"), own(\.all, "all"),
      Self(\.link?.all, "link.all") { $0 ?? -1 }, own(\.list.count, "list.count"),
      Self(\.list.first?.a, "list.first.a") { $0 ?? -1 },
      Self(\.spares, "spares") { $0.reduce(0) { $0 * 7 + $1.number + 1 } },
      Self(\.spares.last?.double, "spares.last.double") { $0 ?? -1 },
    ]
  }
}

extension RecordedEvent {
  fileprivate func map(_ transform: (Value) -> Int) -> RecordedEvent<Int> {
    switch self {
    case .initial(let value): .initial(transform(value))
    case .prior(let value): .prior(transform(value))
    case .changed(let old, let new): .changed(old.map(transform), transform(new))
    }
  }
}
