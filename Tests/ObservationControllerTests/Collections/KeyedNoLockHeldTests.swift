import Dispatch
import ObservationController
import TestSupport
import XCTest

/// C22 for dictionaries and sets: no lock is held while user code runs.
///
/// Each piece of user code reads the tables, and ends an observation of the collection, on another
/// thread, and waits for it, which never returns if a lock is held.
final class KeyedNoLockHeldTests: TestCase {
  private let dictionary = ObservableDictionary<Key, Item>()
  private let set = ObservableSet<Key>()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)
  private let spare = Guarded<[ObservationToken]>([])

  /// The number of calls of each kind of user code.
  private let uses = Guarded<[String: Int]>([:])
  private let isProbing = Guarded(false)

  private typealias Use = @Sendable (String) -> Void

  /// `Sendable`: changed by the test alone, while what delivers waits.
  private final class Item: @unchecked Sendable {
    @Observed var value = 0
    let use: Use

    init(_ use: @escaping Use) { self.use = use }

    deinit { use("deinit") }

    var computed: Int {
      use("getter")
      return value
    }
  }

  private struct Key: Hashable, Sendable {
    let id: Int
    let use: Use

    static func == (left: Key, right: Key) -> Bool {
      left.use("==")
      return left.id == right.id
    }

    func hash(into hasher: inout Hasher) {
      use("hash")
      hasher.combine(id % 2)
    }
  }

  override func setUp() {
    // On the same subjects, to be ended one by one.
    let tokens = (0..<60).flatMap { index in
      let context = ObservationContext("\(index)")
      return [
        observations.observeDictionary(dictionary, values: [\.value], context: context) { _, _, _ in
        },
        observations.observeSet(set, context: context) { _, _, _ in },
      ]
    }
    spare.withLock { $0 = tokens }
  }

  private var use: Use {
    let own = UncheckedReference(self)
    return { own.object.probe($0) }
  }

  private func probe(_ name: String) {
    let count = uses.withLock { uses -> Int in
      uses[name, default: 0] += 1
      return uses[name]!
    }
    guard count <= 8 || count.isMultiple(of: 7), !isProbing.withLock({ exchange(&$0, with: true) })
    else { return }
    defer { isProbing.withLock { $0 = false } }
    let targets = UncheckedReference(self)
    onAnotherThread(name) {
      _ = ObservationDispatcher.shared.activeObservationCount
      _ = ObservationDispatcher.shared.observations(of: targets.object.dictionary).count
      _ = targets.object.observations.observations.count
      let tokens = targets.object.spare.withLock { spare in
        (0..<2).compactMap { _ in spare.popLast() }
      }
      for token in tokens { token.invalidate() }
    }
  }

  private func key(_ id: Int) -> Key { Key(id: id, use: use) }

  private func edit() {
    dictionary[key(1)] = Item(use)
    dictionary[key(3)] = Item(use)
    dictionary[key(1)]?.value = 1
    dictionary.update(to: [key(1): Item(use), key(2): Item(use)])
    withObservationTransaction {
      dictionary[key(2)]?.value = 2
      dictionary[key(1)]?.value = 2
      dictionary[key(5)] = Item(use)
    }
    dictionary.performBatchUpdates {
      use("batch")
      dictionary[key(2)] = nil
      dictionary[key(5)]?.value = 3
    }
    dictionary.removeAll { [use] _ in
      use("predicate")
      return true
    }
    set.insert(key(1))
    set.formUnion([key(2), key(3)])
    withObservationTransaction {
      set.remove(key(1))
      set.insert(key(5))
    }
    set.update(to: [key(3), key(7)])
    set.removeAll()
  }

  func test_C22_keysValuesAndHandlers_runWithNoLockHeld() {
    observations.observeDictionary(
      dictionary, values: [\.computed, \.value], options: [.initial, .old, .distinct],
      context: "tested"
    ) { [use] _, _, _ in use("handler") }
    observations.observeSet(set, options: [.old, .distinct], context: "tested") {
      [use] _, _, _ in use("handler of a set")
    }
    edit()
    XCTAssertEqual(
      uses.withLock { $0.keys.sorted() },
      ["==", "batch", "deinit", "getter", "handler", "handler of a set", "hash", "predicate"])
    XCTAssertLessThan(spare.withLock { $0.count }, 100)
  }

  func test_C22_observedKeys_areComparedWithNoLockHeld() {
    let keys = [1, 3, 5].map { key($0) }
    let values = keys.map { key in ObservableValue { [dictionary] in dictionary[key]?.value } }
    let contained = keys.map { key in ObservableValue { [set] in set.contains(key) } }
    for value in values {
      observations.observe(value, \.value) { [use] _, _, _ in use("handler") }
    }
    for value in contained { XCTAssertFalse(value.value) }
    edit()
    for (value, key) in zip(values, keys) { XCTAssertEqual(value.value, dictionary[key]?.value) }
    for (value, key) in zip(contained, keys) { XCTAssertEqual(value.value, set.contains(key)) }
    XCTAssertEqual(
      uses.withLock { $0.keys.sorted() }, ["==", "batch", "deinit", "handler", "hash", "predicate"])
  }

  func test_C22_keysOfJoinedChanges_areHashedWithNoLockHeld() {
    let queue = DispatchQueue(label: "joined")
    for coalescing in [ObservationCoalescing.none, .latest] {
      observations.observeDictionary(
        dictionary, values: [\.value], options: .distinct,
        context: ObservationContext("\(coalescing)"), on: queue,
        coalescing: coalescing
      ) { [use] _, _, _ in use("handler") }
      observations.observeSet(
        set, options: .old, context: ObservationContext("\(coalescing)"), on: queue,
        coalescing: coalescing
      ) { [use] _, _, _ in use("handler of a set") }
    }
    edit()
    uses.withLock { $0 = [:] }
    queue.whileSuspended {
      edit()
      set.insert(key(9))
      dictionary[key(9)] = Item(use)
    }
    for name in ["==", "hash", "handler", "handler of a set"] {
      XCTAssertNotNil(uses.withLock { $0[name] }, name)
    }
  }
}
