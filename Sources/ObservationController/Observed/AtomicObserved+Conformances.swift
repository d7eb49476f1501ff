// As those of `Observed`, see there. No equality: two of them are two properties, as any two objects.

extension AtomicObserved: Decodable where Value: Decodable {
  /// Decodes the value alone.
  public convenience init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension AtomicObserved: Encodable where Value: Encodable {
  /// Encodes the value alone.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// What synthesised `Decodable` conformances call for optional observed properties.
extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Value: Decodable>(
    _ type: AtomicObserved<Value?>.Type, forKey key: Key
  ) throws -> AtomicObserved<Value?> {
    AtomicObserved(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

/// What synthesised `Encodable` conformances call for optional observed properties.
extension KeyedEncodingContainer {
  /// Encodes an optional property; `nil` leaves the key out, as it does without the wrapper.
  public mutating func encode<Value: Encodable>(
    _ property: AtomicObserved<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(property.wrappedValue, forKey: key)
  }
}

extension AtomicObserved: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: wrappedValue) }
}

extension AtomicObserved: CustomDebugStringConvertible {
  /// The value's own description for debugging.
  public var debugDescription: String { String(reflecting: wrappedValue) }
}
