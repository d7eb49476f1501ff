/// What a change says; immutable.
@usableFromInline
final class ArrayChangeDetails<Element> {
  @usableFromInline let edit: ArrayEdit<Element>
  @usableFromInline let elements: [Element]
  @usableFromInline let oldElements: [Element]?
  @usableFromInline let elementValues: ElementValues?

  @inlinable
  init(
    _ edit: ArrayEdit<Element>, elements: [Element], oldElements: [Element]? = nil,
    elementValues: ElementValues? = nil
  ) {
    self.edit = edit
    self.elements = elements
    self.oldElements = oldElements
    self.elementValues = elementValues
  }
}

/// The old and the new value of a property of an element.
@usableFromInline
struct ElementValues {
  @usableFromInline let old: Any
  @usableFromInline let new: Any

  /// That of the property; names the key path.
  @usableFromInline let registration: ObservationRegistration

  @inlinable
  init(old: Any, new: Any, registration: ObservationRegistration) {
    self.old = old
    self.new = new
    self.registration = registration
  }
}

extension ArrayChangeDetails {
  /// Whether nothing of what was there before is taken to be there still.
  @inlinable var isOfEverything: Bool { edit.replaced != nil }

  /// Where the only element of the change is, and where it was, -1 if it was not there; `nil` for changes of
  /// others, and for moves.
  @inlinable var onlyPlace: (new: Int, old: Int)? {
    guard edit.index >= 0, edit.oldIndex < 0 || edit.kind == .element else { return nil }
    return (edit.index, edit.oldIndex)
  }

  /// Whether the change has the elements before it exactly if they were asked for.
  @inlinable
  func isAsAsked(for options: ObservationOptions) -> Bool {
    (oldElements != nil) == options.contains(.old) || edit.kind == .initial
  }

  /// The same with the elements before the change, or without. A change of an element leaves the
  /// array as it is.
  @inlinable
  func asAsked(for options: ObservationOptions) -> ArrayChangeDetails {
    ArrayChangeDetails(
      edit, elements: elements,
      oldElements: options.contains(.old) ? oldElements ?? elements : nil,
      elementValues: elementValues)
  }

  /// The elements before the change, whether somebody asked for them or not.
  var elementsBefore: [Element] {
    if let oldElements { return oldElements }
    if edit.kind == .initial { return elements }
    if let replaced = edit.replaced { return replaced }
    var elements = elements
    elements.apply(
      edit.entries(in: elements).map {
        ArrayChange.Entry(element: $0.element, oldIndex: $0.newIndex, newIndex: $0.oldIndex)
      })
    return elements
  }

  /// The array as it is when it begins to be observed.
  static func initial(_ elements: [Element]) -> ArrayChangeDetails {
    ArrayChangeDetails(
      ArrayEdit(.initial, at: -1, from: -1, replaced: []), elements: elements)
  }

  /// All elements set at once.
  static func setting(
    _ elements: [Element], replacing replaced: [Element]
  ) -> ArrayChangeDetails {
    ArrayChangeDetails(
      .setting(replacing: replaced), elements: elements, oldElements: replaced)
  }
}

/// The user's handler of an array's changes behind a reference, with its types; see
/// `ObservationHandler`.
@usableFromInline
final class ArrayHandler<Observer: AnyObject, Object: AnyObject, Element> {
  @usableFromInline let call: (Observer, Object, ArrayChange<Element>) -> Void

  @inlinable
  init(_ call: @escaping (Observer, Object, ArrayChange<Element>) -> Void) {
    self.call = call
  }

  /// Safe as `ObservationHandler.invocation` is; what an array sink delivers as new value are the
  /// details of an `ArrayChange` of the array's elements.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, registration, observer, object, delivery in
      // Not retained: whoever delivers holds it.
      let details = delivery.new.assumingMemoryBound(
        to: Unmanaged<ArrayChangeDetails<Element>>.self)
      details.pointee._withUnsafeGuaranteedRef { details in
        // Called in both cases: one name for either would retain it.
        func deliver(_ details: ArrayChangeDetails<Element>) {
          unsafeDowncast(handler, to: Self.self).call(
            unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
            ArrayChange(details))
        }
        let isAsAsked = details.isAsAsked(for: registration.options)
        if isAsAsked {
          deliver(details)
        } else {
          deliver(details.asAsked(for: registration.options))
        }
      }
    }
  }
}
