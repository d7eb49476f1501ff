import AsyncHTTPClient
import Hummingbird
import HummingbirdTesting
import NIOCore
import ObservationController
import XCTest

@testable import Inspector

/// The buffer of events, and the follower that fills it while a page is open.
final class EventTests: XCTestCase {
  private let order = Order()

  /// Events of the program, as a trace has recorded them: `count` pairs of set and delivery.
  private func rows(_ count: Int) -> [EventRow] {
    let view = OrderView(order)
    let trace = ObservationTrace.record(readsObjects: false) {
      for number in 0..<count { order.count = number }
    }
    withExtendedLifetime(view) {}
    return trace.events.map(EventRow.init)
  }

  func test_buffer_keepsTheLastThousandAndCountsLosses() {
    let rows = rows(1_600)
    XCTAssertEqual(rows.count, 3_200)
    var (buffer, early) = (EventBuffer(), EventBuffer().start)
    for row in rows.prefix(700) { buffer.append(row, droppedCount: 0, at: .now) }
    XCTAssertEqual(buffer.take(for: &early, rates: nil).events.count, 700)
    for row in rows.dropFirst(700) { buffer.append(row, droppedCount: 5, at: .now) }
    let batch = buffer.take(for: &early, rates: nil)
    XCTAssertEqual(batch.events.map(\.id), rows.suffix(1_000).map(\.id))
    XCTAssertEqual(batch.lost, 1_500)
    XCTAssertEqual(batch.dropped, 5)
    XCTAssertNil(batch.rates)
    XCTAssertEqual(buffer.take(for: &early, rates: nil).events.count, 0)

    var late = buffer.start
    let all = buffer.take(for: &late, rates: nil)
    XCTAssertEqual(all.events.count, 1_000)
    XCTAssertEqual(all.lost, 0, "what came before the page was opened is not lost")
  }

  func test_rates_areMeansOfTenSecondsHighestFirst() {
    let rows = rows(50)
    var rates = EventRates()
    let start = ContinuousClock.now
    for (index, row) in rows.enumerated() {
      rates.count(row, at: start + .milliseconds(200 * index))
    }
    // 100 events in 20 seconds: the last ten seconds have 25 of each kind.
    let all = rates.all(at: start + .milliseconds(19_999))
    XCTAssertEqual(Set(all.map(\.property)).count, 2)
    XCTAssertEqual(all.reduce(0) { $0 + $1.sets }, 2.5, accuracy: 0.1)
    XCTAssertEqual(all.reduce(0) { $0 + $1.deliveries }, 2.5, accuracy: 0.1)
    XCTAssertEqual(rates.all(at: start + .seconds(40)), [], "old counts are removed")
  }

  func test_rates_ofManyProperties_areBounded() {
    let row = rows(1)[0]
    var rates = EventRates()
    for number in 0..<(EventRates.limit + 50) {
      rates.count(row.named("\\Order.p\(number)"), at: .now)
    }
    XCTAssertEqual(rates.all(at: .now).count, EventRates.limit + 1)
  }

  func test_follower_recordsOnlyWhileAPageIsOpen() async throws {
    let hub = EventHub(reader: ObjectReader(readsObjects: true))
    XCTAssertFalse(isRecording())
    var first = hub.open()
    _ = hub.open()
    let begins = try await waitUntil(isRecording)
    XCTAssertTrue(begins)
    let view = OrderView(order)
    order.count += 1
    let arrives = try await waitUntil {
      hub.take(for: &first, withRates: false).events.contains { $0.kind == "delivery" }
    }
    XCTAssertTrue(arrives)
    hub.close()
    XCTAssertTrue(isRecording(), "another page is open")
    hub.close()
    let ends = try await waitUntil { !isRecording() }
    XCTAssertTrue(ends)
    XCTAssertEqual(hub.pageCount, 0)
    withExtendedLifetime(view) {}
  }

  func test_slowPage_losesEventsAndHoldsNothingUp() async throws {
    let hub = EventHub(reader: ObjectReader(readsObjects: false))
    var page = hub.open()
    let begins = try await waitUntil(isRecording)
    XCTAssertTrue(begins)
    let view = OrderView(order)
    for number in 0..<20_000 { order.count = number }
    // Everything has arrived or was dropped once a last event has arrived.
    var (batch, lost) = (EventBuffer.Batch(), 0)
    let arrives = try await waitUntil {
      ObservationTrace.mark("end")
      batch = hub.take(for: &page, withRates: true)
      lost += batch.lost
      return batch.events.contains { $0.detail == "end" }
    }
    XCTAssertTrue(arrives)
    XCTAssertLessThanOrEqual(batch.events.count, EventBuffer.capacity)
    XCTAssertGreaterThan(lost + batch.dropped, 0)
    hub.close()
    withExtendedLifetime(view) {}
    let ends = try await waitUntil { !isRecording() }
    XCTAssertTrue(ends)
  }

  func test_stream_endsWithItsPage() async throws {
    let router = Router()
    Inspector.mount(on: router)
    let view = OrderView(order)
    try await Application(router: router).test(.live) { [order] client in
      let port = try XCTUnwrap(client.port)
      let response = try await get("http://127.0.0.1:\(port)/inspector/events")
      XCTAssertEqual(response.headers["Content-Type"], ["text/event-stream"])
      var text = ""
      for try await part in response.body {
        text += String(buffer: part)
        if text.contains("\"kind\":\"delivery\""), text.contains("\"rates\":[{") { break }
        order.count += 1
      }
      XCTAssertTrue(text.hasPrefix("data: {"))
      XCTAssertTrue(text.contains(#""property":"\\Order.label""#), "named by its symbol")
    }
    let ends = try await waitUntil { !isRecording() }
    XCTAssertTrue(ends)
    withExtendedLifetime(view) {}
  }
}

extension EventRow {
  fileprivate func named(_ property: String) -> EventRow {
    var row = self
    row.property = property
    return row
  }
}
