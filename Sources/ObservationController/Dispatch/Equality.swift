/// How `.distinct` compares two values whose type is only known at run time.
extension ObservationSite {
  /// Reports that values can't be compared, if that was asked for.
  func reportMissingEquality() {
    guard options.contains(.distinct), areEqual == nil else { return }
    ObservationDispatcher.report(
      .distinctNeedsEquatable(keyPath: keyPath, file: file, line: line))
  }

  /// `nil` for a type that can't be compared. Compares by `==`, or by identity for class instances and optional ones that lack it.
  static func equality(of type: Any.Type) -> Equality? {
    if let equatable = type as? any Equatable.Type { return equalByValue(equatable) }
    if let optional = type as? any OptionalObject.Type { return optional.equalByIdentity }
    guard type is AnyObject.Type else { return nil }
    // A class instance is stored as one reference.
    return { $0.load(as: UnsafeRawPointer.self) == $1.load(as: UnsafeRawPointer.self) }
  }

  /// The pointers of an equality lead to values of the type that it was made for.
  private static func equalByValue<Value: Equatable>(_ type: Value.Type) -> Equality {
    { left, right in
      left.assumingMemoryBound(to: Value.self).pointee
        == right.assumingMemoryBound(to: Value.self).pointee
    }
  }
}

/// Optionals of classes.
private protocol OptionalObject {
  static var equalByIdentity: ObservationSite.Equality? { get }
}

extension Optional: OptionalObject {
  static var equalByIdentity: ObservationSite.Equality? {
    guard Wrapped.self is AnyObject.Type else { return nil }
    return { left, right in
      let left = left.assumingMemoryBound(to: Wrapped?.self).pointee
      let right = right.assumingMemoryBound(to: Wrapped?.self).pointee
      return left as AnyObject? === right as AnyObject?
    }
  }
}
