extension ArraySink {
  /// Elements of an array whose properties are followed: how often each is there, about where, and
  /// what its properties hang on.
  ///
  ///     element ─▶ slot ─▶ a hook for each property
  ///        └─────▶ index at which it was found last
  ///
  /// An edit does nothing for the elements that it shifts. An element that changes is looked for
  /// from the index where it was found last, and from as far as the element before it was found to
  /// have moved: what shifted one has mostly shifted the next one as far.
  ///
  /// About 60 bytes for each element.
  struct FollowedElements {
    /// The properties to follow, each with the info that is on the subjects of all elements.
    let properties: [(property: ElementProperty, info: ObservationInfo)]

    private var table: [ObjectIdentifier: Element] = [:]
    private var hooks: ContiguousArray<Hook> = []
    private var unusedSlots: [UInt32] = []

    /// Elements that have come and are not yet hooked, and may have left again; `nil` for one that
    /// is no object.
    private var joined: [AnyObject?] = []

    /// Whether there are hooks with an info of their own. Elements with paths may be deallocated
    /// unnoticed.
    private var hasOwnInfos = false

    /// How far the element that was found last had moved.
    private var drift = 0

    /// Index at which an element was found last: often it changes again, or the next one does.
    private var recent = 0

    /// Whether an element may be there several times.
    private var mayRepeat = false

    private struct Element {
      /// Index at which the element was found last; -1 if it is there several times.
      var index: Int
      var occurrences: UInt32
      let slot: UInt32
    }

    /// Attachment of the property of one element. Empty before it is hooked, and when the subject
    /// was deallocated.
    struct Hook {
      /// The subject of the property; `nil` for a path.
      var link: SubjectReference?

      /// An info in place of the one of all elements: that of a path, which reads nothing where
      /// nothing can be observed; or of a subject, if changes from before may have been on their
      /// way to that of all elements when the element came.
      var info: ObservationInfo?

      var isEmpty: Bool { link == nil && info == nil }
    }

    init(_ properties: [(property: ElementProperty, info: ObservationInfo)] = []) {
      self.properties = properties
    }
  }
}

// MARK: - Places

extension ArraySink.FollowedElements {
  /// Where an element may be, without the table: among a million elements, that waits for memory.
  ///
  /// - Returns: `nil` if only the table knows whether the element is followed, and how often it is
  ///   there.
  var guess: ArrayWitness.Hint? {
    mayRepeat || hasOwnInfos
      ? nil : ArrayWitness.Hint(index: recent, start: recent, isGuess: true)
  }

  /// - Returns: `nil` if the element is not there.
  /// - Complexity: O(1).
  mutating func hint(for element: AnyObject) -> ArrayWitness.Hint? {
    guard let index = table[ObjectIdentifier(element)]?.index else { return nil }
    recent = index
    return ArrayWitness.Hint(index: index, start: index + drift)
  }

  /// Notes where an element has been found.
  ///
  /// - Parameter hint: What led there. A guess leaves the table as it is.
  mutating func note(_ element: AnyObject, at index: Int, near hint: ArrayWitness.Hint) {
    recent = index
    guard !hint.isGuess else { return }
    // Edits of others have moved it, and so those next to it.
    if hint.index >= 0 { drift = index - hint.index }
    setIndex(of: element, to: index)
  }

  /// Notes where an element is, unless it is there several times.
  private mutating func setIndex(of element: AnyObject, to index: Int) {
    let key = ObjectIdentifier(element)
    if table[key]?.occurrences == 1 { table[key]?.index = index }
  }
}

// MARK: - Edits

/// Each function returns the paths of elements that left, for `ObservationStore.endParts`.
extension ArraySink.FollowedElements {
  /// Follows what a change did; one that sets all elements wherever they were before.
  ///
  /// - Complexity: O(k) in the entries of the change; O(n) where it set all elements.
  mutating func follow(_ change: ArrayWitness.Outline) -> [ObservationInfo] {
    let entries = change.entries
    var left: [ObservationInfo] = []
    var leaving = entries.filter { $0.newIndex == nil }.compactMap { $0.element }.map {
      ObjectIdentifier($0)
    }
    for element in leaving { table[element]?.occurrences -= 1 }
    if change.isOfEverything {
      table.reserveCapacity(entries.count)
      hooks.reserveCapacity(entries.count * properties.count)
      for index in table.values.indices { table.values[index].occurrences = 0 }
      mayRepeat = false
    }
    for entry in entries {
      guard let index = entry.newIndex else { continue }
      if entry.oldIndex == nil {
        if let element = entry.element, isStale(element) {
          left += forget(ObjectIdentifier(element))
        }
        add(entry.element, at: index)
      } else if let element = entry.element {
        setIndex(of: element, to: index)
      }
    }
    // Last, so that what leaves and comes at once does not leave.
    if change.isOfEverything { leaving += table.filter { $0.value.occurrences == 0 }.keys }
    for element in leaving where table[element]?.occurrences == 0 { left += forget(element) }
    return left
  }

  mutating func removeAll() -> [ObservationInfo] {
    let left = Array(table.keys).flatMap { forget($0) }
    (hooks, unusedSlots, hasOwnInfos) = ([], [], false)
    return left
  }

  /// Forgets an element that has left or is deallocated, however often it is there.
  mutating func forget(_ element: ObjectIdentifier) -> [ObservationInfo] {
    guard let removed = table.removeValue(forKey: element) else { return [] }
    unusedSlots.append(removed.slot)
    var left: [ObservationInfo] = []
    for (index, followed) in zip(hooks(of: removed), properties) {
      let hook = exchange(&hooks[index], with: Hook())
      if let link = hook.link {
        _ = (link.remove(hook.info ?? followed.info), hook.info?.deactivate())
      } else if let path = hook.info {
        left.append(path)
      }
    }
    return left
  }

  private mutating func add(_ element: AnyObject?, at index: Int) {
    guard let element else { return joined.append(nil) }
    let key = ObjectIdentifier(element)
    let slot = unusedSlots.last ?? UInt32(hooks.count / max(properties.count, 1))
    // Looked up once, as if it were new: in a table of a million elements each time waits for
    // memory.
    let new = Element(index: index, occurrences: 1, slot: slot)
    if var known = table.updateValue(new, forKey: key) {
      // Which one is left, where another occurrence has left, has to be found.
      known.index = known.occurrences == 0 ? index : -1
      known.occurrences += 1
      if known.occurrences > 1 { mayRepeat = true }
      table[key] = known
      return
    }
    if unusedSlots.popLast() == nil {
      hooks += repeatElement(Hook(), count: properties.count)
    }
    joined.append(element)
  }

  private func hooks(of element: Element) -> Range<Int> {
    let first = Int(element.slot) * properties.count
    return first..<first + properties.count
  }
}

// MARK: - Hooks

extension ArraySink.FollowedElements {
  var hasJoined: Bool { !joined.isEmpty }

  /// Takes out the elements that are to be hooked, and `nil` for each that can't be.
  ///
  /// - Parameter mutated: Elements that are left there, since a property of theirs is being mutated
  ///   in place.
  mutating func takeJoined(besides mutated: [ObjectIdentifier] = []) -> [AnyObject?] {
    let all = exchange(&joined, with: [])
    guard !mutated.isEmpty else { return all }
    func isMutated(_ element: AnyObject?) -> Bool {
      element.map { mutated.contains(ObjectIdentifier($0)) } ?? false
    }
    joined = all.filter(isMutated)
    return all.filter { !isMutated($0) }
  }

  /// Hooks a property of an element to what it was found to read.
  ///
  /// - Returns: `false`, and nothing happens, if the element has left, or been hooked: getters have
  ///   run since it came.
  mutating func set(_ hook: Hook, at property: Int, of element: AnyObject) -> Bool {
    guard let found = table[ObjectIdentifier(element)] else { return false }
    let index = hooks(of: found).lowerBound + property
    guard hooks[index].isEmpty else { return false }
    hook.link?.insert(hook.info ?? properties[property].info)
    if hook.info != nil { hasOwnInfos = true }
    hooks[index] = hook
    return true
  }

  /// Forgets the hook on a subject that is deallocated, and the element with its last one: it is in
  /// an array that is being deallocated, or the storage of the property was replaced.
  mutating func forget(_ subject: Subject) {
    guard let owner = subject.owner, let found = table[owner] else { return }
    let own = hooks(of: found)
    for index in own where hooks[index].link?.identity == ObjectIdentifier(subject) {
      hooks[index] = Hook()
    }
    if hooks[own].allSatisfy(\.isEmpty) { _ = forget(owner) }
  }

  /// The subjects of up to a thousand elements that the property at an index hangs on, or the first
  /// ones of its paths. Under the lock of the store.
  func subjects(at property: Int) -> [ObjectIdentifier] {
    stride(from: property, to: hooks.count, by: properties.count).prefix(1_000).compactMap {
      hooks[$0].link?.identity ?? hooks[$0].info?.path?.dependencies.first?.identity
    }
  }

  /// Whether an element has an info in place of the one that others share: it has left and come
  /// back while changes from before were on their way to that.
  ///
  /// - Parameter receiver: What the change has reached: the shared info, or anything else.
  func hasOwnInfo(_ element: AnyObject, _ receiver: AnyObject?) -> Bool {
    guard hasOwnInfos, let found = table[ObjectIdentifier(element)],
      let property = properties.firstIndex(where: { $0.info === receiver })
    else { return false }
    return hooks[hooks(of: found).lowerBound + property].info != nil
  }

  /// Whether the properties of an element are followed.
  func contains(_ element: AnyObject) -> Bool { table[ObjectIdentifier(element)] != nil }

  /// Whether another element was at the address of this one, and has been deallocated unnoticed.
  private func isStale(_ element: AnyObject) -> Bool {
    guard hasOwnInfos, let found = table[ObjectIdentifier(element)] else { return false }
    return hooks[hooks(of: found)].contains { hook in
      hook.link == nil && hook.info.map { $0.root.object !== element } ?? false
    }
  }
}

#if DEBUG
  extension ArraySink.FollowedElements {
    /// How many elements of the array are followed.
    var occurrences: Int { table.values.reduce(0) { $0 + Int($1.occurrences) } }

    /// What is wrong with the table and the slots.
    func _checkInvariants() -> [String] {
      var broken: [String] = []
      func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }
      let slots = table.values.map(\.slot)
      require(Set(slots + unusedSlots).count == slots.count + unusedSlots.count, "a slot is shared")
      require(
        (slots.count + unusedSlots.count) * properties.count == hooks.count, "a slot is lost")
      for element in table.values {
        require(element.occurrences > 0, "an element that has left is followed")
        require(element.occurrences == 1 || mayRepeat, "an element is there several times")
      }
      for slot in unusedSlots {
        let first = Int(slot) * properties.count
        require(hooks[first..<first + properties.count].allSatisfy(\.isEmpty), "a hook is left")
      }
      return broken
    }
  }
#endif
