/// Observing arrays: which elements were inserted, removed and moved, and which of their properties
/// changed.
///
/// Each kind of array is observed in the same way. An observation of the array is apart from one of
/// the property that holds it: `observe(school, \.students)` is notified when another array is set,
/// and never of elements. ``unobserve(_:_:)`` ends both.
///
/// `.initial` delivers the array as it is as ``ArrayChange/Kind/initial``; `.old` adds the elements
/// before each change, for which an edit copies them, O(n); `.distinct` leaves out changes after
/// which the array equals what it was, at the same price; `.prior` has no meaning for arrays.
///
/// Costs, n being the number of elements: registering O(1), with element key paths O(n), and about
/// 160 bytes for each element and key path where it is a property of the element itself, some 600
/// where it is nested, computed, or a subclass is in play. An edit costs what it costs the array,
/// and moves nothing else. A change of an element is O(1), about three times a change of an
/// observed property; after edits that shifted it O(d), d being the distance to where it was found
/// last, and O(1) if the element that changed before it was shifted as far; O(n) for an element
/// that is there several times.
extension ObservationController {
  /// Calls `handler` after each change of the array at `keyPath`, of its elements and, for those
  /// that are in it at the time, of the properties in `elements`.
  ///
  ///     observations.observeArray(school, \.students, elements: [\.name]) { list, _, change in
  ///       list.animate(change.difference)
  ///     }
  ///
  /// Observing the array of the same object, key path and context again returns the first token.
  /// From the same line of code the new handler takes the place of the old one; options and order
  /// stay. From another line the first handler stays, and that is reported, once. Setting another
  /// array is ``ArrayChange/Kind/setting``. A key path that reads neither an observable property
  /// nor an array reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``; so does one in `elements`, when
  /// the first element is found of which it reads none.
  ///
  /// - Parameters:
  ///   - object: Kept alive until it is unobserved, if the controller retains.
  ///   - keyPath: A property, or any nested or computed path, that leads to the array. The array is
  ///     not kept alive.
  ///   - elements: The properties of elements to follow, which may be nested or computed. Only of
  ///     elements that are objects. Not kept alive either.
  ///   - options: What is delivered, and when: `.initial` the array as it is; `.old` the elements
  ///     before each change, for which an edit copies them; `.distinct` leaves out changes after
  ///     which the array, or the property of the element, equals what it was, at the same price.
  ///     `.prior` has no meaning here.
  ///   - context: Distinguishes observations of the same object and key path.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: File of the registration, for issues and descriptions.
  ///   - line: Line of the registration, for issues and descriptions.
  ///   - handler: Runs on the thread that made the change, before the edit or assignment returns,
  ///     once for each change, with no lock held. Released when the observation ends.
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d), d being the number of properties that `keyPath` reads; O(d + n) with
  ///   `elements`. An edit costs what it costs the array; a change of an element is O(1), and O(n)
  ///   for one that is there several times.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, isolation, file, line,
      handler: handler)
  }

  /// Calls `handler` after each change of an array that may be missing, and then counts as an empty
  /// one.
  ///
  ///     observations.observeArray(viewModel, \.school?.students) { list, _, change in
  ///       list.animate(change.difference)
  ///     }
  ///
  /// `handler` runs on the thread that made the change, before the edit or assignment
  /// returns, once for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements to follow.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, ObservableArray<Element>?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .array(at: keyPath), elements, options, context, isolation, file, line,
      handler: handler)
  }

  /// Calls `handler` after each change of a plain array, found by comparing it before and after.
  ///
  ///     final class Cart {
  ///       @Observed var items: [Item] = []
  ///     }
  ///
  /// Elements are the same if they are the same object, or equal where they are `Hashable` values;
  /// with any others each change is a ``ArrayChange/Kind/setting``, and
  /// ``ObservationIssue/elementsNotHashable(keyPath:file:line:)`` is reported with the first. An
  /// assignment that changes nothing is a ``ArrayChange/Kind/batch`` without entries, unless
  /// `.distinct` is asked for.
  ///
  /// `handler` runs on the thread that made the change, before the edit or assignment
  /// returns, once for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: Registering as with an ``ObservableArray``. Each change is O(n), plus O(log n)
  ///   for each element that moved, even of a mutation in place, which copies the array.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, isolation, file, line,
      handler: handler)
  }

  /// Calls `handler` after each change of a plain array that may be missing, and then counts as an
  /// empty one.
  ///
  /// `handler` runs on the thread that made the change, before the edit or assignment
  /// returns, once for each change, with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(d + n), d being the number of properties that `keyPath` reads, n that of
  ///   elements to follow.
  @inlinable
  @discardableResult
  public func observeArray<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: KeyPath<Object, [Element]?>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      object, keyPath, .values(at: keyPath), elements, options, context, isolation, file, line,
      handler: handler)
  }

  /// Calls `handler` after each change of `array`, of its elements and, for those that are in it at
  /// the time, of the properties in `elements`.
  ///
  ///     observations.observeArray(todos, elements: [\.isDone]) { list, todos, change in
  ///       list.show(change.difference, of: todos.count)
  ///     }
  ///
  /// The array is the observed object, which a controller that retains keeps alive until it is
  /// unobserved, and the key path is `\.elements`. `handler` runs
  /// on the thread that made the change, before the edit returns, once for each change,
  /// with no lock held.
  ///
  /// - Returns: A token that ends this observation alone.
  /// - Complexity: O(1); O(n) in the elements with `elements`.
  @inlinable
  @discardableResult
  public func observeArray<Element>(
    _ array: ObservableArray<Element>,
    elements: [PartialKeyPath<Element>] = [], options: ObservationOptions = [],
    context: ObservationContext? = nil,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    handler: @escaping (Observer, ObservableArray<Element>, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    observeArray(
      array, \ObservableArray<Element>.elements, .array(itself: ObservableArray<Element>.self),
      elements, options, context, isolation, file, line, handler: handler)
  }
}

extension ObservationController {
  /// Erases the types of a handler and registers it; every `observeArray` and every live view ends
  /// here.
  ///
  /// - Parameter isEarly: Whether it is notified before observations that are not.
  @inlinable
  func observeArray<Object: AnyObject, Element>(
    _ object: Object, _ keyPath: AnyKeyPath, _ witness: ArrayWitness,
    _ elements: [PartialKeyPath<Element>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    isEarly: Bool = false,
    handler: @escaping (Observer, Object, ArrayChange<Element>) -> Void
  ) -> ObservationToken {
    var request = ObservationRequest(
      KeyPathAccess(naming: keyPath), options: options.subtracting(.prior), context: context,
      file: file, line: line)
    request.isEarly = isEarly
    typealias Handler = ObservationHandler<Observer, Object, ArrayChange<Element>>
    return store.addArray(
      object, request, witness, elements,
      // The elements, or what leads to the array, may be atomic, now or later.
      handler: Handler(on: isolation, isShared: true, request) { observer, object, change in
        // Other observations may have asked for the elements before. Not chosen by an expression,
        // for which a lent change would be copied.
        if !change.registration.options.contains(.old), change.newValue.elementsBeforeEdit != nil {
          let new = ArrayChange(change.newValue.edit, elements: change.newValue.elements)
          handler(observer, object, new)
        } else {
          handler(observer, object, change.newValue)
        }
      },
      invoke: Handler.invocation)
  }
}

/// Advice of the compiler where the property that holds an ``ObservableArray`` is observed, and its
/// edits are most likely meant.
///
/// The overloads differ from others by their last label, which trailing closures leave out; pass
/// `handler:` to observe the property.
extension ObservationController {
  /// Calls `handler` when another array is set, and never when the array is edited; `observeArray`
  /// does both.
  ///
  /// A path that reads the array, as `\.students.count`, follows edits too.
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
    whenSet handler: @escaping (Observer, Object, ObservedChange<ObservableArray<Element>>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .block, isolation, file, line,
      handler: handler)
  }

  /// Calls `handler` when another array is set, or none, and never when the array is edited;
  /// `observeArray` does both.
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
    whenSet handler: @escaping (Observer, Object, ObservedChange<ObservableArray<Element>?>) -> Void
  ) -> ObservationToken {
    observe(
      object, .reading(keyPath), options, context, by: .block, isolation, file, line,
      handler: handler)
  }
}
