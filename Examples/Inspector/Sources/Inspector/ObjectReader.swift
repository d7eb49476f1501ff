import Hummingbird
import ObservationController

/// Reads the program's objects where that is allowed: on the main actor, or not at all.
struct ObjectReader: Sendable {
  /// Whether the objects belong to the main actor, and are read there.
  let readsObjects: Bool

  /// The time that the main actor has to begin.
  var limit: Duration = .seconds(2)

  /// Runs `body` on the main actor; or right here if it reads no objects.
  ///
  /// - Throws: An error of status 503 if the main actor stays busy.
  func read<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async throws -> Result {
    guard readsObjects else { return body() }
    let (results, continuation) = AsyncStream<Result>.makeStream()
    let work = Task { @MainActor in
      if !Task.isCancelled { continuation.yield(body()) }
      continuation.finish()
    }
    let timer = Task {
      try await Task.sleep(for: limit)
      work.cancel()
      continuation.finish()
    }
    defer { timer.cancel() }
    for await result in results { return result }
    throw HTTPError(
      .serviceUnavailable,
      message: "The main actor was busy for \(limit), and objects are read there.")
  }
}

extension ObjectReader {
  /// One object as the page shows it.
  struct ObjectRow: Encodable, Sendable {
    /// The address, in hexadecimal digits.
    let id: String

    /// The type and the address, as `Clock@6020`.
    let name: String

    /// Its label in graphs, if it has one.
    let label: String?

    /// Its own description, if it has one and may be read.
    let text: String?
  }

  /// Describes an object. Calls its `description` on the main actor alone.
  func row(of object: AnyObject) -> ObjectRow {
    var text: String?
    if readsObjects, let describable = object as? any CustomStringConvertible {
      text = String(describable.description.prefix(120))
    }
    return ObjectRow(
      id: Self.id(of: object), name: "\(type(of: object))@\(Self.id(of: object))", label: nil,
      text: text)
  }

  /// The address of an object, in hexadecimal digits.
  static func id(of object: AnyObject) -> String {
    String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  }
}
