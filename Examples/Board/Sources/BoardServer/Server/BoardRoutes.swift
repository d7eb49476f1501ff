import Foundation
import Hummingbird
import Inspector
import ServiceLifecycle

/// Routes of the page, of its events, and of what it asks for.
struct BoardRoutes: Sendable {
  let board: SharedBoard

  /// - Parameter isLocal: Whether requests for other hosts than this machine are refused.
  func router(isLocal: Bool) -> Router<BoardContext> {
    let router = Router(context: BoardContext.self)
    router.add(middleware: Guard(isLocal: isLocal))
    for (path, file, type) in [
      ("/", "index.html", "text/html"), ("/board.css", "board.css", "text/css"),
      ("/board.js", "board.js", "text/javascript"),
    ] {
      router.get("\(path)") { _, _ in try page(file, type) }
    }
    router.get("/events", use: events)
    router.post("/edits") { request, context in
      let edit = try await request.json(EditRequest.self, context)
      return json(encoded(["card": try await board.edit(edit)]))
    }
    router.post("/view") { request, context in
      let view = try await request.json(ViewRequest.self, context)
      try await show(view)
      return json("{}")
    }
    for (path, redoing) in [("/undo", false), ("/redo", true)] {
      router.post("\(path)") { request, context in
        let client = try await request.json(ClientRequest.self, context).client
        return json(encoded(["edits": try await board.revert(client, redoing: redoing)]))
      }
    }
    router.get("/board.json") { request, _ in
      json(try await contents(for: request.uri.queryParameters["client"].map(String.init)))
    }
    router.get("/status.json") { _, _ in json(await board.status) }
    // It shows everything, which is for those alone who run the server.
    if isLocal { Inspector.mount(on: router, at: "/inspector") }
    return router
  }

  /// The events of one browser, until it closes the connection.
  private func events(_ request: Request, _: BoardContext) async throws -> Response {
    let person = request.uri.queryParameters["person"].map(String.init) ?? ""
    let browser = try await board.join(as: person)
    let hello = Hello(client: browser.id, person: browser.person)
    let body = ResponseBody { writer in
      do {
        try await writer.write(ByteBuffer(string: Outbox.event("hello", encoded(hello))))
        let close: @Sendable () -> Void = { Task { await browser.outbox.close() } }
        // The server waits for its responses before it ends.
        try await withGracefulShutdownHandler {
          try await request.body.consumeWithInboundCloseHandler { _ in
            while let events = await browser.nextEvents() {
              try await writer.write(ByteBuffer(string: events))
            }
            try await writer.finish(nil)
          } onInboundClosed: {
            close()
          }
        } onGracefulShutdown: {
          close()
        }
      } catch {
        // The connection is gone, as it is whenever somebody closes the page.
      }
      await board.leave(browser)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: body)
  }

  private struct Hello: Encodable {
    let client, person: String
    let columns = Column.allCases
  }

  private struct ClientRequest: Decodable {
    let client: String
  }

  @MainActor
  private func show(_ request: ViewRequest) throws {
    try request.apply(to: board.browser(request.client))
  }

  @MainActor
  private func contents(for client: String?) throws -> String {
    try client.map { try board.browser($0).shown } ?? board.contents
  }

  private func page(_ file: String, _ type: String) throws -> Response {
    let url = Bundle.module.bundleURL.appending(path: "Page/\(file)")
    let body = ByteBuffer(bytes: try Data(contentsOf: url))
    return Response(
      status: .ok, headers: [.contentType: "\(type); charset=utf-8"], body: .init(byteBuffer: body))
  }
}
