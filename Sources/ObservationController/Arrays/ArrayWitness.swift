/// Operations on an observed array that depend on the type of its elements.
///
/// The closures capture nothing but a key path. Those that run for each change are made in
/// inlinable functions, and so compiled for the type where `observeArray` is called: code that is
/// not takes ten times as long. A change is an `ArrayChangeDetails` of the type, as `AnyObject`.
@usableFromInline
struct ArrayWitness {
  /// Way from the observed object to the elements.
  @usableFromInline
  enum Source {
    /// Nothing: the array is the observed object itself.
    case root

    /// A key path to an `ObservableArray`.
    case array

    /// A key path to a plain array.
    case values
  }

  let source: Source

  /// Evaluates the key path: to an `AnyObject?`, which is an `ObservableArray`; for a plain array
  /// to an `[Element]?`.
  let read: (AnyObject) -> ValueBox

  /// The elements of the array at an address that `read` has filled, as an initial change.
  let elements: (UnsafeRawPointer) -> AnyObject

  /// A change that sets the elements after a change, in place of those before another one, if any.
  let setting: (AnyObject, _ replaced: AnyObject?) -> AnyObject

  /// The change from some elements to others; `nil` if they can't be compared.
  let difference: (AnyObject, AnyObject) -> AnyObject?

  /// Whether a change with old elements left the array equal to what it was.
  let isEqual: (AnyObject) -> Bool

  /// Whether elements may be objects or not.
  let areOptional: Bool

  /// Summary of a change.
  let outline: (AnyObject) -> ArrayWitness.Outline

  let elementChange: ElementChanging

  /// Makes one change of changes of elements of an `ObservableArray`; `nil` if none of them is
  /// there.
  let elementsChange: (AnyObject, Set<ObjectIdentifier>) -> AnyObject?

  /// Where to look for an element.
  @usableFromInline
  struct Hint {
    /// Index at which it was found last; -1 if it is there several times.
    @usableFromInline var index: Int

    /// Index from which to search in both directions if it is not there.
    @usableFromInline var start: Int

    /// Whether to look no further than at the indices next to `start`.
    @usableFromInline var isGuess = false
  }

  /// Makes a change of the array from a change of an element; `nil` if the element has left, or a
  /// batch is under way, whose end the change waits for.
  ///
  /// - Parameters:
  ///   - container: The `ObservableArray` that the element is in; for a plain array the observed
  ///     object.
  ///   - hint: Receives where the element is. Stays a guess where the element is not near it, and
  ///     nothing has been done.
  @usableFromInline
  typealias ElementChanging = (
    _ element: AnyObject, _ container: AnyObject, _ hint: inout Hint,
    _ change: () -> ElementChange
  ) -> AnyObject?

  /// Adds the operations that need not be fast.
  @usableFromInline
  init<Element>(
    of type: Element.Type, _ source: Source, read: @escaping (AnyObject) -> ValueBox,
    outline: @escaping (AnyObject) -> ArrayWitness.Outline,
    elementChange: @escaping ElementChanging,
    elementsChange: @escaping (AnyObject, Set<ObjectIdentifier>) -> AnyObject? = { _, _ in nil }
  ) {
    typealias Details = ArrayChangeDetails<Element>
    // The casts are safe: changes and arrays come from where elements are of this type.
    func details(_ change: AnyObject) -> Details { unsafeDowncast(change, to: Details.self) }
    (self.source, self.read, self.outline) = (source, read, outline)
    (self.elementChange, self.elementsChange) = (elementChange, elementsChange)
    areOptional = type is any OptionalValue.Type
    elements = { address in
      let elements =
        source == .values
        ? address.assumingMemoryBound(to: [Element]?.self).pointee
        : address.assumingMemoryBound(to: AnyObject?.self).pointee.map {
          unsafeDowncast($0, to: ObservableArray<Element>.self).elements
        }
      return Details(ArrayEdit(.initial, replaced: []), elements: elements ?? [])
    }
    setting = { change, replaced in
      let replaced = replaced.map { details($0).elementsBefore } ?? []
      return Details(
        ArrayEdit(.setting, replaced: replaced), elements: details(change).elements,
        oldElements: replaced)
    }
    difference = { Details.difference(from: details($0).elements, to: details($1).elements) }
    isEqual = { details($0).isEqual }
  }
}

extension ArrayWitness {
  /// - Parameter source: `.root` for an array that is observed on its own.
  @inlinable
  static func array<Element>(
    _ source: Source = .array, _ read: @escaping (AnyObject) -> ObservableArray<Element>?
  ) -> ArrayWitness {
    ArrayWitness(
      of: Element.self, source, read: { ValueBox(read($0) as AnyObject?) },
      outline: ArrayChangeDetails<Element>.outline,
      elementChange: { element, container, hint, change in
        // Safe: a sink of an `ObservableArray` has no other container.
        let array = unsafeDowncast(container, to: ObservableArray<Element>.self)
        guard !array.isInBatch else {
          array.hold(change(), of: element)
          hint.isGuess = false
          return nil
        }
        return ArrayChangeDetails.elementChange(
          of: element, in: array.storage, near: &hint, change)
      },
      elementsChange: { container, objects in
        let array = unsafeDowncast(container, to: ObservableArray<Element>.self)
        return ArrayChangeDetails.elementsChange(of: objects, in: array.storage)
      })
  }

  @inlinable
  static func values<Element>(_ read: @escaping (AnyObject) -> [Element]?) -> ArrayWitness {
    ArrayWitness(
      of: Element.self, .values, read: { ValueBox(read($0)) },
      outline: ArrayChangeDetails<Element>.outline,
      elementChange: { element, container, hint, change in
        ArrayChangeDetails.elementChange(
          of: element, in: read(container) ?? [], near: &hint, change)
      })
  }

  /// Entries of a change of an array, with the objects that its elements are, `nil` for values; of
  /// one that sets all elements those after it alone.
  @usableFromInline
  typealias Outline = (isOfEverything: Bool, entries: [ArrayChange<AnyObject?>.Entry])
}

extension ArrayChangeDetails {
  /// - Parameter change: Details of this type.
  @inlinable
  static func outline(of change: AnyObject) -> ArrayWitness.Outline {
    let change = unsafeDowncast(change, to: Self.self)
    let entries =
      change.isOfEverything
      ? ArrayChange.Entry.replacing([], with: change.elements)
      : change.edit.entries(in: change.elements)
    return (
      change.isOfEverything,
      entries.map { entry in
        ArrayChange.Entry(
          element: ElementIdentity.object(of: entry.element), oldIndex: entry.oldIndex,
          newIndex: entry.newIndex)
      }
    )
  }

  /// - Parameters:
  ///   - hint: Receives where the element is; see `ArrayWitness.ElementChanging`.
  ///   - change: Makes the change, which is not copied so.
  /// - Complexity: O(1) if the element is where it was found last, or has moved as far as the one
  ///   found before it; else O(d) in the distance; O(n) if there are several places.
  @inlinable
  static func elementChange(
    of element: AnyObject, in elements: consuming [Element], near hint: inout ArrayWitness.Hint,
    _ change: () -> ElementChange
  ) -> ArrayChangeDetails? {
    guard let index = ElementIdentity.index(of: element, in: elements, near: hint) else {
      guard !hint.isGuess else { return nil }
      let change = elementsChange(of: [ObjectIdentifier(element)], in: elements, change())
      hint.index = change?.edit.index ?? hint.index
      return change
    }
    (hint.index, hint.isGuess) = (index, false)
    return ArrayChangeDetails(
      ArrayEdit(.element, at: index, from: index), elements: elements, elementChange: change())
  }

  /// - Complexity: O(n).
  @inlinable
  static func elementsChange(
    of objects: Set<ObjectIdentifier>, in elements: [Element], _ change: ElementChange = .none
  ) -> ArrayChangeDetails? {
    var entries: [ArrayChange<Element>.Entry] = []
    for (index, element) in elements.enumerated() {
      guard let object = ElementIdentity.object(of: element),
        objects.contains(ObjectIdentifier(object))
      else { continue }
      entries.append(ArrayChange.Entry(element: element, oldIndex: index, newIndex: index))
    }
    guard let first = entries.first?.newIndex else { return nil }
    let only = entries.count == 1 ? first : -1
    return ArrayChangeDetails(
      ArrayEdit(.element, entries, at: only, from: only), elements: elements, elementChange: change)
  }

  /// - Returns: `nil` if the elements can't be compared.
  fileprivate static func difference(from old: [Element], to new: [Element]) -> Self? {
    guard let origins = ElementIdentity.origins(of: new, in: old) else { return nil }
    let entries = ArrayChange.Entry.leading(oldCount: old.count, new: new, origins: origins) {
      old[$0]
    }
    return Self(
      ArrayEdit(ArrayChange<Element>.Kind(of: entries), entries), elements: new, oldElements: old)
  }

  fileprivate var isEqual: Bool {
    guard let oldElements, oldElements.count == elements.count,
      let areEqual = ElementIdentity<Element>.equality
    else { return false }
    return zip(oldElements, elements).allSatisfy(areEqual)
  }
}
