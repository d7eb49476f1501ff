extension ObservationToken {
  /// Reports where `.distinct` is asked for that `value` can't be compared.
  @usableFromInline
  func reportMissingEquality<Value>(of value: Value) {
    guard !(Value.self is any Equatable.Type), let value = unwrapped(value),
      !(type(of: value) is AnyClass)
    else { return }
    ObservationDispatcher.report(
      .distinctNeedsEquatable(
        keyPath: registration.keyPath, file: registration.file, line: registration.line),
      about: self)
  }
}

/// How `.distinct` compares two values whose type is only known at run time.
extension ObservationRegistration {
  /// Compares by `==`, or by identity where there are class instances, also in optionals and
  /// existentials. Other values are never equal.
  static func equality<Value>(of type: Value.Type) -> Equality {
    if let equatable = type as? any Equatable.Type { return equalByValue(equatable) }
    if type is AnyObject.Type {
      // Stored as one reference: no need to look into the values at each change.
      return { $0.load(as: UnsafeRawPointer.self) == $1.load(as: UnsafeRawPointer.self) }
    }
    return { left, right in
      let left = unwrapped(left.assumingMemoryBound(to: Value.self).pointee)
      let right = unwrapped(right.assumingMemoryBound(to: Value.self).pointee)
      switch (left, right) {
      case (nil, nil): return true
      case (let left?, let right?):
        return Swift.type(of: left) is AnyClass && Swift.type(of: right) is AnyClass
          && left as AnyObject === right as AnyObject
      default: return false
      }
    }
  }

  /// The pointers of an equality lead to values of the type that it was made for.
  private static func equalByValue<Value: Equatable>(_ type: Value.Type) -> Equality {
    { left, right in
      left.assumingMemoryBound(to: Value.self).pointee
        == right.assumingMemoryBound(to: Value.self).pointee
    }
  }
}

/// The value without the optionals around it, `nil` if one of them is.
func unwrapped(_ value: Any) -> Any? {
  guard let optional = value as? any OptionalValue else { return value }
  return optional.wrapped.flatMap(unwrapped)
}

protocol OptionalValue {
  var wrapped: Any? { get }
}

extension Optional: OptionalValue {
  var wrapped: Any? { self }
}
