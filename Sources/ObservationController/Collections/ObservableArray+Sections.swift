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
/// Costs: O(n) to make, and about 24 bytes for each element. A change of an element that keeps its
/// group calls the closure and does nothing else. One that changes its group is O(log n), and moves
/// the elements behind in both groups. An edit of k elements calls the closure k times, and numbers
/// anew what stands behind it in the source, O(n).
extension ObservableArray {
  /// A live view of the elements in sections by a key, ascending by the keys. In each section they
  /// keep the order of this array. Sections without elements go.
  ///
  ///     let sections = todos.sections(on: [\.due]) { $0.due }
  ///     sections[0].elements.first
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that change.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element. Called when an element comes and when one of its properties
  ///     in `keyPaths` changes, on the thread that made the change, with no lock held. Must depend
  ///     on nothing else that changes, and not edit this array. Kept until the view is deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log n), and moves the elements behind.
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    sections(on: keyPaths, keys: nil, file, line, by: key)
  }

  /// A live view of the elements in sections by a key, sorted in each section; elements that
  /// neither stands before the other keep the order of this array.
  ///
  ///     let sections = todos.sections(on: [\.due, \.title], by: { $0.due }) { $0.title < $1.title }
  ///
  /// A view of the sorted view of this array: a property that both closures read moves an element
  /// in its section before it leaves that, outside of a transaction as two changes.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements that the closures read.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, as without an order.
  ///   - areInIncreasingOrder: As with an array. Runs as `key` does. Kept until the view is
  ///     deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n log n); that of ``sorted(on:file:line:by:)`` and of sections for each change.
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key,
    sortedBy areInIncreasingOrder: @escaping (Element, Element) -> Bool
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    sorted(on: keyPaths, file: file, line: line, by: areInIncreasingOrder)
      .sections(on: keyPaths, file: file, line: line, by: key)
  }

  /// A live view of the elements in sections for the given keys alone, which stay where they are,
  /// with elements or without.
  ///
  ///     let columns = todos.sections(on: [\.state], keys: [.open, .underWay, .done]) { $0.state }
  ///
  /// An element of another key is left out, and reported as
  /// ``ObservationIssue/otherKey(key:file:line:)``, once for each view.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that change.
  ///   - keys: The keys in the order of their sections; of equal ones the first.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element, as without `keys`.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log n), and moves the elements behind.
  public func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], keys: [Key], file: String = #fileID,
    line: UInt = #line, by key: @escaping (Element) -> Key
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    sections(on: keyPaths, keys: keys, file, line, by: key)
  }

  /// A live dictionary of the elements by a key. For each key there is an array of its elements, in
  /// the order of this array; keys without elements go.
  ///
  ///     let byOwner = todos.grouped(on: [\.owner]) { $0.owner.name }
  ///     byOwner["Ada"]?.count
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow; `[]` if the closure reads none that change.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: The key of an element. Runs as the closure of ``sections(on:file:line:by:)`` does, and
  ///     is kept until the view is deallocated.
  /// - Returns: A view that retains this array, and is retained by its users alone.
  /// - Complexity: O(n). A change of a key is O(log n), and moves the elements behind.
  public func grouped<Key: Hashable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key
  ) -> ObservableDictionary<Key, ObservableArray<Element>> {
    let groups = GroupedView<Key, Element>(keys: nil, file, line)
    groups.key = ViewClosureCheck.make(on: keyPaths, file, line)?.checking(key) ?? key
    return dictionary(of: groups, on: keyPaths, file, line)
  }
}

extension ObservableArray {
  private func sections<Key: Hashable & Comparable>(
    on keyPaths: [PartialKeyPath<Element>], keys: [Key]?, _ file: String, _ line: UInt,
    by key: @escaping (Element) -> Key
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    let groups = GroupedView<Key, Element>(keys: keys, file, line)
    groups.key = ViewClosureCheck.make(on: keyPaths, file, line)?.checking(key) ?? key
    return sections(of: groups, on: keyPaths, areSorted: keys == nil, file, line)
  }

  /// Makes the view that follows this array for groups.
  private func driver<Key>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>], _ file: String,
    _ line: UInt, with parameter: ViewParameter?
  ) -> ObservableArray<Int> {
    view(
      on: keyPaths, file, line, with: parameter, begin: { groups.begin($0, by: $1) },
      follow: { groups.follow($0, by: $1) }, reevaluate: { groups.reevaluate($0, by: $1) })
  }

  func sections<Key: Hashable & Comparable>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>], areSorted: Bool,
    _ file: String, _ line: UInt, with parameter: ViewParameter? = nil
  ) -> ObservableArray<ObservableSection<Key, Element>> {
    ArrayViewLink.makeView(file, line) { link in
      let driver = driver(of: groups, on: keyPaths, file, line, with: parameter)
      groups.begin(link)
      var sections = groups.takeFirst().map { ObservableSection(key: $0.key, $0.inner) }
      if areSorted { sections.sort { $0.key < $1.key } }
      let list = ObservableArray<ObservableSection<Key, Element>>(sections, link: link)
      groups.show = { [weak list, weak driver] change in
        guard let list else { return }
        list.setDepth(driver?.link?.depth ?? 1)
        list.show(change)
      }
      return list
    }
  }

  func dictionary<Key>(
    of groups: GroupedView<Key, Element>, on keyPaths: [PartialKeyPath<Element>], _ file: String,
    _ line: UInt, with parameter: ViewParameter? = nil
  ) -> ObservableDictionary<Key, ObservableArray<Element>> {
    ArrayViewLink.makeView(file, line) { link in
      let driver = driver(of: groups, on: keyPaths, file, line, with: parameter)
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
