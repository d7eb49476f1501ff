#if Mirror
  import Foundation

  /// Shares a board by a stream of Redis or Valkey, which has the messages of all servers in one
  /// order.
  ///
  /// Next to the stream it keeps the state after some thousand messages, with which a server joins.
  struct RedisMirror: Sendable {
    private static let (stream, snapshot) = ("board:messages", "board:snapshot")

    let mirror: Mirror
    let host: String
    let port: Int

    /// - Parameter url: As `redis://127.0.0.1:6379`.
    init?(_ mirror: Mirror, url: String) {
      guard let url = URL(string: url), url.scheme == "redis", let host = url.host() else {
        return nil
      }
      (self.mirror, self.host, port) = (mirror, host, url.port ?? 6_379)
    }

    /// Shares the board until the task is cancelled; connects again whenever the connection is
    /// lost.
    func run() async {
      var lastFailure = ""
      while !Task.isCancelled {
        do { try await connect() } catch {
          let failure = "\(error)"
          if failure != lastFailure, !Task.isCancelled {
            FileHandle.standardError.write(Data("Board: the mirror is away: \(failure)\n".utf8))
          }
          lastFailure = failure
        }
        // Not at once again, where the engine refuses; a cancelled pause ends the loop.
        try? await Task.sleep(for: .milliseconds(300))
      }
    }

    /// Receives what was missed, then sends and receives.
    private func connect() async throws {
      let receiving = try RedisConnection(host: host, port: port)
      try await join(receiving)
      while try await receive(receiving, waiting: false) {}
      await mirror.didCatchUp()
      let sending = try RedisConnection(host: host, port: port)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { while true { try await receive(receiving, waiting: true) } }
        group.addTask {
          while !Task.isCancelled {
            let messages = try await mirror.messagesToSend()
            _ = try await sending.send(
              messages.map { ["XADD", Self.stream, "*", "message", encoded($0)] })
          }
        }
        // Ends by an error, which ends the other one.
        defer { group.cancelAll() }
        try await group.next()
      }
    }

    private func join(_ connection: RedisConnection) async throws {
      let first = await mirror.firstState
      let known = try await connection.send([
        ["HSETNX", Self.snapshot, "state", encoded(first)], ["HGET", Self.snapshot, "state"],
      ])
      let json = Data((known[1].text ?? "").utf8)
      await mirror.join(try JSONDecoder().decode(MirrorState.self, from: json))
    }

    /// - Parameter waiting: Whether to wait for a message, for a second at most.
    /// - Returns: Whether there were some.
    @discardableResult
    private func receive(_ connection: RedisConnection, waiting: Bool) async throws -> Bool {
      let command =
        ["XREAD", "COUNT", "500"] + (waiting ? ["BLOCK", "1000"] : [])
        + ["STREAMS", Self.stream, await mirror.state.position]
      let streams = try await connection.send([command])[0].list
      let messages = try streams.flatMap { $0.list[1].list }.map { entry in
        let json = Data((entry.list[1].list[1].text ?? "").utf8)
        return (entry.list[0].text ?? "", try JSONDecoder().decode(MirrorMessage.self, from: json))
      }
      if try await mirror.receive(messages) { try await save(await mirror.state, connection) }
      return !messages.isEmpty
    }

    /// Keeps a state for servers that join, unless there is a newer one, and removes the messages
    /// that are older than the one before it.
    private func save(_ state: MirrorState, _ connection: RedisConnection) async throws {
      let script = """
        local old = cjson.decode(redis.call('HGET', KEYS[1], 'state'))
        if old.count >= tonumber(ARGV[2]) then return 0 end
        redis.call('HSET', KEYS[1], 'state', ARGV[1])
        return redis.call('XTRIM', KEYS[2], 'MINID', old.position)
        """
      _ = try await connection.send([
        ["EVAL", script, "2", Self.snapshot, Self.stream, encoded(state), "\(state.count)"]
      ])
    }
  }
#endif
