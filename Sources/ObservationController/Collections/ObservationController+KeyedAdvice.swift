/// A collection that reports its edits by their keys: an ``ObservableDictionary`` or an
/// ``ObservableSet``.
///
/// Only these conform, so that observing the property which holds one, where its edits are most
/// likely meant, gets advice from the compiler.
public protocol ObservableKeyedCollection: AnyObject {}

extension ObservableDictionary: ObservableKeyedCollection {}
extension ObservableSet: ObservableKeyedCollection {}

/// Advice of the compiler where the property that holds an ``ObservableDictionary`` or an
/// ``ObservableSet`` is observed, and its edits are most likely meant.
///
/// Chosen before the functions that take any value, since their key paths are more specific. A
/// closure passed as `handler:` observes the property without advice.
extension ObservationController {
  /// Calls `handler` when another dictionary or set is set, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held. A path that reads the collection,
  /// as `\.values.count` or `\.values["theme"]`, follows edits too.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    whenSet handler: @escaping (Observer, Object, ObservedChange<Edited>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .block, isolation, file, line,
      handler: handler)
  }

  /// Calls `action` when another dictionary or set is set, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { (observer, _, _: ObservedChange<Edited>) in action(observer)() }
  }

  /// Calls `action` when another dictionary or set is set, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Edited>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` when another dictionary or set is set, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Edited>, Object) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }

  /// Calls `handler` when another dictionary or set is set, or none, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    whenSet handler: @escaping (Observer, Object, ObservedChange<Edited?>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .block, isolation, file, line,
      handler: handler)
  }

  /// Calls `action` when another dictionary or set is set, or none, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { (observer, _, _: ObservedChange<Edited?>) in action(observer)() }
  }

  /// Calls `action` when another dictionary or set is set, or none, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Edited?>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, _, change in action(observer)(change) }
  }

  /// Calls `action` when another dictionary or set is set, or none, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Edited?>, Object) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .action, isolation, file, line
    ) { observer, object, change in action(observer)(change, object) }
  }
}

extension ObservationController where Observer: ObservationDelegate {
  /// Notifies the delegate when another dictionary or set is set, and never when it is edited;
  /// `observeDictionary` and `observeSet` do both.
  ///
  /// The delegate is called on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .delegate, isolation, file, line
    ) { (observer, object, change: ObservedChange<Edited>) in
      observer.observeValue(
        at: change.keyPath, of: object, change: change.withValuesAsAny, context: change.context)
    }
  }

  /// Notifies the delegate when another dictionary or set is set, or none, and never when it is
  /// edited; `observeDictionary` and `observeSet` do both.
  ///
  /// The delegate is called on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observe<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPath: KeyPath<Object, Edited?>,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .delegate, isolation, file, line
    ) { (observer, object, change: ObservedChange<Edited?>) in
      observer.observeValue(
        at: change.keyPath, of: object, change: change.withValuesAsAny, context: change.context)
    }
  }
}
