/// Text from elsewhere, made fit for a terminal.
enum PrintableText {
  /// Replaces everything that is not seen, or moves what is, by its number: `\u{1B}`.
  ///
  /// A process chooses its own name. Line breaks, escape sequences, and marks that turn
  /// the direction of writing would let it draw where it likes.
  static func escaping(_ text: String) -> String {
    if text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isPrintable(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      }
    }
    return result
  }

  /// The longest beginning of `text` that takes at most `columns` columns of a terminal, and how
  /// many it takes.
  ///
  /// - Parameter text: Printable, or the columns can't be counted.
  static func clipping(_ text: String, toColumns columns: Int) -> (text: String, width: Int) {
    // Most texts are short and plain: then bytes are columns.
    let bytes = text.utf8
    if bytes.count <= columns, bytes.allSatisfy({ $0 < 0x80 }) { return (text, bytes.count) }
    var width = 0
    var end = text.unicodeScalars.startIndex
    for index in text.unicodeScalars.indices {
      let next = width + columnCount(of: text.unicodeScalars[index])
      if next > columns { break }
      width = next
      end = text.unicodeScalars.index(after: index)
    }
    return (String(text.unicodeScalars[..<end]), width)
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      false
    // Piled up they cover the lines above. The usual letters have a scalar of their own.
    case .nonspacingMark, .enclosingMark: false
    case .spaceSeparator:
      scalar == " "
    default:
      true
    }
  }

  /// One, or two for the wide characters of East Asia and for pictures.
  private static func columnCount(of scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F,
      0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
      2
    default:
      scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}
