/// Advice of the compiler where the property that holds an ``ObservableArray`` is observed by an
/// action, by the delegate or with others, and the edits of the array are most likely meant.
///
/// Chosen before the functions that take any value, since their key paths are more specific. A
/// closure passed as `handler:` observes the property without advice.
extension ObservationController {
  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { (observer, _, _: ObservedChange<ObservableArray<Element>>) in action(observer)() }
  }

  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<ObservableArray<Element>>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<ObservableArray<Element>>, Object) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }

  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { (observer, _, _: ObservedChange<ObservableArray<Element>?>) in action(observer)() }
  }

  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<ObservableArray<Element>?>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// `action` runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<ObservableArray<Element>?>, Object) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }
}

extension ObservationController where Observer: ObservationDelegate {
  /// Notifies the delegate when another array is set, and never when the array is edited;
  /// `observeArray` does both.
  ///
  /// The delegate is called on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .delegate, isolation, file, line
    ) { (observer, object, change: ObservedChange<ObservableArray<Element>>) in
      observer.observeValue(
        at: change.keyPath, of: object, change: change.withValuesAsAny, context: change.context)
    }
  }

  /// Notifies the delegate when another array is set, and never when the array is edited;
  /// `observeArray` does both.
  ///
  /// The delegate is called on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message: "Reports that another array is set, never edits; use observeArray, which reports both"
  )
  @inlinable
  @discardableResult
  public func observe<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .delegate, isolation, file, line
    ) { (observer, object, change: ObservedChange<ObservableArray<Element>?>) in
      observer.observeValue(
        at: change.keyPath, of: object, change: change.withValuesAsAny, context: change.context)
    }
  }
}
