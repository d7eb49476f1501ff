/// Two properties are equal when their values are; who observes them does not count.
extension Observed: Equatable where Value: Equatable {
  /// Whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left.value == right.value
  }
}

extension Observed: Hashable where Value: Hashable {
  /// Feeds the value alone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}

// `Decodable` and `Encodable` stand apart: a conformance to `Codable` as one makes the compiler
// prefer the general `decode` over the one below, and a missing key throws.
extension Observed: Decodable where Value: Decodable {
  /// Decodes the value alone, as a plain property does.
  public init(from decoder: any Decoder) throws {
    // By a container, not by `Value(from:)`, which would pass by a coder's strategies for dates,
    // data and the like.
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension Observed: Encodable where Value: Encodable {
  /// Encodes the value alone, as a plain property does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// What synthesised `Decodable` conformances call for optional observed properties.
extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Value: Decodable>(
    _ type: Observed<Value?>.Type, forKey key: Key
  ) throws -> Observed<Value?> {
    Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

/// What synthesised `Encodable` conformances call for optional observed properties.
extension KeyedEncodingContainer {
  /// Encodes an optional property; `nil` leaves the key out, as it does without the wrapper.
  public mutating func encode<Value: Encodable>(
    _ property: Observed<Value?>, forKey key: Key
  ) throws {
    try encodeIfPresent(property.value, forKey: key)
  }
}

extension Observed: CustomStringConvertible {
  /// The value's own description.
  public var description: String { String(describing: value) }
}

extension Observed: CustomDebugStringConvertible {
  /// The value's own description for debugging.
  public var debugDescription: String { String(reflecting: value) }
}

extension Observed: CustomReflectable {
  /// The value's own mirror.
  public var customMirror: Mirror { Mirror(reflecting: value) }
}
