/// How much of a text a binding of text replaces; see
/// ``ObservationController/ObservationController/bindText(_:_:to:_:replacing:file:line:)-(_,_,_,ReferenceWritableKeyPath<Target,String>,_,_,_)``.
public enum TextReplacement: Hashable, Sendable {
  /// All of it, by the description of the value.
  case whole

  /// The first number in it, where the value is a number: "Items: 12" becomes "Items: 13".
  ///
  /// The text is replaced whole if it contains no number, or if the value is not a number; a number
  /// is what ``Swift/String/replacingNumber(with:)`` takes for one.
  case number
}
