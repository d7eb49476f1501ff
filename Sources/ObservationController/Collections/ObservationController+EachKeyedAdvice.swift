/// Advice of the compiler where several properties that hold an ``ObservableDictionary`` or an
/// ``ObservableSet`` are observed, and their edits are most likely meant.
///
/// Chosen where all of the key paths lead to collections of one type. An array of key paths in
/// place of the list observes the properties without advice.
extension ObservationController {
  /// Observes properties that hold dictionaries or sets: `handler` is called when another one is
  /// set, and never when it is edited; `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token for each property.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observeEach<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPaths: KeyPath<Object, Edited>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths as [PartialKeyPath<Object>], options: options, context: context,
      isolation: isolation, file: file, line: line, handler: handler)
  }

  /// Observes properties that hold dictionaries or sets: `action` is called when another one is
  /// set, and never when it is edited; `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token for each property.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observeEach<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPaths: KeyPath<Object, Edited>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> () -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths as [PartialKeyPath<Object>], options: options, context: context,
      isolation: isolation, file: file, line: line, action: action)
  }

  /// Observes properties that hold dictionaries or sets: `action` is called when another one is
  /// set, and never when it is edited; `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token for each property.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observeEach<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPaths: KeyPath<Object, Edited>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths as [PartialKeyPath<Object>], options: options, context: context,
      isolation: isolation, file: file, line: line, action: action)
  }

  /// Observes properties that hold dictionaries or sets: `action` is called when another one is
  /// set, and never when it is edited; `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token for each property.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observeEach<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPaths: KeyPath<Object, Edited>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    action: @escaping (Observer) -> (ObservedChange<Any>, Object) -> Void
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths as [PartialKeyPath<Object>], options: options, context: context,
      isolation: isolation, file: file, line: line, action: action)
  }
}

extension ObservationController where Observer: ObservationDelegate {
  /// Observes properties that hold dictionaries or sets: the delegate is called when another one is
  /// set, and never when it is edited; `observeDictionary` and `observeSet` do both.
  ///
  /// Runs on the thread that made the change, with no lock held.
  ///
  /// - Returns: A token for each property.
  @available(
    *, deprecated,
    message:
      "Reports that another collection is set, never edits; use observeDictionary or observeSet, which report both"
  )
  @discardableResult
  public func observeEach<Object: AnyObject, Edited: ObservableKeyedCollection>(
    _ object: Object, _ keyPaths: KeyPath<Object, Edited>...,
    options: ObservationOptions = .old, context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line
  ) -> [ObservationToken] {
    observeEach(
      object, keyPaths as [PartialKeyPath<Object>], options: options, context: context,
      isolation: isolation, file: file, line: line)
  }
}
