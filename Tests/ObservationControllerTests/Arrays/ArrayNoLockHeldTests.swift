import Foundation
import ObservationController
import TestSupport
import XCTest

/// C22 and C23 for arrays: no lock is held while user code runs, and handlers of an actor need no
/// special treatment.
///
/// Each piece of user code observes and unobserves the array on another thread, and waits for it,
/// which never returns if a lock is held.
final class ArrayNoLockHeldTests: TestCase {
  private let array = ObservableArray<Item>()
  private let shelf = Shelf()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  /// The number of calls of each kind of user code.
  private var uses: [String: Int] = [:]
  private var isProbing = false

  private final class Shelf {
    @Observed var items: ObservableArray<Item> = []
    @Observed var keys: [Key] = []
    var onRead: (() -> Void)?

    var read: ObservableArray<Item> {
      onRead?()
      return items
    }
  }

  private final class Item: Equatable {
    @Observed var value = 0
    @Observed var key: Key
    let use: (String) -> Void

    init(_ use: @escaping (String) -> Void) {
      self.use = use
      key = Key(id: 0, use: use)
    }

    deinit { use("deinit") }

    var computed: Int {
      use("getter")
      return value
    }

    static func == (left: Item, right: Item) -> Bool {
      left.use("==")
      return left === right
    }
  }

  private struct Key: Hashable {
    let id: Int
    let use: (String) -> Void

    static func == (left: Key, right: Key) -> Bool {
      left.use("== of keys")
      return left.id == right.id
    }

    func hash(into hasher: inout Hasher) {
      use("hash")
      hasher.combine(id)
    }
  }

  /// Uses every table, and the array itself, on another thread.
  private func probe(_ name: String) {
    uses[name, default: 0] += 1
    guard !isProbing, uses[name]! <= 3 else { return }
    isProbing = true
    defer { isProbing = false }
    let target = UncheckedReference(array)
    onAnotherThread(name) { [observations = self.observations] in
      _ = ObservationDispatcher.shared.activeObservationCount
      _ = observations.observations.count
      let token = observations.observeArray(
        target.object, elements: [\.value], context: ObservationContext()
      ) { _, _, _ in }
      token.invalidate()
    }
  }

  private func item() -> Item { Item { [unowned self] in probe($0) } }

  private func key(_ id: Int) -> Key { Key(id: id) { [unowned self] in probe($0) } }

  private func checkThatAllRan(_ names: String..., line: UInt = #line) {
    XCTAssertEqual(uses.keys.sorted(), names.sorted(), line: line)
  }

  // MARK: C22

  func test_C22_handlersGettersAndEquality_runWithNoLockHeld() {
    shelf.onRead = { [unowned self] in probe("path") }
    observations.observeArray(
      array, elements: [\.computed, \.key], options: [.initial, .old, .distinct]
    ) { [unowned self] _, _, _ in probe("handler") }
    observations.observeArray(shelf, \.read, elements: [\.computed], options: .old) {
      [unowned self] _, _, _ in probe("handler of a path")
    }
    array.append(contentsOf: [item(), item()])
    array[0].value = 1
    array[1].key = key(2)
    array.setElements(array.elements.reversed())
    shelf.items = array
    shelf.items = ObservableArray([item()])
    array.removeFirst()
    array.removeAll()
    // Elements are compared by identity, not by their `==`.
    checkThatAllRan("handler", "handler of a path", "getter", "path", "== of keys", "deinit")
  }

  func test_C22_hashAndEqualityOfPlainElements_runWithNoLockHeld() {
    observations.observeArray(shelf, \.keys, options: .distinct) { [unowned self] _, _, _ in
      probe("handler")
    }
    shelf.keys = [key(1), key(2), key(3)]
    shelf.keys = [key(3), key(1), key(2), key(1)]
    checkThatAllRan("handler", "hash", "== of keys")
  }

  func test_C22_closuresOfEditsAndViews_runWithNoLockHeld() {
    let views = [
      array.filtered(on: [\.value]) { [unowned self] _ in
        probe("predicate")
        return true
      },
      array.sorted(on: [\.value]) { [unowned self] in
        probe("comparator")
        return $0.value < $1.value
      },
      array.mapped(on: [\.value]) { [unowned self] in
        probe("transform")
        return $0
      },
    ]
    for view in views { observations.observeArray(view) { $0.write($2.kind) } }
    array.append(contentsOf: [item(), item(), item()])
    array[0].value = 5
    array.sort { [unowned self] in
      probe("comparator of sort")
      return $0.value < $1.value
    }
    array.removeAll { [unowned self] item in
      probe("predicate of removal")
      return item.value == 5
    }
    array.performBatchUpdates { probe("batch") }
    array.remove(array[0])
    checkThatAllRan(
      "predicate", "comparator", "transform", "comparator of sort", "predicate of removal", "batch",
      "==", "deinit")
    withExtendedLifetime(views) {}
  }

  func test_C22_deinitsOfHandlersAndReporters_runWithNoLockHeld() {
    let reporter = ObservationIssue.reporter
    defer { ObservationIssue.reporter = reporter }
    let own = UncheckedReference(self)
    ObservationIssue.reporter = { _ in own.object.probe("reporter") }
    for keyPaths: [PartialKeyPath<Item>] in [[\.value], [\.computed, \.use]] {
      let sentinel = Sentinel { [unowned self] in probe("deinit of a handler") }
      observations.observeArray(array, elements: keyPaths) { [sentinel] _, _, _ in
        withExtendedLifetime(sentinel) {}
      }
      array.append(item())
      observations.unobserve(array)
    }
    array.filtered(on: []) { _ in true }.append(item())
    checkThatAllRan("reporter", "deinit of a handler", "getter", "deinit")
  }

  /// User code that observes the array again, on this thread, at each of these moments.
  func test_C22_observingAgainInsideUserCode_isAllowed() {
    let numbers = ObservableArray([3, 1, 2])
    func observe(_ name: String) {
      observations.observeArray(numbers, context: ObservationContext(name)) { recorder, _, change in
        recorder.write("\(name) \(change.kind)")
      }
    }
    observe("0")
    let view = numbers.filtered(on: []) { number in
      observe("predicate")
      return number > 1
    }
    numbers.append(4)
    numbers.sort { left, right in
      observe("comparator")
      return left < right
    }
    XCTAssertEqual(view.elements, [2, 3, 4])
    XCTAssertEqual(
      recorder.events,
      ["0 insertion", "predicate insertion", "0 move", "predicate move", "comparator move"])
  }

  // MARK: C23

  @MainActor
  private final class ListViewModel {
    let recorder = LineRecorder()
    private let school = School(students("b"))
    private let byName = ObservableArray<Student>()
    private lazy var visible = school.students.sorted(on: [\.name]) { $0.name < $1.name }
    private lazy var observations = ObservationController(observer: self)

    func work() {
      observations.observeArray(school, \.students, elements: [\.name], options: .initial) {
        viewModel, _, change in
        viewModel.recorder.write(change)
        viewModel.update()
      }
      observations.observeArray(visible) { viewModel, _, change in
        viewModel.recorder.write("visible \(change.line)")
      }
      school.students.performBatchUpdates { school.students.append(Student("a")) }
      school.students[0].name = "0"
    }

    func update() {
      recorder.write("updated")
    }
  }

  @MainActor
  func test_C23_mainActorViewModel_observesArrays() {
    let viewModel = ListViewModel()
    viewModel.work()
    XCTAssertEqual(
      viewModel.recorder.events,
      [
        "initial +b0: b", "updated", "visible insertion +a0: a b", "batch +a1: b a", "updated",
        "visible move 01→0: 0 a", "element 0@0: 0 a b → 0", "updated",
      ])
  }
}
