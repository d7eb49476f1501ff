/// How much of a text a binding of text replaces; see
/// ``ObservationController/ObservationController/bindText(_:_:to:_:replacing:file:line:)-(_,_,_,ReferenceWritableKeyPath<Target,String>,_,_,_)``.
public enum TextReplacement: Hashable, Sendable {
  /// All of it, by the description of the value.
  case whole

  /// The first number in it, where the value is a number: "Items: 12" becomes "Items: 13".
  ///
  /// The text is replaced whole if it contains no number, or if the value is not a number. A number
  /// consists of ASCII digits, and of these parts:
  /// - A sign in front: `-`, `+` or `−` (U+2212). Behind a letter or a digit it is a hyphen or a dash.
  /// - Groups of exactly three digits, separated by commas; a comma elsewhere ends the number.
  /// - A fraction behind a point. Digits in front of it may be missing, those behind it may not.
  /// - An exponent as Swift prints it, unless a letter or digit follows.
  ///
  /// Digits behind a letter belong to a word and are no number, nor is what follows them behind a
  /// point or a comma. Letters behind a number are its unit.
  ///
  /// | text | value | text then |
  /// |---|---|---|
  /// | Items: 12 | 13 | Items: 13 |
  /// | -1,234.5 °C | 1e+20 | 1e+20 °C |
  /// | Items | 13 | 13 |
  /// | Items: 12 | nan | nan |
  /// | Room A-12 | 13 | Room A-13 |
  /// | 10-12 | 9 | 9-12 |
  /// | 1,234,567 files | 8 | 8 files |
  /// | 1,2,3 | 8 | 8,2,3 |
  /// | .5 l | 0.75 | 0.75 l |
  /// | Total: 5. | 6 | Total: 6. |
  /// | 1e+20 m | 2 | 2 m |
  /// | 5em | 6 | 6em |
  /// | H2O: 5 l | 6 | H2O: 6 l |
  /// | v1.2, 3 days ago | 4 | v1.2, 4 days ago |
  /// | 16GB | 32 | 32GB |
  case number
}
