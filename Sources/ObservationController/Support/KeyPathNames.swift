/// Names of properties that key paths do not print.
///
/// A key path prints a stored property by its name, and a computed one, as every observed property
/// is, by the address of its getter where the system can't look that up, as on Linux. The address
/// identifies the getter, so that a name need be found only once.
enum KeyPathNames {
  private static let names = Locked<[String: String]>([:])

  /// The key path with known names, and types in place of unknown ones, without its root type;
  /// `self` for `\.self`.
  static func text(of keyPath: AnyKeyPath) -> String {
    let text = withoutOptional(naming(parts(of: keyPath)))
    return text.isEmpty ? "self" : String(text.drop { $0 == "." })
  }

  /// The key path as Swift prints it, with names or types in place of addresses.
  static func literal(of keyPath: AnyKeyPath) -> String {
    naming(parts(in: String(reflecting: keyPath)[...]))
  }

  /// A printed key path with known names, and types in place of unknown ones.
  static func naming(_ printed: String) -> String {
    withoutOptional(naming(parts(in: printed[...])))
  }

  private static func naming(_ parts: [Part]) -> String {
    let names = names.withLock { $0 }
    return parts.map { part in
      part.isComputed ? names[part.text] ?? "‹\(part.valueType)›" : part.text
    }.joined()
  }

  /// A property whose value is optional is named like any other.
  private static func withoutOptional(_ text: String) -> String {
    var text = text
    while text.hasSuffix("?") { text.removeLast() }
    return text
  }

  /// Whether a printed key path has properties whose names it does not print.
  static func hasComputed(_ printed: String) -> Bool {
    printed.contains("<computed ")
  }

  /// The printed name of one property in a chain.
  static func step(_ index: Int, of keyPath: AnyKeyPath) -> String? {
    let steps = parts(of: keyPath).flatMap { part in
      part.isComputed
        ? [part.text] : part.text.split { ".?!".contains($0) }.map(String.init)
    }
    return steps.indices.contains(index) ? steps[index] : nil
  }

  /// Whether the names of all properties in a key path are known.
  static func isKnown(_ keyPath: AnyKeyPath) -> Bool {
    let parts = parts(of: keyPath)
    return names.withLock { names in
      parts.allSatisfy { !$0.isComputed || names[$0.text] != nil }
    }
  }

  /// Number of the properties in a key path that it does not print by their names.
  static func unnamedCount(in keyPath: AnyKeyPath) -> Int {
    parts(of: keyPath).count(where: \.isComputed)
  }

  /// Learns the name of the last property of a key path.
  static func learn(_ name: String, for keyPath: AnyKeyPath) {
    guard let last = parts(of: keyPath).last(where: \.isComputed) else { return }
    names.withLock { $0[last.text] = name }
  }

  /// Learns the name of the last property of a printed key path, unless it is known.
  static func learn(_ name: String, forPrinted text: String) {
    guard let last = parts(in: text[...]).last(where: \.isComputed) else { return }
    names.withLock { $0[last.text] = $0[last.text] ?? name }
  }

  /// Learns the names of the computed properties of a key path, if there are as many.
  static func learn(_ found: [String?], for keyPath: AnyKeyPath) {
    let computed = parts(of: keyPath).filter(\.isComputed)
    guard computed.count == found.count else { return }
    names.withLock { names in
      for (part, name) in zip(computed, found) { names[part.text] = names[part.text] ?? name }
    }
  }

  /// A computed component of a key path, or the text between two of them.
  private struct Part {
    let text: String
    var isComputed = false

    /// `Int` of `<computed 0x0000560f6cbd9b10 (Int)>`.
    var valueType: Substring {
      guard let open = text.firstIndex(of: "(") else { return Substring(text) }
      return text[text.index(after: open)...].dropLast(2)
    }
  }

  private static func parts(of keyPath: AnyKeyPath) -> [Part] {
    let root = type(of: keyPath).rootType
    let text = String(reflecting: keyPath)
    let prefix = ["\\\(root)", "\\" + String(reflecting: root)].first { text.hasPrefix($0) }
    return parts(in: text.dropFirst(prefix?.count ?? 0))
  }

  private static func parts(in text: Substring) -> [Part] {
    var text = text
    var parts: [Part] = []
    while let range = text.firstRange(of: "<computed ") {
      if range.lowerBound > text.startIndex {
        parts.append(Part(text: String(text[..<range.lowerBound])))
      }
      let end = closing(of: text[range.lowerBound...])
      parts.append(Part(text: String(text[range.lowerBound..<end]), isComputed: true))
      text = text[end...]
    }
    if !text.isEmpty { parts.append(Part(text: String(text))) }
    return parts
  }

  /// The index behind the bracket that `text` begins with.
  private static func closing(of text: Substring) -> Substring.Index {
    var depth = 0
    var previous: Character = " "
    for index in text.indices {
      if text[index] == "<" { depth += 1 }
      if text[index] == ">", previous != "-" { depth -= 1 }
      previous = text[index]
      if depth == 0 { return text.index(after: index) }
    }
    return text.endIndex
  }
}
