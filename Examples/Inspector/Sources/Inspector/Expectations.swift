import ObservationController
import Synchronization

extension Inspector {
  /// Lists `object` on the page if it, or an observation that it has made or that is of it, still
  /// exists some time later.
  ///
  ///     func close() {
  ///       Inspector.expectEnd(of: viewModel)
  ///       viewModel = nil
  ///     }
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
    Expectations.add(
      Expectations.Expectation(object, due: .now + time, place: "\(file):\(line)"))
  }
}

/// Objects that should be deallocated by now.
enum Expectations {
  /// An object that is expected to end.
  final class Expectation: Sendable {
    /// Immutable but for the runtime, which clears it on any thread.
    private nonisolated(unsafe) weak let reference: AnyObject?
    let identity: ObjectIdentifier
    let due: ContinuousClock.Instant
    let place: String

    init(_ object: AnyObject, due: ContinuousClock.Instant, place: String) {
      (reference, identity) = (object, ObjectIdentifier(object))
      (self.due, self.place) = (due, place)
    }

    /// `nil` once its deinit has begun. The caller may hold the last reference to it for a moment.
    var object: AnyObject? { reference }
  }

  /// An object that has outlived its time.
  struct Overdue: Encodable, Sendable {
    let object: ObjectReader.ObjectRow

    /// The place where its end was expected.
    let place: String

    /// Seconds since it should have ended.
    let seconds: Double
    let observations: [ObservationList.Row]
  }

  /// The number of objects that are listed.
  static let limit = 100

  private static let state = Mutex((all: [ObjectIdentifier: Expectation](), limit: 64))

  /// The number of objects that are waited for, or were when it was counted last.
  static var count: Int { state.withLock { $0.all.count } }

  static func add(_ expectation: Expectation) {
    let isDue = state.withLock { state in
      state.all[expectation.identity] = expectation
      return state.all.count > state.limit
    }
    if isDue { removeEnded() }
  }

  /// The objects that have outlived their time, those that are due longest first, up to a hundred.
  ///
  /// - Throws: An error of status 503 if the main actor, where objects are read, stays busy.
  static func overdue(
    at time: ContinuousClock.Instant = .now, by reader: ObjectReader
  ) async throws -> [Overdue] {
    try await reader.read { removeEnded() }
    let late = state.withLock { $0.all.values.filter { $0.due <= time } }
    var overdue: [Overdue] = []
    for item in late.sorted(by: { $0.due < $1.due }).prefix(limit) {
      let list = try await ObservationList.all(by: reader) {
        [$0.object, $0.observer].contains { $0.map { ObjectIdentifier($0) } == item.identity }
      }
      let row = try await reader.read { item.object.map(reader.row) }
      guard let row else { continue }
      overdue.append(
        Overdue(
          object: row, place: item.place, seconds: (time - item.due) / .seconds(1),
          observations: list.observations))
    }
    return overdue
  }

  /// Loads the weak references outside of the lock: one of them may be the last reference to an
  /// object for a moment, whose deinit may expect the end of others.
  private static func removeEnded() {
    let ended = state.withLock { Array($0.all.values) }.filter { $0.object == nil }
    state.withLock { state in
      for item in ended where state.all[item.identity] === item { state.all[item.identity] = nil }
      state.limit = max(64, 2 * state.all.count)
    }
  }
}
