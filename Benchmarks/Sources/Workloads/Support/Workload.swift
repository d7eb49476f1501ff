/// An operation as one peer does it.
public struct Workload {
  /// The library or technique measured: a word such as `didSet` or `Observed`.
  public let peer: String

  /// Makes what the operations need.
  private let make: (Int) -> Run

  /// - Parameter variant: Distinguishes several ways of one peer.
  init(_ peer: Peer, variant: String = "", _ make: @escaping (Int) -> Run) {
    self.peer = peer.rawValue + variant
    self.make = make
  }

  /// Makes what `count` operations need. None of this is part of a measurement.
  public func prepare(count: Int) -> Run { make(count) }
}

/// The peers that are compared.
enum Peer: String {
  /// A stored property without observers.
  case plain

  /// A stored property whose `didSet` calls an array of closures with the old and the new value.
  case didSet

  /// This library.
  case observed = "Observed"

  /// `@Published` and `sink` of OpenCombine.
  case published = "Published"

  /// `@Observable` of the standard library, with `withObservationTracking` armed again by each
  /// change.
  case observable = "Observable"

  /// This library, with an array whose elements are followed too.
  case elements = "ObservedElements"

  /// This library, on a queue where one change waits at most.
  case coalescing = "ObservedCoalescing"

  /// This library, doing the same without what is measured.
  case alone = "ObservedAlone"

  /// A value and closures under a lock.
  case mutex = "Mutex"
}

/// Operations that are ready to run, once.
public final class Run {
  private let operations: () -> Void
  private let isRight: () -> Bool
  let bytes: () -> Int?
  let values: () -> Int

  /// - Parameters:
  ///   - operations: What is measured.
  ///   - isRight: Whether the operations had the effect that they should have had. Holding on to
  ///     everything that `operations` use, it also keeps their effect until they have been
  ///     measured.
  ///   - bytes: The bytes that count, where that is not what the allocator has handed out.
  ///   - values: How many derived values were computed, where that is measured.
  init(
    _ operations: @escaping () -> Void, isRight: @escaping () -> Bool,
    bytes: @escaping () -> Int? = { nil }, values: @escaping () -> Int = { 0 }
  ) {
    self.operations = operations
    self.isRight = isRight
    self.bytes = bytes
    self.values = values
  }

  /// Neither inlined nor split, so that a profiler finds the operations by this name.
  @_optimize(none)
  public func perform() { operations() }

  /// Traps if the operations did not have the effect for which they are measured.
  public func check(_ name: String) {
    guard isRight() else { fail("\(name): the observers did not receive the expected changes") }
  }
}
