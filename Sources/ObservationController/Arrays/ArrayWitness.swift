/// Operations on an observed array that depend on the type of its elements.
///
/// The closures capture nothing but a key path. Those that run for each change are made in
/// inlinable functions, and so compiled for the type where `observeArray` is called: code that is
/// not takes ten times as long. A box or an address of a change is one of an `ArrayChange` of the
/// type.
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

  /// The elements of the array that has been read, as an initial change.
  let elements: (ValueBox) -> ValueBox

  /// A change that leads from the elements before one change, if any, to those after another one:
  /// of a plain array the difference, if they can be compared. Any other sets all elements.
  let change: (_ old: ValueBox?, _ new: ValueBox) -> (box: ValueBox, isSetting: Bool)

  typealias Joining = (
    _ edit: ValueBox?, _ changes: [ValueBox], _ isSingle: Bool, _ keepsOld: Bool
  ) -> ValueBox?

  /// See `ArrayChange.joining` and `KeyedChange.joining`.
  let join: Joining

  /// Whether a change with old elements left the array as it was: no element can be told apart from
  /// the one that was there.
  let isSame: (ValueBox) -> Bool

  /// Whether elements may be objects or not.
  let areOptional: Bool

  /// Copies a change.
  let copier: ValueBox.Copier

  /// Summary of a change.
  let outline: (UnsafeRawPointer) -> ArrayWitness.Outline

  let elementChange: ElementChanging

  /// Place at which the search for an element begins.
  @usableFromInline
  struct Hint {
    /// Index at which it was found last; -1 if it is there several times.
    @usableFromInline let index: Int

    /// Index from which to search in both directions if it is not there.
    @usableFromInline let start: Int

    /// Whether to look no further than at the indices next to `start`.
    @usableFromInline var isGuess = false
  }

  /// Makes a change of the array from a change of an element, or of several; none if they have
  /// left, or a batch is under way, whose end the change waits for.
  ///
  /// - Parameters:
  ///   - elements: All that have changed; `nil` if it is the element alone.
  ///   - container: The `ObservableArray` that the element is in; for a plain array the observed
  ///     object.
  ///   - hint: Where the element may be.
  ///   - property: `nil` for several.
  ///   - receive: Receives the address of the change, and the index of the element: -1 for several.
  /// - Returns: `false` if the hint is a guess that the element is not near, and nothing has been
  ///   done.
  @usableFromInline
  typealias ElementChanging = (
    _ element: AnyObject, _ elements: Set<ObjectIdentifier>?, _ container: AnyObject, _ hint: Hint,
    _ property: ElementProperty?, _ change: ElementChange,
    _ receive: (UnsafeRawPointer, Int) -> Void
  ) -> Bool

  /// Of a collection that is no array.
  init(
    source: Source, read: @escaping (AnyObject) -> ValueBox,
    elements: @escaping (ValueBox) -> ValueBox,
    change: @escaping (_ old: ValueBox?, _ new: ValueBox) -> (box: ValueBox, isSetting: Bool),
    join: @escaping Joining, isSame: @escaping (ValueBox) -> Bool, areOptional: Bool,
    copier: ValueBox.Copier,
    outline: @escaping (UnsafeRawPointer) -> ArrayWitness.Outline,
    elementChange: @escaping ElementChanging
  ) {
    (self.source, self.read, self.elements, self.change) = (source, read, elements, change)
    (self.isSame, self.areOptional, self.copier) = (isSame, areOptional, copier)
    (self.outline, self.elementChange, self.join) = (outline, elementChange, join)
  }

  /// Adds the operations that need not be fast.
  @usableFromInline
  init<Element>(
    of type: Element.Type, _ source: Source, read: @escaping (AnyObject) -> ValueBox,
    copier: ValueBox.Copier, outline: @escaping (UnsafeRawPointer) -> ArrayWitness.Outline,
    elementChange: @escaping ElementChanging
  ) {
    // Changes and arrays come from where elements are of this type.
    typealias Change = ArrayChange<Element>
    func typed(_ box: ValueBox) -> Change { box.value(as: Change.self) }
    (self.source, self.read, self.copier) = (source, read, copier)
    (self.outline, self.elementChange) = (outline, elementChange)
    areOptional = type is any OptionalValue.Type
    elements = { value in
      let elements =
        source == .values
        ? value.value(as: [Element]?.self)
        : value.value(as: AnyObject?.self).map {
          unsafeDowncast($0, to: ObservableArray<Element>.self).storage
        }
      return ValueBox(Change(ArrayEdit(.initial, replaced: []), elements: elements ?? []))
    }
    change = { old, new in
      let (before, after) = (old.map { typed($0).elementsBefore }, typed(new).elements)
      var edit = ArrayEdit<Element>(.setting, replaced: before ?? [])
      if source == .values, let before,
        let origins = ElementIdentity.origins(of: after, in: before)
      {
        let entries = Change.Entry.leading(from: before, to: after, origins: origins)
        edit = ArrayEdit(Change.Kind(of: entries), entries)
      }
      return (
        ValueBox(Change(edit, elements: after, before: before ?? [])), edit.kind == .setting
      )
    }
    join = { edit, changes, isSingle, keepsOld in
      Change.joining(
        edit.map(typed), with: changes.map(typed), isSingle: isSingle, keepsOld: keepsOld
      ).map { ValueBox($0) }
    }
    isSame = { change in
      let new = typed(change).elements
      guard let old = typed(change).elementsBeforeEdit, old.count == new.count,
        typed(change).edit.changed.isEmpty
      else { return false }
      return old.elementsEqual(new, by: ElementIdentity.areSame)
    }
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
      copier: ValueBox.Copier(ArrayChange<Element>.self), outline: ArrayChange<Element>.outline,
      elementChange: { element, elements, container, hint, property, change, receive in
        // Safe: a sink of an `ObservableArray` has no other container.
        let array = unsafeDowncast(container, to: ObservableArray<Element>.self)
        guard array.batch == nil else {
          array.hold(change, of: element, at: property)
          return true
        }
        return ArrayChange.changing(
          element, or: elements, in: array.storage, near: hint, property, change, receive)
      })
  }

  @inlinable
  static func values<Element>(_ read: @escaping (AnyObject) -> [Element]?) -> ArrayWitness {
    ArrayWitness(
      of: Element.self, .values, read: { ValueBox(read($0)) },
      copier: ValueBox.Copier(ArrayChange<Element>.self), outline: ArrayChange<Element>.outline,
      elementChange: { element, elements, container, hint, property, change, receive in
        ArrayChange.changing(
          element, or: elements, in: read(container) ?? [], near: hint, property, change, receive)
      })
  }

  /// Entries of a change of an array, with the objects that its elements are, `nil` for values; of
  /// one that sets all elements those after it alone.
  @usableFromInline
  typealias Outline = (isOfEverything: Bool, entries: [ArrayChange<AnyObject?>.Entry])
}

extension ArrayChange {
  /// - Parameter address: That of a change of this type.
  @inlinable
  static func outline(at address: UnsafeRawPointer) -> ArrayWitness.Outline {
    let change = address.assumingMemoryBound(to: Self.self)
    let isOfEverything = change.pointee.isOfEverything
    let entries =
      isOfEverything
      ? Entry.replacing([], with: change.pointee.elements) : change.pointee.entries
    return (isOfEverything, entries.map { $0.with(ElementIdentity.object(of: $0.element)) })
  }

  /// Makes a change of the array from a change of an element; see `ArrayWitness.ElementChanging`.
  ///
  /// - Complexity: O(1) if the element is where it was found last, or has moved as far as the one
  ///   found before it; else O(d) in the distance; O(n) if there are several places.
  @inlinable
  static func changing(
    _ element: AnyObject, or objects: Set<ObjectIdentifier>?, in elements: consuming [Element],
    near hint: ArrayWitness.Hint,
    _ property: ElementProperty?, _ values: ElementChange,
    _ receive: (UnsafeRawPointer, Int) -> Void
  ) -> Bool {
    guard let index = ElementIdentity.index(of: element, in: elements, near: hint) else {
      guard !hint.isGuess else { return false }
      let (objects, elements) = (objects ?? [ObjectIdentifier(element)], copy elements)
      let places = elements.indices.filter {
        ElementIdentity.object(of: elements[$0]).map { objects.contains(ObjectIdentifier($0)) }
          ?? false
      }
      guard let first = places.first else { return true }
      let entries = places.map { Entry(element: elements[$0], oldIndex: $0, newIndex: $0) }
      let new = ArrayChange(ArrayEdit(.element, entries), elements: elements, of: property, values)
      withUnsafePointer(to: new) { receive($0, places.count == 1 ? first : -1) }
      return true
    }
    // Lent as `LentChange` is: the caller holds the property and the values, which count no
    // reference here; the change is not destroyed, but for its elements.
    _withUnprotectedUnsafeTemporaryAllocation(of: ArrayChange.self, capacity: 1) { place in
      let change = place.baseAddress.unsafelyUnwrapped
      change.initialize(
        to: ArrayChange(
          ArrayEdit(.element, at: index, from: index), elements: [],
          of: property.map { Unmanaged.passUnretained($0).takeRetainedValue() },
          withUnsafePointer(to: values) {
            ObservationDelivery.LentChange<ElementChange>.lend($0)
          }))
      swap(&change.pointee.storage, &elements)
      receive(change, index)
      swap(&change.pointee.storage, &elements)
    }
    return true
  }
}
