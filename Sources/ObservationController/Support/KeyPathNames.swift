/// Names of properties that key paths do not print.
///
/// A key path prints a stored property by its name, and a computed one, as every observed property
/// is, by the address of its getter where the system can't look that up, as on Linux. The address
/// identifies the getter, so that a name need be found only once.
enum KeyPathNames {
  private static let names = Locked<[String: String]>([:])

  /// The key path as Swift prints it, with known names, and types in place of unknown ones.
  static func literal(of keyPath: AnyKeyPath) -> String { naming(String(reflecting: keyPath)) }

  /// The key path with names or types, without its root type.
  static func text(of keyPath: AnyKeyPath) -> String {
    withoutRoot(naming(printed(keyPath)), of: keyPath)
  }

  /// The key path as Swift prints it. A property whose value is optional is printed like any other.
  static func printed(_ keyPath: AnyKeyPath) -> String {
    var text = String(reflecting: keyPath)
    while text.hasSuffix("?") { text.removeLast() }
    return text
  }

  /// A printed key path with known names, and types in place of unknown ones.
  static func naming(_ printed: String) -> String {
    let names = names.withLock { $0 }
    return parts(of: printed).map { part in
      part.isComputed ? names[part.text] ?? "‹\(part.valueType)›" : part.text
    }.joined()
  }

  /// The printed name of one property in a chain.
  static func step(_ index: Int, of keyPath: AnyKeyPath) -> String? {
    let steps = parts(of: withoutRoot(printed(keyPath), of: keyPath)).flatMap { part in
      part.isComputed
        ? [part.text] : part.text.split { ".?!".contains($0) }.map(String.init)
    }
    return steps.indices.contains(index) ? steps[index] : nil
  }

  /// Whether the names of all properties in a key path are known.
  static func isKnown(_ keyPath: AnyKeyPath) -> Bool {
    let parts = parts(of: printed(keyPath))
    return names.withLock { names in
      parts.allSatisfy { !$0.isComputed || names[$0.text] != nil }
    }
  }

  /// Number of the properties in a key path that it does not print by their names.
  static func unnamedCount(in keyPath: AnyKeyPath) -> Int {
    parts(of: printed(keyPath)).count(where: \.isComputed)
  }

  /// Learns the names of properties in a printed key path, as far as they are given: of the last
  /// one, or of all if there are as many.
  static func learn(_ found: [String?], for printed: String) {
    let computed = parts(of: printed).filter(\.isComputed)
    guard found.count == 1 || found.count == computed.count else { return }
    names.withLock { names in
      for (part, name) in zip(computed.suffix(found.count), found) {
        if let name { names[part.text] = name }
      }
    }
  }

  private static func withoutRoot(_ text: String, of keyPath: AnyKeyPath) -> String {
    String(text.trimmingPrefix("\\\(type(of: keyPath).rootType)."))
  }

  /// A computed component of a key path, or the text between two of them.
  private struct Part {
    let text: String
    var isComputed = false

    /// `Int` of `<computed 0x0000560f6cbd9b10 (Int)>`.
    var valueType: Substring { text.drop { $0 != "(" }.dropFirst().dropLast(2) }
  }

  private static func parts(of printed: String) -> [Part] {
    let pieces = printed.split(separator: "<computed ", omittingEmptySubsequences: false)
    return [Part(text: String(pieces[0]))]
      + pieces.dropFirst().flatMap { piece in
        // The type of the value may have such brackets too, and what follows has none.
        let end = piece.ranges(of: ")>").last?.upperBound ?? piece.endIndex
        return [
          Part(text: "<computed \(piece[..<end])", isComputed: true),
          Part(text: String(piece[end...])),
        ]
      }
  }
}
