import NIOConcurrencyHelpers
import ObservationController

extension Inspector {
  /// Lists `object` on the page if it still exists some time later, with the observations that it
  /// has made and those that are of it.
  ///
  /// May be called on any thread, also where no inspector runs; nothing is done until a page asks.
  /// Called again for the same object, it begins anew.
  ///
  /// - Parameters:
  ///   - object: Held weakly.
  ///   - time: The time that the object has to end.
  ///   - file: The place to list, that of the call.
  ///   - line: The line of that place.
  /// - Complexity: O(1) amortised.
  public static func expectEnd(
    of object: AnyObject, within time: Duration = .seconds(5), file: String = #fileID,
    line: UInt = #line
  ) {
    let new = Expectations.Expectation(object, due: .now + time, place: "\(file):\(line)")
    let isDue = Expectations.state.withLockedValue { state in
      state.all[new.identity] = new
      return state.all.count > state.limit
    }
    if isDue { Expectations.removeEnded() }
  }
}

/// Objects that should be deallocated by now.
enum Expectations {
  /// An object that is expected to end.
  final class Expectation: Sendable {
    /// Safe: only its address is read, unless on the main actor or by `readsObjects: false`.
    nonisolated(unsafe) weak let object: AnyObject?
    let identity: ObjectIdentifier
    let due: ContinuousClock.Instant
    let place: String

    init(_ object: AnyObject, due: ContinuousClock.Instant, place: String) {
      (self.object, identity) = (object, ObjectIdentifier(object))
      (self.due, self.place) = (due, place)
    }
  }

  /// An object that has outlived its time.
  struct Overdue: Encodable, Sendable {
    let object: ObjectReader.ObjectRow

    /// The place where its end was expected.
    let place: String
    let observations: [ObservationList.Row]
  }

  /// By identities; and the number at which those that have ended are removed.
  static let state = NIOLockedValueBox((all: [ObjectIdentifier: Expectation](), limit: 64))

  /// The objects that have outlived their time, those that are due longest first, up to a hundred.
  static func overdue(
    at time: ContinuousClock.Instant = .now, by reader: ObjectReader
  ) async -> [Overdue] {
    await reader.read { removeEnded() }
    let late = state.withLockedValue { $0.all.values.filter { $0.due <= time } }
    var overdue: [Overdue] = []
    for item in late.sorted(by: { $0.due < $1.due }).prefix(100) {
      guard let row = await reader.read({ item.object.map(reader.row) }) else { continue }
      let list = await ObservationList.all(by: reader) {
        [$0.object, $0.observer].contains { $0.map { ObjectIdentifier($0) } == item.identity }
      }
      overdue.append(Overdue(object: row, place: item.place, observations: list.observations))
    }
    return overdue
  }

  /// Loads the weak references outside of the lock: one of them may be the last reference to an
  /// object for a moment, whose deinit may expect the end of others.
  fileprivate static func removeEnded() {
    let ended = state.withLockedValue { Array($0.all.values) }.filter { $0.object == nil }
    state.withLockedValue { state in
      for item in ended where state.all[item.identity] === item { state.all[item.identity] = nil }
      state.limit = max(64, 2 * state.all.count)
    }
  }
}
