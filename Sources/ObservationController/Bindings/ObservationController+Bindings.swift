/// Setting a property of one object whenever that of another one changes.
///
/// A binding is an observation of its source: it is listed with the others, and ends as they do, by
/// its token, by ``unobserve(_:_:)`` of the source, or with the controller. It ends too when its
/// target goes, at the latest when the source is set next or the tables are used. An observation of
/// the same key path with a handler is apart from it, and so is a binding to another property.
///
/// The target is held weakly, and the source only by a controller that retains. The observer is not
/// told anything, but nothing is set any more once it has gone.
///
/// A property that is bound to itself stays as it is. Two properties of which each is bound to the
/// other set each other until ``ObservationIssue/cycle(keyPath:file:line:)`` is reported:
/// ``bindTwoWay(_:_:with:_:file:line:)`` is made for them.
extension ObservationController {
  /// Sets `targetKeyPath` of `target` to the value at `keyPath` of `source`: now, and after each
  /// change.
  ///
  ///     observations.bind(person, \.name, to: label, \.text)
  ///
  /// Binding the same source to the same target again changes nothing and returns the first token,
  /// whatever it is converted by. A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, sets nothing and returns an
  /// inactive token.
  ///
  /// A binding is an observation of its source. It ends by its token, by ``unobserve(_:_:)`` of the
  /// source, when source, target or observer goes, and with the controller.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested, optional-chained, subscripted or computed path that
  ///     reads properties.
  ///   - target: Held weakly.
  ///   - targetKeyPath: What to set; it need not be observable. Set on the thread that made the
  ///     change, before the assignment returns, once for each change, with no lock held.
  ///   - file: Where the binding stands, for issues and descriptions.
  ///   - line: Likewise.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads, however
  ///   many bindings and observations of source and target there are. A mutation in
  ///   place copies what source and target share, as it does after every assignment of a value.
  @inlinable
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let binding = OneWayBinding(of: source, keyPath, to: target, targetKeyPath)
    return register(
      source, keyPath, binding.request(of: keyPath, file: file, line: line),
      isolation: nil, prepare: binding.begin
    ) { _, _, change in
      if !binding.isOfItself { binding.set { _ in change.newValue } }
    }
  }

  /// The same for a target that may be `nil`, as the text of a label often may.
  ///
  /// - Returns: A token that ends this binding alone.
  @inlinable
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, Value?>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    let binding = OneWayBinding(of: source, keyPath, to: target, targetKeyPath)
    return register(
      source, keyPath, binding.request(of: keyPath, file: file, line: line),
      isolation: nil, prepare: binding.begin
    ) { _, _, change in binding.set { _ in change.newValue } }
  }

  /// Sets `targetKeyPath` of `target` to what `transform` makes of the value at `keyPath` of
  /// `source`: now, and after each change.
  ///
  ///     observations.bind(person, \.age, to: label, \.text) { "\($0) years" }
  ///
  /// Everything else is as without `transform`. A property that is bound to itself is transformed
  /// until it stays as it is.
  ///
  /// - Parameters:
  ///   - source: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: As without `transform`.
  ///   - target: Held weakly.
  ///   - targetKeyPath: What to set; it need not be observable.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: Where the binding stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - transform: Runs on the thread that made the change, before the assignment returns, once
  ///     for each change, with no lock held. Released when the binding ends.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: O(d), d being the number of properties that the source's key path reads; each
  ///   change calls `transform` once.
  @inlinable
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: ReferenceWritableKeyPath<Target, TargetValue>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    transform: @escaping (Value) -> TargetValue
  ) -> ObservationToken {
    let binding = OneWayBinding(of: source, keyPath, to: target, targetKeyPath)
    return register(
      source, keyPath, binding.request(of: keyPath, file: file, line: line),
      isolation: isolation, prepare: binding.begin
    ) { _, source, change in
      binding.set { _ in
        // A change of the target itself may be out of date, and would be set after the later one.
        transform(binding.isOfItself ? source[keyPath: keyPath] : change.newValue)
      }
    }
  }
}

extension ObservationController {
  /// What the compiler says where the value can't be set.
  @available(
    *, unavailable,
    message:
      "Bind to a property that can be set and has the type of the source, or pass a transform"
  )
  @discardableResult
  public func bind<Source: AnyObject, Value, Target: AnyObject, TargetValue>(
    _ source: Source, _ keyPath: KeyPath<Source, Value>,
    to target: Target, _ targetKeyPath: KeyPath<Target, TargetValue>
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}
