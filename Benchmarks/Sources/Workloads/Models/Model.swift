/// A class with a property of each kind that is set, read or changed in place.
///
/// One class for each peer. All are in this module, with the loops that use them, so that no peer
/// pays for a border between modules that another does not have.
protocol Model: AnyObject {
  init()
  var number: Int { get set }
  var text: String { get set }
  var item: Item { get set }
  var list: [Int] { get set }
}

/// A model whose properties can be observed.
protocol TalliedModel: Model {
  /// Has each of `tallies` observe the property `times` times.
  ///
  /// - Returns: What has to be kept for as long as the observers should be notified.
  func observe(_ kind: Kind, by tallies: [Tally], times: Int) -> [AnyObject]
}

/// A property of ``Model``.
enum Kind {
  case number, text, item
}

/// The observer. Every handler of every peer adds the new value less the old one to the sum.
///
/// Used by one thread at a time.
final class Tally: @unchecked Sendable {
  var sum = 0

  func add<Value: Weighed>(_ new: Value, insteadOf old: Value) {
    sum &+= new.weight &- old.weight
  }
}

/// A class reference as a value.
final class Item: @unchecked Sendable {
  let weight: Int

  init(weight: Int = 0) {
    self.weight = weight
  }
}

/// A value of which a handler makes a number.
protocol Weighed {
  var weight: Int { get }
}

extension Int: Weighed {
  var weight: Int { self }
}

extension String: Weighed {
  var weight: Int { utf8.count }
}

extension Item: Weighed {}
