import ArgumentParser
import BoardServer

@main
struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Board", abstract: "Serves a task board that is shared by browsers.")

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

  func validate() throws {
    guard (0...65_535).contains(port) else { throw ValidationError("A port is at most 65535.") }
    guard (0...1_000).contains(demoRate) else {
      throw ValidationError("Random edits are at most 1000 a second.")
    }
  }

  func run() async throws {
    var options = BoardApplication.Options(file: file)
    (options.host, options.port) = (host, port)
    (options.demoRate, options.mirror) = (demoRate, mirror)
    try await BoardApplication(options).run()
  }
}
