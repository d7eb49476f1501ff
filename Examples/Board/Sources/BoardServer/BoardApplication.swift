import ArgumentParser
import Foundation
import Hummingbird
import Logging

/// How the server is started.
public struct BoardOptions: ParsableArguments, Sendable {
  @Option(help: "The SQLite file that the board is kept in.")
  var file = "board.sqlite"

  @Option(help: "The address to listen on. Other machines reach the board by 0.0.0.0.")
  var host = "127.0.0.1"

  @Option(help: "The port to listen on, 0 for any that is free.")
  var port = 8080

  @Option(name: .customLong("demo"), help: "Random edits a second.")
  var demoRate = 0

  @Option(help: "Redis or Valkey that shares the board with other servers, as redis://127.0.0.1.")
  var mirror: String?

  public init() {}

  public func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("A port is at most 65535.") }
    guard (0...1_000).contains(demoRate) else {
      throw ValidationError("Random edits are at most 1000 a second.")
    }
  }
}

/// The server of a shared task board.
public struct BoardApplication: Sendable {
  private let options: BoardOptions

  public init(_ options: BoardOptions) { self.options = options }

  /// Serves until the process is asked to end.
  ///
  /// - Throws: An error of SQLite for the file, or of the system for the port.
  public func run() async throws {
    let file = try BoardFile(path: options.file)
    let board = try await makeBoard(in: file)
    let (host, isLocal) = (options.host, ["127.0.0.1", "localhost", "::1"].contains(options.host))
    var logger = Logger(label: "Board")
    logger.logLevel = .warning
    let application = Application(
      router: BoardRoutes(board: board).router(isLocal: isLocal),
      configuration: .init(address: .hostname(host, port: options.port), serverName: nil),
      onServerRunning: { channel in
        // Not by `print`, which would keep it back where a script waits for it.
        let line = "Board: http://\(host):\(channel.localAddress?.port ?? 0)/\n"
        FileHandle.standardOutput.write(Data(line.utf8))
      },
      logger: logger)
    let tasks = [try await share(board, file), await demo(on: board)]
    defer { for task in tasks { task?.cancel() } }
    try await application.runService()
  }

  @MainActor
  private func makeBoard(in file: BoardFile) throws -> SharedBoard {
    let namespace = String(UInt64.random(in: .min ... .max) >> 24, radix: 36)
    return try SharedBoard(Board(namespace: namespace), in: file)
  }

  @MainActor
  private func share(_ board: SharedBoard, _ file: BoardFile) throws -> Task<Void, Never>? {
    guard let url = options.mirror else { return nil }
    #if Mirror
      let mirror = try Mirror(board.board, board.saver, continuing: file)
      guard let redis = RedisMirror(mirror, url: url) else {
        throw ValidationError("--mirror is an address as redis://127.0.0.1:6379.")
      }
      return Task { await redis.run() }
    #else
      throw ValidationError(
        "For --mirror \(url) install libhiredis-dev, and run with --traits Mirror.")
    #endif
  }

  @MainActor
  private func demo(on board: SharedBoard) -> Task<Void, Never>? {
    guard options.demoRate > 0 else { return nil }
    return Task { await DemoEditor(board.board).run(editsPerSecond: options.demoRate) }
  }
}
