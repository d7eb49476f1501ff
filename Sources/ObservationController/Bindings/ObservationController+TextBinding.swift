/// Part of a text that a binding made by `bindText` replaces.
public enum TextReplacement: Hashable, Sendable {
  /// The whole text, by the description of the value.
  case whole

  /// The first number in it, where the value is a number: "Items: 12" becomes "Items: 13".
  ///
  /// The text is replaced whole if it contains no number, or if the value is not a number. A number
  /// consists of ASCII digits, and of these parts:
  /// - A sign in front: `-`, `+` or `−` (U+2212). Behind a letter or a digit it is a hyphen or a
  ///   dash.
  /// - Groups of exactly three digits, separated by commas; a comma elsewhere ends the number.
  /// - A fraction behind a point. Digits in front of it may be missing, those behind it may not.
  /// - An exponent as Swift prints it. One without a sign is none if a letter or digit follows.
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

extension TextReplacement {
  /// Text to set for `value`, whose description it calls.
  ///
  /// - Parameter present: Text of the target.
  @usableFromInline
  func text<Value>(for value: Value, replacing present: @autoclosure () -> String) -> String {
    let text = unwrapped(value).map { String(describing: $0) } ?? ""
    return switch self {
    case .whole: text
    case .number: present().replacingNumber(with: text)
    }
  }
}

/// Bindings that set a text to a value, or the number in a text.
extension ObservationController {
  /// Sets the text at `textKeyPath` of `target` to the description of the value at `keyPath` of
  /// `source`, or replaces the number in it: now, and after each change.
  ///
  ///     label.text = "Items: 12"
  ///     observations.bindText(basket, \.count, to: label, \.text, replacing: .number)
  ///     basket.count = 13                                  // label.text is "Items: 13"
  ///
  /// `nil` is shown as "". Everything else is as with
  /// ``bind(_:_:to:_:file:line:)-(_,_,_,ReferenceWritableKeyPath<Target,Value>,_,_)``: so is
  /// binding the properties again, whatever it replaces.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: Value of any type; its description is shown.
  ///   - target: Held weakly.
  ///   - textKeyPath: Text to set, and, for ``TextReplacement/number``, to read before.
  ///   - replacement: Part of the text to replace; the whole of it by default.
  ///   - file: File of the call, for issues and descriptions.
  ///   - line: Line of the call, for issues and descriptions.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As a binding, and O(n) in the length of the text for each change.
  @inlinable @inline(__always)
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: consuming ReferenceWritableKeyPath<Target, String>,
    replacing replacement: TextReplacement = .whole,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let text = KeyPathAccess.setting(consume textKeyPath)
    return bind(
      source, .reading(consume keyPath), to: target, text, nil, file, line
    ) { (target, value: Value) in
      replacement.text(for: value, replacing: text.box(target).value(as: String.self))
    }
  }

  /// Sets the optional text at `textKeyPath` of `target` to the description of the value at
  /// `keyPath` of `source`, or replaces the number in it: now, and after each change.
  ///
  /// A text that is `nil` counts as "".
  ///
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads; each
  ///   change makes a text, O(l) in its length.
  @inlinable @inline(__always)
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: consuming KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: consuming ReferenceWritableKeyPath<Target, String?>,
    replacing replacement: TextReplacement = .whole,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let text = KeyPathAccess.setting(consume textKeyPath)
    return bind(
      source, .reading(consume keyPath), to: target, text, nil, file, line
    ) { (target, value: Value) -> String? in
      replacement.text(for: value, replacing: text.box(target).value(as: String?.self) ?? "")
    }
  }
}

extension ObservationController {
  /// Message of the compiler for a text that can't be set.
  @available(
    *, unavailable, message: "Bind to a property that can be set and is a String or String?"
  )
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: KeyPath<Target, TargetValue>,
    replacing replacement: TextReplacement = .whole
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}
