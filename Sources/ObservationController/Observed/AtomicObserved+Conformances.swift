// As those of `Observed`, see there. No equality: two of them are two properties, as any two objects.

extension AtomicObserved: Decodable where Value: Decodable {
  public convenience init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension AtomicObserved: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Value: Decodable>(
    _ type: AtomicObserved<Value?>.Type, forKey key: Key
  ) throws -> AtomicObserved<Value?> {
    AtomicObserved(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

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
  public var debugDescription: String { String(reflecting: wrappedValue) }
}
