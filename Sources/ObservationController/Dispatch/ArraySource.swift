/// What leads from an observed object to the elements of an array, when it is registered.
///
/// The closures hold nothing but a key path, and are only called with the object that it is of.
@usableFromInline
enum ArraySource<Element> {
  /// Nothing: the array is the observed object itself.
  case root

  /// A key path to an `ObservableArray`.
  case array((AnyObject) -> ObservableArray<Element>?)

  /// A key path to a plain array.
  case values((AnyObject) -> [Element]?)
}

extension ArraySource {
  /// What was found when the source was read for the first time.
  struct FirstReading {
    let accesses: PropertyAccesses
    let array: ObservableArray<Element>?
    let values: [Element]

    var isObservable: Bool { accesses.first != nil || array != nil }
  }

  /// Reads the source under an access tracker.
  func read(_ object: AnyObject) -> FirstReading {
    var (array, values): (ObservableArray<Element>?, [Element]) = (nil, [])
    var accesses = PropertyAccesses()
    switch self {
    case .root:
      // Safe: an array that is observed on its own is the object.
      array = unsafeDowncast(object, to: ObservableArray<Element>.self)
    case .array(let read):
      accesses = AccessTracker.track { array = read(object) }
    case .values(let read):
      accesses = AccessTracker.track { values = read(object) ?? [] }
    }
    return FirstReading(accesses: accesses, array: array, values: values)
  }

  /// The same when no batch of the array has anything to tell: who comes in the middle of a batch is
  /// told what comes from now on, and the others what came before.
  func readSettled(_ object: AnyObject) -> FirstReading {
    var first = read(object)
    var rounds = 0
    while let batch = first.array?.batch, batch.hasUntold,
      rounds < ObservationDispatcher.maximumRounds
    {
      rounds += 1
      first.array?.flushBatch()
      // The handlers may have changed what the source leads to.
      first = read(object)
    }
    return first
  }

  @inlinable
  var calls: ArrayCalls {
    if case .values(let read) = self {
      ArrayCalls(for: Element.self, reading: read)
    } else {
      ArrayCalls(for: Element.self, reading: nil)
    }
  }

  var kind: ArrayFollower.Source {
    switch self {
    case .root: .root
    case .array: .array
    case .values: .values
    }
  }

  /// What follows the key path; `nil` if it reads no property, or there is none.
  func path(
    of object: AnyObject, _ accesses: PropertyAccesses, for observation: ArrayObservation<Element>
  ) -> ArrayPath? {
    guard accesses.first != nil else { return nil }
    // The path keeps the observation alive itself. The pointers lead to what `read` has boxed.
    switch self {
    case .root:
      return nil
    case .array(let read):
      let evaluate = { ValueBox(read($0)) }
      return ArrayPath(of: object, accesses, follower: observation, read: evaluate) {
        [unowned observation] old, new, id in
        let type = ObservableArray<Element>?.self
        observation.arrayDidChange(
          from: old.assumingMemoryBound(to: type).pointee,
          to: new.assumingMemoryBound(to: type).pointee, id: id)
      }
    case .values(let read):
      let evaluate = { ValueBox(read($0)) }
      return ArrayPath(of: object, accesses, follower: observation, read: evaluate) {
        [unowned observation] old, new, id in
        let type = [Element]?.self
        observation.valuesDidChange(
          from: old.assumingMemoryBound(to: type).pointee ?? [],
          to: new.assumingMemoryBound(to: type).pointee ?? [], id: id)
      }
    }
  }
}
