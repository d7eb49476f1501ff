import Observation

/// A class of the standard library's observing.
@Observable
final class ObservableModel: TalliedModel {
  var number = 0
  var text = ""
  var item = Item()
  var list: [Int] = []

  func observe(_ kind: Kind, by tallies: [Tally], times: Int) -> [AnyObject] {
    tallies.flatMap { tally in
      (0..<times).map { _ in
        switch kind {
        case .number: Tracking(of: self, by: tally) { $0.number }
        case .text: Tracking(of: self, by: tally) { $0.text }
        case .item: Tracking(of: self, by: tally) { $0.item }
        }
      }
    }
  }
}

/// Observes a value by arming the tracking again in each `onChange`.
///
/// `onChange` comes before the value is stored, so that the handler is always one change behind. To
/// read the new value takes a hop to another task, which costs far more and joins changes that
/// follow each other quickly: this is the cheapest way to be notified of every one of them.
final class Tracking: @unchecked Sendable {
  /// Reads the value, and does with it what a handler does.
  private let read: () -> Void

  init(_ read: @escaping () -> Void) {
    self.read = read
    arm()
  }

  private func arm() {
    withObservationTracking(read) { [unowned self] in arm() }
  }
}

extension Tracking {
  convenience init<Object: AnyObject, Value: Weighed>(
    of object: Object, by tally: Tally, _ value: @escaping (Object) -> Value
  ) {
    var last: Value?
    self.init { [unowned object] in
      let new = value(object)
      if let last { tally.add(new, insteadOf: last) }
      last = new
    }
  }
}
