import Foundation
import Hummingbird
import ServiceLifecycle

extension Inspector {
  /// Adds the routes: the page with its parts, lists and graphs as JSON, and the stream of events.
  static func add<Context: RequestContext>(
    to routes: RouterGroup<Context>, _ reader: ObjectReader, _ hub: EventHub
  ) {
    routes.get { request, _ in
      if request.uri.path.hasSuffix("/") { return try file("index.html") }
      // The page refers to its parts by relative paths, which begin at a slash.
      let name = request.uri.path.split(separator: "/").last ?? ""
      return Response(status: .temporaryRedirect, headers: [.location: "\(name)/"])
    }
    routes.get("page/:file") { _, context in try file(context.parameters.require("file")) }
    routes.get("observations") { _, _ in try await json(ObservationList.all(by: reader)) }
    routes.get("outlived") { _, _ in try await json(Expectations.overdue(by: reader)) }
    routes.get("graph") { request, _ in
      let (object, side) = try graphParameters(of: request)
      return try await json(GraphReport.around(object, side, by: reader))
    }
    routes.get("events") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: ResponseBody { writer in try await stream(hub, to: writer) })
    }
    routes.get("**") { _, _ -> Response in
      throw HTTPError(.notFound, message: "The inspector has no such page.")
    }
  }

  private static func graphParameters(
    of request: Request
  ) throws -> (object: String, side: GraphReport.Side?) {
    let parameters = request.uri.queryParameters
    guard let object = parameters["object"], object.count <= 16, let id = UInt(object, radix: 16)
    else {
      throw HTTPError(
        .badRequest, message: "Give the address of an object in hexadecimal digits: ?object=6020.")
    }
    let side = parameters["side"].map { GraphReport.Side(rawValue: String($0)) }
    if case .some(nil) = side {
      throw HTTPError(.badRequest, message: "The side is “observed” or “observer”.")
    }
    return (String(id, radix: 16), side ?? nil)
  }

  /// The files of the page, with their types.
  private static let files = [
    "index.html": "text/html", "style.css": "text/css", "page.js": "text/javascript",
    "graph.js": "text/javascript",
  ]

  private static func file(_ name: String) throws -> Response {
    guard let type = files[name],
      let url = Bundle.module.resourceURL?.appendingPathComponent("Page/\(name)"),
      let data = try? Data(contentsOf: url)
    else { throw HTTPError(.notFound, message: "The page has no file of that name.") }
    let headers: HTTPFields = [
      .contentType: "\(type); charset=utf-8", .cacheControl: "no-cache",
      .contentSecurityPolicy: "default-src 'self'; img-src data:", .xContentTypeOptions: "nosniff",
    ]
    return Response(status: .ok, headers: headers, body: .init(byteBuffer: .init(bytes: data)))
  }

  private static func json(_ value: some Encodable) throws -> Response {
    let encoder = JSONEncoder()
    // The page leaves alone what has not changed.
    encoder.outputFormatting = .sortedKeys
    return Response(
      status: .ok,
      headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
      body: .init(byteBuffer: .init(bytes: try encoder.encode(value))))
  }

  /// Sends batches of events until the page is closed, five times a second at most.
  private static func stream(_ hub: EventHub, to writer: any ResponseBodyWriter) async throws {
    var (writer, place, tick) = (writer, hub.open(), 0)
    defer { hub.close() }
    // The server waits for its responses before it ends.
    while !Task.isShuttingDownGracefully {
      let batch = hub.take(from: &place, withCounts: tick % 5 == 0)
      // Once a second in any case: writing fails when the page has been closed.
      if tick % 5 == 0 || !batch.events.isEmpty || batch.lost > 0 {
        let json = String(decoding: try JSONEncoder().encode(batch), as: UTF8.self)
        try await writer.write(ByteBuffer(string: "data: \(json)\n\n"))
      }
      tick += 1
      try await Task.sleep(for: .milliseconds(200))
    }
    try await writer.finish(nil)
  }
}
