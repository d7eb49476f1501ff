/// Identity of elements of a plain array: by reference for objects, else by `==`.
///
/// An element that is equal to an old one, but can be told apart from it, takes its place as a
/// replacement.
@usableFromInline
enum ElementIdentity<Element> {
  /// For each element of `new`, the index of the same element in `old`, each used once: what is the
  /// same at both ends, and in between the first of several first; -1 for elements that are new, or
  /// can be told apart from the one that they are equal to.
  ///
  /// - Returns: `nil` if the elements are neither objects nor `Hashable`.
  /// - Complexity: O(n).
  static func origins(of new: [Element], in old: [Element]) -> [Int]? {
    if let objects = allObjects(in: new), let oldObjects = allObjects(in: old) {
      return origins(of: objects, in: oldObjects)
    }

    func opened<Key: Hashable>(_ type: Key.Type) -> [Int] {
      // Safe: it is the type of the elements. A checked cast looks at each of them.
      origins(of: unsafeBitCast(new, to: [Key].self), in: unsafeBitCast(old, to: [Key].self))
    }
    // Equal ones are the same if their bits are all there is.
    return (Element.self as? any Hashable.Type).map {
      ValueComparison.of(Element.self).isBitwise
        ? opened($0) : leavingOutOthers(opened($0), new, old)
    }
  }

  /// Takes out the origins of elements that can be told apart from the one there.
  @usableFromInline
  static func leavingOutOthers(
    _ origins: [Int], _ new: [Element], _ old: [Element]
  ) -> [Int] {
    let comparison = ValueComparison.of(Element.self)
    return new.withUnsafeBufferPointer { new in
      old.withUnsafeBufferPointer { old in
        guard let new = new.baseAddress, let old = old.baseAddress else { return origins }
        return origins.enumerated().map { index, origin in
          origin < 0 || comparison.areSame(old + origin, new + index) ? origin : -1
        }
      }
    }
  }

  /// The object that an element is; `nil` if it is a value.
  @inlinable
  static func object(of element: Element) -> AnyObject? {
    // Cast bit by bit where it is a reference: a checked cast takes ten times as long.
    if Element.self is AnyClass { return unsafeBitCast(element, to: AnyObject.self) }
    return objectInside(element)
  }

  /// Whether an element is an object.
  @inlinable
  static func isElement(of elements: [Element], at index: Int, _ object: AnyObject) -> Bool {
    if Element.self is AnyClass {
      // Compared in place: a copy of the element counts references.
      return elements.withUnsafeBufferPointer {
        UnsafeRawPointer($0.baseAddress! + index).load(as: UnsafeRawPointer.self)
          == UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
      }
    }
    return objectInside(elements[index]) === object
  }

  /// The place of an object that is there once.
  ///
  /// - Returns: `nil` if the index of the hint is negative, or the object is not near a guess.
  /// - Complexity: O(1) if it is at that index; else O(d) in the distance from where to search.
  @inlinable
  static func index(
    of object: AnyObject, in elements: [Element], near hint: ArrayWitness.Hint
  ) -> Int? {
    guard hint.index >= 0 else { return nil }
    if hint.index < elements.count, isElement(of: elements, at: hint.index, object) {
      return hint.index
    }
    let start = min(max(hint.start, 0), elements.count)
    for distance in 0...(hint.isGuess ? 1 : max(start, elements.count - start)) {
      let (low, high) = (start - distance, start + distance)
      if high < elements.count, isElement(of: elements, at: high, object) { return high }
      if low >= 0, low < elements.count, isElement(of: elements, at: low, object) { return low }
    }
    return nil
  }

  /// The object in an optional or an existential; `nil` if there is none.
  @usableFromInline
  static func objectInside(_ element: Element) -> AnyObject? {
    guard let value = unwrapped(element), type(of: value) is AnyClass else { return nil }
    return value as AnyObject
  }

  /// The element that an object of `object(of:)` is.
  static func element(_ object: AnyObject) -> Element {
    if Element.self is AnyClass { return unsafeBitCast(object, to: Element.self) }
    // Never fails: the object has been an element.
    return object as! Element
  }

  /// Whether an element may stay in place of another one: they cannot be told apart. `false` for
  /// types that cannot be compared.
  @usableFromInline
  static var areSame: (Element, Element) -> Bool {
    let areSame = ValueEquality.forReplaying(of: Element.self)
    return { ValueEquality.areSame($0, $1) { areSame } }
  }

  /// The identities of all elements; `nil` unless all of them are objects, or `nil` in the place of
  /// one.
  static func allObjects(in elements: [Element]) -> [ObjectIdentifier?]? {
    var identities: [ObjectIdentifier?] = []
    identities.reserveCapacity(elements.count)
    var mayBeInstance: Bool?
    for element in elements {
      let object = object(of: element)
      if object == nil {
        mayBeInstance = mayBeInstance ?? ValueEquality.mayBeInstance(Element.self)
        guard mayBeInstance == true, unwrapped(element) == nil else { return nil }
      }
      identities.append(object.map { ObjectIdentifier($0) })
    }
    return identities
  }

  private static func origins<Key: Hashable>(of new: [Key], in old: [Key]) -> [Int] {
    // Equal ends are left out: most changes are small.
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var tail = 0
    while tail < shorter - start, old[old.count - 1 - tail] == new[new.count - 1 - tail] {
      tail += 1
    }

    var matching = KeyMatching(old[start..<old.count - tail]) { $0 }
    return new.indices.map { index in
      if index < start { return index }
      if index >= new.count - tail { return index - new.count + old.count }
      return matching.takeIndex(of: new[index])
    }
  }
}

/// A property of the elements of an array that one observation follows.
///
/// Elements whose property it is directly share one info: an element costs no more than its subject
/// and its place in the tables. Where the key path is nested or computed, or a subclass is in play,
/// each element has a path of its own.
@usableFromInline
final class ElementProperty {
  /// Of the key path; names it in the changes.
  @usableFromInline let registration: ObservationRegistration

  /// Reads a value of the type of the key path.
  @usableFromInline let value: (UnsafeRawPointer) -> Any

  /// Whether the observation has asked for the elements before each change.
  @usableFromInline let keepsOld: Bool

  /// Alive as long as the info, and so whenever a subject delivers to it; `nil` in a change that
  /// was made by hand, to which nothing delivers.
  private let unretainedSink: Unmanaged<ArraySink>?

  /// - Parameter valueType: That of the key path, opened.
  init<Element, Value>(
    _ keyPath: PartialKeyPath<Element>, _ valueType: Value.Type, of sink: ArraySink,
    _ request: ObservationRequest
  ) {
    // Safe: every key path from `Element` to values of this type is a `KeyPath<Element, Value>`.
    let keyPath = unsafeDowncast(keyPath, to: KeyPath<Element, Value>.self)
    unretainedSink = .passUnretained(sink)
    let access = KeyPathAccess { use, element, place in
      guard let element, let place else { return keyPath }
      KeyPathAccess.put(
        ElementIdentity<Element>.element(element)[keyPath: keyPath], to: use, at: place)
      return nil
    }
    value = { $0.load(as: Value.self) }
    keepsOld = request.options.contains(.old)
    let options = request.options.intersection(.distinct).union(.old)
    registration = ObservationRegistration(
      store: sink.store, request: request.part(access, options: options), valueType: Value.self,
      invoke: { property, _, receiver, element, delivery in
        // The info of all elements and their paths have the property as handler.
        let property = unsafeDowncast(property, to: ElementProperty.self)
        property.unretainedSink.unsafelyUnwrapped._withUnsafeGuaranteedRef {
          $0.elementDidChange(element, at: property, delivery, by: receiver)
        }
      })
  }

  /// Names a key path in a change that was made by hand.
  init(_ registration: ObservationRegistration, keepsOld: Bool) {
    (self.registration, self.keepsOld) = (registration, keepsOld)
    (value, unretainedSink) = ({ _ in () }, nil)
  }
}

extension ElementProperty {
  var sink: ArraySink { unretainedSink.unsafelyUnwrapped.takeUnretainedValue() }

  /// Evaluates the key path.
  func read(_ element: AnyObject) -> ValueBox { registration.request.access.box(element) }

  /// Follows the key path of one element.
  final class Path: PathObservation {
    /// Lets go of the path when the element leaves, or the observation ends.
    private let sink: ArraySink
    private let element: ObjectIdentifier

    init(of element: AnyObject, at property: ElementProperty) {
      (sink, self.element) = (property.sink, ObjectIdentifier(element))
      super.init(property.registration, from: element)
    }

    /// The element is deallocated while it is in the array, and so with the array.
    override func rootWillDeallocate(of info: ObservationInfo) {
      sink.store.endParts(sink.state.withLock { $0.elements.forget(element) })
    }

    override func hold() {
      super.hold()
      sink.noteHeld()
    }

    override func beginMutation(of owner: ObjectIdentifier) { sink.beginMutation(of: element) }

    override func endMutation(of owner: ObjectIdentifier) { sink.endMutation(of: element) }

    override func deliverPostponed() { sink.deliverPostponed() }

    override var joiner: (any Sink)? { sink }

    /// Delivers what the array has joined too, if the path is reached first.
    override func deliver(
      _ info: ObservationInfo, through id: UInt64, to recipient: inout ObservationRecipient
    ) {
      super.deliver(info, through: id, to: &recipient)
      if sink.hasJoined(as: id) { sink.deliver(through: id, recipient: &recipient) }
    }
  }
}

/// As `PathObservation`.
extension ElementProperty.Path: @unchecked Sendable {}
