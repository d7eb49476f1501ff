/// Where a witness finds the array: read by the key path of the call, whose type says of which
/// object.
extension ArrayWitness {
  /// The array at a key path of the observed object.
  @inlinable
  static func array<Object: AnyObject, Element>(
    at keyPath: KeyPath<Object, ObservableArray<Element>>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    array { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }

  /// An array that may be missing.
  @inlinable
  static func array<Object: AnyObject, Element>(
    at keyPath: KeyPath<Object, ObservableArray<Element>?>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    array { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }

  /// An array that is the observed object itself.
  @inlinable
  static func array<Element>(itself type: ObservableArray<Element>.Type) -> ArrayWitness {
    // Safe: it is only read for that.
    array(.root) { unsafeDowncast($0, to: type) }
  }

  /// The plain array at a key path of the observed object.
  @inlinable
  static func values<Object: AnyObject, Element>(
    at keyPath: KeyPath<Object, [Element]>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    values { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }

  /// A plain array that may be missing.
  @inlinable
  static func values<Object: AnyObject, Element>(
    at keyPath: KeyPath<Object, [Element]?>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    values { unsafeDowncast($0, to: Object.self)[keyPath: keyPath] }
  }
}
