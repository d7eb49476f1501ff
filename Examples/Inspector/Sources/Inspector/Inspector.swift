import Hummingbird
import Logging

/// A live page on who observes what in this program, and why its handlers run.
///
///     try await Inspector.run(port: 4040)          // a server of its own
///     Inspector.mount(on: router)                  // or a part of the program's server
///
/// While no page is open nothing is recorded, no timer runs, and setting a property is no slower.
/// The page shows names and descriptions of the program's objects to everyone who can open it.
public enum Inspector {
  /// Serves the page at `http://127.0.0.1:port/`, to this machine alone, and prints that address.
  ///
  /// - Parameters:
  ///   - port: 0 for one that is free.
  ///   - readsObjects: Whether to read the objects, see ``mount(on:at:readsObjects:)``.
  /// - Throws: An error if the port is taken. Returns when the task is cancelled.
  public static func run(port: Int = 4040, readsObjects: Bool = true) async throws {
    let router = Router()
    router.add(middleware: OnlyThisMachine())
    mount(on: router, at: "/", readsObjects: readsObjects)
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { print("Inspector: http://127.0.0.1:\($0.localAddress?.port ?? port)/") },
      logger: Logger(label: "Inspector") { _ in SwiftLogNoOpLogHandler() })
    try await application.run()
  }

  /// Adds the page to the routes of a program, and what it asks for below it.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - readsObjects: Whether to read objects for names, graphs and descriptions, on the main
  ///     actor, for which the page waits. Pass `false` where they belong to other threads or
  ///     actors: objects appear by type and address then, and graphs lack what reading would find.
  public static func mount<Context: RequestContext>(
    on router: some RouterMethods<Context>, at path: RouterPath = "/inspector",
    readsObjects: Bool = true
  ) {
    let reader = ObjectReader(readsObjects: readsObjects)
    add(to: router.group(path), reader, EventHub(reader: reader))
  }
}

/// Refuses requests for other hosts: a page from elsewhere can have its own name point at this
/// machine, and could read everything by that.
struct OnlyThisMachine<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority?.split(separator: ":").first
    guard host == "127.0.0.1" || host == "localhost" else {
      throw HTTPError(.misdirectedRequest, message: "The inspector answers for 127.0.0.1 alone.")
    }
    return try await next(request, context)
  }
}
