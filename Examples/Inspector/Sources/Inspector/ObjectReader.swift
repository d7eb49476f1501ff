import ObservationController

/// Reads the program's objects where that is allowed: on the main actor, or not at all.
struct ObjectReader: Sendable {
  /// One object as the page shows it.
  struct ObjectRow: Encodable, Sendable {
    /// The address, in hexadecimal digits.
    let id: String

    /// The type and the address, as `Clock@6020`.
    let name: String

    /// Its label in graphs, if it has one.
    let label: String?

    /// Its own description, if it has one and may be read.
    var text: String?
  }

  /// Whether the objects belong to the main actor, and are read there.
  let readsObjects: Bool

  /// Runs `body` on the main actor; or right here if it reads no objects.
  func read<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    readsObjects ? await MainActor.run { body() } : body()
  }

  /// Describes an object. Calls its `description` on the main actor alone.
  func row(of object: AnyObject) -> ObjectRow {
    let id = Self.id(of: object)
    var row = ObjectRow(
      id: id, name: "\(type(of: object))@\(id)", label: ObservationGraph.label(for: object))
    if readsObjects, let describable = object as? any CustomStringConvertible {
      row.text = String(describable.description.prefix(120))
    }
    return row
  }

  /// The address of an object, in hexadecimal digits.
  static func id(of object: AnyObject) -> String {
    String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  }
}
