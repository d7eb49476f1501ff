/// Parts of an array.
extension ObservableArray {
  /// A live view of the elements at `range`, as far as there are any: a page of a list.
  ///
  ///     let top = scores.sorted(on: [\.points]) { $0.points > $1.points }.window(0..<10)
  ///
  /// An insertion in front has the last element leave and another one come, each edit with the
  /// smallest change. The view is kept alive as one by ``filtered(on:file:line:_:)`` is.
  ///
  /// - Parameters:
  ///   - range: Indices of this array; the part of it where there are no elements is left out until
  ///     there are.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Complexity: O(w) for a window of w elements; an edit of k elements O(w log k).
  @inlinable
  public func window(
    _ range: Range<Int>, file: String = #fileID, line: UInt = #line
  ) -> ObservableArray<Element> {
    view(
      on: [], file, line, showing: ArrangedView(selecting: .window(WindowRange(range))))
  }

  /// A live view of the elements at the range at a key path, as far as there are any.
  ///
  ///     let page = results.window(with: pager, \.range)
  ///     pager.range = 20..<40       // one change
  ///
  /// - Parameters:
  ///   - object: The object of the range. Held weakly; when it is deallocated, the view keeps the
  ///     last range.
  ///   - keyPath: The range: any key path of `object` that can be observed.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  /// - Complexity: O(w) for a window of w elements, also for a change of the range; an edit of k
  ///   elements O(w log k).
  @inlinable
  public func window<Object: AnyObject>(
    with object: Object, _ keyPath: KeyPath<Object, Range<Int>>, file: String = #fileID,
    line: UInt = #line
  ) -> ObservableArray<Element> {
    let range = WindowRange(0..<0)
    let parameter = ViewParameter(of: object, keyPath, file, line) { range.range = $0 }
    return view(
      on: [], file, line, with: parameter, showing: ArrangedView(selecting: .window(range)))
  }

  /// A live view without duplicates: of elements with equal keys it shows the first.
  ///
  ///     let senders = messages.unique(on: [\.sender]) { $0.sender }
  ///
  /// When the first one leaves, or its key changes, the next one with that key takes its place. The
  /// view is kept alive as one by ``filtered(on:file:line:_:)`` is.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of elements to follow, `[]` for none.
  ///   - file: File where the view is made, for issues.
  ///   - line: Line where the view is made, for issues.
  ///   - key: Called when an element comes and when one of its properties in `keyPaths` changes, on
  ///     the thread that made the change, with no lock held. Must depend on nothing else that
  ///     changes. Kept until the view is deallocated.
  /// - Complexity: O(n). An edit of k elements calls `key` for those that come, and numbers anew
  ///   what is behind it; O(n) where the first of several elements leaves or moves.
  @inlinable
  public func unique<Key: Hashable>(
    on keyPaths: [PartialKeyPath<Element>], file: String = #fileID, line: UInt = #line,
    by key: @escaping (Element) -> Key
  ) -> ObservableArray<Element> {
    let check = ViewClosureCheck.make(on: keyPaths, file, line)
    let first = FirstOfEachKey(check?.checking(key) ?? key)
    return view(on: keyPaths, file, line, showing: ArrangedView(selecting: first.selection))
  }
}

extension ObservableArray {
  /// The index in its source of the element at `index` of a live view: of one that `filtered`,
  /// `sorted`, `window` or `unique` has made.
  ///
  ///     let record = records[shown.sourceIndex(at: row)]
  ///     records.remove(at: shown.sourceIndex(at: row))
  ///
  /// Of a view by `mapped` or `following`, and of an array that is no view, it is `index` itself;
  /// of one by `flattened` the index of the inner array. The source is that which the view was made
  /// of, itself a view perhaps. In a handler of the source the view may have yet to follow other
  /// edits; the index is then that before these. A key path or derived value that reads it follows
  /// both arrays.
  ///
  /// - Parameter index: That of an element; traps otherwise.
  /// - Complexity: O(1); with `flattened` O(m) in the number of inner arrays.
  public func sourceIndex(at index: Int) -> Int {
    noteAccess()
    precondition(index >= 0 && index < elementCount, "Index out of range")
    guard let link else { return index }
    if ThreadActivity.isAnyTracking { link.noteSource() }
    return link.sourceIndex(index)
  }
}
