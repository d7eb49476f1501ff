/// Two properties are equal when their values are; who observes them does not count.
extension Observed: Equatable where Value: Equatable {
  public static func == (left: Self, right: Self) -> Bool {
    left.value == right.value
  }
}

extension Observed: Hashable where Value: Hashable {
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}

// `Decodable` and `Encodable` stand apart: a conformance to `Codable` as one makes the compiler
// prefer the general `decode` over the one below, and a missing key throws.
extension Observed: Decodable where Value: Decodable {
  public init(from decoder: any Decoder) throws {
    // By a container, not by `Value(from:)`, which would pass by a coder's strategies for dates,
    // data and the like.
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension Observed: Encodable where Value: Encodable {
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Value: Decodable>(
    _ type: Observed<Value?>.Type, forKey key: Key
  ) throws -> Observed<Value?> {
    Observed(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

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
  public var debugDescription: String { String(reflecting: value) }
}

extension Observed: CustomReflectable {
  public var customMirror: Mirror { Mirror(reflecting: value) }
}
