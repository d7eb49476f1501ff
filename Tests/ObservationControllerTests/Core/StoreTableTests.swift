#if DEBUG  // `@testable` is not available in a release build.
  @testable import ObservationController
  import TestSupport
  import XCTest

  /// The table behind a controller, compared with a dictionary.
  final class StoreTableTests: TestCase {
    private let observer = SilentObserver()

    // MARK: Handlers of one event

    func test_index_manyHandlersOfOneEvent_areNotCompared() {
      let event = ObservableEvent<Int>()
      let observations = ObservationController(observer: observer)
      let tokens = (0..<20).map { _ in observations.observe(event) { _, _ in } }
      let alike = observations.store.state.withLock { state in
        let object = ObjectIdentifier(event)
        return state.index.infos(
          of: InfoIndex.Key(of: tokens[0].registration, object), among: state.infos(of: object))
      }
      XCTAssertEqual(alike?.all.count, 0)
    }

    // MARK: Small programs

    func test_table_allSmallPrograms_matchADictionary() {
      for prefix in [0, 1, 6, 63, 64, 255, 256, 257, 511, 512, 600] {
        let checker = TableChecker(observer)
        for key in 0..<prefix { checker.add(100 + key) }
        let depth = Effort.count(quick: 2, full: 3) + (prefix < 2 ? 1 : 0)
        // Before the others, among them and behind them.
        let steps = Step.all(of: [0, 100 + prefix / 2, 100 + prefix])
        run(steps, depth: depth, from: checker)
      }
    }

    /// Tries every step in every state that the others lead to.
    private func run(_ steps: [Step], depth: Int, from checker: TableChecker) {
      guard depth > 0 else { return }
      for step in steps {
        let next = checker.copy()
        next.perform(step)
        next.check()
        run(steps, depth: depth - 1, from: next)
      }
    }

    func test_table_removalOfAllButOne_findsThatOne_aroundTheLimits() {
      for count in Array(1...20) + [64, 128, 255, 256, 257, 320, 511, 512, 513, 1_000] {
        for survivor in count <= 20 ? Array(0..<count) : [0, count / 2, count - 1] {
          let checker = TableChecker(observer)
          for key in 0..<count { checker.add(key) }
          for key in 0..<count where key != survivor { checker.removeNewest(key) }
          checker.check()
          for key in 0..<count { checker.add(key) }
          checker.check()
        }
      }
    }

    // MARK: Large programs

    func test_table_randomPrograms_matchADictionary() {
      for seed in seeds(quick: 1, full: 30) {
        var random = SeededGenerator(seed: seed)
        for keys in [10, 300, 1_500] {
          let checker = TableChecker(observer)
          for round in 0..<(12 * keys) {
            // Phases that grow and phases that shrink, across the limits.
            let isGrowing = (round / (3 * keys)).isMultiple(of: 2)
            let key = Int.random(in: 0..<keys, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<(isGrowing ? 8 : 2): checker.add(key)
            case 8: checker.removeOldest(key)
            default: checker.removeNewest(key)
            }
            if round.isMultiple(of: 37 + keys / 10) { checker.check() }
          }
          checker.check()
        }
      }
    }

    func test_table_manyRemovalsThenInsertions_keepTheOrder() {
      let checker = TableChecker(observer)
      for key in 0..<1_500 { checker.add(key) }
      for key in 0..<1_500 where !key.isMultiple(of: 7) { checker.removeNewest(key) }
      checker.check()
      for key in (0..<1_500).reversed() { checker.add(key) }
      checker.check()
      for key in 0..<1_500 {
        checker.removeOldest(key)
        checker.removeOldest(key)
      }
      checker.check()
      XCTAssertEqual(checker.table.elements.count, 0)
    }

    // MARK: Memory

    func test_table_objectsAddedAndRemoved_takeNoMoreMemory() {
      for resident in [0, 5, 8, 100, 1_000] {
        for order in [Order.lifo, .fifo, .random] {
          let checker = TableChecker(observer)
          for key in 0..<resident { checker.add(1_000_000 + key) }
          churn(checker, 500, order)
          let before = checker.capacity
          churn(checker, 1_000, order)
          let after = checker.capacity
          XCTAssertLessThanOrEqual(after, max(64, before * 2), "\(resident) \(order)")
          XCTAssertLessThanOrEqual(after, 8 * (resident + 32), "\(resident) \(order)")
          checker.check()
        }
      }
    }

    func test_table_mostObjectsRemoved_freesTheirMemory() {
      let checker = TableChecker(observer)
      for key in 0..<20_000 { checker.add(key) }
      for key in 0..<20_000 where !key.isMultiple(of: 100) { checker.removeNewest(key) }
      checker.check()
      XCTAssertLessThanOrEqual(checker.capacity, 8 * (200 + 32))
    }

    private enum Order { case lifo, fifo, random }

    /// Adds objects, of which ten exist at a time.
    private func churn(_ checker: TableChecker, _ count: Int, _ order: Order) {
      var random = SeededGenerator(seed: 7)
      var present: [Int] = []
      for key in 0..<count {
        checker.add(key)
        present.append(key)
        guard present.count > 10 || (order == .lifo && key.isMultiple(of: 3)) else { continue }
        switch order {
        case .lifo: while let key = present.popLast() { checker.removeNewest(key) }
        case .fifo: checker.removeNewest(present.removeFirst())
        case .random:
          checker.removeNewest(present.remove(at: .random(in: present.indices, using: &random)))
        }
      }
      for key in present { checker.removeNewest(key) }
    }
  }

  // MARK: - Programs

  private enum Step {
    case add(Int)
    case removeOldest(Int)
    case removeNewest(Int)

    static func all(of keys: [Int]) -> [Step] {
      keys.flatMap { [.add($0), .removeOldest($0), .removeNewest($0)] }
    }
  }

  /// A table and its expected contents.
  private final class TableChecker {
    private(set) var table = SortedList<ObservationStore.ObservedObject>()
    private var model: [Int: [ObservationInfo]] = [:]
    private let registration: ObservationRegistration
    private var keys: Set<Int> = []

    init(_ observer: SilentObserver) {
      let request = ObservationRequest(
        KeyPathAccess(naming: \Counter.count), file: "", line: 0)
      let store = ObservationStore(observer: observer, retainsObserved: false)
      registration = ObservationRegistration(
        store: store, request: request, invoke: { _, _, _, _, _ in })
    }

    private init(_ other: TableChecker) {
      (table, model, registration, keys) = (
        other.table, other.model, other.registration, other.keys
      )
    }

    /// For how many elements there is memory.
    var capacity: Int { table.chunks.reduce(0) { $0 + $1.capacity } }

    func copy() -> TableChecker { TableChecker(self) }

    /// Addresses as an allocator returns them.
    private func identity(_ key: Int) -> ObjectIdentifier {
      unsafeBitCast(UInt(0x7f00_0000_0000 + 48 * key), to: ObjectIdentifier.self)
    }

    func perform(_ step: Step) {
      switch step {
      case .add(let key): add(key)
      case .removeOldest(let key): removeOldest(key)
      case .removeNewest(let key): removeNewest(key)
      }
    }

    func add(_ key: Int) {
      keys.insert(key)
      let info = ObservationInfo(registration: registration, root: .released, handler: nil)
      let place = table.place(of: identity(key))
      XCTAssertEqual(place.isTaken, model[key] != nil)
      if place.isTaken {
        table[place].infos.insert(info)
      } else {
        table.insert(.init(order: identity(key), infos: .one(info)), at: place)
      }
      model[key, default: []].append(info)
    }

    func removeOldest(_ key: Int) { remove(key) { $0.startIndex } }

    func removeNewest(_ key: Int) { remove(key) { $0.endIndex - 1 } }

    private func remove(_ key: Int, _ position: ([ObservationInfo]) -> Int) {
      guard var infos = model[key] else {
        let stranger = ObservationInfo(registration: registration, root: .released, handler: nil)
        return table.remove(stranger, of: identity(key))
      }
      table.remove(infos.remove(at: position(infos)), of: identity(key))
      model[key] = infos.isEmpty ? nil : infos
    }

    func check(file: StaticString = #filePath, line: UInt = #line) {
      XCTAssertEqual(table.elements.count, model.count, file: file, line: line)
      let expected = model.sorted { $0.key < $1.key }.map { $0.value.map(\.serial) }
      XCTAssertEqual(
        table.elements.map { $0.infos.all.map(\.serial) }, expected, file: file, line: line)
      for key in keys {
        XCTAssertEqual(
          (table[identity(key)]?.infos ?? .none).all.map(\.serial),
          model[key, default: []].map(\.serial), file: file, line: line)
      }
    }
  }
#endif
