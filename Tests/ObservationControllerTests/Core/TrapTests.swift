#if DEBUG && (os(Linux) || os(macOS))
  import Foundation
  import ObservationController
  import TestSupport
  import XCTest

  /// Misuse that traps, with a message that names it.
  final class TrapTests: TestCase {
    private let observer = SilentObserver()
    private lazy var observations = ObservationController(observer: observer)

    func test_derivedValueThatReadsItself_withoutAPlaceholder_traps() {
      enum Light { case red, green }
      final class Crossing {
        @Derived({ (crossing: Crossing) in crossing.light == .red ? Light.green : .red })
        var light: Light
      }
      assertTraps(with: "reads itself, and Light has no placeholder for that: make it optional") {
        _ = collectingIssues { _ = Crossing().light }
      }
    }

    func test_storageReplacedDuringADelivery_traps() {
      final class Cell {
        @Observed var value = 0
        func replace() { _value = Observed(wrappedValue: 5) }
      }
      assertTraps(with: "The storage of an observed property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.value) { _, cell, _ in cell.replace() }
        cell.value = 1
      }
    }

    func test_storageReplacedByAPriorHandler_traps() {
      final class Cell {
        @Observed var value = 0
        func replace() { _value = Observed(wrappedValue: 5) }
      }
      assertTraps(with: "The storage of an observed property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.value, options: .prior) { _, cell, change in
          if change.isPrior { cell.replace() }
        }
        cell.value = 1
      }
    }

    func test_storageReplacedWhileValuesAreCompared_traps() {
      /// In a set, whose elements are compared by their `==`.
      struct Item: Hashable {
        var willCompare: () -> Void = {}
        static func == (left: Item, right: Item) -> Bool {
          left.willCompare()
          right.willCompare()
          return true
        }
        func hash(into hasher: inout Hasher) {}
      }
      final class Cell {
        @Observed var items: Set<Item> = [Item()]
        @Derived({ (cell: Cell) in cell.items.count }) var count: Int
        func replace() { _items = Observed(wrappedValue: []) }
      }
      assertTraps(with: "The storage of an observed property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.count) { _, _, _ in }
        cell.items = [Item(willCompare: { [unowned cell] in cell.replace() })]
      }
    }

    func test_storageOfADerivedProperty_replacedByItsGetter_traps() {
      final class Cell {
        @Observed var value = 0
        @Derived({ (cell: Cell) in cell.compute() }) var double: Int
        @Derived({ (cell: Cell) in cell.double + 1 }) var next: Int
        func compute() -> Int {
          if value > 0 { _double = Derived({ (cell: Cell) in cell.value }) }
          return value * 2
        }
      }
      assertTraps(with: "The storage of a derived property was replaced (`_name = …`)") {
        let cell = Cell()
        observations.observe(cell, \.next) { _, _, _ in }
        cell.value = 1
      }
    }

    func test_changeAppliedToAnotherArray_traps() {
      assertTraps(with: "The change does not belong to this array") {
        let array = ObservableArray(0..<40)
        observations.observeArray(array) { _, _, change in _ = change.applying(to: [1, 2, 3]) }
        array.removeSubrange(5..<30)
      }
    }

    func test_changeAppliedToALongerArray_traps() {
      assertTraps(with: "The change does not belong to this array, which has 5 elements") {
        let array = ObservableArray([1, 2, 3])
        observations.observeArray(array) { _, _, change in
          _ = change.applying(to: [1, 2, 3, 4, 5])
        }
        array.insert(0, at: 0)
      }
    }

    func test_editInAClosureOfAnEdit_ofAnArrayWithoutObservers_traps() {
      assertTraps(with: "was edited by a closure that was passed to an edit of it") {
        let array = ObservableArray([3, 2, 1])
        array.sort { _, _ in true }
        array.removeAll { element in
          array[0] = 4
          return element == 1
        }
      }
    }

    // MARK: Arrays, an element of which is being mutated in place

    private struct Todo {
      var isFinished = false

      mutating func finish(_ edit: () -> Void) {
        isFinished = true
        edit()
      }
    }

    private func assertTrapsInMutation(
      with message: String = "was edited while its element at index 0 was being mutated in place",
      in test: String = #function, file: StaticString = #filePath, line: UInt = #line,
      _ edit: (ObservableArray<Todo>) -> Void
    ) {
      assertTraps(with: message, in: test, file: file, line: line) {
        let todos = ObservableArray([Todo(), Todo()])
        todos[0].finish { edit(todos) }
      }
    }

    func test_removalInAMutationOfAnElement_traps() {
      assertTrapsInMutation { todos in _ = todos.remove(at: 0) }
    }

    func test_appendInAMutationOfAnElement_traps() {
      assertTrapsInMutation { $0.append(Todo()) }
    }

    func test_popLastInAMutationOfTheOnlyElement_traps() {
      assertTraps(with: "was edited while its element at index 0") {
        let todos = ObservableArray([Todo()])
        todos[0].finish { _ = todos.popLast() }
      }
    }

    func test_removeAllInAMutationOfTheOnlyElement_traps() {
      assertTraps(with: "was edited while its element at index 0") {
        let todos = ObservableArray([Todo()])
        todos[0].finish { todos.removeAll() }
      }
    }

    func test_removeSubrangeInAMutationOfTheOnlyElement_traps() {
      assertTraps(with: "was edited while its element at index 0") {
        let todos = ObservableArray([Todo()])
        todos[0].finish { todos.removeSubrange(0...) }
      }
    }

    func test_setElementsInAMutationOfAnElement_traps() {
      assertTrapsInMutation { $0.setElements([]) }
    }

    func test_assignmentInAMutationOfAnotherElement_traps() {
      assertTrapsInMutation { $0[1] = Todo() }
    }

    func test_batchInAMutationOfAnElement_traps() {
      assertTrapsInMutation { todos in todos.performBatchUpdates { todos.swapAt(0, 1) } }
    }

    func test_transactionInAMutationOfAnElement_traps() {
      assertTrapsInMutation { todos in withObservationTransaction { _ = todos.removeFirst() } }
    }

    func test_sortInAMutationOfAnElement_traps() {
      assertTrapsInMutation { $0.sort { _, _ in false } }
    }

    func test_removeWhereInAMutationOfAnElement_traps() {
      assertTrapsInMutation { $0.removeAll { _ in true } }
    }

    func test_editOfAnObservedArrayInAMutation_traps() {
      assertTraps(with: "An ObservableArray<Todo> was edited while its element at index 1") {
        let todos = ObservableArray([Todo(), Todo()])
        observations.observeArray(todos, options: .old) { _, _, _ in }
        todos[1].finish { _ = todos.remove(at: 1) }
      }
    }

    func test_editOfAnArrayInAHandlerInsideAMutation_traps() {
      assertTraps(with: "set `array[0] = element`") {
        let (todos, count) = (ObservableArray([Todo()]), Counter())
        observations.observe(count, \.count) { _, _, _ in todos.append(Todo()) }
        todos[0].finish { count.count = 1 }
      }
    }

    func test_swapOfTwoElements_traps() {
      assertTraps(with: "To exchange two elements call `swapAt`") {
        let todos = ObservableArray([Todo(), Todo()])
        swap(&todos[0], &todos[1])
      }
    }

    func test_readingAnElementInItsMutation_traps() {
      assertTrapsInMutation(with: "was read while its element at index 0") { _ = $0[0] }
    }

    func test_readingAllElementsInAMutation_traps() {
      assertTrapsInMutation(with: "was read while its element at index 0") { _ = $0.elements }
    }

    func test_observingTheArrayInAMutationOfAnElement_traps() {
      assertTrapsInMutation(with: "was read while its element at index 0") { todos in
        observations.observeArray(todos) { _, _, _ in }
      }
    }

    func test_viewMadeInAMutationOfAnElement_traps() {
      assertTrapsInMutation(with: "was read while its element at index 0") { todos in
        _ = todos.filtered(on: []) { $0.isFinished }
      }
    }

    func test_editAtAnIndex_thatAPriorHandlerRemoved_traps() {
      assertTraps(with: "there were 3 elements, and what ran before the edit has left 1") {
        let array = ObservableArray([1, 2, 3])
        observations.observe(array, \.count, options: .prior) { _, array, change in
          if change.isPrior, array.count == 3 { array.removeSubrange(1...) }
        }
        array.remove(at: 2)
      }
    }

    func test_editAtAnIndex_thatAPriorHandlerRemoved_insideABatch_traps() {
      assertTraps(with: "there were 2 elements, and what ran before the edit has left 0") {
        let array = ObservableArray([1, 2])
        observations.observe(array, \.count, options: .prior) { _, array, change in
          if change.isPrior, array.count == 2 { array.removeAll() }
        }
        array.performBatchUpdates { array[0] = 3 }
      }
    }
  }
#endif
