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
    return parts(of: printed).map { computed, rest in
      let name = computed.map { names[$0] ?? "‹\(valueType(of: $0))›" } ?? ""
      return name + rest
    }.joined()
  }

  /// The printed name of one property in a chain.
  static func step(_ index: Int, of keyPath: AnyKeyPath) -> String? {
    let steps = parts(of: withoutRoot(printed(keyPath), of: keyPath)).flatMap { computed, rest in
      [computed].compactMap(\.self) + rest.split { ".?!".contains($0) }.map(String.init)
    }
    return steps.dropFirst(index).first
  }

  /// Whether the names of all properties in a key path are known.
  static func isKnown(_ keyPath: AnyKeyPath) -> Bool {
    let names = names.withLock { $0 }
    return computed(in: printed(keyPath)).allSatisfy { names[$0] != nil }
  }

  /// Learns the names of properties in a printed key path, as far as they are given: of the last
  /// one, or of all if there are as many.
  static func learn(_ found: [String?], for printed: String) {
    let computed = computed(in: printed)
    guard found.count == 1 || found.count == computed.count else { return }
    names.withLock { names in
      for case (let part, let name?) in zip(computed.suffix(found.count), found) {
        names[part] = name
      }
    }
  }

  private static func withoutRoot(_ text: String, of keyPath: AnyKeyPath) -> String {
    String(text.trimmingPrefix("\\\(type(of: keyPath).rootType)."))
  }

  /// `Int` of `<computed 0x0000560f6cbd9b10 (Int)>`.
  private static func valueType(of computed: String) -> Substring {
    computed.drop { $0 != "(" }.dropFirst().dropLast(2)
  }

  /// The properties in a printed key path that it does not print by their names.
  static func computed(in printed: String) -> [String] {
    parts(of: printed).compactMap(\.computed)
  }

  /// The computed components of a key path, each with the text up to the next one; before the first
  /// one is text alone.
  private static func parts(of printed: String) -> [(computed: String?, rest: String)] {
    let pieces = printed.split(separator: "<computed ", omittingEmptySubsequences: false)
    return [(nil, String(pieces[0]))]
      + pieces.dropFirst().map { piece in
        // The type of the value may have such brackets too, and what follows has none.
        let end = piece.ranges(of: ")>").last?.upperBound ?? piece.endIndex
        return ("<computed \(piece[..<end])", String(piece[end...]))
      }
  }
}
