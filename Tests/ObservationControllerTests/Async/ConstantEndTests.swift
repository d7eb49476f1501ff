import Dispatch
import ObservationController
import TestSupport
import XCTest

/// C14: an unretained object whose key path leads over its constants alone, so that it reads no
/// property of the object itself: loops and observations end with the object, before the tables are
/// used for anything else.
final class ConstantEndTests: CountingTestCase {
  private let observer = SilentObserver()
  private lazy var observations = ObservationController(
    observer: observer, retainsObserved: false)

  /// Paths over constants.
  private let keyPaths: [KeyPath<Download, Int>] = [
    \.received.wrappedValue, \.sum, \.part.count, \.part.finished, \.part.doubled, \.partSum,
    \.part.inner.count, \.some!.count, \.pair.first.wrappedValue, \.list.count, \.list[0],
    \.doubled, \.part.values.count,
  ]

  func test_C14_loop_overAConstant_endsWithTheObject() async {
    for keyPath in keyPaths {
      var download: Download? = Download()
      let values = observations.values(of: download!, keyPath)
      let changes = observations.changes(of: download!, keyPath)
      let began = expectation(description: "began")
      let loop = Task {
        var count = 0
        for await _ in values {
          count += 1
          began.fulfill()
        }
        return count
      }
      let other = Task {
        for await _ in changes {}
      }
      await fulfillment(of: [began], timeout: 60)
      download = nil
      let count = await loop.value
      await other.value
      XCTAssertEqual(count, 1, "\(keyPath)")
    }
  }

  func test_C14_observation_overAConstant_endsWithTheObject() {
    for keyPath in keyPaths {
      let options: [ObservationOptions] = [
        [], .old, [.old, .prior], [.initial, .old, .distinct],
      ]
      var download: Download? = Download()
      var tokens = options.map { options in
        observations.observe(
          download!, keyPath, options: options, context: ObservationContext()
        ) { _, _, _ in }
      }
      let queue = DispatchQueue(label: "test")
      tokens.append(
        observations.observe(download!, keyPath, context: "queue", on: queue) { _, _, _ in })
      tokens.append(observations.bind(download!, keyPath, to: Part(), \.count))
      download?.change()
      // Its delivery holds the object.
      queue.sync {}
      XCTAssertEqual(tokens.dropLast().filter(\.isActive).count, 5, "\(keyPath)")
      download = nil
      XCTAssertEqual(tokens.filter(\.isActive).count, 0, "\(keyPath)")
    }
  }

  func test_C14_array_inAConstant_endsWithTheObject() {
    for options: ObservationOptions in [[], .old] {
      var download: Download? = Download()
      let tokens = [
        observations.observeArray(download!, \.list, options: options) { _, _, _ in },
        observations.observeArray(download!, \.part.list, options: options) { _, _, _ in },
        observations.observeArray(
          download!, \.parts, elements: [\.count], options: options
        ) { _, _, _ in },
      ]
      download?.change()
      download = nil
      XCTAssertEqual(tokens.map(\.isActive), [false, false, false])
    }
  }

  func test_C14_observation_ofAnObjectThatStays_isKept() {
    let facade = Facade(Part())
    let tokens = [
      observations.observe(facade, \.part.count) { _, _, _ in },
      observations.observe(facade, \.part.finished) { _, _, _ in },
      observations.observe(facade, \.sum) { _, _, _ in },
    ]
    // The part that they read goes, the object does not.
    facade.part = Part()
    XCTAssertEqual(tokens.filter(\.isActive).count, 3)
  }

  /// Nothing tells of the end of an object whose constant somebody else keeps, before the next
  /// change.
  func test_C14_constantThatOutlivesTheObject_endsWithItsNextChange() {
    for keyPath in keyPaths.prefix(7) {
      let part = Part()
      let received = AtomicObserved(wrappedValue: 0)
      var download: Download? = Download(part, received)
      let token = observations.observe(download!, keyPath) { _, _, _ in XCTFail("\(keyPath)") }
      download = nil
      part.count += 1
      part.finished += 1
      part.inner.count += 1
      received.wrappedValue += 1
      XCTAssertFalse(token.isActive, "\(keyPath)")
    }
  }

  func test_C14_objectsDeallocated_whileOthersWrite_endTheirObservations() {
    let observations = ObservationController(observer: observer, retainsObserved: false)
    for _ in 0..<Effort.count(quick: 50, full: 1_000) {
      let download = Guarded<Download?>(Download())
      let received = download.withLock { $0!.received }
      let token = download.withLock {
        observations.observe($0!, \.received.wrappedValue) { _, _, _ in }
      }
      onThreads(2) { thread in
        if thread == 0 {
          let last = download.withLock { $0.take() }
          withExtendedLifetime(last) {}
        } else {
          for _ in 0..<10 { received.withLock { $0 += 1 } }
        }
      }
      received.wrappedValue += 1
      XCTAssertFalse(token.isActive)
    }
  }
}

private final class Part: @unchecked Sendable {
  // Unchecked because one thread at a time uses it.
  final class Inner {
    @Observed var count = 0
  }

  @Observed var count = 1
  @AtomicObserved var finished = 2
  @AtomicObserved var values = [1]
  @Derived({ (part: Part) in part.count * 2 }) var doubled: Int
  let inner = Inner()
  let list: ObservableArray<Int> = [1]
}

private final class Download: @unchecked Sendable {
  // Unchecked because one thread at a time uses it.
  let received: AtomicObserved<Int>
  let lost = AtomicObserved(wrappedValue: 0)
  let part: Part
  let some: Part? = Part()
  let pair = Pair()
  let list: ObservableArray<Int> = [1, 2]
  let parts: ObservableArray<Part> = [Part(), Part()]

  struct Pair { let first = AtomicObserved(wrappedValue: 1) }

  init(_ part: Part = Part(), _ received: AtomicObserved<Int> = AtomicObserved(wrappedValue: 0)) {
    (self.part, self.received) = (part, received)
  }

  @Derived({ (download: Download) in download.received.wrappedValue * 2 }) var doubled: Int

  var sum: Int { received.wrappedValue + lost.wrappedValue }
  var partSum: Int { part.count + part.finished + part.inner.count }

  func change() {
    received.withLock { $0 += 1 }
    lost.wrappedValue += 1
    part.count += 1
    part.finished += 1
    list.append(3)
    parts[0].count += 1
  }
}

private final class Facade {
  var part: Part
  let lost = AtomicObserved(wrappedValue: 0)

  init(_ part: Part) { self.part = part }

  var sum: Int { part.count + lost.wrappedValue }
}
