import ArgumentParser
import BoardServer

@main
struct BoardCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Board", abstract: "Serves a task board that is shared by browsers.")

  @OptionGroup var options: BoardOptions

  func run() async throws { try await BoardApplication(options).run() }
}
