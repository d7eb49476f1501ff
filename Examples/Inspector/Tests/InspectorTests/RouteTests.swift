import Foundation
import Hummingbird
import HummingbirdTesting
import ObservationController
import XCTest

@testable import Inspector

/// What the routes answer, also to wrong requests.
final class RouteTests: XCTestCase {
  private let order = Order()
  private var view: OrderView?

  override func setUp() async throws { view = OrderView(order) }
  override func tearDown() async throws { view = nil }

  /// An application as a program has it, with the inspector in a part of it.
  private func application(readsObjects: Bool = true) -> some ApplicationProtocol {
    let router = Router()
    router.get("orders") { _, _ in "all orders" }
    Inspector.mount(on: router, at: "/inspector", readsObjects: readsObjects)
    return Application(router: router)
  }

  func test_page_isServedWithItsParts() async throws {
    try await application().test(.router) { client in
      let page = try await client.executeRequest(
        uri: "/inspector/", method: .get, headers: [:], body: nil)
      XCTAssertEqual(page.status, .ok)
      XCTAssertEqual(page.headers[.contentType], "text/html; charset=utf-8")
      XCTAssertNotNil(page.headers[.contentSecurityPolicy])
      let text = String(buffer: page.body)
      let parts = text.matches(of: /(?:src|href)="([a-z][^":]*)"/).map { String($0.1) }
      XCTAssertEqual(parts, ["page/style.css", "page/graph.js", "page/page.js"])
      for part in parts {
        let response = try await client.executeRequest(
          uri: "/inspector/\(part)", method: .get, headers: [:], body: nil)
        XCTAssertEqual(response.status, .ok, part)
        XCTAssertGreaterThan(response.body.readableBytes, 1_000)
      }
      XCTAssertFalse(text.contains("http"), "a page needs nothing from elsewhere")
    }
  }

  func test_pathWithoutSlash_isRedirected() async throws {
    try await application().test(.router) { client in
      try await client.execute(uri: "/inspector", method: .get) { response in
        XCTAssertEqual(response.status, .temporaryRedirect)
        XCTAssertEqual(response.headers[.location], "inspector/")
      }
    }
  }

  func test_wrongRequests_areRefusedWithASentence() async throws {
    let requests: [(String, HTTPResponse.Status)] = [
      ("graph", .badRequest), ("graph?object=", .badRequest), ("graph?object=xyz", .badRequest),
      ("graph?object=12345678901234567", .badRequest), ("graph?object=6020", .notFound),
      ("graph?object=6020&side=left", .badRequest), ("page/..%2FPackage.swift", .notFound),
      ("page/none.js", .notFound), ("nothing/here", .notFound),
    ]
    try await application().test(.router) { client in
      for (uri, status) in requests {
        try await client.execute(uri: "/inspector/\(uri)", method: .get) { response in
          XCTAssertEqual(response.status, status, uri)
          let body = try JSONDecoder().decode([String: [String: String]].self, from: response.body)
          XCTAssertTrue(body["error"]?["message"]?.hasSuffix(".") ?? false, uri)
        }
      }
      try await client.execute(uri: "/orders", method: .get) { response in
        XCTAssertEqual(String(buffer: response.body), "all orders")
      }
    }
  }

  func test_observations_haveNamesPlacesAndDescriptions() async throws {
    ObservationGraph.setLabel("<b>first</b>", for: order)
    try await application().test(.router) { [order] client in
      try await client.execute(uri: "/inspector/observations", method: .get) { response in
        let list = try JSONDecoder().decode(ListInJSON.self, from: response.body)
        let observation = try XCTUnwrap(list.observations.first { $0.keyPath == #"\Order.label"# })
        XCTAssertEqual(observation.object, ObjectReader.id(of: order))
        XCTAssertEqual(observation.options, "[initial, old]")
        XCTAssertEqual(observation.context, "\"shown\"")
        XCTAssertTrue(observation.place.hasPrefix("InspectorTests/Models.swift:"))
        let row = try XCTUnwrap(list.objects.first { $0.id == observation.object })
        XCTAssertEqual(row.name, "Order@\(row.id)")
        XCTAssertEqual(row.label, "<b>first</b>")
        XCTAssertEqual(row.text, "order of 1 for 12")
      }
    }
  }

  func test_observations_withoutReading_callNoDescription() async throws {
    let before = order.describedCount
    try await application(readsObjects: false).test(.router) { [order] client in
      for route in ["observations", "graph?object=\(ObjectReader.id(of: order))", "outlived"] {
        try await client.execute(uri: "/inspector/\(route)", method: .get) { response in
          XCTAssertEqual(response.status, .ok, route)
        }
      }
    }
    XCTAssertEqual(order.describedCount, before)
  }

  func test_longList_isCutAndSaysSo() async throws {
    let views = (0..<ObservationList.limit).map { _ in OrderView(order) }
    let list = await ObservationList.all(by: ObjectReader(readsObjects: false)) { [order] in
      $0.object === order
    }
    XCTAssertEqual(list.observations.count, ObservationList.limit)
    XCTAssertEqual(list.more, 1)
    withExtendedLifetime(views) {}
  }

  func test_graph_hasNodesEdgesAndMarkupAsText() async throws {
    ObservationGraph.setLabel("<img src=x onerror=alert(1)>", for: order)
    let id = ObjectReader.id(of: order)
    try await application().test(.router) { client in
      try await client.execute(uri: "/inspector/graph?object=\(id)", method: .get) { response in
        XCTAssertEqual(response.status, .ok)
        let graph = try JSONDecoder().decode(GraphInJSON.self, from: response.body)
        XCTAssertEqual(graph.side, "observed")
        XCTAssertTrue(
          graph.nodes.contains { $0.name == "Order “<img src=x onerror=alert(1)>”" })
        XCTAssertTrue(graph.nodes.contains { $0.name == "label" })
        XCTAssertTrue(graph.edges.contains { $0.kind == "observes" && $0.isStrong })
      }
      let uri = "/inspector/graph?object=\(id)&side=observer"
      try await client.execute(uri: uri, method: .get) { response in
        let graph = try JSONDecoder().decode(GraphInJSON.self, from: response.body)
        XCTAssertEqual(graph.nodes.count, 0)
      }
    }
  }

  func test_otherHost_isRefused() async throws {
    let router = Router()
    router.add(middleware: OnlyThisMachine())
    Inspector.mount(on: router, at: "/")
    try await Application(router: router).test(.router) { client in
      try await client.execute(uri: "/", method: .get) { response in
        XCTAssertEqual(response.status, .ok)
      }
    }
    try await Application(router: router).test(.live) { client in
      let port = try XCTUnwrap(client.port)
      for (host, status) in [("localhost", 200), ("127.0.0.1:\(port)", 200), ("a.example", 421)] {
        let response = try await get("http://127.0.0.1:\(port)/", host: host)
        XCTAssertEqual(Int(response.status.code), status, host)
      }
    }
  }
}
