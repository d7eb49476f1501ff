/// Replacing the number in a text, for bindings with ``TextReplacement/number``.
extension String {
  /// This text with its first number replaced by another one; ``TextReplacement/number`` says what
  /// a number is.
  ///
  /// - Returns: `number` itself if this text contains no number, or if `number` is not one as a
  ///   whole.
  /// - Complexity: O(n) in the length of both.
  func replacingNumber(with number: String) -> String {
    guard let place = unicodeScalars[...].firstNumber,
      number.unicodeScalars[...].firstNumber == number.startIndex..<number.endIndex
    else { return number }
    return self[..<place.lowerBound] + number + self[place.upperBound...]
  }
}

/// Finding a number in a text, by its Unicode scalars. Each `after…` is the rest behind what stands
/// at the beginning; `nil` if that does not stand there.
extension Substring.UnicodeScalarView {
  /// - Complexity: O(n). Runs of digits are read once more for each of their groups.
  fileprivate var firstNumber: Range<Index>? {
    var rest = self
    // The last two scalars before `rest`, without accents: these, and what makes an emoji of a
    // symbol, belong to the scalar before.
    var (previous, beforeThat): (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
    while let scalar = rest.first {
      // Neither the second point of a row, nor what follows the digits of a word and a point:
      // "v1.2".
      let isBarred =
        scalar == "." && previous == "."
        || scalar.isDigit && beforeThat.isDigit && (previous == "." || previous == ",")
      if !previous.isOfWord, !isBarred,
        let end = (scalar.isSign ? rest.dropFirst() : rest).afterNumber,
        // A number whose last digit has an accent is none, as in a keycap: that would then be the
        // accent of another one.
        String.Index(end.startIndex, within: Substring(self)) != nil
      {
        return rest.startIndex..<end.startIndex
      }
      if !scalar.isMark { (previous, beforeThat) = (scalar, previous) }
      rest.removeFirst()
    }
    return nil
  }

  /// The rest behind a number without a sign.
  private var afterNumber: Self? {
    guard let whole = afterWhole else { return afterFraction?.afterExponent }
    return (whole.afterFraction ?? whole).afterExponent
  }

  /// Behind digits, in groups of three if there is more than one group.
  private var afterWhole: Self? {
    guard var rest = afterDigits else { return nil }
    guard distance(from: startIndex, to: rest.startIndex) <= 3 else { return rest }
    while rest.first == ",", let next = rest.dropFirst().afterDigits,
      rest.distance(from: rest.startIndex, to: next.startIndex) == 4
    {
      rest = next
    }
    return rest
  }

  private var afterFraction: Self? { first == "." ? dropFirst().afterDigits : nil }

  /// The rest behind an exponent; all of it if there is none.
  private var afterExponent: Self {
    guard first == "e" || first == "E" else { return self }
    let digits = dropFirst()
    let isSigned = digits.first == "+" || digits.first == "-"
    // Without a sign it may be a unit: "1e5x". With one, "1e+20" may stand before a unit: "16GB".
    guard let rest = (isSigned ? digits.dropFirst() : digits).afterDigits,
      isSigned || !(rest.first?.isOfWord ?? false)
    else { return self }
    return rest
  }

  private var afterDigits: Self? { first?.isDigit ?? false ? drop(while: \.isDigit) : nil }
}

extension Unicode.Scalar {
  fileprivate var isDigit: Bool { "0"..."9" ~= self }

  fileprivate var isSign: Bool { self == "-" || self == "+" || self == "\u{2212}" }

  /// Whether it is a letter, an accent or a digit of any script.
  fileprivate var isOfWord: Bool {
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber:
      true
    default: isMark
    }
  }

  /// Whether it is an accent, or another mark on the scalar before.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
