import Foundation
import Hummingbird
import ServiceLifecycle

extension Inspector {
  /// Adds the routes: the page with its parts, lists and graphs as JSON, and the stream of events.
  static func add<Context: RequestContext>(
    to routes: RouterGroup<Context>, _ reader: ObjectReader, _ hub: EventHub
  ) {
    routes.get { request, _ in
      guard request.uri.path.hasSuffix("/") else { return directory(of: request) }
      return try file("index.html")
    }
    routes.get("page/:file") { _, context in try file(context.parameters.require("file")) }
    routes.get("observations") { request, _ in
      try json(await ObservationList.all(by: reader), for: request)
    }
    routes.get("graph") { request, _ in
      let (object, side) = try graphParameters(of: request)
      return try json(await GraphReport.around(object, side, by: reader), for: request)
    }
    routes.get("outlived") { request, _ in
      try json(await Expectations.overdue(by: reader), for: request)
    }
    routes.get("events") { _, _ in
      Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: ResponseBody { writer in try await stream(hub, to: writer) })
    }
    routes.get("**") { _, _ -> Response in
      throw HTTPError(.notFound, message: "The inspector has no such page.")
    }
  }

  // MARK: - Parameters

  private static func graphParameters(
    of request: Request
  ) throws -> (object: String, side: GraphReport.Side?) {
    guard let object = request.uri.queryParameters["object"] else {
      throw HTTPError(.badRequest, message: "Give the address of an object, as ?object=6020.")
    }
    guard object.count <= 16, let address = UInt(object, radix: 16) else {
      throw HTTPError(
        .badRequest, message: "The address of an object has up to 16 hexadecimal digits.")
    }
    let name = request.uri.queryParameters["side"].map(String.init)
    let side = name.flatMap(GraphReport.Side.init)
    guard side != nil || name == nil else {
      throw HTTPError(.badRequest, message: "The side is “observed” or “observer”.")
    }
    return (String(address, radix: 16), side)
  }

  // MARK: - Responses

  /// The page refers to its parts by relative paths, which begin at a slash.
  private static func directory(of request: Request) -> Response {
    let name = request.uri.path.split(separator: "/").last ?? ""
    return Response(status: .temporaryRedirect, headers: [.location: "\(name)/"])
  }

  private static let types = ["html": "text/html", "css": "text/css", "js": "text/javascript"]

  /// A file of the page.
  private static func file(_ name: String) throws -> Response {
    let folder = Bundle.module.resourceURL?.appendingPathComponent("Page")
    // By the names in the folder, so that no path leads out of it.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder?.path ?? "")) ?? []
    guard names.contains(name), let url = folder?.appendingPathComponent(name),
      let type = types[url.pathExtension], let data = try? Data(contentsOf: url)
    else { throw HTTPError(.notFound, message: "The page has no file of that name.") }
    return Response(
      status: .ok,
      headers: [
        .contentType: "\(type); charset=utf-8", .cacheControl: "no-cache",
        .contentSecurityPolicy: "default-src 'self'; img-src data:",
        .xContentTypeOptions: "nosniff",
      ], body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }

  /// JSON, or nothing if the client has it already.
  private static func json(_ value: some Encodable, for request: Request) throws -> Response {
    let data = try encoder.encode(value)
    var hasher = Hasher()
    hasher.combine(data.count)
    data.withUnsafeBytes { hasher.combine(bytes: $0) }
    let tag = "\"\(String(UInt(bitPattern: hasher.finalize()), radix: 36))\""
    var headers: HTTPFields = [.eTag: tag, .cacheControl: "no-cache"]
    if request.headers[.ifNoneMatch] == tag {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = "application/json; charset=utf-8"
    return Response(
      status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
  }

  private static var encoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }

  // MARK: - Events

  /// Sends batches of events until the page is closed, five times a second at most.
  static func stream(_ hub: EventHub, to writer: any ResponseBodyWriter) async throws {
    var (writer, page, encoder) = (writer, hub.open(), encoder)
    defer { hub.close() }
    encoder.outputFormatting = .withoutEscapingSlashes
    var tick = 0
    // The server waits for its responses before it ends.
    while !Task.isShuttingDownGracefully {
      let isDue = tick % 5 == 0
      tick += 1
      let batch = hub.take(for: &page, withRates: isDue)
      // Once a second in any case: writing fails when the page has been closed.
      if isDue || !batch.events.isEmpty || batch.lost > 0 {
        var buffer = ByteBuffer(string: "data: ")
        buffer.writeBytes(try encoder.encode(batch))
        buffer.writeString("\n\n")
        try await writer.write(buffer)
      }
      try await Task.sleep(for: .milliseconds(200))
    }
    try await writer.finish(nil)
  }
}
