extension TextReplacement {
  /// The text to set for `value`.
  ///
  /// Calls the description of the value.
  ///
  /// - Parameter present: The text that is there.
  @usableFromInline
  func text<Value>(for value: Value, replacing present: @autoclosure () -> String) -> String {
    let text = unwrapped(value).map { String(describing: $0) } ?? ""
    return switch self {
    case .whole: text
    case .number: present().replacingNumber(with: text)
    }
  }
}
