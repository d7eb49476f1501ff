import Synchronization

/// Changes of elements that a view by groups has followed, for those who observe its arrays
/// together: with what came of each they are one change.
@usableFromInline
final class ElementFeed {
  /// Receives the key path, the element, and its place in the array by then; no key path if several
  /// properties may have changed.
  typealias Receiver = (AnyKeyPath?, _ element: AnyObject, _ place: Int) -> Void

  /// The properties that the view follows.
  let keyPaths: [AnyKeyPath]

  /// Whether there are receivers.
  @usableFromInline let isUsed = Atomic(false)

  /// By the array, in the order in which they came.
  private let receivers = Locked<[ObjectIdentifier: [(id: ObjectIdentifier, Receiver)]]>([:])

  @usableFromInline
  init(_ keyPaths: [AnyKeyPath]) { self.keyPaths = keyPaths }

  /// - Parameter id: Identity of what removes the receiver in its deinit, and retains the array.
  func add(_ id: ObjectIdentifier, of array: AnyObject, _ receiver: @escaping Receiver) {
    receivers.withLock { receivers in
      receivers[ObjectIdentifier(array), default: []].append((id, receiver))
      isUsed.store(true, ordering: .relaxed)
    }
  }

  func remove(_ id: ObjectIdentifier, of array: AnyObject) {
    let removed = receivers.withLock { receivers -> [(id: ObjectIdentifier, Receiver)]? in
      let all = receivers[ObjectIdentifier(array)]
      let others = all?.filter { $0.id != id } ?? []
      receivers[ObjectIdentifier(array)] = others.isEmpty ? nil : others
      isUsed.store(!receivers.isEmpty, ordering: .relaxed)
      return all
    }
    // Released outside of the lock.
    withExtendedLifetime(removed) {}
  }

  /// Passes on a change of an element. With no lock held.
  func send(_ keyPath: AnyKeyPath?, of element: AnyObject, at place: Int, in array: AnyObject) {
    let all = receivers.withLock { $0[ObjectIdentifier(array)] } ?? []
    for (_, receive) in all { receive(keyPath, element, place) }
  }
}
