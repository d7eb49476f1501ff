/// The user's handler of an array's changes behind a reference, with its types; see
/// `ObservationHandler`.
@usableFromInline
final class ArrayHandler<Observer: AnyObject, Object: AnyObject, Element> {
  @usableFromInline let call: (Observer, Object, ArrayChange<Element>) -> Void

  @inlinable
  init(_ call: @escaping (Observer, Object, ArrayChange<Element>) -> Void) {
    self.call = call
  }

  /// Safe as `ObservationHandler.invocation` is; what an array's follower delivers as new value are
  /// the details of an `ArrayChange` of the array's elements.
  @inlinable
  static var invocation: ObservationInvocation {
    { handler, site, observer, object, delivery in
      // Not retained: whoever delivers holds it.
      let details = delivery.new.assumingMemoryBound(
        to: Unmanaged<ArrayChangeDetails<Element>>.self)
      details.pointee._withUnsafeGuaranteedRef { details in
        if details.isAsAsked(for: site.options) {
          unsafeDowncast(handler, to: Self.self).call(
            unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
            ArrayChange(details))
        } else {
          unsafeDowncast(handler, to: Self.self).call(
            unsafeDowncast(observer, to: Observer.self), unsafeDowncast(object, to: Object.self),
            ArrayChange(details.asAsked(for: site.options)))
        }
      }
    }
  }
}
