/// A key of the keyboard, as a terminal reports it.
enum Key: Equatable, Sendable {
  case character(Character)
  case enter, escape, backspace
  case up, down, pageUp, pageDown, home, end
}

/// Understands what a terminal sends for the keys pressed.
enum Keyboard {
  /// The keys of one read.
  ///
  /// Arrows and the like send several bytes, an escape first. Those that nothing here is on are
  /// passed over whole: their letters must not be taken for keys.
  static func keys(in bytes: some Sequence<UInt8>) -> [Key] {
    var keys: [Key] = []
    var rest = String(decoding: Array(bytes), as: UTF8.self).unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}":
        if rest.first == "[" || rest.first == "O" {
          rest.removeFirst()
          let number = rest.prefix { !$0.properties.isAlphabetic && $0 != "~" }
          rest = rest[number.endIndex...]
          let name = String(number) + (rest.popFirst().map(String.init) ?? "")
          if let key = sequences[name] { keys.append(key) }
        } else {
          keys.append(.escape)
        }
      case "\r", "\n": keys.append(.enter)
      case "\u{7F}", "\u{8}": keys.append(.backspace)
      default:
        let text = String(scalar)
        if PrintableText.escaping(text) == text { keys.append(.character(Character(scalar))) }
      }
    }
    return keys
  }

  /// Keys by what follows `ESC [` or `ESC O`, in all the ways of the usual terminals.
  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "5~": .pageUp, "6~": .pageDown, "H": .home, "F": .end, "1~": .home,
    "4~": .end, "7~": .home, "8~": .end,
  ]
}
