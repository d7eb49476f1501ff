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

    public init(file: String) { self.file = file }
  }

  private let options: Options

  public init(_ options: Options) { self.options = options }

  /// Serves until the process is asked to end.
  ///
  /// - Throws: An error of SQLite for the file, or of the system for the port.
  public func run() async throws {
    let board = try await makeBoard()
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
    let demo = options.demoRate > 0 ? await demo(on: board) : nil
    defer { demo?.cancel() }
    try await application.runService()
  }

  @MainActor
  private func makeBoard() throws -> SharedBoard {
    let namespace = String(UInt64.random(in: .min ... .max) >> 24, radix: 36)
    return try SharedBoard(Board(namespace: namespace), in: BoardFile(path: options.file))
  }

  @MainActor
  private func demo(on board: SharedBoard) -> Task<Void, Never> {
    Task { await DemoEditor(board.board).run(editsPerSecond: options.demoRate) }
  }
}
