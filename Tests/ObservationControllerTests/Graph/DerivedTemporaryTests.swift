import Foundation
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// Derived values that read temporary objects, and values that are computed twice at once.
final class DerivedTemporaryTests: TestCase {
  /// A temporary object of a closure.
  private final class Formatter {
    @Observed var number: Int
    @Observed var unit = "m"
    init(_ number: Int) { self.number = number }
    var text: String { "\(number) \(unit)" }
  }

  private final class Length {
    @Observed var metres = 1
    var computations = 0
    weak var source: Formatter?

    @Derived({ (length: Length) in
      length.computations += 1
      return Formatter(length.metres).text
    }) var text: String

    @Derived({ (length: Length) in "<\(length.text)>" }) var quoted: String

    @Derived({ (length: Length) in
      length.computations += 1
      return Formatter(7).text
    }) var constant: String

    @Derived({ (length: Length) in length.source?.text ?? "none" }) var ofSource: String
  }

  func test_value_thatReadsATemporaryObject_isComputedOnce() {
    let length = Length()
    for _ in 0..<3 { XCTAssertEqual(length.text, "1 m") }
    XCTAssertEqual(length.computations, 1)
    length.metres = 2
    for _ in 0..<3 { XCTAssertEqual(length.quoted, "<2 m>") }
    XCTAssertEqual(length.computations, 2)
  }

  func test_value_thatReadsTemporaryObjectsAlone_isComputedOnce() {
    let length = Length()
    for _ in 0..<3 { XCTAssertEqual(length.constant, "7 m") }
    length.metres = 2
    XCTAssertEqual(length.constant, "7 m")
    XCTAssertEqual(length.computations, 1)
  }

  func test_value_thatReadsATemporaryObject_isObserved() {
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let length = Length()
    controller.observe(length, \.text, action: ChangeRecorder<String>.record)
    controller.observe(length, \.quoted, action: ChangeRecorder<String>.record)
    length.metres = 2
    length.metres = 3
    XCTAssertEqual(
      recorder.events,
      [
        .changed("1 m", "2 m"), .changed("<1 m>", "<2 m>"),
        .changed("2 m", "3 m"), .changed("<2 m>", "<3 m>"),
      ])
    XCTAssertEqual(length.computations, 3)
    assertReleased {
      let length = Length()
      XCTAssertEqual(length.quoted, "<1 m>")
      return length
    }
  }

  func test_value_withADeallocatedDependency_isComputedAnew() {
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let length = Length()
    var source: Formatter? = Formatter(5)
    length.source = source
    controller.observe(length, \.ofSource, action: ChangeRecorder<String>.record)
    source?.unit = "km"
    XCTAssertEqual(recorder.events, [.changed("5 m", "5 km")])
    XCTAssertEqual(length.ofSource, "5 km")
    source = nil
    XCTAssertEqual(length.ofSource, "none")
  }

  // MARK: C22

  private final class Twice: @unchecked Sendable {
    /// Reads the derived value in its `deinit`.
    final class Value: @unchecked Sendable {
      private let owner: Unmanaged<Twice>
      init(_ owner: Twice) { self.owner = .passUnretained(owner) }
      deinit {
        // Safe: the owner of the property outlives the value in this test.
        owner._withUnsafeGuaranteedRef { $0.valueWillDeinit() }
      }
    }

    @AtomicObserved var number = 0
    let depth = Atomic<Int>(0)
    let freed = Atomic<Int>(0)

    @Derived({ (twice: Twice) in
      _ = twice.number
      // Another thread computes the value from beginning to end, while this one computes it.
      if twice.depth.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
        let isDone = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          _ = twice.value
          isDone.signal()
        }
        isDone.wait()
      }
      return Value(twice)
    }) var value: Value

    func valueWillDeinit() {
      let isFirst = freed.wrappingAdd(1, ordering: .relaxed).newValue == 1
      if isFirst { _ = value }
    }
  }

  func test_C22_valueThatTwoThreadsHaveComputed_isFreedOutsideOfTheLock() {
    let twice = Twice()
    _ = twice.value
    XCTAssertEqual(twice.freed.load(ordering: .relaxed), 2, "those of the other thread")
    _ = twice.value
    XCTAssertEqual(twice.freed.load(ordering: .relaxed), 2)
    twice.number = 1
    XCTAssertEqual(twice.freed.load(ordering: .relaxed), 3)
  }

  // MARK: Derived values of temporary objects

  /// A temporary object with derived values, one by way of the other.
  private final class Scale {
    @Observed var factor: Int
    private let length: Length

    @Derived({ (scale: Scale) in scale.length.metres * scale.factor }) var number: Int
    @Derived({ (scale: Scale) in "\(scale.number) cm" }) var text: String

    init(_ length: Length, _ factor: Int) { (self.length, self.factor) = (length, factor) }
  }

  private final class Ruler {
    let length = Length()
    var computations = 0

    @Derived({ (ruler: Ruler) in
      ruler.computations += 1
      return Scale(ruler.length, 100).text
    }) var text: String
  }

  func test_value_thatReadsDerivedValuesOfATemporaryObject_isComputedOnce() {
    assertNoIssues {
      let recorder = ChangeRecorder<String>()
      let controller = ObservationController(observer: recorder)
      let ruler = Ruler()
      for _ in 0..<3 { XCTAssertEqual(ruler.text, "100 cm") }
      XCTAssertEqual(ruler.computations, 1)
      ruler.length.metres = 2
      for _ in 0..<3 { XCTAssertEqual(ruler.text, "200 cm") }
      XCTAssertEqual(ruler.computations, 2)
      controller.observe(ruler, \.text, action: ChangeRecorder<String>.record)
      ruler.length.metres = 3
      ruler.length.metres = 4
      XCTAssertEqual(
        recorder.events, [.changed("200 cm", "300 cm"), .changed("300 cm", "400 cm")])
      XCTAssertEqual(ruler.computations, 4)
    }
  }

  // MARK: Paths over derived properties of temporary objects

  private final class Label {
    @Observed var number: Int
    @Derived({ (label: Label) in "<\(label.number)>" }) var text: String
    init(_ number: Int) { self.number = number }
  }

  private final class Page {
    @Observed var number = 1
    var text: String { Label(number).text }
  }

  func test_pathThatReadsADerivedPropertyOfATemporaryObject_isDelivered() {
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let page = Page()
    controller.observe(page, \.text, action: ChangeRecorder<String>.record)
    page.number = 2
    page.number = 3
    XCTAssertEqual(recorder.events, [.changed("<1>", "<2>"), .changed("<2>", "<3>")])
  }

  func test_pathOverDerivedValuesOfATemporaryObject_followsWhatLiesBehind() {
    final class Sheet {
      let length = Length()
      var text: String { Scale(length, 100).text }
    }
    for options in [.old, [.old, .prior], [.old, .distinct]] as [ObservationOptions] {
      let recorder = ChangeRecorder<String>()
      let controller = ObservationController(observer: recorder)
      let sheet = Sheet()
      assertNoIssues {
        controller.observe(
          sheet, \.text, options: options, action: ChangeRecorder<String>.record)
        sheet.length.metres = 2
        sheet.length.metres = 3
      }
      XCTAssertEqual(
        recorder.eventsAfterStores(),
        [.changed("100 cm", "200 cm"), .changed("200 cm", "300 cm")], "\(options)")
    }
  }

  func test_pathOverAnAtomicProperty_withATemporaryObject_isEvaluatedOnce() {
    final class Gauge {
      @AtomicObserved var number = 1
      var evaluations = 0
      var text: String {
        evaluations += 1
        return Formatter(number).text
      }
    }
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let gauge = Gauge()
    controller.observe(gauge, \.text, action: ChangeRecorder<String>.record)
    gauge.evaluations = 0
    gauge.number = 2
    XCTAssertEqual(gauge.evaluations, 1)
    XCTAssertEqual(recorder.events, [.changed("1 m", "2 m")])
  }

  /// A temporary object with a property that several threads could change.
  private final class Meter: @unchecked Sendable {
    // Unchecked because the storage of a wrapper is a variable, which is never replaced.
    @AtomicObserved var number: Int
    @Derived({ (meter: Meter) in meter.number * 2 }) var double: Int
    init(_ number: Int) { self.number = number }
  }

  func test_pathOverAnAtomicPropertyOfATemporaryObject_isEvaluatedOnce() {
    final class Gauge {
      @Observed var number = 1
      var evaluations = 0
      var level: Int {
        evaluations += 1
        return Meter(number).number
      }
      var doubleLevel: Int {
        evaluations += 1
        return Meter(number).double
      }
    }
    for options in [.old, [.old, .prior]] as [ObservationOptions] {
      let recorder = ChangeRecorder<Int>()
      let controller = ObservationController(observer: recorder)
      let gauge = Gauge()
      controller.observe(gauge, \.level, options: options, action: ChangeRecorder<Int>.record)
      controller.observe(gauge, \.doubleLevel, options: options, action: ChangeRecorder<Int>.record)
      XCTAssertLessThan(gauge.evaluations, 8, "\(options)")
      gauge.evaluations = 0
      gauge.number = 2
      XCTAssertLessThan(gauge.evaluations, 6, "\(options)")
      XCTAssertEqual(
        recorder.eventsAfterStores(),
        [.changed(1, 2), .changed(2, 4)], "\(options)")
    }
  }

  func test_pathToANewObjectWithAnAtomicProperty_isDelivered() {
    final class Gauge {
      @Observed var number = 1
      var meter: Meter {
        let meter = Meter(number)
        _ = meter.double
        return meter
      }
    }
    for options in [[], .old, [.old, .prior]] as [ObservationOptions] {
      let recorder = LineRecorder()
      let controller = ObservationController(observer: recorder)
      let gauge = Gauge()
      var numbers: [Int] = []
      controller.observe(gauge, \.meter, options: options) { _, _, change in
        if !change.isPrior { numbers.append(change.newValue.number) }
      }
      gauge.number = 2
      gauge.number = 3
      XCTAssertEqual(numbers, [2, 3], "\(options)")
    }
  }

  /// An object of constants that several threads may read.
  private final class Sign: @unchecked Sendable {
    // Unchecked because the property is not set any more.
    @Observed var number: Int
    @Derived({ (sign: Sign) in sign.number * 2 }) var double: Int
    init(_ number: Int) { self.number = number }
  }

  private final class Post: @unchecked Sendable {
    // Unchecked because the storage of a wrapper is a variable, which is never replaced.
    @AtomicObserved var sign = Sign(0)
    var first: Int { sign.double }
  }

  /// Under ThreadSanitizer, what a value publishes besides itself: its version.
  func test_pathToADerivedPropertyOfAnObjectThatThreadsReplace_followsIt() {
    for _ in 0..<10 {
      let post = Post()
      let chain = ChainObserver()
      let computed = ChainObserver()
      chain.observations.observe(post, \.sign.double) { $0.follow($2) }
      computed.observations.observe(post, \.first) { $0.follow($2) }
      onThreads(4) { thread in
        for number in 0..<100 {
          let sign = Sign(thread * 100 + number)
          post.sign = sign
          let observer = ChainObserver()
          observer.startOver(from: sign.double)
          observer.observations.observe(sign, \.double, action: ChainObserver.follow)
        }
      }
      XCTAssertEqual(chain.last, post.sign.double)
      XCTAssertEqual(computed.last, post.sign.double)
      XCTAssertEqual(chain.breaks + computed.breaks, [])
    }
  }

  // MARK: Values that several threads read at once

  private final class Code: @unchecked Sendable {
    // Unchecked because the storage of a wrapper is a variable, which is never replaced.
    let arrivals = Atomic<Int>(0)
    let computations = Atomic<Int>(0)
    @AtomicObserved var number = 0
    @Derived({ (code: Code) in
      code.computations.wrappingAdd(1, ordering: .relaxed)
      return [7, 8]
    }) var digits: [Int]
    var length: Int { digits.count + number }
  }

  /// Under ThreadSanitizer, what is read while nothing of the graph has a lock.
  func test_valueWithoutDependencies_isPublishedToThreadsThatReadItAtOnce() {
    let codes = (0..<Effort.count(quick: 2_000, full: 20_000)).map { _ in Code() }
    onThreads(2) { _ in
      for code in codes {
        code.arrivals.wrappingAdd(1, ordering: .relaxed)
        while code.arrivals.load(ordering: .relaxed) < 2 { sched_yield() }
        XCTAssertEqual(code.digits, [7, 8])
      }
    }
    for code in codes {
      let computations = code.computations.load(ordering: .relaxed)
      _ = code.digits
      XCTAssertEqual(code.computations.load(ordering: .relaxed), computations)
    }
  }

  /// Under ThreadSanitizer, how derived values are followed which have no lock.
  func test_pathsOverAValueWithoutDependencies_areRegisteredOnSeveralThreads() {
    for _ in 0..<50 {
      let code = Code()
      onThreads(4) { _ in
        let recorder = LineRecorder()
        let controller = ObservationController(observer: recorder)
        controller.observe(code, \.length, options: .prior) { _, _, _ in }
        code.number += 1
      }
      XCTAssertEqual(code.number, 4)
    }
  }
}
