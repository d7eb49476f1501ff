/// A property of the elements of an array that one observation follows.
///
/// Elements whose property it is directly share one info: an element costs no more than its subject
/// and its place in the tables. Where the key path is nested or computed, or a subclass is in play,
/// each element has a path of its own.
@usableFromInline
final class ElementProperty {
  /// Of the key path; names it in the changes.
  @usableFromInline let registration: ObservationRegistration

  /// Evaluates the key path.
  let read: (AnyObject) -> ValueBox

  /// Evaluates the key path for the properties that it reads.
  let touch: (AnyObject) -> Void

  /// Reads a value of the type of the key path.
  @usableFromInline let value: (UnsafeRawPointer) -> Any

  /// Keeps such a value.
  let box: (UnsafeRawPointer) -> ValueBox

  /// Alive as long as the info, and so whenever a subject delivers to it.
  unowned let sink: ArraySink

  init<Element, Value>(
    _ keyPath: KeyPath<Element, Value>, of sink: ArraySink,
    _ request: ObservationRequest
  ) {
    self.sink = sink
    read = { ValueBox(ElementIdentity<Element>.element($0)[keyPath: keyPath]) }
    touch = { _ = ElementIdentity<Element>.element($0)[keyPath: keyPath] }
    value = { $0.assumingMemoryBound(to: Value.self).pointee }
    box = { ValueBox($0.assumingMemoryBound(to: Value.self).pointee) }
    let options: ObservationOptions =
      request.options.contains(.distinct) ? [.old, .distinct] : .old
    registration = ObservationRegistration(
      store: sink.store, request: request.part(keyPath, options: options),
      invoke: { property, _, _, element, delivery in
        // How paths of elements deliver; they have the property as handler.
        let property = unsafeDowncast(property, to: ElementProperty.self)
        var recipient = ObservationRecipient()
        property.sink.elementDidChange(element, at: property, delivery, recipient: &recipient)
      },
      areEqual: options.contains(.distinct) ? ValueEquality.forDistinct(of: Value.self) : nil
    )
  }
}

extension ElementProperty {
  /// The change of the property, as an `ArrayChange` reports it.
  @inlinable
  func change(of delivery: ObservationDelivery) -> ObservedChange<Any> {
    // There always is an old value: the options of the property include `.old`.
    let new = value(delivery.new)
    return ObservedChange(
      oldValue: delivery.old.map(value) ?? new, newValue: new, registration: registration,
      kind: .change)
  }
}

extension ArraySink {
  func read(_ info: ObservationInfo, of element: AnyObject) -> ValueBox? {
    // Safe: infos of properties of elements have these as their handlers.
    info.handler.map { unsafeDowncast($0, to: ElementProperty.self).read(element) }
  }
}

/// Follows the key path of one element.
final class ElementPath: PathObservation {
  /// Lets go of the path when the element leaves, or the observation ends.
  private let sink: ArraySink

  init(of element: AnyObject, _ accesses: PropertyAccesses, at property: ElementProperty) {
    sink = property.sink
    super.init(of: element, accesses, read: property.read)
  }

  override func rootWillGoLocked(_ info: ObservationInfo) -> SinkLoss {
    SinkLoss(freed: info.rootIdentity.map { sink.elementWillGoLocked($0) } ?? [])
  }
}
