/// What a follower has to do with elements of a certain type for each change.
///
/// The closures capture nothing but a key path. They are made in an inlinable function, and so
/// compiled for the type where `observeArray` is called: code that is not takes ten times as long.
/// Objects and pointers are what each closure says.
@usableFromInline
struct ArrayCalls {
  /// The objects of some elements of an `[Element]`.
  let objects: (UnsafeRawPointer, Range<Int>) -> [AnyObject?]

  /// What a change did, from `ArrayChangeDetails<Element>`.
  let outline: (AnyObject) -> ArrayOutline

  /// Makes `ArrayChangeDetails<Element>` of a change of an element.
  let elementChange: ElementEvent.Maker

  @usableFromInline
  init(
    objects: @escaping (UnsafeRawPointer, Range<Int>) -> [AnyObject?],
    outline: @escaping (AnyObject) -> ArrayOutline,
    elementChange: @escaping ElementEvent.Maker
  ) {
    self.objects = objects
    self.outline = outline
    self.elementChange = elementChange
  }

  /// - Parameter read: Evaluates the key path to a plain array; `nil` for an `ObservableArray`.
  @inlinable
  init<Element>(for type: Element.Type, reading read: ((AnyObject) -> [Element]?)?) {
    self.init(
      objects: { elements, range in
        ElementIdentity.objects(
          of: elements.assumingMemoryBound(to: [Element].self).pointee[range])
      },
      outline: { change in
        unsafeDowncast(change, to: ArrayChangeDetails<Element>.self).outline
      },
      elementChange: { element, container, position, property, delivery in
        if let read {
          return ElementEvent.change(
            of: element, in: read(container) ?? [], at: position, property, delivery)
        }
        // Safe: a follower of an `ObservableArray` has no other container.
        let array = unsafeDowncast(container, to: ObservableArray<Element>.self)
        guard !array.isInBatch else { return .early }
        return ElementEvent.change(
          of: element, in: array.storage, at: position, property, delivery)
      })
  }
}

/// What a change did to an array, by the objects that its elements are; `nil` for values.
@usableFromInline
struct ArrayOutline {
  @usableFromInline typealias Entry = ArrayChange<AnyObject?>.Entry

  /// What happened where; `nil` if all elements are new.
  let entries: [Entry]?

  /// How many elements there are after the change.
  let count: Int

  /// The objects of all of them.
  let objects: () -> [AnyObject?]

  @usableFromInline
  init(entries: [Entry]?, count: Int, objects: @escaping () -> [AnyObject?]) {
    self.entries = entries
    self.count = count
    self.objects = objects
  }
}

extension ArrayChangeDetails {
  @inlinable
  var outline: ArrayOutline {
    let entries = isOfEverything ? nil : edit.entries(in: elements).map(\.ofObject)
    return ArrayOutline(entries: entries, count: elements.count) {
      ElementIdentity.objects(of: self.elements[...])
    }
  }
}

extension ArrayChange.Entry {
  @inlinable
  var ofObject: ArrayOutline.Entry {
    ArrayOutline.Entry(
      element: ElementIdentity.object(of: element), oldIndex: oldIndex, newIndex: newIndex)
  }
}
