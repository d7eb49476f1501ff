import Foundation
import ObservationController
import TestSupport
import XCTest

/// Derived values that read themselves, or set their dependencies.
final class DerivedCycleTests: TestCase {
  /// Each property reads itself; its value shows the placeholder that it read.
  private final class Loop {
    static let line: UInt = #line + 1
    @Derived({ (loop: Loop) in loop.number + 1 }) var number: Int
    @Derived({ (loop: Loop) in loop.ratio + 0.5 }) var ratio: Double
    @Derived({ (loop: Loop) in loop.text + "x" }) var text: String
    @Derived({ (loop: Loop) in (loop.maybe ?? 5) + 1 }) var maybe: Int?
    @Derived({ (loop: Loop) in loop.list + [1] }) var list: [Int]
    @Derived({ (loop: Loop) in !loop.flag }) var flag: Bool
    @Derived({ (loop: Loop) in loop.set.union([1]) }) var set: Set<Int>
    @Derived({ (loop: Loop) in loop.table.merging([1: 2]) { $1 } }) var table: [Int: Int]
    @Derived({ (loop: Loop) in loop.object ?? loop }) var object: Loop?
  }

  /// Its properties in order, one on each line.
  private let keyPaths: [PartialKeyPath<Loop>] = [
    \.number, \.ratio, \.text, \.maybe, \.list, \.flag, \.set, \.table, \.object,
  ]

  private func assertCycles(
    of expected: [PartialKeyPath<Loop>], line: UInt = #line, _ body: () -> Void
  ) {
    let issues = collectingIssues(body)
    XCTAssertEqual(issues.count, expected.count, line: line)
    for (issue, keyPath) in zip(issues, expected) {
      guard case .derivedCycle(let way, #fileID, let place) = issue else {
        return XCTFail("\(issue)", line: line)
      }
      XCTAssertEqual(way, [keyPath, keyPath], line: line)
      XCTAssertEqual(Int(place - Loop.line), keyPaths.firstIndex(of: keyPath), line: line)
    }
  }

  func test_C8_valueThatReadsItself_isReportedOnce_withKeyPathAndPlace() {
    let loop = Loop()
    assertCycles(of: [\.number]) { XCTAssertEqual(loop.number, 1) }
    assertNoIssues { XCTAssertEqual(loop.number, 1, "it is kept") }
  }

  func test_valueThatReadsItself_getsAPlaceholder() {
    let loop = Loop()
    assertCycles(of: Array(keyPaths.dropFirst())) {
      XCTAssertEqual(loop.ratio, 0.5)
      XCTAssertEqual(loop.text, "x")
      XCTAssertEqual(loop.maybe, 6)
      XCTAssertEqual(loop.list, [1])
      XCTAssertEqual(loop.flag, true)
      XCTAssertEqual(loop.set, [1])
      XCTAssertEqual(loop.table, [1: 2])
      XCTAssertIdentical(loop.object, loop)
    }
  }

  func test_optionalWithOptionals_thatReadsItself_getsNil() {
    final class Loop {
      @Derived({ (loop: Loop) in loop.nested == nil ? 1 : 2 }) var nested: Int??
      @Derived({ (loop: Loop) in loop.any == nil ? 1 : 2 }) var any: Any?
    }
    _ = collectingIssues {
      XCTAssertEqual(Loop().nested, 1)
      XCTAssertEqual(Loop().any as? Int, 1)
    }
  }

  func test_twoThatReadEachOther_areReportedOnce() {
    let pair = Pair()
    let issues = collectingIssues { XCTAssertEqual(pair.b, 21) }
    guard case .derivedCycle(let way, #fileID, Pair.line)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(way, [\Pair.b, \Pair.c, \Pair.b])
    assertNoIssues { _ = (pair.b, pair.c) }
  }

  private final class Pair {
    @Observed var a = 10
    static let line: UInt = #line + 1
    @Derived({ (pair: Pair) in pair.c + pair.a }) var b: Int
    @Derived({ (pair: Pair) in pair.b + pair.a + 1 }) var c: Int
  }

  private final class Link {
    @Observed var next: Link?
    @Derived({ (link: Link) in (link.next?.depth ?? 0) + 1 }) var depth: Int
  }

  /// - Returns: The description of the issue, and the objects of the ring in their order.
  private func ring(of count: Int) -> (text: String, objects: [Link]) {
    let links = (0..<count).map { _ in Link() }
    for (index, link) in links.enumerated() { link.next = links[(index + 1) % count] }
    let issues = collectingIssues { _ = links[0].depth }
    for link in links { link.next = nil }
    XCTAssertEqual(issues.count, 1)
    return (issues.first?.description ?? "", links)
  }

  func test_C30_cycle_namesItsObjects() {
    let (text, links) = ring(of: 3)
    for link in links {
      let address = String(UInt(bitPattern: ObjectIdentifier(link)), radix: 16)
      XCTAssertTrue(text.contains("Link@\(address)"), text)
    }
  }

  func test_C30_longCycle_isNamedByItsEnds() {
    let (text, links) = ring(of: 200)
    XCTAssertLessThan(text.count, 900, text)
    for link in [links[0], links[199]] {
      let address = String(UInt(bitPattern: ObjectIdentifier(link)), radix: 16)
      XCTAssertTrue(text.contains("Link@\(address)"), text)
    }
  }

  func test_C30_cycle_namesTheValuesOfTheObject() {
    class Base {
      @Observed var unused = 0
      @Derived({ (base: Base) in base.rest + 1 }) var total: Int
      var rest: Int { 0 }
    }
    final class Nested: Base {
      @Derived({ (nested: Nested) in nested.total * 2 }) var twice: Int
      override var rest: Int { twice }
    }
    final class Restless {
      @Observed var count = 0
      @Derived({ (object: Restless) -> Int in
        object.count = object.count + 1
        return object.count
      }) var number: Int
    }
    let issues = collectingIssues { _ = (Nested().twice, Restless().number) }
    let texts = issues.map(\.description)
    guard texts.count == 2 else { return XCTFail("\(texts)") }
    XCTAssertTrue(
      texts[0].contains(
        ": \\Nested.twice reads itself, by way of \\Nested.twice, \\Base.total, \\Nested.twice: "),
      texts[0])
    XCTAssertTrue(texts[1].contains(": \\Restless.number was set "), texts[1])
  }

  func test_valueThatReadsItselfOnlySometimes_isRightAgain() {
    final class Sometimes {
      @Observed var isLooped = true
      @Observed var a = 1
      @Derived({ (object: Sometimes) in object.isLooped ? object.value + 100 : object.a })
      var value: Int
    }
    let object = Sometimes()
    XCTAssertEqual(collectingIssues { XCTAssertEqual(object.value, 100) }.count, 1)
    object.isLooped = false
    assertNoIssues { XCTAssertEqual(object.value, 1) }
    object.a = 2
    assertNoIssues { XCTAssertEqual(object.value, 2) }
  }

  /// `b` reads `a`, which reads `c` while a switch is on, which reads `b`.
  private final class Ring {
    @Observed var isClosed = false
    @Observed var start = 1
    @Derived({ (ring: Ring) in ring.isClosed ? ring.c : ring.start }) var a: Int
    @Derived({ (ring: Ring) in ring.a + 10 }) var b: Int
    @Derived({ (ring: Ring) in ring.b * 2 }) var c: Int

    var values: [Int] { [a, b, c] }
  }

  func test_C30_cycleThatIsBroken_leavesValuesAndObserversRight() {
    for isObserved in [false, true] {
      let ring = Ring()
      let recorder = LineRecorder()
      let controller = ObservationController(observer: recorder)
      var last = ring.values
      if isObserved {
        for (index, keyPath) in [\Ring.a, \.b, \.c].enumerated() {
          controller.observe(ring, keyPath) { _, _, change in
            XCTAssertEqual(change.oldValue, last[index])
            last[index] = change.newValue
          }
        }
      }
      XCTAssertEqual(ring.values, [1, 11, 22])
      let issues = collectingIssues {
        ring.isClosed = true
        _ = ring.values
      }
      let isNamed = issues.contains { issue in
        guard case .derivedCycle(let way, _, _) = issue else { return false }
        return Set(way) == [\Ring.a, \Ring.b, \Ring.c]
      }
      XCTAssertTrue(isNamed, "\(issues)")
      assertNoIssues {
        ring.isClosed = false
        XCTAssertEqual(ring.values, [1, 11, 22])
        ring.start = 5
        XCTAssertEqual(ring.values, [5, 15, 30])
      }
      if isObserved { XCTAssertEqual(last, [5, 15, 30]) }
    }
  }

  func test_observedValueThatReadsItself_isReported_andDelivered() {
    final class Looped {
      @Observed var a = 1
      @Derived({ (looped: Looped) in looped.value + looped.a }) var value: Int
    }
    let looped = Looped()
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    let issues = collectingIssues {
      controller.observe(looped, \.value, action: ChangeRecorder<Int>.record)
      looped.a = 2
      withObservationTransaction { looped.a = 3 }
    }
    XCTAssertEqual(recorder.events, [.changed(1, 2), .changed(2, 3)])
    XCTAssertEqual(issues.count, 3, "\(issues)")
  }

  func test_C30_valueThatIsObservedWhileItIsCompared_isReportedAsACycleAlone() {
    final class Compared {
      struct Value: Hashable {
        let owner: Unmanaged<Compared>
        // Not the same bits each time.
        let run: Int
        func hash(into hasher: inout Hasher) {}
        static func == (left: Value, right: Value) -> Bool {
          // Safe: the object of the property is alive while it is computed.
          left.owner._withUnsafeGuaranteedRef { $0.observe?() }
          return true
        }
      }
      @Observed var number = 1
      var observe: (() -> Void)?
      @Derived({ (object: Compared) in
        [Value(owner: .passUnretained(object), run: object.number)]
      }) var value: Set<Value>
      // Keeps the value, for the next one to be compared with.
      @Derived({ (object: Compared) in object.value.count }) var count: Int
    }
    let object = Compared()
    let recorder = LineRecorder()
    let controller = ObservationController(observer: recorder)
    _ = object.count
    object.number = 2
    object.observe = {
      object.observe = nil
      let token = controller.observe(object, \.value) { _, _, _ in }
      XCTAssertFalse(token.isActive)
    }
    let issues = collectingIssues { _ = object.value }
    guard case .derivedCycle(let way, _, _)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    XCTAssertEqual(way, [\Compared.value, \Compared.value])
  }

  // MARK: Side effects

  private final class Counting {
    @Observed var a = 1
    @Observed var reads = 0
    @Observed var copy = 0
    var computed = 0

    /// Sets a property that it does not read.
    @Derived({ (object: Counting) -> Int in
      object.reads += 1
      return object.a
    }) var counted: Int

    /// Sets its dependency until that has the right value.
    @Derived({ (object: Counting) -> Int in
      let copy = object.copy
      if copy != object.a { object.copy = object.a }
      return copy * 10
    }) var settled: Int

    /// Sets its dependency on each computation.
    @Derived({ (object: Counting) -> Int in
      object.computed += 1
      object.copy = object.copy + 1
      return object.a
    }) var restless: Int
  }

  func test_closureThatChangesSomethingElse_runsOncePerChange() {
    let object = Counting()
    _ = (object.counted, object.counted)
    XCTAssertEqual(object.reads, 1)
    object.a = 2
    XCTAssertEqual(object.counted, 2)
    XCTAssertEqual(object.reads, 2)
  }

  func test_closureThatChangesItsDependency_isRunAgain_untilItSettles() {
    let object = Counting()
    assertNoIssues { XCTAssertEqual(object.settled, 10) }
    object.a = 5
    assertNoIssues { XCTAssertEqual(object.settled, 50) }
    XCTAssertEqual(object.settled, 50)
  }

  func test_closureThatChangesItsDependency_inATransaction_notifiesOnce() {
    let object = Counting()
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(object, \.settled, action: ChangeRecorder<Int>.record)
    assertNoIssues {
      withObservationTransaction { object.a = 3 }
      object.a = 4
    }
    XCTAssertEqual(recorder.events, [.changed(10, 30), .changed(30, 40)])
  }

  func test_C8_closureThatAlwaysChangesItsDependency_isReportedOnce() {
    let object = Counting()
    let issues = collectingIssues { XCTAssertEqual(object.restless, 1) }
    guard case .cycle(\Counting.restless, #fileID, _)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
    XCTAssertLessThanOrEqual(object.computed, 100)
  }

  // MARK: Values that are computed alone

  private final class SharedLoop: @unchecked Sendable {
    let hook = Guarded<(@Sendable () -> Void)?>(nil)
    @AtomicObserved var isClosed = true
    @Derived({ (loop: SharedLoop) in
      loop.hook.withLock { $0.take() }?()
      return loop.isClosed ? loop.value + 1 : 0
    }) var value: Int

    init(like other: SharedLoop? = nil) { if let other { _value = other._value } }
  }

  private func assertCycle(_ issues: [ObservationIssue], line: UInt = #line) {
    guard case .derivedCycle([\SharedLoop.value, \SharedLoop.value], _, _)? = issues.first,
      issues.count == 1
    else { return XCTFail("\(issues)", line: line) }
  }

  func test_C30_cycleThroughCopiedStorage_isReported() {
    let original = SharedLoop()
    assertCycle(collectingIssues { XCTAssertEqual(original.value, 1) })
    let copy = SharedLoop(like: original)
    assertCycle(collectingIssues { XCTAssertEqual(copy.value, 1) })
  }

  func test_C30_cycle_whileAnotherThreadComputesTheValue_isReported() {
    let loop = SharedLoop()
    let (isInside, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    loop.hook.withLock {
      $0 = {
        isInside.signal()
        mayGoOn.wait()
      }
    }
    let issues = collectingIssues {
      onThreads(2) { thread in
        if thread == 0 {
          XCTAssertEqual(loop.value, 0)
        } else {
          isInside.wait()
          XCTAssertEqual(loop.value, 1)
          loop.isClosed = false
          mayGoOn.signal()
        }
      }
    }
    assertCycle(issues)
    XCTAssertEqual(loop.value, 0)
  }
}
