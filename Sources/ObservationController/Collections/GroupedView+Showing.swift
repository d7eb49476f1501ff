/// Showing the groups in their arrays, and in the outer collection.
extension GroupedView {
  /// Makes the array of a group.
  @inlinable
  func makeInner(of group: Group, in elements: [Element]) -> ObservableArray<Element> {
    let inner = ArrayViewLink.makeView(file, line) { link in
      link.sourceIndex = { group.sources[$0] }
      link.feed = feed
      begin(link)
      noteChecks(of: group, in: link)
      return ObservableArray<Element>(group.sources.map { elements[$0] }, link: link)
    }
    group.inner = inner
    return inner
  }

  /// Has an array that follows the driver keep it alive.
  @usableFromInline
  func begin(_ link: ArrayViewLink) {
    guard let driver else { return }
    link.observations = driver
    link.depth = driver.link?.depth ?? 1
    link.noteSource = { [weak driver] in driver?.link?.noteSource() }
  }

  /// Shows edits of groups, and the groups that they make come and go.
  ///
  /// - Parameter body: Passes on what has changed of the elements, as part of that.
  @inlinable
  func show(
    _ edits: [(group: Group, entries: [Entry])], _ arrived: [Group], in elements: [Element],
    as kind: ArrayChange<Element>.Kind? = nil, and body: (() -> Void)? = nil
  ) {
    var change = GroupChange<Key, Element>()
    var shown: [(inner: ObservableArray<Element>, body: () -> Void)] = []
    for (group, entries) in edits {
      if group.sources.isEmpty, fixedKeys == nil {
        table[group.key] = nil
        if !arrived.contains(where: { $0 === group }) { change.removed.append(group.key) }
      }
      guard let inner = group.inner, !entries.isEmpty else { continue }
      shown.append((inner, { inner.apply(entries, as: kind) }))
    }
    for group in arrived where !group.sources.isEmpty {
      change.inserted.append((group.key, makeInner(of: group, in: elements)))
    }
    perform(shown, change, and: body)
  }

  /// Edits arrays, so that observers of each find all of them up to date: in a transaction, if more
  /// than one is observed.
  @inlinable
  func perform(
    _ edits: [(inner: ObservableArray<Element>, body: () -> Void)],
    _ change: GroupChange<Key, Element>, and body: (() -> Void)? = nil
  ) {
    let isOuter = !change.removed.isEmpty || !change.inserted.isEmpty
    guard let show else {
      first = change
      return
    }
    passDepth()
    // Those that nobody is notified of first.
    var followed: [() -> Void] = []
    for (inner, body) in edits {
      if inner.isFollowed { followed.append(body) } else { body() }
    }
    if isOuter { followed.append { show(change) } }
    if let body { followed.append(body) }
    guard followed.count > 1 else { return followed.first?() ?? () }
    withObservationTransaction {
      for edit in followed { edit() }
    }
  }

  /// Moves an element from one array to another one.
  @inlinable
  func move(
    _ element: Element, from old: ObservableArray<Element>?, at oldPlace: Int,
    to new: ObservableArray<Element>?, at newPlace: Int, and body: (() -> Void)?
  ) {
    passDepth()
    let (isOldFollowed, isNewFollowed) = (old?.isFollowed ?? false, new?.isFollowed ?? false)
    if isOldFollowed && isNewFollowed || body != nil {
      withObservationTransaction {
        old?.applyRemoval(of: element, at: oldPlace)
        new?.applyInsertion(of: element, at: newPlace)
        body?()
      }
    } else if isOldFollowed {
      new?.applyInsertion(of: element, at: newPlace)
      old?.applyRemoval(of: element, at: oldPlace)
    } else {
      old?.applyRemoval(of: element, at: oldPlace)
      new?.applyInsertion(of: element, at: newPlace)
    }
  }

  /// Passes on changes of elements to those who observe the arrays together.
  @usableFromInline
  func send(_ change: ArrayChange<Element>) {
    let entries = change.entries
    if entries.count == 1 { return send(entries, of: change.elementKeyPath) }
    withObservationTransaction { send(entries, of: change.elementKeyPath) }
  }

  private func send(_ entries: [Entry], of keyPath: AnyKeyPath?) {
    for entry in entries {
      guard let source = entry.newIndex, let group = groups[source], let inner = group.inner,
        let object = ElementIdentity.object(of: entry.element)
      else { continue }
      feed.send(keyPath, of: object, at: place(of: source, in: group), in: inner)
    }
  }

  /// Has the arrays of the groups come after what the driver comes after.
  @inlinable
  func passDepth() {
    let newDepth = driver?.link?.depth ?? depth
    if newDepth != depth { setDepth(newDepth) }
  }

  @usableFromInline
  func setDepth(_ newDepth: Int) {
    depth = newDepth
    for group in table.values { group.inner?.setDepth(newDepth) }
  }

  /// Lets go of the first groups, which the outer collection has.
  @inlinable
  func takeFirst() -> [(key: Key, inner: ObservableArray<Element>)] {
    let groups = first.inserted
    first = GroupChange()
    return groups
  }
}

extension ObservableArray {
  /// Whether somebody is notified of an edit, or has to compute anew.
  @inlinable var isFollowed: Bool { subject?.isFollowedUp ?? false }

  /// Removes an element of a live view.
  @inlinable
  func applyRemoval(of element: Element, at place: Int) {
    edit(isByView: true) {
      storage.remove(at: place)
      return ArrayEdit(.removal, [Entry(element, removedAt: place)])
    }
  }

  /// Inserts an element into a live view.
  @inlinable
  func applyInsertion(of element: Element, at place: Int) {
    edit(isByView: true) {
      storage.insert(element, at: place)
      return ArrayEdit(.insertion, at: place)
    }
  }
}
