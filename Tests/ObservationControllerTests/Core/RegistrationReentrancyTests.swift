import Dispatch
import Foundation
import ObservationController
import TestSupport
import XCTest

/// What user code may do in the middle of registering an observation.
final class RegistrationReentrancyTests: TestCase {
  private final class Model {
    @Observed var x = 0
    @Observed var y = 0
    @Observed var link: Holder<Int>?
    @Observed var time = Clock.Time()
    var onDeinit: (() -> Void)?

    struct Box: Sendable { var hours: Int }

    var box: Box { Box(hours: time.hours) }

    deinit { onDeinit?() }
  }

  private let recorder = LineRecorder()

  // MARK: C15: paths whose getters end them

  /// Leads to a link, and to an atomic property on the way.
  private final class Ending: @unchecked Sendable {
    @AtomicObserved var count = 0
    @Observed var link: Holder<Int>?
    var onRead: (() -> Void)?

    var linked: Holder<Int>? {
      onRead?()
      return link
    }

    var linkedByCount: Holder<Int>? {
      onRead?()
      return count < 0 ? nil : link
    }

    /// Observes a path to a link, replaces the link, and ends the observation in one of the
    /// readings.
    ///
    /// - Returns: The link, which nothing else holds, and the token.
    func observe(
      _ keyPath: KeyPath<Ending, Holder<Int>?>, endedInReading last: Int
    ) -> (link: Weak<Holder<Int>>, token: ObservationToken) {
      let observer = SilentObserver()
      let controller = ObservationController(observer: observer)
      let link = Holder(1)
      self.link = link
      var reading = 0
      onRead = {
        reading += 1
        if reading == last { controller.unobserveAll() }
      }
      let token = controller.observe(self, keyPath) { _, _, _ in XCTFail("has ended") }
      self.link = nil
      onRead = nil
      XCTAssertEqual(reading, last)
      return (Weak(link), token)
    }
  }

  func test_C15_pathEndedByItsGetter_beforeTheStore_keepsNoValue() {
    let (link, token) = Ending().observe(\.linked, endedInReading: 2)
    XCTAssertFalse(token.isActive)
    XCTAssertNil(link.object)
  }

  func test_C15_pathOverAtomics_endedByItsGetter_asItBegins_keepsNoValue() {
    let (link, token) = Ending().observe(\.linkedByCount, endedInReading: 2)
    XCTAssertFalse(token.isActive)
    XCTAssertNil(link.object)
  }

  // MARK: C4: a path that another thread's change comes upon as it begins

  private final class Sum: @unchecked Sendable {
    @AtomicObserved var a = 0
    @AtomicObserved var b = 0
    let onRead = Guarded<(@Sendable () -> Void)?>(nil)

    var sum: Int {
      let a = a
      onRead.withLock { $0 }?()
      return a + b
    }
  }

  func test_C4_priorOfAPath_thatBeginsWhileAnotherThreadSetsIt_isDelivered() {
    let sum = Sum()
    let controller = ObservationController(observer: recorder)
    let ready = DispatchSemaphore(value: 0)
    let done = DispatchSemaphore(value: 0)
    let readings = CallCounter()
    sum.onRead.withLock {
      $0 = {
        guard Thread.isMainThread else { return }
        readings.increment()
        // The first is to find out what it reads.
        guard readings.count == 2 else { return }
        ready.signal()
        done.wait()
      }
    }
    Thread.detachNewThread {
      ready.wait()
      sum.a = 1
      done.signal()
    }
    controller.observe(sum, \.sum, options: [.prior, .old]) { $0.write($2) }
    XCTAssertEqual(recorder.events, ["about to change from 0", "0 → 1"])
  }

  // MARK: Registrations that end what has nothing left to do

  /// Calls `observe` with controllers of which the second or third registration ends the first one.
  ///
  /// - Parameter onEnd: Called by a deinit when that ends.
  private func observeWhereOthersEnd(
    onEnd: @escaping () -> Void, observe: (ObservationController<LineRecorder>) -> Void
  ) {
    final class Alias {
      let model: Model
      init(_ model: Model) { self.model = model }
    }
    let (model, other) = (Model(), Model())
    for count in 0...2 {
      let controller = ObservationController(observer: recorder, retainsObserved: false)
      scoped {
        let owner = Model()
        owner.onDeinit = onEnd
        // Reads no property of its own object, which is gone then.
        controller.observe(Alias(model), \.model.x) { _, _, _ in withExtendedLifetime(owner) {} }
      }
      if count > 0 { controller.observe(other, \.x) { _, _, _ in } }
      if count > 1 { controller.observe(other, \.y) { _, _, _ in } }
      // The end of the controller before ends its observations one by one.
      recorder.clear()
      observe(controller)
    }
  }

  func test_C3_propertySetByTheEndOfAnother_asItIsObserved_isInitial() {
    let model = Model()
    observeWhereOthersEnd(
      onEnd: { model.x = 1 },
      observe: { controller in
        model.x = 0
        controller.observe(model, \.x, options: [.initial, .old]) { $0.write($2) }
        XCTAssertEqual(recorder.takeEvents(), ["initially \(model.x)"])
      })
  }

  func test_C10_linkReplacedByTheEndOfAnother_asItsPathIsObserved_isFollowed() {
    let model = Model()
    observeWhereOthersEnd(
      onEnd: { model.link = Holder(2) },
      observe: { controller in
        model.link = Holder(1)
        controller.observe(model, \.link?.value) { $0.write($2.newValue ?? 0) }
        model.link?.value = 3
        XCTAssertEqual(recorder.takeEvents(), ["3"])
      })
  }

  // MARK: Reporters that set what is observed

  /// Runs `body` with a reporter that sets the time of an object.
  private func reportingBySetting(_ model: Model, _ body: () -> Void) {
    _ = collectingIssues {
      nonisolated(unsafe) let model = model
      ObservationIssue.reporter = { _ in model.time.hours += 1 }
      body()
    }
  }

  func test_C3_reporterThatSetsTheProperty_isNotifiedAfterTheInitialDelivery() {
    let model = Model()
    let controller = ObservationController(observer: recorder)
    reportingBySetting(model) {
      controller.observe(model, \.time, options: [.initial, .distinct]) {
        $0.write($2.newValue.hours)
      }
    }
    XCTAssertEqual(recorder.events, ["0", "1"])
  }

  func test_C1_reporterThatSetsTheProperty_onAQueue_leavesNoChangeBehind() {
    let model = Model()
    let controller = ObservationController(observer: recorder)
    let queue = DispatchQueue(label: "queue")
    reportingBySetting(model) {
      controller.observe(model, \.box, options: .distinct, on: queue) { recorder, _, change in
        recorder.write(change.newValue.hours)
      }
    }
    model.time.hours = 2
    queue.drain()
    XCTAssertEqual(recorder.events, ["1", "2"])
  }

  func test_C3_reporterThatEditsTheArray_isNotifiedAfterTheInitialDelivery() {
    let array = ObservableArray([Model.Box(hours: 0)])
    let controller = ObservationController(observer: recorder)
    _ = collectingIssues {
      nonisolated(unsafe) let array = array
      ObservationIssue.reporter = { _ in array.append(Model.Box(hours: 1)) }
      controller.observeArray(array, options: [.initial, .distinct]) {
        $0.write($2.elements.count)
      }
    }
    XCTAssertEqual(recorder.events, ["1", "2"])
  }

  // MARK: Hashing of subscript indices, as they are compared

  private struct Index: Hashable {
    var number: Int
    nonisolated(unsafe) static var onHash: (() -> Void)?

    func hash(into hasher: inout Hasher) {
      let action = Self.onHash
      Self.onHash = nil
      action?()
      hasher.combine(number)
    }
  }

  private final class Sheet {
    @Observed var x = 1
    @Observed var y = 1
    @Derived({ (sheet: Sheet) in sheet.x * 2 }) var doubled: Int

    subscript(index: Index) -> Int { y + index.number }
  }

  func test_C28_sourceSetByAHash_asTheValueIsObserved_isDeliveredLater() {
    let sheet = Sheet()
    let controller = ObservationController(observer: recorder)
    for number in 0..<8 {
      controller.observe(sheet, \.[Index(number: number)]) { _, _, _ in }
    }
    // From the ninth observation of an object on, key paths are found by their hashes.
    Index.onHash = { sheet.x = 2 }
    controller.observe(sheet, \.doubled) { $0.write($2) }
    XCTAssertEqual(sheet.x, 2)
    sheet.x = 3
    XCTAssertEqual(recorder.events, ["2 → 6"])
  }
}
