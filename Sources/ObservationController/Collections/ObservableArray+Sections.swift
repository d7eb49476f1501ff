/// Live views of the elements in sections, or in groups, by a key.
///
///     let sections = todos.sections(on: [\.due]) { $0.due }
///     let byOwner = todos.grouped(on: [\.owner]) { $0.owner.name }
///
/// The outer collection changes when groups come and go; what is in them is reported by the inner
/// arrays, and all of it at once by `observeSections`. An element whose key changes leaves one
/// group and comes to another in one change: all arrays are up to date before an observer of one
/// of them is notified, and before observers of the source are.
///
/// Each of the arrays retains the source, and is retained by its users alone: the outer collection
/// has the inner ones; an inner array that is kept alone goes on following its group until that is
/// gone, and is empty from then on. Editing any of them reports
/// ``ObservationIssue/readOnlyArray(file:line:)`` and does nothing.
///
/// Costs: O(n) to make, and 24 bytes for each element, beside those of following its properties. A
/// change of an element that keeps its group calls the closure and does nothing else. One that
/// changes its group is O(log s) for s elements of a group, and moves those behind in both groups.
/// An edit of k elements calls the closure k times, and numbers anew what stands behind it in the
/// source, O(n).
extension ObservableArray {
  /// A live view of the elements in sections by a key, ascending by the keys. In each section they
  /// keep the order of this array. Sections without elements go.
  ///
  ///     let sections = todos.sections(on: [\.due]) { $0.due }
  ///     let first = sections[0].elements.first
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element. Called when an element comes and when one of its properties
  ///     in `keyPaths` changes, on the thread that made the change, with no lock held. Must depend
  ///     on nothing else that changes, and not edit this array. Kept until the view is deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log s) for s elements of a section, and moves the
  ///   elements behind.
  @inlinable
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, file, line)
    groups.key = ViewClosureCheck.make(on: keyPaths, file, line)?.checking(key) ?? key
    return sections(of: groups, on: keyPaths)
  }

  /// A live view of the elements in sections by a key, sorted in each section; elements that
  /// neither stands before the other keep the order of this array.
  ///
  ///     let sorted = todos.sections(
  ///       on: [\.due, \.title], by: { $0.due }, sortedBy: { $0.title < $1.title })
  ///
  /// A change of a property that both closures read is one change: the element leaves its section
  /// and comes to its place in another one.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements that the closures read.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, as without an order.
  ///   - areInIncreasingOrder: As with an array. Runs as `key` does. Kept until the view is
  ///     deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n log n). A change of an element calls `areInIncreasingOrder` O(log s) times
  ///   for s elements of a section, and moves the elements behind; an edit numbers all anew, O(n).
  @inlinable
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key,
    sortedBy areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let groups = GroupedView<Key, Element>(
      on: keyPaths, by: check?.checking(areInIncreasingOrder) ?? areInIncreasingOrder, file, line)
    groups.key = check?.checking(key) ?? key
    return sections(of: groups, on: keyPaths)
  }

  /// A live view of the elements in sections for the given keys alone, which stay where they are,
  /// with elements or without.
  ///
  ///     let columns = todos.sections(
  ///       on: [\.state], by: { $0.state }, keys: [.open, .underWay, .done])
  ///
  /// An element of another key is left out, and reported as
  /// ``ObservationIssue/otherKey(key:file:line:)``, once for each view.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - key: The key of an element, as without `keys`.
  ///   - keys: The keys in the order of their sections; of equal ones the first.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log s) for s elements of a section, and moves the
  ///   elements behind.
  @inlinable
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], by key: @escaping (Element) -> Key, keys: [Key],
    file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, keys: keys, file, line)
    groups.key = ViewClosureCheck.make(on: keyPaths, file, line)?.checking(key) ?? key
    return sections(of: groups, on: keyPaths)
  }

  /// A live dictionary of the elements by a key. For each key there is an array of its elements, in
  /// the order of this array; keys without elements go.
  ///
  ///     let byOwner = todos.grouped(on: [\.owner]) { $0.owner.name }
  ///     let count = byOwner["Ada"]?.count
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that
  ///     change.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element. Runs as the closure of ``sections(on:file:line:by:)`` does,
  ///     and is kept until the view is deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log s) for s elements of a group, and moves the
  ///   elements behind.
  @inlinable
  public func grouped<Key: Hashable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key
  ) -> ObservableDictionary<Key, ObservableArray<Element>> {
    let groups = GroupedView<Key, Element>(on: keyPaths, file, line)
    groups.key = ViewClosureCheck.make(on: keyPaths, file, line)?.checking(key) ?? key
    return dictionary(of: groups, on: keyPaths)
  }
}

extension ObservableArray {
  /// Makes the view that follows this array for groups.
  @inlinable
  func driver<Key>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>],
    with parameter: ViewParameter?
  ) -> ObservableArray<Int> {
    view(
      on: keyPaths, groups.file, groups.line, with: parameter,
      begin: { groups.begin($0, by: $1) }, follow: { groups.follow($0, by: $1) },
      reevaluate: { groups.reevaluate($0, by: $1) })
  }

  @inlinable
  func sections<Key: Hashable & Comparable>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>],
    with parameter: ViewParameter? = nil
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    ArrayViewLink.makeView(groups.file, groups.line) { link in
      let driver = driver(of: groups, on: keyPaths, with: parameter)
      groups.begin(link)
      var sections = groups.takeFirst().map { ObservableSection(key: $0.key, $0.inner) }
      if groups.fixedKeys == nil { sections.sort { $0.key < $1.key } }
      let list = ObservableArray<ObservableSection<Key, Element>>(sections, link: link)
      groups.show = { [weak list, weak driver] change in
        guard let list else { return }
        list.setDepth(driver?.link?.depth ?? 1)
        list.show(change)
      }
      return list
    }
  }

  @inlinable
  func dictionary<Key>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>],
    with parameter: ViewParameter? = nil
  ) -> ObservableDictionary<Key, ObservableArray<Element>> {
    ArrayViewLink.makeView(groups.file, groups.line) { link in
      let driver = driver(of: groups, on: keyPaths, with: parameter)
      groups.begin(link)
      let dictionary = ObservableDictionary<Key, ObservableArray<Element>>(link: link)
      for (key, inner) in groups.takeFirst() { dictionary.storage[key] = inner }
      groups.show = { [weak dictionary, weak driver] change in
        guard let dictionary else { return }
        dictionary.setDepth(driver?.link?.depth ?? 1)
        dictionary.show(change)
      }
      return dictionary
    }
  }
}
