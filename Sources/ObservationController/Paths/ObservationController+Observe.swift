/// Observing with a block.
extension ObservationController {
  /// Calls `handler` after each change of the value at `keyPath`.
  ///
  /// Observing the same object, key path and context again returns the first token. From the same
  /// line of code, as by a reused cell, the new handler takes the place of the old one; options and
  /// order stay, and there is no further initial delivery. From another line the first handler
  /// stays, and ``ObservationIssue/alreadyObserved(keyPath:file:line:firstFile:firstLine:)`` is
  /// reported, once. A key path
  /// that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)`` and returns an inactive token.
  ///
  ///     observations.observe(clock, \.date) { view, _, change in
  ///       view.show(change.newValue)
  ///     }
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested, optional-chained, subscripted or computed path that
  ///     reads properties. Evaluated once now; a path that is more than a property of `object` is
  ///     evaluated again after each change of what it reads, and keeps the value until then where
  ///     an old value is asked for.
  ///   - options: What is delivered, and when.
  ///   - context: Distinguishes observations of one object and key path.
  ///   - isolation: The actor that the caller runs on. A debug build stops when the handler is
  ///     delivered outside of it. Inside an actor instance, the handler reaches its observer by
  ///     `assumeIsolated`; on the main actor it needs nothing.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the assignment returns, once for
  ///     each change, with no lock held. Released when the observation ends. Capture the observer
  ///     by the parameter, not by `self`.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads, however many
  ///   observations there are.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(consume keyPath), options, context, by: .block, isolation, file, line,
      handler: handler)
  }

  /// Registers an observation for a block, an action or a delegate.
  @inlinable
  func observe<Object: AnyObject, Value>(
    _ object: Object, _ access: KeyPathAccess, _ options: ObservationOptions,
    _ context: ObservationContext?, by handlerKind: ObservationDescription.HandlerKind,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    handler: @escaping (Observer, Object, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    register(
      object,
      at: store.registration(
        of: access, options, context, handlerKind, file, line, valueType: Value.self,
        invoke: ObservationHandler<Observer, Object, Value>.invocation),
      isolation: isolation, handler: handler)
  }
}

// Overloads whose messages replace misleading ones of the compiler.

/// Handlers with other parameters than they receive, which the compiler compares with the method
/// that an action is.
extension ObservationController {
  @available(
    *, unavailable,
    message: "A handler receives observer, object and change: { viewModel, _, change in … }"
  )
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    handler: @escaping (Observer, ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    fatalError("unavailable")
  }

  @available(
    *, unavailable,
    message: "A handler receives observer, object and change: { _, _, change in … }"
  )
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    handler: @escaping (ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}

/// Bindings both ways without the label, of which the compiler misses `file:` and `line:` too.
extension ObservationController {
  @available(*, unavailable, renamed: "bindTwoWay(_:_:with:_:)")
  @discardableResult
  public func bindTwoWay<A: AnyObject, B: AnyObject, Value>(
    _ a: A, _ aKeyPath: ReferenceWritableKeyPath<A, Value>,
    _ b: B, _ bKeyPath: ReferenceWritableKeyPath<B, Value>
  ) -> ObservationToken {
    fatalError("unavailable")
  }

  @available(*, unavailable, renamed: "bindTwoWay(_:_:with:_:forward:backward:)")
  @discardableResult
  public func bindTwoWay<A: AnyObject, AValue, B: AnyObject, BValue>(
    _ a: A, _ aKeyPath: ReferenceWritableKeyPath<A, AValue>,
    _ b: B, _ bKeyPath: ReferenceWritableKeyPath<B, BValue>,
    forward: @escaping (AValue) -> BValue, backward: @escaping (BValue) -> AValue
  ) -> ObservationToken {
    fatalError("unavailable")
  }
}
