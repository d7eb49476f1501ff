import Observation
import ObservationController
import TestSupport
import XCTest

/// `values(of:)` of an `Observable` object, whose properties are not this library's.
@MainActor
final class TrackedValuesTests: TestCase {
  private let document = PlainDocument()
  private let observer = SilentObserver()

  func test_values_beginWithTheCurrentOne_andFollowEachChange() async {
    let observations = ObservationController(observer: observer)
    var values = observations.values(of: document, \.title).makeAsyncIterator()
    var all = [await values.next()]
    for title in ["a", "b", "c"] {
      document.title = title
      all.append(await values.next())
    }
    XCTAssertEqual(all, ["Untitled", "a", "b", "c"])
  }

  func test_values_changeBeforeTheLoop_isNotLost() async {
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: document, \.pages)
    document.pages = 2
    var all: [Int] = []
    for await pages in values {
      all.append(pages)
      if pages == 2 { break }
    }
    XCTAssertEqual(all, [1, 2])
  }

  func test_values_severalChangesBeforeTheNextRead_areOneElement() async {
    let observations = ObservationController(observer: observer)
    var values = observations.values(of: document, \.pages).makeAsyncIterator()
    for pages in 2...9 { document.pages = pages }
    let first = await values.next()
    let second = await values.next()
    document.pages = 10
    let third = await values.next()
    XCTAssertEqual([first, second, third], [1, 9, 10])
  }

  func test_values_nestedAndComputedPaths_followTheirDependencies() async {
    let observations = ObservationController(observer: observer)
    var titles = observations.values(of: document, \.next?.title).makeAsyncIterator()
    var summaries = observations.values(of: document, \.summary).makeAsyncIterator()
    var all = [await titles.next()!]
    let next = PlainDocument()
    document.next = next
    all.append(await titles.next()!)
    next.title = "N"
    all.append(await titles.next()!)
    document.next = nil
    all.append(await titles.next()!)
    XCTAssertEqual(all, [nil, "Untitled", "N", nil])

    var both = [await summaries.next()]
    document.title = "T"
    both.append(await summaries.next())
    document.pages = 3
    both.append(await summaries.next())
    XCTAssertEqual(both, ["Untitled, 1", "T, 1", "T, 3"])
  }

  func test_values_severalSequences_getEqualValues() async {
    let observations = ObservationController(observer: observer)
    var first = observations.values(of: document, \.pages).makeAsyncIterator()
    var second = observations.values(of: document, \.pages).makeAsyncIterator()
    XCTAssertEqual(observations.observations.count, 2)
    for pages in 1...5 {
      document.pages = pages
      _ = (await first.next(), await second.next())
    }
    document.pages = 6
    let last = (await first.next(), await second.next())
    XCTAssertEqual(last.0, 6)
    XCTAssertEqual(last.1, 6)
  }

  func test_values_bufferOfOne_keepsTheLatest() async {
    let document = HookedDocument()
    let observations = ObservationController(observer: observer)
    var values = observations.values(
      of: document, \.hooked, bufferingPolicy: .bufferingNewest(1)
    ).makeAsyncIterator()
    for pages in 2...4 {
      let read = expectation(description: "read, and read again")
      read.expectedFulfillmentCount = 2
      document.whenRead = { read.fulfill() }
      document.pages = pages
      await fulfillment(of: [read], timeout: 60)
    }
    let last = await values.next()
    XCTAssertEqual(last, 4)
  }

  /// Each change is an element, as for the library's own properties.
  func test_values_ofATrackedObservedProperty_areEachChange() async {
    let document = TrackedDocument()
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: document, \.text)
    for text in ["a", "b", "c"] { document.text = text }
    observations.unobserveAll()
    let all = await values.collect()
    XCTAssertEqual(all, ["", "a", "b", "c"])
  }

  func test_values_inADescription_areOneLikeAllOthers() {
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: document, \.pages)
    XCTAssertTrue(observations.isObserving(document, \.pages))
    XCTAssertEqual(observations.observations.count, 1)
    XCTAssertTrue(observations.observations.first?.object === document)
    withExtendedLifetime(values) {}
  }

  func test_values_pathThatReadsNothing_givesItsValueAlone() async {
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: document, \.constant)
    document.constant = 8
    observations.unobserveAll()
    let all = await values.collect()
    XCTAssertEqual(all, [7])
  }

  func test_values_onAnActor_areReadThere() async {
    let all = await TrackingActor().follow()
    XCTAssertEqual(all, [0, 1, 2])
  }

  func test_values_getterThatEndsTheObservation_isHonoured() async {
    let document = HookedDocument()
    let observations = ObservationController(observer: observer)
    let values = observations.values(of: document, \.hooked)
    document.whenRead = { observations.unobserveAll() }
    document.pages = 2
    let all = await values.collect()
    XCTAssertEqual(all, [1])
  }
}

/// Keeps model and loop in an isolation of its own.
private actor TrackingActor {
  private let document = CountedDocument()
  private lazy var observations = ObservationController(observer: self)

  func follow() async -> [Int?] {
    var values = observations.values(of: document, \.count).makeAsyncIterator()
    var all = [await values.next()]
    for count in 1...2 {
      document.count = count
      all.append(await values.next())
    }
    return all
  }
}

@Observable
private final class CountedDocument {
  var count = 0
}

@MainActor
@Observable
private final class HookedDocument {
  var pages = 1
  @ObservationIgnored var whenRead: () -> Void = {}

  var hooked: Int {
    whenRead()
    return pages
  }
}
