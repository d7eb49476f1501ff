/// Showing values as text.
extension ObservationController {
  /// Sets the text at `textKeyPath` of `target` to the description of the value at `keyPath` of
  /// `source`, or replaces the number in it: now, and after each change.
  ///
  ///     label.text = "Items: 12"
  ///     observations.bindText(basket, \.count, to: label, \.text, replacing: .number)
  ///     basket.count = 13                                  // label.text is "Items: 13"
  ///
  /// `nil` has no text: it is shown as "". Everything else is as
  /// ``bind(_:_:to:_:file:line:)-(_,_,_,ReferenceWritableKeyPath<Target,Value>,_,_)`` has it: so is
  /// binding the same properties again, whatever it replaces.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: Any value; its description is shown.
  ///   - target: Held weakly.
  ///   - textKeyPath: What to set, and, for ``TextReplacement/number``, to read before.
  ///   - replacement: How much of the text to replace.
  ///   - file: Where the binding stands, for issues and descriptions.
  ///   - line: Likewise.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As a binding, and O(n) in the length of the text for each change.
  @inlinable
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: ReferenceWritableKeyPath<Target, String>,
    replacing replacement: TextReplacement,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let binding = OneWayBinding(of: source, keyPath, to: target, textKeyPath)
    return register(
      source, keyPath, binding.request(of: keyPath, file: file, line: line),
      isolation: nil, prepare: binding.begin
    ) { _, _, change in
      // The text that is there is the value already.
      guard !binding.isOfItself else { return }
      binding.set { replacement.text(for: change.newValue, replacing: $0[keyPath: textKeyPath]) }
    }
  }

  /// The same for a text that may be `nil`, which counts as "".
  ///
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads; each change makes
  ///   a text, O(l) in its length.
  @inlinable
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: ReferenceWritableKeyPath<Target, String?>,
    replacing replacement: TextReplacement,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let binding = OneWayBinding(of: source, keyPath, to: target, textKeyPath)
    return register(
      source, keyPath, binding.request(of: keyPath, file: file, line: line),
      isolation: nil, prepare: binding.begin
    ) { _, _, change in
      guard !binding.isOfItself else { return }
      binding.set {
        replacement.text(for: change.newValue, replacing: $0[keyPath: textKeyPath] ?? "")
      }
    }
  }
}

extension ObservationController {
  /// What the compiler says where the text can't be set.
  @available(
    *, unavailable, message: "Bind to a property that can be set and is a String or String?"
  )
  @discardableResult
  public func bindText<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ textKeyPath: KeyPath<Target, TargetValue>,
    replacing replacement: TextReplacement
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}
