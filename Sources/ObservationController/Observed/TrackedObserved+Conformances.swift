// As those of `Observed`, see there.

/// Two properties are equal when their values are; who follows them does not count.
extension TrackedObserved: Equatable where Value: Equatable {
  /// Whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.base == right.base
  }
}

extension TrackedObserved: Hashable where Value: Hashable {
  /// Feeds the value alone.
  public func hash(into hasher: inout Hasher) {
    base.hash(into: &hasher)
  }
}

extension TrackedObserved: Decodable where Value: Decodable {
  /// Decodes the value alone, as a plain property does.
  public init(from decoder: any Decoder) throws {
    self.init(wrappedValue: try Observed<Value>(from: decoder).value)
  }
}

extension TrackedObserved: Encodable where Value: Encodable {
  /// Encodes the value alone, as a plain property does.
  public func encode(to encoder: any Encoder) throws {
    try base.encode(to: encoder)
  }
}

/// What synthesised `Decodable` conformances call for optional tracked properties.
extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Value: Decodable>(
    _ type: TrackedObserved<Value?>.Type, forKey key: Key
  ) throws -> TrackedObserved<Value?> {
    TrackedObserved(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

/// What synthesised `Encodable` conformances call for optional tracked properties.
extension KeyedEncodingContainer {
  /// Encodes an optional property; `nil` leaves the key out, as it does without the wrapper.
  public mutating func encode<Value: Encodable>(
    _ property: TrackedObserved<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(property.base.value, forKey: key)
  }
}

extension TrackedObserved: CustomStringConvertible {
  /// The value's own description.
  public var description: String { base.description }
}

extension TrackedObserved: CustomDebugStringConvertible {
  /// The value's own description for debugging.
  public var debugDescription: String { base.debugDescription }
}

extension TrackedObserved: CustomReflectable {
  /// The value's own mirror.
  public var customMirror: Mirror { base.customMirror }
}
