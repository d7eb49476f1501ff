/// Holds an object weakly, behind a reference.
final class WeakReference {
  let identity: ObjectIdentifier
  private(set) weak var object: AnyObject?

  init(_ object: AnyObject) {
    identity = ObjectIdentifier(object)
    self.object = object
  }
}

/// Set once, in `init`; reading a weak reference is safe on any thread.
extension WeakReference: @unchecked Sendable {}
