import Foundation
import ObservationController
import TestSupport
import XCTest

/// Objects that derived values belong to or read, deallocated on another thread than the one that
/// uses the values. Run with AddressSanitizer too: ThreadSanitizer does not look into deinits.
final class DerivedDeallocationTests: CountingTestCase {
  private final class Source: @unchecked Sendable {
    @Observed var number = 0
    @Observed var name: String

    init(_ name: String = "a name that lies outside of its variable") { self.name = name }
  }

  /// Something that a handler holds, and whose deinit takes as long as the test wants.
  private final class Ticket {
    private let atEnd: () -> Void

    init(_ atEnd: @escaping () -> Void) { self.atEnd = atEnd }

    deinit { atEnd() }
  }

  private final class Holder: @unchecked Sendable {
    let source: Source
    @Derived({ (holder: Holder) in holder.source.number }) var number: Int

    init(_ source: Source) { self.source = source }
  }

  private final class Reader: @unchecked Sendable {
    weak var source: Source?
    @Observed var version = 0
    @AtomicObserved var visits = 0
    @Derived({ (reader: Reader) in "\(reader.version) \(reader.source?.name ?? "none")" })
    var text: String

    /// Has `visits` in the graph of `text`.
    @Derived({ (reader: Reader) in reader.version + reader.visits }) var activity: Int
  }

  private final class Observer: Sendable {}

  private let observer = Observer()
  private lazy var observations = ObservationController(
    observer: observer, retainsObserved: false)

  func test_C20_ownerDeallocated_whileItsSourceChanges_isNotCollected() {
    let source = Source()
    let (isDeallocating, mayGo, hasGone) = (
      DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    let box = Guarded<Holder?>(Holder(source))
    var ticket: Ticket? = Ticket {
      isDeallocating.signal()
      mayGo.wait()
    }
    observations.observe(box.withLock { $0! }, \.number) { [ticket] _, _, _ in _ = ticket }
    ticket = nil
    source.number = 1
    let other = Holder(source)
    observations.observe(other, \.number) { _, _, _ in
      mayGo.signal()
      hasGone.wait()
    }
    Thread.detachNewThread {
      box.dropObject()
      hasGone.signal()
    }
    // The observations of the holder have ended, and it has not left the graph.
    isDeallocating.wait()
    source.number = 2
    XCTAssertEqual(other.number, 2)
  }

  func test_C20_observationEnded_whileItsDerivedPropertyIsDeallocated() {
    let source = Source()
    let others = (0..<Effort.count(quick: 1_000, full: 50_000)).map { _ in Holder(source) }
    for other in others { _ = other.number }
    for round in 0..<Effort.count(quick: 5, full: 60) {
      let box = Guarded<Holder?>(Holder(source))
      let token = observations.observe(box.withLock { $0! }, \.number) { _, _, _ in }
      let (hasBegun, isDone) = (Flag(), Flag())
      onThreads(3) { thread in
        switch thread {
        case 0:
          // Marks all others under the lock of the graph, which the two wait for.
          while !isDone.isSet {
            source.number += 1
            hasBegun.set()
          }
        case 1:
          while !hasBegun.isSet {}
          token.invalidate()
        default:
          while !hasBegun.isSet {}
          usleep(UInt32(round * 20))
          box.dropObject()
          isDone.set()
        }
      }
    }
    withExtendedLifetime(others) {}
  }

  func test_C20_sourceDeallocated_whileTheValueIsRead_leavesTheValue() {
    let (reader, pause) = (Reader(), CallCounter())
    for round in 0..<Effort.count(quick: 300, full: 20_000) {
      let box = Guarded<Source?>(Source("name \(round), which lies outside of its variable"))
      reader.source = box.withLock { $0 }
      reader.version += 1
      XCTAssertTrue(reader.text.hasSuffix("variable"))
      let isGone = Flag()
      Thread.detachNewThread {
        // Hits the reading at another place in each round.
        for _ in 0..<(round % 400) * 10 { pause.increment() }
        box.dropObject()
        isGone.set()
      }
      while !isGone.isSet { XCTAssertFalse(reader.text.isEmpty) }
      XCTAssertTrue(reader.text.hasSuffix("none"))
    }
  }

  func test_C28_sourceDeallocatedElsewhere_isNotifiedWithTheNextChange() {
    let reader = Reader()
    let texts = Guarded<[String]>([])
    observations.observe(reader, \.text) { _, _, change in
      XCTAssertTrue(Thread.isMainThread)
      texts.withLock { $0.append(change.newValue) }
    }
    let box = Guarded<Source?>(Source("a"))
    reader.source = box.withLock { $0 }
    reader.version = 1
    onAnotherThread {
      box.dropObject()
      // Changes of something else do not notify on this thread.
      let other = Holder(Source())
      _ = other.number
      other.source.number = 1
    }
    reader.version = 2
    reader.version = 3
    XCTAssertEqual(texts.withLock { $0 }, ["1 a", "2 none", "3 none"])
  }

  func test_C28_sourceDeallocated_isNotNotifiedByAnUnrelatedChange() {
    let reader = Reader()
    let texts = Guarded<[String]>([])
    let box = Guarded<Source?>(Source("a"))
    reader.source = box.withLock { $0 }
    XCTAssertEqual(reader.activity, 0)
    observations.observe(reader, \.text) { _, _, change in
      XCTAssertTrue(Thread.isMainThread)
      texts.withLock { $0.append(change.newValue) }
    }
    box.dropObject()
    onAnotherThread { reader.visits += 1 }
    XCTAssertEqual(texts.withLock { $0 }, [])
    reader.version = 1
    reader.version = 2
    XCTAssertEqual(texts.withLock { $0 }, ["1 none", "2 none"])
  }

  func test_getterThatSetsItsDependency_afterAnObjectWasDeallocated_isNoCycle() {
    final class Source { @Observed var number = 1 }
    final class Reader {
      @Observed var copy = 0
      @Observed var other = 0
      var target = 1
      weak var source: Source?
      @Derived({ (reader: Reader) -> Int in
        _ = reader.source?.number
        let copy = reader.copy
        if copy != reader.target { reader.copy = reader.target }
        return copy * 10 + reader.other
      }) var value: Int
    }
    let reader = Reader()
    var source: Source? = Source()
    reader.source = source
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(reader, \.value, action: ChangeRecorder<Int>.record)
    reader.target = 2
    withExtendedLifetime(source) {}
    source = nil
    assertNoIssues { XCTAssertEqual(reader.value, 20) }
    reader.other = 1
    XCTAssertEqual(recorder.events, [.changed(10, 21)])
  }
}

extension Guarded {
  /// Drops the only reference to an object, outside of the lock.
  fileprivate func dropObject<Object>() where Value == Object? {
    let object = withLock { $0.take() }
    withExtendedLifetime(object) {}
  }
}
