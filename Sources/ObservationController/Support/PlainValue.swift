/// Values that hold no object, so that keeping one keeps nothing alive: trivial ones, strings, and optionals
/// and arrays of these.
@usableFromInline
enum PlainValue {
  /// Whether values of a type are plain. Not those of structs with strings, whose parts are not known.
  @usableFromInline
  static func contains<Value>(_ type: Value.Type) -> Bool {
    _isPOD(type) || type == String.self || (type as? any PlainContainer.Type)?.isPlain ?? false
  }
}

/// A type whose values are plain if what they contain is.
private protocol PlainContainer {
  static var isPlain: Bool { get }
}

extension Optional: PlainContainer {
  static var isPlain: Bool { PlainValue.contains(Wrapped.self) }
}

extension Array: PlainContainer {
  static var isPlain: Bool { PlainValue.contains(Element.self) }
}
