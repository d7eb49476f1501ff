/// The part of following an array that depends on the type of its elements.
final class ArrayObservation<Element>: ArrayFollower {
  typealias Details = ArrayChangeDetails<Element>

  private let reading: ArraySource<Element>

  init(token: ObservationInfo, reading: ArraySource<Element>, calls: ArrayCalls) {
    self.reading = reading
    super.init(token: token, calls: calls, source: reading.kind)
  }

  // The casts are safe: changes come from arrays of this type of elements, or from here.

  override func isEqual(_ change: AnyObject) -> Bool {
    let change = unsafeDowncast(change, to: Details.self)
    guard let old = change.oldElements, old.count == change.elements.count,
      let areEqual = ElementIdentity<Element>.equality
    else { return false }
    return zip(old, change.elements).allSatisfy(areEqual)
  }

  override func setting(after change: AnyObject) -> AnyObject {
    Details.setting(unsafeDowncast(change, to: Details.self).elements, replacing: [])
  }

  override var isOfObjects: Bool { Element.self is any OptionalValue.Type }

  override func wait(for array: AnyObject, _ change: WaitingChange) {
    // Only an `ObservableArray` has batches to wait for.
    unsafeDowncast(array, to: ObservableArray<Element>.self).batch?.waiting.append(change)
  }
}

// MARK: - The path

extension ArrayObservation {
  /// Follows another array from now on, to which the path has been found to lead.
  func arrayDidChange(
    from old: ObservableArray<Element>?, to new: ObservableArray<Element>?, id: UInt64
  ) {
    // The change of the path may be an edit of the array, which has been noted as such.
    let isEdit = state.withLock { $0.lastEditID == id }
    if isEdit, old === new { return }
    let edit = isEdit ? state.withLock { $0.queue.removeLast { $0.id == id } } : nil
    // Told before, since whoever begins to follow an array in the middle of a batch is told of what
    // comes from now on. The handlers may set another array again, which is then the newer one.
    let turn = state.withLock { state in
      state.pathChanges += 1
      return state.pathChanges
    }
    old?.flushBatch()
    new?.flushBatch()
    // What the observer knows is the array before that edit.
    let oldElements =
      edit.map { unsafeDowncast($0.details!, to: Details.self).elementsBefore } ?? old?.storage ?? []
    let change = Details.setting(new?.storage ?? [], replacing: oldElements)
    var left: [ObservationInfo] = []
    let isLatest = state.withLock { state in
      guard state.pathChanges == turn else {
        if state.isActive { enqueue(change, id: id, isInOrder: true, &state) }
        return false
      }
      if let content = state.content { _ = state.link?.remove(content) }
      (state.link, state.array) = (nil, nil)
      left = unhookElements(&state)
      return true
    }
    registry.endParts(left)
    guard isLatest else { return }
    hookContent(of: new)
    note(change, id: id)
    hookJoined()
  }

  /// Hangs the content part on `array`.
  private func hookContent(of array: ObservableArray<Element>?) {
    guard let array else { return }
    let subject = AccessTracker.track { array.noteAccess() }.only?.subject
    state.withLock { state in
      guard state.isActive, let subject, let content = state.content else { return }
      subject.insert(content)
      state.link = SubjectLink(subject)
      // A weak reference makes counting references slower: only where it is needed.
      if source == .array { state.array = array }
    }
  }

  /// Finds out what became of the elements of a plain array.
  func valuesDidChange(from old: [Element], to new: [Element], id: UInt64) {
    let change: Details
    if let origins = ElementIdentity.origins(of: new, in: old) {
      let entries = ArrayChange.Entry.leading(from: old, to: new, origins: origins)
      change = Details(
        ArrayEdit(ArrayChange<Element>.Kind(of: entries), entries), elements: new,
        oldElements: old)
    } else {
      reportUnknownElements()
      change = Details.setting(new, replacing: old)
    }
    note(change, id: id)
    noteWaiting(id: id)
    hookJoined()
  }

  private func reportUnknownElements() {
    let isFirst = state.withLock { state in
      defer { state.isReported = true }
      return !state.isReported
    }
    if isFirst {
      let site = token.site
      ObservationDispatcher.report(
        .elementsNotHashable(keyPath: site.keyPath, file: site.file, line: site.line))
    }
  }
}

// MARK: - The beginning

extension ArrayObservation {
  /// Makes the parts that hang on subjects. Nobody else knows this observation yet.
  func makeParts(
    of registration: ObservationRegistration, path: ArrayPath?,
    _ keyPaths: [PartialKeyPath<Element>]
  ) {
    var seen: Set<AnyKeyPath> = []
    let properties = keyPaths.filter { seen.insert($0).inserted }.map { keyPath in
      let valueType = type(of: keyPath).valueType
      return FollowedProperty(property(keyPath, valueType, registration))
    }
    state.withLock { state in
      if let path {
        // A site of its own, since the path has to note its old value whatever was asked for.
        let site = ObservationSite(
          registry: registry, registration: registration.part(registration.keyPath, options: .old),
          invoke: { _, _, _, _, _ in }, areEqual: nil)
        state.path = part(site, root: token.root, sink: path, kind: .path)
      }
      if source != .values {
        state.content = part(token.site, sink: self, kind: .part)
      }
      state.properties = properties
    }
  }

  /// Receives the value type of a key path, opened.
  private func property<Value>(
    _ keyPath: PartialKeyPath<Element>, _ valueType: Value.Type,
    _ registration: ObservationRegistration
  ) -> ElementProperty {
    // Safe: every key path from `Element` to values of this type is a `KeyPath<Element, Value>`.
    ElementProperty(
      unsafeDowncast(keyPath, to: KeyPath<Element, Value>.self), of: self, registration)
  }

  /// Hooks everything, when the token is in the tables.
  ///
  /// - Parameter values: What the plain array was when its key path was read.
  /// - Returns: The elements as they are.
  func begin(with array: ObservableArray<Element>?, values: [Element]) -> [Element] {
    if let info = state.withLock({ $0.path }) { registry.hook(info) }
    hookContent(of: array)
    let elements = array?.storage ?? values
    if state.withLock({ !$0.properties.isEmpty }) { followFirst(elements) }
    return elements
  }

  /// The same for a plain array that other threads may change. What they tell waits for `deliverHeld`.
  func beginHeld(reading accesses: PropertyAccesses) -> [Element] {
    guard let info = state.withLock({ $0.path }), let path = info.path else { return [] }
    var elements: [Element] = []
    state.withLock { $0.queue.begin() }
    path.prepareToBegin()
    registry.hook(info)
    accesses.waitForChangesUnderWay()
    let next = path.begin(info) { value in
      // Safe: what `ArraySource` reads. No change is noted before this has returned.
      elements = value.address.assumingMemoryBound(to: [Element]?.self).pointee ?? []
      if state.withLock({ !$0.properties.isEmpty }) { followFirst(elements) }
    }
    if let next { state.withLock { $0.queue.reach(next) } }
    return elements
  }

  func deliverHeld() {
    var recipient = ObservationRecipient()
    deliverReached(recipient: &recipient)
  }

  /// Follows the elements that are there when the observation begins.
  ///
  /// In portions that fit into the processor's cache, from the first look at an element to its hook:
  /// for a million elements that takes half the time.
  private func followFirst(_ elements: [Element]) {
    let firstID = state.withLock { state in
      state.positions.reserveCapacity(elements.count)
      state.hooks.reserveCapacity(elements.count * state.properties.count)
      return state.lastNotedID
    }
    for start in stride(from: 0, to: elements.count, by: 1024) {
      let range = start..<min(start + 1024, elements.count)
      let objects = withUnsafePointer(to: elements) { calls.objects($0, range) }
      let isUndisturbed = state.withLock { state in
        guard state.isActive, state.lastNotedID == firstID else { return false }
        append(objects, at: start, &state)
        return true
      }
      guard isUndisturbed else { return followCurrent() }
      hookJoined()
    }
    if state.withLock({ $0.lastNotedID != firstID }) { followCurrent() }
  }

  /// Follows the elements as they are now: a getter has changed the array in between.
  private func followCurrent() {
    let elements = currentElements
    let objects = withUnsafePointer(to: elements) { calls.objects($0, elements.indices) }
    let left = state.withLock { $0.isActive ? follow(objects, &$0) : [] }
    registry.endParts(left)
    hookJoined()
  }

  private var currentElements: [Element] {
    let (root, array) = state.withLock { ($0.root.object, $0.array) }
    switch reading {
    case .root, .array:
      // Safe: an array that is observed on its own is the root.
      let array = source == .root ? root : array
      return array.map { unsafeDowncast($0, to: ObservableArray<Element>.self).storage } ?? []
    case .values(let read):
      return root.flatMap { object in AccessTracker.withoutTracking { read(object) } } ?? []
    }
  }
}
