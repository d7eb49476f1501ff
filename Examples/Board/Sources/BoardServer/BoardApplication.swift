import Foundation
import Hummingbird
import Logging

/// The server of a shared task board.
public struct BoardApplication: Sendable {
  /// How it is started.
  public struct Options: Sendable {
    /// Path of the SQLite file.
    public var file: String
    public var host = "127.0.0.1"

    /// 0 for any that is free.
    public var port = 8080

    /// Random edits a second; 0 for none.
    public var demoRate = 0

    /// Redis or Valkey by which the board is shared with other servers, as `redis://127.0.0.1`.
    public var mirror: String?

    public init(file: String) { self.file = file }
  }

  private let options: Options

  public init(_ options: Options) { self.options = options }

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
        throw StartFailure(description: "--mirror is an address as redis://127.0.0.1:6379.")
      }
      return Task { await redis.run() }
    #else
      throw StartFailure(
        description: "For --mirror \(url) install libhiredis-dev, and run with --traits Mirror.")
    #endif
  }

  @MainActor
  private func demo(on board: SharedBoard) -> Task<Void, Never>? {
    guard options.demoRate > 0 else { return nil }
    return Task { await DemoEditor(board.board).run(editsPerSecond: options.demoRate) }
  }

  private struct StartFailure: Error, CustomStringConvertible {
    let description: String
  }
}
