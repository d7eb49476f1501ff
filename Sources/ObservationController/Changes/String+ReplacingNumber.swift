import Foundation

/// Replacing the number in a text, as a binding with ``TextReplacement/number`` does.
extension String {
  /// This text with its first number replaced by another one.
  ///
  ///     "Items: 12".replacingNumber(with: "13")            // "Items: 13"
  ///     "-1,234.5 °C".replacingNumber(with: "1e+20")       // "1e+20 °C"
  ///
  /// The result is `number` itself if this text contains no number, or if `number` is not one as a
  /// whole.
  ///
  ///     "Items".replacingNumber(with: "13")                // "13"
  ///     "Items: 12".replacingNumber(with: "none")          // "none"
  ///     "Items: 12".replacingNumber(with: "nan")           // "nan"
  ///
  /// A number consists of ASCII digits, and of these parts:
  /// - A sign in front: `-`, `+` or `−` (U+2212). Behind a letter or a digit it is a hyphen or a
  ///   dash.
  ///
  ///       "Room A-12".replacingNumber(with: "13")          // "Room A-13"
  ///       "10-12".replacingNumber(with: "9")               // "9-12"
  ///
  /// - Groups of exactly three digits, separated by commas; a comma elsewhere ends the number.
  ///
  ///       "1,234,567 files".replacingNumber(with: "8")     // "8 files"
  ///       "1,2,3".replacingNumber(with: "8")               // "8,2,3"
  ///
  /// - A fraction behind a point. Digits in front of it may be missing, those behind it may not.
  ///
  ///       ".5 l".replacingNumber(with: "0.75")             // "0.75 l"
  ///       "Total: 5.".replacingNumber(with: "6")           // "Total: 6."
  ///
  /// - An exponent as Swift prints it, unless a letter or digit follows.
  ///
  ///       "1e+20 m".replacingNumber(with: "2")             // "2 m"
  ///       "5em".replacingNumber(with: "6")                 // "6em"
  ///
  /// Digits behind a letter belong to a word and are no number, nor is what follows them behind a
  /// point or a comma. Letters behind a number are its unit.
  ///
  ///     "H2O: 5 l".replacingNumber(with: "6")              // "H2O: 6 l"
  ///     "v1.2, 3 days ago".replacingNumber(with: "4")      // "v1.2, 4 days ago"
  ///     "16GB".replacingNumber(with: "32")                 // "32GB"
  ///
  /// - Complexity: O(n) in the length of both.
  public func replacingNumber(with number: String) -> String {
    guard let place = firstNumber, number.firstNumber == number.startIndex..<number.endIndex
    else { return number }
    return replacingCharacters(in: place, with: number)
  }

  private var firstNumber: Range<String.Index>? {
    Self.numberExpression.firstMatch(in: self, range: NSRange(startIndex..., in: self))
      .flatMap { Range($0.range, in: self) }
  }

  private static let numberExpression: NSRegularExpression = {
    let sign = #"(?:(?<![\p{L}\p{M}\p{N}])[-+\u2212])?"#
    let digits = #"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)"#
    // Neither in the middle of digits, nor behind those of a word and a point: "v1.2".
    let whole = #"(?<![\p{L}\p{M}\p{N}])(?<![0-9][.,])"# + digits + #"(?:\.[0-9]+)?"#
    let fraction = #"(?<![\p{L}\p{M}\p{N}.])\.[0-9]+"#
    let exponent = #"(?:[eE][-+]?[0-9]+(?![\p{L}\p{M}\p{N}]))?"#
    let pattern = "\(sign)(?:\(whole)|\(fraction))\(exponent)"
    do {
      return try NSRegularExpression(pattern: pattern)
    } catch {
      preconditionFailure("The expression of numbers is wrong: \(error)")
    }
  }()
}
