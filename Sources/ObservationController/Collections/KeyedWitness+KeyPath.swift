/// Where a witness finds the dictionary or set: read by the key path of the call, whose type says
/// of which object.
extension ArrayWitness {
  /// The collection at a key path of the observed object.
  @inlinable
  static func keyed<Object: AnyObject, Collection: KeyedCollection>(
    at keyPath: KeyPath<Object, Collection>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    keyed { (object) -> Collection? in unsafeDowncast(object, to: Object.self)[keyPath: keyPath] }
  }

  /// A collection that may be missing.
  @inlinable
  static func keyed<Object: AnyObject, Collection: KeyedCollection>(
    at keyPath: KeyPath<Object, Collection?>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    keyed { (object) -> Collection? in unsafeDowncast(object, to: Object.self)[keyPath: keyPath] }
  }

  /// A collection that is the observed object itself.
  @inlinable
  static func keyed<Collection: KeyedCollection>(itself type: Collection.Type) -> ArrayWitness {
    // Safe: it is only read for that.
    keyed(.root) { unsafeDowncast($0, to: Collection.self) }
  }

  /// The plain dictionary or set at a key path of the observed object.
  @inlinable
  static func table<Object: AnyObject, Table: KeyedTable>(
    at keyPath: KeyPath<Object, Table>
  ) -> ArrayWitness {
    // Safe: it is only read for the object.
    table { (object) -> Table? in unsafeDowncast(object, to: Object.self)[keyPath: keyPath] }
  }
}
