import Hummingbird
import Logging
import ObservationController

/// A live page on who observes what in this program, and why its handlers run.
///
///     try await Inspector.run(port: 4040)          // a server of its own
///     Inspector.mount(on: router)                  // or a part of the program's server
///
/// While no page is open, it does nothing: nothing is recorded, no timer runs, and setting a
/// property is no slower.
///
/// The page shows the names and descriptions of the program's objects to everyone who can open it:
/// mount it where only developers get.
public enum Inspector {
  /// Serves the page at `http://127.0.0.1:port/`, and prints that address.
  ///
  /// Listens on this machine alone, and answers no request that names another host, as a page
  /// from elsewhere would make it by way of a name server of its own.
  ///
  /// - Parameters:
  ///   - port: 0 for one that is free.
  ///   - readsObjects: Whether to read the objects, see ``mount(on:at:readsObjects:)``.
  /// - Throws: An error if the port is taken. Returns when the task is cancelled.
  public static func run(port: Int = 4040, readsObjects: Bool = true) async throws {
    let router = Router()
    router.add(middleware: OnlyThisMachine())
    mount(on: router, at: "/", readsObjects: readsObjects)
    var logger = Logger(label: "Inspector")
    logger.logLevel = .error
    let application = Application(
      router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
      onServerRunning: { channel in
        print("Inspector: http://127.0.0.1:\(channel.localAddress?.port ?? port)/")
      }, logger: logger)
    try await application.run()
  }

  /// Adds the page to the routes of a program, and what it asks for below it.
  ///
  /// - Parameters:
  ///   - path: The path of the page.
  ///   - readsObjects: Whether to read objects for names, graphs and descriptions, on the main
  ///     actor. Pass `false` where they belong to other threads or actors: objects appear by type
  ///     and address then, and graphs lack what reading would find.
  public static func mount<Context: RequestContext>(
    on router: some RouterMethods<Context>, at path: RouterPath = "/inspector",
    readsObjects: Bool = true
  ) {
    let reader = ObjectReader(readsObjects: readsObjects)
    add(to: router.group(path), reader, EventHub(reader: reader))
  }
}

/// Refuses requests for another host: a name that points at this machine, and is not its own, is a
/// way for a page from elsewhere to read what only this machine may.
struct OnlyThisMachine<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority ?? ""
    let name = host.split(separator: ":").first ?? ""
    guard name == "127.0.0.1" || name == "localhost" else {
      throw HTTPError(.misdirectedRequest, message: "The inspector answers for 127.0.0.1 alone.")
    }
    return try await next(request, context)
  }
}
