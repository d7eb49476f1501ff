/// What properties are called whose names a key path does not print.
///
/// A key path prints a stored property by its name, and a computed one, as every observed property
/// is one, by the address of its getter where the system can't look that up, as on Linux. That
/// address tells getters apart, so that a name that has been found once is known for good.
enum KeyPathNames {
  private static let names = Locked<[String: String]>([:])

  /// The key path by the names that are known, without its root type; `self` for that of an object
  /// itself. Properties whose names are not known go by their types.
  static func text(of keyPath: AnyKeyPath) -> String {
    let text = naming(parts(of: keyPath))
    return text.isEmpty || text == ".self" ? "self" : String(text.drop { $0 == "." })
  }

  /// The key path as Swift prints it, with names in place of addresses: those that are known, else
  /// the types of the properties.
  static func literal(of keyPath: AnyKeyPath) -> String {
    let text = String(reflecting: keyPath)
    let computed = parts(of: keyPath).filter(\.isComputed)
    guard !computed.isEmpty else { return text }
    let names = names.withLock { $0 }
    return computed.reduce(text) { text, part in
      text.replacing(part.text, with: names[part.text] ?? "‹\(part.valueType)›")
    }
  }

  /// A key path that has been printed, with the names that are known; properties whose names are
  /// not known go by their types.
  static func naming(_ printed: String) -> String {
    naming(parts(in: printed[...]))
  }

  private static func naming(_ parts: [Part]) -> String {
    let names = names.withLock { $0 }
    var text = parts.map { part in
      part.isComputed ? names[part.text] ?? "‹\(part.valueType)›" : part.text
    }.joined()
    // A value that may be `nil` is called what it is called.
    while text.hasSuffix("?") { text.removeLast() }
    return text
  }

  /// Whether a printed key path has properties whose names it does not print.
  static func hasComputed(_ printed: String) -> Bool {
    printed.contains("<computed ")
  }

  /// One of the properties of a chain, printed.
  static func step(_ index: Int, of keyPath: AnyKeyPath) -> String? {
    let steps = parts(of: keyPath).flatMap { part in
      part.isComputed
        ? [part.text] : part.text.split { ".?!".contains($0) }.map(String.init)
    }
    return steps.indices.contains(index) ? steps[index] : nil
  }

  /// Whether the names of all of its properties are known.
  static func isKnown(_ keyPath: AnyKeyPath) -> Bool {
    let parts = parts(of: keyPath)
    return names.withLock { names in
      parts.allSatisfy { !$0.isComputed || names[$0.text] != nil }
    }
  }

  /// Learns what the last property of a key path is called.
  static func learn(_ name: String, for keyPath: AnyKeyPath) {
    guard let last = parts(of: keyPath).last(where: \.isComputed) else { return }
    names.withLock { $0[last.text] = name }
  }

  /// The same for a key path that has been printed, unless it is known.
  static func learn(_ name: String, forPrinted text: String) {
    guard let last = parts(in: text[...]).last(where: \.isComputed) else { return }
    names.withLock { $0[last.text] = $0[last.text] ?? name }
  }

  /// Learns what the computed properties of a key path are called, if there are as many.
  static func learn(_ found: [String?], for keyPath: AnyKeyPath) {
    let computed = parts(of: keyPath).filter(\.isComputed)
    guard computed.count == found.count else { return }
    names.withLock { names in
      for (part, name) in zip(computed, found) { names[part.text] = names[part.text] ?? name }
    }
  }

  /// A component of a key path, or what stands between two computed ones.
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
    var text = Substring(String(reflecting: keyPath))
    for prefix in ["\\\(root)", "\\" + String(reflecting: root)] where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
      break
    }
    return parts(in: text)
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

  /// Where the bracket ends that `text` begins with.
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
