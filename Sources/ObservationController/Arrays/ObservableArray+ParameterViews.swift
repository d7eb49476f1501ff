/// Live views with a parameter: their closure also receives the value of a key path, and they
/// follow it.
///
///     let found = messages.filtered(on: [\.text], with: search, \.text) { message, text in
///       text.isEmpty || message.text.contains(text)
///     }
///
/// When the value changes, the view shows what the closure says of each element then: one
/// ``ArrayChange/Kind/batch`` of the elements that come, leave and move, as few as can be, and no
/// change where nothing differs. Elements that stay are the same ones, and views of the view follow
/// that change alone. The view is up to date before observers of the parameter are notified. What
/// changes together with the parameter, in a transaction or as the source of the view, is one
/// change with it. A parameter that changes in a batch of the source is followed at the end of
/// that.
///
/// The key path can be any that can be observed: a property, stored, derived or atomic, or a nested
/// or computed path. It is evaluated on the thread that changes the value, where the closures run
/// then too: a parameter that other threads change has them run there. Its object is held weakly;
/// once that is deallocated, the view keeps the last value. The view retains the value, so that a
/// collection in it is copied when it is mutated in place. A key path that reads nothing observable
/// reports ``ObservationIssue/nothingObservable(keyPath:file:line:)``, and the view keeps the value
/// that it began with.
extension ObservableArray {
  /// A live view of the elements that satisfy `isIncluded` with the value at a key path, in the
  /// order of this array.
  ///
  ///     let found = messages.filtered(on: [\.text], with: search, \.text) { message, text in
  ///       message.text.contains(text)
  ///     }
  ///     search.text = "hello"       // one change: what comes and what leaves
  ///
  /// The view is kept alive and up to date as one without a parameter, see
  /// ``filtered(on:file:line:_:)``.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - isIncluded: Whether an element is in the view, with the value at `keyPath`. Called for
  ///     every element when that changes, else as without a parameter; on the thread that made the
  ///     change, with no lock held. Kept until the view is deallocated.
  /// - Complexity: O(n), also for a change of the parameter. All else as without a parameter.
  @inlinable
  public func filtered<Object: AnyObject, Parameter>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    _ isIncluded: @escaping (Element, Parameter) -> Bool
  ) -> ObservableArray<Element> {
    let included = ArrangedView<Element>()
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let parameter = ViewParameter(of: object, keyPath, file, line) { value in
      let closure = { (element: Element) in isIncluded(element, value) }
      included.isIncluded = check?.checking(closure) ?? closure
    }
    check?.parameter = parameter
    return view(on: keyPaths, file, line, with: parameter, showing: included)
  }

  /// A live view of the elements in an order that depends on the value at a key path; elements that
  /// neither stands before the other keep the order of this array.
  ///
  ///     let rows = files.sorted(on: [\.name, \.size], with: table, \.order) { a, b, order in
  ///       order.precedes(a, b)
  ///     }
  ///     table.order = .bySize       // one change: what moves
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - areInIncreasingOrder: As with an array, with the value at `keyPath`. Runs on the thread
  ///     that made the change, with no lock held. Kept until the view is deallocated.
  /// - Complexity: O(n log n), also for a change of the parameter. All else as without a parameter,
  ///   see ``sorted(on:file:line:by:)``.
  @inlinable
  public func sorted<Object: AnyObject, Parameter>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    by areInIncreasingOrder: @escaping (Element, Element, Parameter) -> Bool
  ) -> ObservableArray<Element> {
    let sorted = ArrangedView<Element>(by: { _, _ in false })
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let parameter = ViewParameter(of: object, keyPath, file, line) { value in
      let closure = { (first: Element, second: Element) in
        areInIncreasingOrder(first, second, value)
      }
      sorted.areInIncreasingOrder = check?.checking(closure) ?? closure
    }
    check?.parameter = parameter
    return view(on: keyPaths, file, line, with: parameter, showing: sorted)
  }

  /// A live view of what `transform` makes of each element and of the value at a key path.
  ///
  ///     let prices = items.mapped(on: [\.price], with: shop, \.currency) { item, currency in
  ///       currency.format(item.price)
  ///     }
  ///
  /// After a change of the parameter those elements are replaced that can be told apart from the
  /// ones before.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - transform: Makes an element of the view. Called for every element when the value at
  ///     `keyPath` changes, on the thread that made the change, with no lock held. Kept until the
  ///     view is deallocated.
  /// - Complexity: O(n), also for a change of the parameter. All else as without a parameter, see
  ///   ``mapped(on:file:line:_:)``.
  @inlinable
  public func mapped<Object: AnyObject, Parameter, Mapped>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    _ transform: @escaping (Element, Parameter) -> Mapped
  ) -> ObservableArray<Mapped> {
    // With the value of the parameter before the first element is made.
    let mapped = MappedView<Element, Mapped>()
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let parameter = ViewParameter(of: object, keyPath, file, line) { value in
      let closure = { (element: Element) in transform(element, value) }
      mapped.transform = check?.checking(closure) ?? closure
    }
    check?.parameter = parameter
    return view(
      on: keyPaths, file, line, with: parameter, begin: mapped.begin,
      follow: mapped.follow, reevaluate: mapped.reevaluate)
  }
}

extension ViewParameter {
  @inlinable
  convenience init<Object: AnyObject, Value>(
    of object: Object, _ keyPath: KeyPath<Object, Value>, _ file: String, _ line: UInt,
    use: @escaping (Value) -> Void
  ) {
    self.init(of: object, .reading(keyPath), valueType: Value.self, file, line) {
      use($0.value(as: Value.self))
    }
  }
}
