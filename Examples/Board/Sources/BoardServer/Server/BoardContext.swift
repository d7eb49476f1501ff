import Foundation
import Hummingbird
import NIOCore

/// What a request of the board is handled with.
struct BoardContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  /// Bytes that a body may have.
  let maxUploadSize = 16 * 1_024

  init(source: Source) { coreContext = .init(source: source) }
}

extension Request {
  /// The body as JSON.
  ///
  /// - Throws: A `Refusal` that says what is wrong with it.
  func json<Value: Decodable & Sendable>(
    _ type: Value.Type, _ context: BoardContext
  ) async throws -> Value {
    guard headers[.contentType]?.hasPrefix("application/json") == true else {
      // What a form of another site can't send.
      throw Refusal(.unsupportedMediaType, "The body is to be \"application/json\".")
    }
    let body: ByteBuffer
    do {
      body = try await self.body.collect(upTo: context.maxUploadSize)
    } catch is NIOTooManyBytesError {
      throw Refusal(.contentTooLarge, "The body is larger than 16 KB.")
    }
    do { return try JSONDecoder().decode(type, from: Data(buffer: body)) } catch {
      throw Refusal(Self.sentence(for: error))
    }
  }

  private static func sentence(for error: any Error) -> String {
    switch error as? DecodingError {
    case .keyNotFound(let key, _): "\"\(key.stringValue)\" is missing."
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      "\"\(context.name)\" is of another type."
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      "\"\(context.name)\" has a value that there is not."
    default: "The body is no JSON."
    }
  }
}

extension DecodingError.Context {
  fileprivate var name: String { codingPath.map(\.stringValue).joined(separator: ".") }
}

/// Text as the JSON of a response.
func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
  Response(
    status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
    body: .init(byteBuffer: ByteBuffer(string: text)))
}

/// Answers errors with a sentence, and refuses what another site asks a browser to send to a server
/// on the same machine.
struct Guard: RouterMiddleware {
  typealias Context = BoardContext

  /// Whether the server is reached by this machine alone.
  let isLocal: Bool

  func handle(
    _ request: Request, context: BoardContext,
    next: (Request, BoardContext) async throws -> Response
  ) async throws -> Response {
    do {
      try checkOrigin(of: request)
      return try await next(request, context)
    } catch let refusal as Refusal {
      return json(encoded(["error": refusal.sentence]), refusal.status)
    } catch let error as HTTPError {
      let isUnknown = error.status == .notFound
      let sentence = isUnknown ? "There is no such page." : "\(error.status.reasonPhrase)."
      return json(encoded(["error": sentence]), error.status)
    }
  }

  private func checkOrigin(of request: Request) throws {
    let authority = request.head.authority ?? ""
    // A name that has been made to lead to this machine is no local one.
    let host = URL(string: "http://\(authority)")?.host() ?? ""
    if isLocal, !["localhost", "127.0.0.1", "::1"].contains(host) {
      throw Refusal(.misdirectedRequest, "This board is at http://localhost.")
    }
    if let origin = request.headers[.origin], origin != "http://\(authority)" {
      throw Refusal(.forbidden, "Another site has no access to this board.")
    }
  }
}
