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
