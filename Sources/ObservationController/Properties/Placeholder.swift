/// Placeholder value for a derived property that reads itself: `nil`, zero, `false` or empty.
@usableFromInline
enum Placeholder {
  @usableFromInline
  static func value<Value>(of type: Value.Type) -> Value? {
    let type: Any.Type = type
    let value: Any? =
      switch type {
      case let type as any ExpressibleByNilLiteral.Type: none(type)
      case let type as any AdditiveArithmetic.Type: zero(type)
      case let type as any RangeReplaceableCollection.Type: empty(type)
      case let type as any SetAlgebra.Type: empty(type)
      case let type as any ExpressibleByDictionaryLiteral.Type: empty(type)
      case is Bool.Type: false
      default: nil
      }
    return value as? Value
  }

  private static func none<Value: ExpressibleByNilLiteral>(_ type: Value.Type) -> Any {
    nil as Value
  }
  private static func zero<Value: AdditiveArithmetic>(_ type: Value.Type) -> Any { Value.zero }
  private static func empty<Value: RangeReplaceableCollection>(_ type: Value.Type) -> Any {
    Value()
  }
  private static func empty<Value: SetAlgebra>(_ type: Value.Type) -> Any { Value() }

  private static func empty<Value: ExpressibleByDictionaryLiteral>(_ type: Value.Type) -> Any {
    [:] as Value
  }
}
