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
    var (buffer, early) = (EventBuffer(), EventBuffer().first)
    for row in rows.prefix(700) { buffer.append(row, droppedCount: 0) }
    XCTAssertEqual(buffer.take(from: &early, withCounts: false).events.count, 700)
    for row in rows.dropFirst(700) { buffer.append(row, droppedCount: 5) }
    let batch = buffer.take(from: &early, withCounts: false)
    XCTAssertEqual(batch.events.map(\.id), rows.suffix(1_000).map(\.id))
    XCTAssertEqual(batch.lost, 1_500)
    XCTAssertEqual(batch.dropped, 5)
    XCTAssertNil(batch.counts)
    XCTAssertEqual(buffer.take(from: &early, withCounts: false).events.count, 0)

    var late = buffer.first
    let all = buffer.take(from: &late, withCounts: false)
    XCTAssertEqual(all.events.count, 1_000)
    XCTAssertEqual(all.lost, 0, "what came before the page was opened is not lost")
  }

  func test_counts_areOfSetsAndDeliveriesOfEachProperty() {
    var (buffer, page) = (EventBuffer(), EventBuffer().first)
    for row in rows(50) { buffer.append(row, droppedCount: 0) }
    let counts = buffer.take(from: &page, withCounts: true).counts ?? [:]
    XCTAssertEqual(counts.count, 2)
    XCTAssertEqual(Set(counts.values), [[50, 0], [0, 50]])
  }

  func test_counts_ofManyProperties_areBounded() {
    var (buffer, page, row) = (EventBuffer(), EventBuffer().first, rows(1)[0])
    for number in 0..<(EventBuffer.propertyLimit + 50) {
      row.property = "\\Order.p\(number)"
      buffer.append(row, droppedCount: 0)
    }
    let counts = buffer.take(from: &page, withCounts: true).counts ?? [:]
    XCTAssertEqual(counts.count, EventBuffer.propertyLimit + 1)
    XCTAssertEqual(counts["all others"], [50, 0])
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
      hub.take(from: &first, withCounts: false).events.contains { $0.kind == "delivery" }
    }
    XCTAssertTrue(arrives)
    hub.close()
    XCTAssertTrue(isRecording(), "another page is open")
    hub.close()
    let ends = try await waitUntil { !isRecording() }
    XCTAssertTrue(ends)
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
      batch = hub.take(from: &page, withCounts: true)
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
        if text.contains("\"kind\":\"delivery\""), text.contains("\"counts\":{\"") { break }
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
