import Synchronization

/// Following the source.
extension GroupedView {
  /// Follows a change of the source.
  ///
  /// - Complexity: A change of an element is O(log s) for s elements of its group, O(s) in sorted
  ///   order; an edit of k elements O(k log s), and what stands behind it is numbered anew. Both
  ///   move the elements behind in the arrays.
  @inlinable
  func follow(_ change: ArrayChange<Element>, by driver: ObservableArray<Int>) {
    // The value of a parameter has changed too, and is followed right after this.
    guard driver.batch == nil else {
      waiting = change
      return
    }
    followNow(change)
  }

  @inlinable
  func followNow(_ change: ArrayChange<Element>) {
    var send: (() -> Void)?
    if change.kind == .element, feed.isUsed.load(ordering: .relaxed) {
      send = { self.send(change) }
    }
    if change.kind == .element, case let source = change.edit.index, source >= 0 {
      update(at: source, in: change.elements, and: send)
    } else {
      followEdit(change, and: send)
    }
  }

  /// Follows a change of one element.
  @inlinable
  func update(at source: Int, in elements: [Element], and send: (() -> Void)?) {
    let element = elements[source]
    let key = requiredKey(of: element)
    let old = groups[source]
    if let old, old.key == key {
      guard isSorted else { return send?() ?? () }
      let place = place(of: source, in: old)
      if isInOrder(place - 1, place, of: old.sources, in: elements),
        isInOrder(place, place + 1, of: old.sources, in: elements)
      {
        return send?() ?? ()
      }
    } else if let old, fixedKeys != nil || old.sources.count > 1, let new = table[key], !isSorted {
      // The most frequent way, apart from the general one for the sake of its cost.
      let oldPlace = place(of: source, in: old)
      old.sources.remove(at: oldPlace)
      let newPlace = place(of: source, in: new)
      new.sources.insert(source, at: newPlace)
      groups[source] = new
      return move(element, from: old.inner, at: oldPlace, to: new.inner, at: newPlace, and: send)
    }
    var arrived: [Group] = []
    let group = group(for: key, adding: &arrived)
    guard isSorted || group !== old else { return send?() ?? () }
    let entry = Entry(element: element, oldIndex: source, newIndex: source)
    regroup([Mover(entry, to: group)], arrived, in: elements, and: send)
  }

  /// Follows an edit, or changes of many elements.
  @inlinable
  func followEdit(_ change: ArrayChange<Element>, and send: (() -> Void)?) {
    let elements = change.elements
    let entries = change.entries
    let isOfElements = change.kind == .element
    // Before anything is changed. Elements that only move keep their key.
    var keys: [Key?] = []
    keys.reserveCapacity(entries.count)
    for entry in entries {
      let isNew = entry.newIndex != nil && (entry.oldIndex == nil || isOfElements)
      keys.append(isNew ? requiredKey(of: entry.element) : nil)
    }
    var arrived: [Group] = []
    var movers: [Mover] = []
    movers.reserveCapacity(entries.count)
    for (entry, key) in zip(entries, keys) {
      let old = entry.oldIndex.flatMap { groups[$0] }
      var new = entry.newIndex == nil ? nil : old
      if let key, old?.key != key { new = group(for: key, adding: &arrived) }
      // In sorted order it may have another place.
      if isOfElements, old === new, !isSorted || old == nil { continue }
      movers.append(Mover(entry, to: new))
    }
    regroup(
      movers, arrived, in: elements, shifting: isOfElements ? nil : IndexEdit(entries),
      and: send)
  }

  /// Follows a new value of the parameter.
  ///
  /// - Complexity: O(n), O(n log n) if they are sorted.
  @inlinable
  func reevaluate(_ elements: [Element], by driver: ObservableArray<Int>) {
    guard let change = waiting.take() else { return arrangeAnew(elements) }
    withObservationTransaction {
      followNow(change)
      arrangeAnew(elements)
    }
  }

  /// Arranges the elements as the closures say now, where none has come or left.
  @inlinable
  func arrangeAnew(_ elements: [Element]) {
    let keys = elements.map(requiredKey)
    var arrived: [Group] = []
    var isTouched: Set<ObjectIdentifier> = []
    var touched: [Group] = []
    func touch(_ group: Group?) {
      guard let group, isTouched.insert(ObjectIdentifier(group)).inserted else { return }
      touched.append(group)
    }
    if isSorted { for group in table.values { touch(group) } }
    var new = groups
    for (index, key) in keys.enumerated() where new[index]?.key != key {
      new[index] = group(for: key, adding: &arrived)
      guard new[index] !== groups[index] else { continue }
      touch(groups[index])
      touch(new[index])
    }
    var members: [ObjectIdentifier: [Int]] = [:]
    for (index, group) in new.enumerated() {
      guard let group, isTouched.contains(ObjectIdentifier(group)) else { continue }
      members[ObjectIdentifier(group), default: []].append(index)
    }
    groups = new
    let edits = touched.compactMap { group -> (group: Group, entries: [Entry])? in
      let sources = sorted(members[ObjectIdentifier(group)] ?? [], in: elements)
      guard sources != group.sources else { return nil }
      return (group, entries(of: group, leadingTo: sources, in: elements))
    }
    show(edits, arrived, in: elements, as: .batch)
  }

  /// Puts other elements of the source into a group.
  ///
  /// - Returns: The smallest edit that does it.
  @inlinable
  func entries(of group: Group, leadingTo sources: [Int], in elements: [Element]) -> [Entry] {
    let old = exchange(&group.sources, with: sources)
    let places = Dictionary(uniqueKeysWithValues: zip(old, old.indices))
    return Entry.leading(
      from: old.map { elements[$0] }, to: sources.map { elements[$0] },
      origins: sources.map { places[$0] ?? -1 })
  }
}
