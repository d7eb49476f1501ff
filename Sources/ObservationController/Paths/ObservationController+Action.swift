/// Observing with a method of the observer, as a selector would name it.
///
/// The method is passed unapplied (`PersonViewModel.employerDidChange`), so that the observer is
/// not kept alive. Everything else is as with a block.
extension ObservationController {
  /// Calls `action` on the observer after each change of the value at `keyPath`.
  ///
  ///     observations.observe(person, \.employer?.name, action: PersonViewModel.employerDidChange)
  ///
  /// `action` is a method without parameters. It runs as the handler of
  /// ``observe(_:_:options:context:isolation:file:line:handler:)`` does: on the thread that made
  /// the change, before the assignment returns, once for each change, with no lock held. Everything
  /// else is as there too.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(consume keyPath), options, context, by: .action, isolation, file, line
    ) { (observer, _, _: ObservedChange<Value>) in action(observer)() }
  }

  /// Calls `action` on the observer with each change of the value at `keyPath`.
  ///
  ///     observations.observe(person, \.age, action: PersonViewModel.ageDidChange)
  ///
  /// `action` is a method that takes an ``ObservedChange`` of the value. It runs as the handler of
  /// ``observe(_:_:options:context:isolation:file:line:handler:)`` does; everything else is as
  /// there too.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Value>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(consume keyPath), options, context, by: .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` on the observer with each change of the value at `keyPath`, and the object.
  ///
  ///     observations.observe(person, \.age, action: PersonViewModel.ageDidChangeOf)
  ///
  /// `action` is a method that takes an ``ObservedChange`` of the value and the observed object. It
  /// runs as the handler of ``observe(_:_:options:context:isolation:file:line:handler:)`` does;
  /// everything else is as there too.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Value>, Object) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(consume keyPath), options, context, by: .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }
}

/// Observing without a handler: changes go to the observer's delegate method.
extension ObservationController where Observer: ObservationDelegate {
  /// Calls ``ObservationDelegate/observeValue(at:of:change:context:)`` of the observer after each
  /// change of the value at `keyPath`.
  ///
  /// It is called on the thread that made the change, before the assignment returns, once for each
  /// change, with no lock held. Everything else is as with
  /// ``observe(_:_:options:context:isolation:file:line:handler:)``.
  ///
  ///     observations.observe(person, \.name, context: "header")
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads.
  @inlinable @inline(__always)
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: consuming KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    observe(
      object, .reading(consume keyPath), options, context, by: .delegate, isolation, file, line
    ) { (observer, object, change: ObservedChange<Value>) in
      observer.observeValue(
        at: change.keyPath, of: object, change: change.withValuesAsAny, context: change.context)
    }
  }
}

extension ObservationController {
  /// Unavailable: the observer is no `ObservationDelegate`.
  @available(
    *, unavailable,
    message: "Pass a handler or an action, or make the observer conform to ObservationDelegate"
  )
  @discardableResult
  public func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>,
    options: ObservationOptions = .old, context: ObservationContext? = nil
  ) -> ObservationToken {
    fatalError("unavailable")
  }

  /// Unavailable: the observer is no `ObservationDelegate`.
  @available(
    *, unavailable,
    message: "Pass a handler or an action, or make the observer conform to ObservationDelegate"
  )
  @discardableResult
  public func observeEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: PartialKeyPath<Object>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil
  ) -> [ObservationToken] {
    fatalError("unavailable")
  }
}

extension ObservedChange {
  /// Change with its values as `Any`.
  @usableFromInline
  var withValuesAsAny: ObservedChange<Any> {
    ObservedChange<Any>(
      oldValue: oldValue.map { $0 as Any }, newValue: newValue, registration: registration,
      kind: kind)
  }
}
