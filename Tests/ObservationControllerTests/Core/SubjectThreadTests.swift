import Foundation
import ObservationController
import Synchronization
import TestSupport
import XCTest

/// Objects deallocated on one thread while another ends their observations. Run with the sanitizers
/// too.
final class SubjectThreadTests: CountingTestCase {
  private final class Observer: Sendable {}

  private class Model {
    @Observed var value = 0
    @Observed var other = 0
    @Observed var leaf: Company? = Company()
    @AtomicObserved var atomic = 0

    var sum: Int { value + other }
  }

  /// An object and its observations; one thread has the object, one the tokens.
  private final class Case: @unchecked Sendable {
    var object: Model?
    var leaf: Company?
    var tokens: [ObservationToken] = []

    init() {
      let object = Model()
      (self.object, leaf) = (object, object.leaf)
    }
  }

  /// Reads a property of another object, which may be deallocated.
  private final class Reader: @unchecked Sendable {
    @AtomicObserved var flag = false
    let source: Weak<Model>
    @Derived({ (reader: Reader) in "\(reader.flag) \(reader.source.object?.atomic ?? -1)" })
    var text: String

    init(_ source: Model) { self.source = Weak(source) }
  }

  private let observer = Observer()
  private lazy var controller = ObservationController(observer: observer, retainsObserved: false)

  /// Runs the cases on all threads, each case at about one time.
  private func race(
    rounds: Int = Effort.count(quick: 15, full: 40), _ prepare: (Case) -> Void,
    _ threads: (@Sendable (Case) -> Void)...
  ) {
    for _ in 0..<rounds {
      let cases = (0..<16).map { _ in Case() }
      for one in cases { prepare(one) }
      let arrived = Atomic<Int>(0)
      onThreads(threads.count) { thread in
        for (index, one) in cases.enumerated() {
          arrived.wrappingAdd(1, ordering: .acquiringAndReleasing)
          // Bounded, since there may be fewer processors than threads.
          var turns = 0
          while arrived.load(ordering: .acquiring) < (index + 1) * threads.count, turns < 2_000 {
            turns += 1
          }
          threads[thread](one)
        }
      }
    }
  }

  func test_C20_objectDeallocated_whileOneOfItsObservationsEnds() {
    race { one in
      one.tokens = ["a", "b"].map { context in
        controller.observe(one.object!, \.value, context: context) { _, _, _ in }
      }
    } _: { one in
      one.object = nil
    } _: { one in
      one.tokens[0].invalidate()
    }
  }

  func test_C20_objectDeallocated_whileItsLastObservationEnds() {
    race { one in
      one.tokens = [controller.observe(one.object!, \.value) { _, _, _ in }]
    } _: { one in
      one.object = nil
    } _: { one in
      one.tokens[0].invalidate()
    }
  }

  func test_C20_objectDeallocated_whileObservationsOfTwoControllersEnd() {
    let second = ObservationController(observer: observer, retainsObserved: false)
    race { one in
      one.tokens = [controller, second].map { controller in
        controller.observe(one.object!, \.value) { _, _, _ in }
      }
    } _: { one in
      one.object = nil
    } _: { one in
      one.tokens[0].invalidate()
    } _: { one in
      one.tokens[1].invalidate()
    }
  }

  func test_C20_linkDeallocated_whileAPathThroughItEnds() {
    race { one in
      let object = one.object!
      one.tokens = ["a", "b"].map { context in
        controller.observe(object, \.leaf?.name, context: context) { _, _, _ in }
      }
      one.tokens.append(controller.observe(object, \.sum) { _, _, _ in })
    } _: { one in
      (one.object, one.leaf) = (nil, nil)
    } _: { one in
      one.tokens[0].invalidate()
      one.tokens[2].invalidate()
    }
  }

  func test_C20_objectDeallocated_whileItsAtomicPropertyIsUnobserved() {
    race { one in
      let object = one.object!
      one.tokens = ["a", "b"].map { context in
        controller.observe(object, \.atomic, context: context) { _, _, _ in }
      }
      one.tokens.append(controller.observe(object, \.atomic.description) { _, _, _ in })
    } _: { one in
      one.object = nil
    } _: { one in
      for token in one.tokens { token.invalidate() }
    }
  }

  func test_C20_objectDeallocated_whileItsControllerIsDeallocated() {
    let observer = observer
    for _ in 0..<20 {
      let ends = Guarded<[ObservationController<Observer>]>([])
      race(rounds: 1) { one in
        let controller = ObservationController(observer: observer, retainsObserved: false)
        controller.observe(one.object!, \.value, context: "a") { _, _, _ in }
        controller.observe(one.object!, \.value, context: "b") { _, _, _ in }
        controller.observe(one.object!, \.leaf?.name) { _, _, _ in }
        controller.observe(one.object!, \.atomic) { _, _, _ in }
        ends.withLock { $0.insert(controller, at: 0) }
      } _: { one in
        (one.object, one.leaf) = (nil, nil)
      } _: { _ in
        // Deallocated outside of the lock.
        let last = ends.withLock { $0.popLast() }
        withExtendedLifetime(last) {}
      }
    }
  }

  func test_C20_objectUnobserved_whileAnotherPropertyIsObserved() {
    let (controller, second) = (
      controller, ObservationController(observer: observer, retainsObserved: false)
    )
    race { one in
      controller.observe(one.object!, \.value) { _, _, _ in }
      second.observe(one.object!, \.value) { _, _, _ in }
      let object = one.object!
      one.tokens = [controller.observe(object, \.sum) { _, _, _ in }]
    } _: { one in
      controller.unobserve(one.object!)
    } _: { one in
      second.observe(one.object!, \.atomic) { _, _, _ in }
      second.observe(one.object!, \.leaf?.name) { _, _, _ in }
    } _: { one in
      one.tokens[0].invalidate()
      second.unobserve(one.object!, \.value)
    }
  }

  func test_C20_elementsDeallocated_whileTheirArrayIsUnobserved() {
    let arrays = Guarded<[(ObservableArray<Model>, ObservationToken)]>([])
    race { one in
      let array = ObservableArray([one.object!])
      let token = controller.observeArray(array, elements: [\.value, \.sum]) { _, _, _ in }
      one.tokens = [token]
      arrays.withLock { $0.insert((array, token), at: 0) }
    } _: { one in
      one.object = nil
      let last = arrays.withLock { $0.popLast() }
      withExtendedLifetime(last) {}
    } _: { one in
      one.tokens[0].invalidate()
    }
  }

  func test_C20_observationThatEnds_betweenAChangeAndTheEndOfItsTransaction() {
    let controller = controller
    race { one in
      one.tokens = ["a", "b", "c"].map { context in
        controller.observe(one.object!, \.value, context: context) { _, _, _ in }
      }
    } _: { one in
      withObservationTransaction { one.object?.value = 1 }
    } _: { one in
      for token in one.tokens { token.invalidate() }
    }
  }

  func test_C20_derivedSourceDeallocated_whileTheValueIsRead() {
    for _ in 0..<Effort.count(quick: 30, full: 300) {
      let one = Case()
      let reader = Reader(one.object!)
      XCTAssertEqual(reader.text, "false 0")
      onThreads(2) { thread in
        if thread == 0 {
          one.object = nil
        } else {
          for _ in 0..<10 { _ = reader.text }
          reader.flag = true
        }
      }
      XCTAssertEqual(reader.text, "true -1")
    }
  }

  func test_C20_derivedSourceDeallocated_whileAPathListsIt() {
    for _ in 0..<Effort.count(quick: 30, full: 300) {
      let one = Case()
      let reader = Reader(one.object!)
      let texts = Mutex<[String]>([])
      controller.observe(reader, \.text) { _, _, change in
        texts.withLock { $0.append(change.newValue) }
      }
      onThreads(2) { thread in
        if thread == 0 {
          one.object = nil
        } else {
          for _ in 0..<11 { reader.flag.toggle() }
        }
      }
      reader.flag.toggle()
      XCTAssertEqual(texts.withLock { $0.last }, "false -1")
    }
  }

  /// Lets go of its value with the property that holds it.
  private final class Owner: @unchecked Sendable {
    @Observed var name: String
    @Derived({ (owner: Owner) in owner.name + "!" }) var title: String

    init(_ number: Int) { name = "\(number)" }
  }

  private final class Place: @unchecked Sendable {
    @AtomicObserved var owner = Owner(0)
  }

  func test_C22_derivedOwnerReplaced_whileAPathReadsIt_isNotFreedUnderALock() {
    let place = Place()
    let last = Mutex("")
    controller.observe(place, \.owner.title) { _, _, change in
      last.withLock { $0 = change.newValue }
    }
    onThreads(2) { thread in
      for number in 0..<Effort.count(quick: 2_000, full: 20_000) {
        place.owner = Owner(number * 2 + thread)
      }
    }
    XCTAssertEqual(last.withLock(\.self), place.owner.title)
  }
}
