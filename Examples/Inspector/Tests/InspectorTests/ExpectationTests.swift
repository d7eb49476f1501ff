import ObservationController
import XCTest

@testable import Inspector

/// Objects that outlive what was expected of them.
final class ExpectationTests: XCTestCase {
  private let reader = ObjectReader(readsObjects: false)

  private func overdue(of object: String, after time: Duration) async -> [Expectations.Overdue] {
    await Expectations.overdue(at: .now + time, by: reader).filter { $0.object.id == object }
  }

  func test_objectThatStays_isListedWhenItsTimeIsOver() async throws {
    let order = Order()
    var view: OrderView? = OrderView(order)
    let id = ObjectReader.id(of: try XCTUnwrap(view))
    Inspector.expectEnd(of: try XCTUnwrap(view), within: .seconds(5))
    let early = await overdue(of: id, after: .zero)
    XCTAssertEqual(early.count, 0)
    let late = await overdue(of: id, after: .seconds(6))
    XCTAssertEqual(late.count, 1)
    XCTAssertTrue(late[0].place.hasPrefix("InspectorTests/ExpectationTests.swift:"))
    XCTAssertEqual(late[0].observations.map(\.keyPath), [#"\Order.label"#])
    XCTAssertEqual(late[0].observations[0].object, ObjectReader.id(of: order))
    view = nil
    let gone = await overdue(of: id, after: .seconds(6))
    XCTAssertEqual(gone.count, 0)
  }

  func test_observedObjectThatStays_isListedWithItsObservations() async throws {
    var order: Order? = Order()
    let view = OrderView(try XCTUnwrap(order))
    let id = ObjectReader.id(of: try XCTUnwrap(order))
    Inspector.expectEnd(of: try XCTUnwrap(order), within: .zero)
    order = nil
    let late = await overdue(of: id, after: .seconds(1))
    XCTAssertEqual(late.first?.observations.count, 1, "the controller retains what it observes")
    withExtendedLifetime(view) {}
  }

  func test_manyObjectsThatEnd_areForgotten() async throws {
    for _ in 0..<1_000 { Inspector.expectEnd(of: Order()) }
    XCTAssertLessThan(Expectations.state.withLockedValue(\.all.count), 200)
  }

  func test_expectation_fromManyThreads_holdsNothing() async throws {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<200 { Inspector.expectEnd(of: Customer()) }
        }
      }
    }
    weak var object: Order?
    do {
      let order = Order()
      Inspector.expectEnd(of: order)
      object = order
    }
    XCTAssertNil(object)
  }
}
