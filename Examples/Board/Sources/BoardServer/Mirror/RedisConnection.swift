#if Mirror
  import CHiredis
  import Foundation

  /// A connection to Redis or Valkey, for one command after the other.
  ///
  /// Commands block a thread of their own, not those that tasks share.
  final class RedisConnection {
    enum Reply: Sendable {
      case none
      case integer(Int)
      case text(String)
      case list([Reply])
    }

    struct Failure: Error, CustomStringConvertible {
      let description: String
    }

    private let context: UnsafeMutablePointer<redisContext>
    private let queue = DispatchQueue(label: "RedisConnection")

    /// Connects, which may take a second.
    init(host: String, port: Int) throws {
      guard let context = redisConnectWithTimeout(host, Int32(port), timeval(tv_sec: 1, tv_usec: 0))
      else { throw Failure(description: "out of memory") }
      self.context = context
      if context.pointee.err != 0 { throw failure }
      // More than any command waits for.
      redisSetTimeout(context, timeval(tv_sec: 5, tv_usec: 0))
    }

    deinit { redisFree(context) }

    /// Sends commands at once, and waits for all replies.
    ///
    /// - Throws: A `Failure` if the connection is lost, or if a command fails.
    func send(_ commands: [[String]]) async throws -> [Reply] {
      try await withCheckedThrowingContinuation { done in
        queue.async { done.resume(with: Result { try self.reply(to: commands) }) }
      }
    }

    private func reply(to commands: [[String]]) throws -> [Reply] {
      for command in commands {
        // Copied, since the C function wants all of them at the same time.
        var words = command.map { UnsafePointer(strdup($0)) }
        defer { for word in words { free(UnsafeMutableRawPointer(mutating: word)) } }
        redisAppendCommandArgv(context, Int32(words.count), &words, command.map(\.utf8.count))
      }
      return try commands.map { _ in
        var pointer: UnsafeMutableRawPointer?
        guard redisGetReply(context, &pointer) == REDIS_OK, let pointer else { throw failure }
        defer { freeReplyObject(pointer) }
        // hiredis says that replies are of this type.
        return try Reply(pointer.assumingMemoryBound(to: redisReply.self).pointee)
      }
    }

    private var failure: Failure {
      withUnsafePointer(to: &context.pointee.errstr) {
        $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
          Failure(description: String(cString: $0))
        }
      }
    }
  }

  extension RedisConnection.Reply {
    fileprivate init(_ reply: redisReply) throws {
      switch reply.type {
      case REDIS_REPLY_INTEGER: self = .integer(Int(reply.integer))
      case REDIS_REPLY_ARRAY:
        self = .list(
          try (0..<reply.elements).map { try Self(reply.element[$0]!.pointee) })
      case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(reply.text)
      case REDIS_REPLY_ERROR: throw RedisConnection.Failure(description: reply.text)
      default: self = .none
      }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var list: [Self] { if case .list(let list) = self { list } else { [] } }
  }

  extension redisReply {
    fileprivate var text: String {
      // `len` bytes, as hiredis says.
      String(decoding: UnsafeRawBufferPointer(start: str, count: len), as: UTF8.self)
    }
  }

  /// `queue` alone uses the connection, once it is made.
  extension RedisConnection: @unchecked Sendable {}
#endif
