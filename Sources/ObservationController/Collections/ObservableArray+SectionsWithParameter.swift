/// Live views by sections and groups with a parameter: their closures also receive the value of a
/// key path, and they follow it, as `filtered` does.
///
///     let sections = todos.sections(on: [\.due], with: settings, \.week) { todo, week in
///       week.contains(todo.due) ? "this week" : "later"
///     }
///
/// When the value changes, all arrays are up to date before an observer of one of them is notified;
/// each has one ``ArrayChange/Kind/batch`` at most, and `observeSections` delivers one change.
extension ObservableArray {
  /// A live view of the elements in sections by a key that depends on the value at a key path.
  ///
  /// The view is kept alive and up to date as one without a parameter, see
  /// ``sections(on:file:line:by:)``.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, with the value at `keyPath`. Called for every element when
  ///     that changes, else as without a parameter; on the thread that made the change, with no
  ///     lock held. Kept until the view is deallocated.
  /// - Complexity: O(n), also for a change of the parameter. All else as without a parameter.
  @inlinable
  public func sections<Object: AnyObject, Parameter, Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element, Parameter) -> Key
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, file, line)
    let parameter = parameter(of: groups, on: keyPaths, object, keyPath, by: key)
    return sections(of: groups, on: keyPaths, with: parameter)
  }

  /// A live view of the elements in sections, sorted in each section, where key and order depend on
  /// the value at a key path.
  ///
  ///     let sections = files.sections(
  ///       on: [\.folder, \.name, \.size], with: table, \.order, by: { file, _ in file.folder }
  ///     ) { a, b, order in
  ///       order.precedes(a, b)
  ///     }
  ///     table.order = .bySize       // one change of all sections
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, with the value at `keyPath`. Runs on the thread that made the
  ///     change, with no lock held. Kept until the view is deallocated.
  ///   - areInIncreasingOrder: As with an array, with the value at `keyPath`. Runs as `key` does.
  /// - Complexity: O(n log n), also for a change of the parameter. All else as without a parameter.
  @inlinable
  public func sections<Object: AnyObject, Parameter, Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element, Parameter) -> Key,
    sortedBy areInIncreasingOrder: @escaping (Element, Element, Parameter) -> Bool
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, by: { _, _ in false }, file, line)
    let parameter = parameter(
      of: groups, on: keyPaths, object, keyPath, by: key, sortedBy: areInIncreasingOrder)
    return sections(of: groups, on: keyPaths, with: parameter)
  }

  /// A live view of the elements in sections for the given keys alone, by a key that depends on the
  /// value at a key path.
  ///
  /// An element of another key is left out, and reported as
  /// ``ObservationIssue/otherKey(key:file:line:)``, once for each view.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - key: The key of an element, with the value at `keyPath`. Runs on the thread that made the
  ///     change, with no lock held. Kept until the view is deallocated.
  ///   - keys: The keys in the order of their sections; of equal ones the first.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Complexity: O(n), also for a change of the parameter. All else as without a parameter.
  @inlinable
  public func sections<Object: AnyObject, Parameter, Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, by key: @escaping (Element, Parameter) -> Key,
    keys: [Key], file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, keys: keys, file, line)
    let parameter = parameter(of: groups, on: keyPaths, object, keyPath, by: key)
    return sections(of: groups, on: keyPaths, with: parameter)
  }

  /// A live dictionary of the elements by a key that depends on the value at a key path.
  ///
  /// The view is kept alive and up to date as one without a parameter, see
  /// ``grouped(on:file:line:by:)``.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - object: The object of the parameter. Held weakly; when it is deallocated, the view keeps
  ///     the last value.
  ///   - keyPath: The parameter: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, with the value at `keyPath`. Called for every element when
  ///     that changes, else as without a parameter; on the thread that made the change, with no
  ///     lock held. Kept until the view is deallocated.
  /// - Complexity: O(n), also for a change of the parameter. All else as without a parameter.
  @inlinable
  public func grouped<Object: AnyObject, Parameter, Key: Hashable>(
    on keyPaths: [PartialKeyPath<Element>], with object: Object,
    _ keyPath: KeyPath<Object, Parameter>, file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element, Parameter) -> Key
  ) -> ObservableDictionary<Key, ObservableArray<Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, file, line)
    let parameter = parameter(of: groups, on: keyPaths, object, keyPath, by: key)
    return dictionary(of: groups, on: keyPaths, with: parameter)
  }

  /// Makes a parameter that sets the closures of groups.
  @inlinable
  func parameter<Object: AnyObject, Parameter, Key>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>],
    _ object: Object, _ keyPath: KeyPath<Object, Parameter>,
    by key: @escaping (Element, Parameter) -> Key,
    sortedBy areInIncreasingOrder: ((Element, Element, Parameter) -> Bool)? = nil
  ) -> ViewParameter {
    let check = ViewClosureCheck.make(on: keyPaths, groups.file, groups.line)
    let parameter = ViewParameter(
      of: object, keyPath, groups.file, groups.line
    ) { value in
      let closure = { (element: Element) in key(element, value) }
      groups.key = check?.checking(closure) ?? closure
      guard let areInIncreasingOrder else { return }
      let order = { (first: Element, second: Element) in
        areInIncreasingOrder(first, second, value)
      }
      groups.areInIncreasingOrder = check?.checking(order) ?? order
    }
    check?.parameter = parameter
    return parameter
  }
}
