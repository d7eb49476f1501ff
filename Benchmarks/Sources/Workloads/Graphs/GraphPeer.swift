import Observation
import ObservationController

/// Builder of a graph: three kinds of objects, and effects, which a graph of this type keeps.
protocol GraphPeer: AnyObject {
  associatedtype Source: GraphSource
  associatedtype Number: GraphValue<Int>
  associatedtype List: GraphValue<[Int]>

  init()

  /// Has an effect count the changes of a value from now on.
  func observe(_ value: Number)

  static func transaction(_ body: () -> Void)
}

/// An object with one stored property.
protocol GraphSource: AnyObject {
  init(_ number: Int)
  var number: Int { get set }
}

/// An object with one value that is computed by a closure.
protocol GraphValue<Value>: AnyObject {
  associatedtype Value
  init(_ body: @escaping () -> Value)
  var value: Value { get }
}

/// Counters of graphs. Globals of one thread, so that no peer pays for them.
nonisolated(unsafe) var graphCounts = GraphCounts()

struct GraphCounts: Equatable {
  /// Sum of what was read after each write.
  var sum = 0
  /// Values computed.
  var values = 0
  /// Calls of effects.
  var effects = 0
}

// MARK: - This library

final class ObservedGraph: GraphPeer {
  private let tally = Tally()
  private lazy var controller = ObservationController(observer: tally)

  static func transaction(_ body: () -> Void) { withObservationTransaction(body) }

  func observe(_ value: ObservedNumber) {
    controller.observe(value, \.value) { _, _, _ in graphCounts.effects += 1 }
  }
}

final class ObservedSource: GraphSource {
  @Observed var number: Int

  init(_ number: Int) { self.number = number }
}

final class ObservedNumber: GraphValue {
  private let body: () -> Int
  @Derived({ (number: ObservedNumber) in number.body() }) var value: Int

  init(_ body: @escaping () -> Int) { self.body = body }
}

final class ObservedNumbers: GraphValue {
  private let body: () -> [Int]
  @Derived({ (list: ObservedNumbers) in list.body() }) var value: [Int]

  init(_ body: @escaping () -> [Int]) { self.body = body }
}

extension ObservedGraph {
  typealias Source = ObservedSource
  typealias Number = ObservedNumber
  typealias List = ObservedNumbers
}

// MARK: - The standard library

/// `@Observable` with computed properties, which are computed at each reading.
final class ObservableGraph: GraphPeer {
  private var effects: [Tracking] = []

  static func transaction(_ body: () -> Void) { body() }

  func observe(_ value: ObservableNumber<Int>) {
    effects.append(
      Tracking {
        _ = value.value
        graphCounts.effects += 1
      })
  }
}

@Observable
final class ObservableSource: GraphSource {
  var number: Int

  init(_ number: Int) { self.number = number }
}

final class ObservableNumber<Value>: GraphValue {
  private let body: () -> Value
  var value: Value { body() }

  init(_ body: @escaping () -> Value) { self.body = body }
}

extension ObservableGraph {
  typealias Source = ObservableSource
  typealias Number = ObservableNumber<Int>
  typealias List = ObservableNumber<[Int]>
}
