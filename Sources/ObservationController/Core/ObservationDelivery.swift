/// One change on its way to the handlers, its values behind pointers.
///
/// Erasing the values keeps the whole way from subject to handler free of generics: one compiled
/// loop serves every property, and only the handler's own closure, specialised where `observe` is
/// called, reads the pointers as the type they have.
@usableFromInline
struct ObservationDelivery {
  @usableFromInline
  enum Kind: UInt8, Sendable {
    case initial, prior, change
  }

  /// The value before the change; `nil` where there is none or nobody asked for it.
  @usableFromInline let old: UnsafeRawPointer?

  /// The value to deliver as new. Both pointers are valid until the handler returns.
  @usableFromInline let new: UnsafeRawPointer

  @usableFromInline let kind: Kind

  @inlinable
  init(old: UnsafeRawPointer?, new: UnsafeRawPointer, kind: Kind) {
    self.old = old
    self.new = new
    self.kind = kind
  }

  /// The same without the old value, for an info that did not ask for it.
  @inline(__always)
  func limited(to traits: ObservationInfo.Traits) -> ObservationDelivery {
    ObservationDelivery(old: traits.contains(.old) ? old : nil, new: new, kind: kind)
  }

  /// The typed change for the handler registered at `registration`.
  ///
  /// Safe because the pointers come from values of the type that the key path of `registration` names.
  @inlinable
  func change<Value>(of type: Value.Type, at registration: ObservationRegistration)
    -> ObservedChange<Value>
  {
    ObservedChange(
      oldValue: old.map { $0.assumingMemoryBound(to: Value.self).pointee },
      newValue: new.assumingMemoryBound(to: Value.self).pointee,
      registration: registration, kind: kind)
  }
}
