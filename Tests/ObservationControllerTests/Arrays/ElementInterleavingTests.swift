import ObservationController
import TestSupport
import XCTest

/// Elements that other threads and getters change while their array is being changed.
final class ElementInterleavingTests: TestCase {
  private final class Log: @unchecked Sendable {
    var lines: [String] = []
    var elements: [Rabbit] = []
  }

  private final class Rabbit: Sendable {
    let count = AtomicObserved(wrappedValue: 0)
    let onRead = Hook()

    var total: Int {
      onRead.run()
      return count.wrappedValue
    }
  }

  private final class Hutch: Sendable {
    let storage = AtomicObserved<[Rabbit]>(wrappedValue: [])
    let onRead = Hook()

    /// The action runs before the read.
    var rabbits: [Rabbit] {
      onRead.run()
      return storage.wrappedValue
    }
  }

  private let log = Log()
  private lazy var observations = ObservationController(observer: log)

  private func observe(_ hutch: Hutch) {
    observations.observeArray(hutch, \.rabbits, elements: [\.total], options: .initial) {
      log, _, change in
      if let values = change.elementChange {
        log.lines.append("\(values.oldValue!) → \(values.newValue)")
        for entry in change.entries {
          let index = entry.newIndex!
          if !log.elements.indices.contains(index) || log.elements[index] !== entry.element {
            log.lines.append("not at \(index)")
          }
        }
        if !log.elements.elementsEqual(change.elements, by: ===) {
          log.lines.append("\(log.elements.count) elements, then \(change.elements.count)")
        }
      } else {
        log.elements = change.applying(to: log.elements)
      }
    }
  }

  /// The second change finds the array changed, the first one is still waiting for that.
  func test_C21_elementOfPlainArray_changedWhileOthersJoin_chainIsContiguous() {
    let hutch = Hutch()
    let (first, newcomer) = (Rabbit(), Rabbit())
    hutch.storage.wrappedValue = [first]
    observe(hutch)
    hutch.onRead.set { onAnotherThread { first.count.wrappedValue = 1 } }
    newcomer.onRead.set { onAnotherThread { first.count.wrappedValue = 2 } }
    hutch.storage.wrappedValue = [first, newcomer]
    XCTAssertEqual(log.lines, ["0 → 1", "1 → 2"])
  }

  /// The array is changed between the change of the element and its search.
  func test_C21_elementOfPlainArray_whichIsChangedMeanwhile_isAtItsPlace() {
    let hutch = Hutch()
    let (first, newcomer) = (Rabbit(), Rabbit())
    hutch.storage.wrappedValue = [first]
    observe(hutch)
    hutch.onRead.set { onAnotherThread { hutch.storage.wrappedValue = [newcomer, first] } }
    first.count.wrappedValue = 1
    XCTAssertEqual(log.lines, ["0 → 1"])
    XCTAssertEqual(log.elements.count, 2)
  }

  private final class Hen {
    @Observed var count = 0
    var onRead: (() -> Void)?

    var total: Int {
      onRead.take()?()
      return count
    }
  }

  private final class Coop {
    @Observed var hens: [Hen] = []
  }

  /// A getter of an element that joins changes one that has changed in the batch.
  func test_C7_elementChangedInABatch_andByAGetter_chainIsContiguous() {
    let (first, newcomer) = (Hen(), Hen())
    let array = ObservableArray([first])
    observations.observeArray(array, elements: [\.total]) { log, _, change in
      if let values = change.elementChange {
        log.lines.append("\(values.oldValue!) → \(values.newValue)")
      }
    }
    newcomer.onRead = { first.count = 2 }
    array.performBatchUpdates {
      first.count = 1
      array.append(newcomer)
    }
    XCTAssertEqual(log.lines, ["0 → 1", "1 → 2"])
  }

  func test_C7_elementChangedInAMutation_andByAGetter_chainIsContiguous() {
    let (first, newcomer) = (Hen(), Hen())
    let coop = Coop()
    coop.hens = [first]
    observations.observeArray(coop, \.hens, elements: [\.total]) { log, _, change in
      if let values = change.elementChange {
        log.lines.append("\(values.oldValue!) → \(values.newValue)")
      }
    }
    newcomer.onRead = { first.count = 2 }
    func mutate(_ hens: inout [Hen]) {
      first.count = 1
      hens.append(newcomer)
    }
    mutate(&coop.hens)
    XCTAssertEqual(log.lines, ["0 → 1", "1 → 2"])
  }

  /// Another thread delivers the change by which an element comes before its property is followed,
  /// and then changes that.
  func test_C21_elementThatJoins_changedAfterThatWasDelivered_isDelivered() {
    let hutch = Hutch()
    let (first, second) = (Rabbit(), Rabbit())
    observations.observeArray(hutch, \.rabbits, elements: [\.total]) { log, _, change in
      log.lines.append(
        change.elementChange.map { "\($0.oldValue!) → \($0.newValue)" }
          ?? "\(change.elements.map(\.count.wrappedValue))")
    }
    first.onRead.set {
      onAnotherThread {
        hutch.storage.wrappedValue.append(second)
        first.count.wrappedValue = 1
      }
    }
    hutch.storage.wrappedValue = [first]
    // What was seen in the end is what there is.
    first.count.wrappedValue += 1
    let values = log.lines.filter { $0.contains("→") }
    XCTAssertTrue(
      log.lines.contains("[1]") || values == ["0 → 1", "1 → 2"], "\(log.lines)")
  }

  /// The same on one thread: a getter edits the array, and changes another element.
  func test_C7_elementThatJoins_changedAfterThatWasDelivered_isDelivered() {
    let (first, second, third) = (Hen(), Hen(), Hen())
    let array = ObservableArray<Hen>()
    observations.observeArray(array, elements: [\.total]) { log, _, change in
      log.lines.append(
        change.elementChange.map { "\($0.oldValue!) → \($0.newValue)" }
          ?? "\(change.elements.map(\.count))")
    }
    first.onRead = {
      array.append(third)
      second.count = 1
    }
    array.append(contentsOf: [first, second])
    second.count += 1
    let values = log.lines.filter { $0.contains("→") }
    XCTAssertTrue(
      log.lines.contains("[0, 1]") || values == ["0 → 1", "1 → 2"], "\(log.lines)")
  }

  /// Elements of an array that other threads change.
  func test_C21_elementsOfAtomicArray_changedOnSeveralThreads() {
    for round in 0..<20 {
      let hutch = Hutch()
      let first = Rabbit()
      hutch.storage.wrappedValue = [first]
      let log = Log()
      let controller = ObservationController(observer: log)
      let failures = Failures()
      let last = Guarded(0)
      controller.observeArray(hutch, \.rabbits, elements: [\.total], options: .initial) {
        log, _, change in
        guard let values = change.elementChange else {
          log.elements = change.applying(to: log.elements)
          return
        }
        let (old, new) = (values.oldValue as! Int, values.newValue as! Int)
        last.withLock {
          if $0 != old { failures.add("\($0), then \(old) → \(new)") }
          $0 = new
        }
        if !log.elements.elementsEqual(change.elements, by: ===) {
          failures.add("\(log.elements.count) elements, then \(change.elements.count)")
        }
      }
      onThreads(2) { thread in
        for _ in 0..<300 {
          if thread == 0 {
            first.count.withLock { $0 += 1 }
          } else {
            hutch.storage.withLock {
              if $0.count > 3 { $0.removeSubrange(0..<2) } else { $0.insert(Rabbit(), at: 0) }
              if !$0.contains(where: { $0 === first }) { $0.append(first) }
            }
          }
        }
      }
      XCTAssertEqual(failures.all, [], "round \(round)")
      if !failures.all.isEmpty { return }
      XCTAssertEqual(last.withLock { $0 }, first.count.wrappedValue)
    }
  }

  private final class Listener {
    let calls: CallCounter
    init(_ calls: CallCounter) { self.calls = calls }
  }

  /// A handler of a change of an element drops the observer, and edits the array.
  func test_C12_observerDroppedByAnElementsHandler_isNotCalledAgain() {
    for keyPath in [\Hen.count, \Hen.total] as [PartialKeyPath<Hen>] {
      let hen = Hen()
      let array = ObservableArray([hen])
      let calls = CallCounter()
      var listener: Listener? = Listener(calls)
      let controller = ObservationController(observer: listener!)
      controller.observeArray(array, elements: [keyPath]) { listening, array, change in
        listening.calls.increment()
        if change.kind == .element {
          array.append(Hen())
          listener = nil
        }
      }
      hen.count = 1
      XCTAssertNil(controller.observer)
      XCTAssertEqual(calls.count, 1, "\(keyPath)")
    }
  }

  /// The same with a plain array.
  func test_C12_observerDroppedByAPlainElementsHandler_isNotCalledAgain() {
    for keyPath in [\Hen.count, \Hen.total] as [PartialKeyPath<Hen>] {
      let hen = Hen()
      let coop = Coop()
      coop.hens = [hen]
      let calls = CallCounter()
      var listener: Listener? = Listener(calls)
      let controller = ObservationController(observer: listener!)
      controller.observeArray(coop, \.hens, elements: [keyPath]) { listening, coop, change in
        listening.calls.increment()
        if change.kind == .element {
          coop.hens.append(Hen())
          listener = nil
        }
      }
      hen.count = 1
      XCTAssertNil(controller.observer)
      XCTAssertEqual(calls.count, 1, "\(keyPath)")
    }
  }
}
