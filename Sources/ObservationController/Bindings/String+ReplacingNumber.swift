/// Replacing the number in a text, for bindings with ``TextReplacement/number``.
extension String {
  /// This text with its first number replaced by another one; ``TextReplacement/number`` says what
  /// a number is.
  ///
  /// - Returns: `number` itself if this text contains no number, or if `number` is not one as a
  ///   whole.
  /// - Complexity: O(n) in the length of both.
  func replacingNumber(with number: String) -> String {
    guard let place = String.NumberScanner(self).firstNumber(),
      // A number whose last digit has an accent is none: that would then be the accent of another
      // one.
      place.upperBound.samePosition(in: self) != nil,
      String.NumberScanner(number).firstNumber() == number.startIndex..<number.endIndex
    else { return number }
    return self[..<place.lowerBound] + number + self[place.upperBound...]
  }

  /// Finds a number in a text, by its Unicode scalars.
  fileprivate struct NumberScanner {
    private typealias Index = String.UnicodeScalarView.Index

    private let text: String.UnicodeScalarView

    init(_ text: String) {
      self.text = text.unicodeScalars
    }

    /// - Complexity: O(n). Runs of digits are read once more for each of their groups.
    func firstNumber() -> Range<String.Index>? {
      var start = text.startIndex
      // The last two scalars before `start`.
      var (previous, beforeThat): (Unicode.Scalar?, Unicode.Scalar?) = (nil, nil)
      while start != text.endIndex {
        let scalar = text[start]
        let isBehindWord = previous.map(Self.isOfWord) ?? false
        if Self.isSign(scalar), !isBehindWord, let end = end(ofNumberAt: text.index(after: start)) {
          return start..<end
        }
        // Neither the second point of a row, nor what follows the digits of a word and a point:
        // "v1.2".
        let isBehindMark = previous == "." || previous == ","
        let isBarred =
          scalar == "."
          ? previous == "." : isBehindMark && beforeThat.map(Self.isDigit) ?? false
        if !isBehindWord, !isBarred, let end = end(ofNumberAt: start) { return start..<end }
        (previous, beforeThat) = (scalar, previous)
        text.formIndex(after: &start)
      }
      return nil
    }

    /// Where the number ends that begins at `start`, behind its sign; `nil` if there is none.
    private func end(ofNumberAt start: Index) -> Index? {
      guard let whole = endOfWhole(at: start) else {
        return endOfFraction(at: start).map(endOfExponent)
      }
      return endOfExponent(at: endOfFraction(at: whole) ?? whole)
    }

    /// Digits, in groups of three if there is more than one group.
    private func endOfWhole(at start: Index) -> Index? {
      guard let digits = endOfDigits(at: start) else { return nil }
      guard text.distance(from: start, to: digits) <= 3 else { return digits }
      var end = digits
      while scalar(at: end) == ",", let next = endOfDigits(at: text.index(after: end)),
        text.distance(from: end, to: next) == 4
      {
        end = next
      }
      return end
    }

    private func endOfFraction(at start: Index) -> Index? {
      scalar(at: start) == "." ? endOfDigits(at: text.index(after: start)) : nil
    }

    /// - Returns: `start` if there is no exponent.
    private func endOfExponent(at start: Index) -> Index {
      guard let mark = scalar(at: start), mark == "e" || mark == "E" else { return start }
      var digits = text.index(after: start)
      let isSigned = scalar(at: digits).map { $0 == "+" || $0 == "-" } ?? false
      if isSigned { text.formIndex(after: &digits) }
      // Without a sign it may be a unit: "1e5x". With one, "1e+20" may stand before a unit: "16GB".
      guard let end = endOfDigits(at: digits),
        isSigned || !(scalar(at: end).map(Self.isOfWord) ?? false)
      else { return start }
      return end
    }

    /// - Returns: `nil` if there is no digit at `start`.
    private func endOfDigits(at start: Index) -> Index? {
      let end = text[start...].firstIndex { !Self.isDigit($0) } ?? text.endIndex
      return end == start ? nil : end
    }

    private func scalar(at index: Index) -> Unicode.Scalar? {
      index == text.endIndex ? nil : text[index]
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }

    private static func isSign(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "-" || scalar == "+" || scalar == "\u{2212}"
    }

    /// Whether it is a letter, an accent or a digit of any script.
    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
        .nonspacingMark, .spacingMark, .enclosingMark,
        .decimalNumber, .letterNumber, .otherNumber:
        true
      default: false
      }
    }
  }
}
