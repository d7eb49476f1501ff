/// A wrapper of a stored property, which prints and encodes as its value does.
///
/// Public because public conformances take their members from it; not for code outside of this
/// module.
public protocol _StoredProperty<Value>: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  associatedtype Value
  init(wrappedValue: Value)
  var _storedValue: Value { get }
}

extension Observed: _StoredProperty {
  public var _storedValue: Value { value }
}

extension AtomicObserved: _StoredProperty {
  public var _storedValue: Value { wrappedValue }
}

extension TrackedObserved: _StoredProperty {
  public var _storedValue: Value { base.value }
}

// MARK: - Equality

// `AtomicObserved` has none: it is a class, and two instances are two properties.

/// Two properties are equal when their values are, whatever observes them.
extension Observed: Equatable where Value: Equatable {}
extension Observed: Hashable where Value: Hashable {}

/// Two properties are equal when their values are, whatever observes or tracks them.
extension TrackedObserved: Equatable where Value: Equatable {}
extension TrackedObserved: Hashable where Value: Hashable {}

extension _StoredProperty where Self: Equatable, Value: Equatable {
  /// Whether the values are equal.
  public static func == (left: Self, right: Self) -> Bool {
    left._storedValue == right._storedValue
  }
}

extension _StoredProperty where Self: Hashable, Value: Hashable {
  /// Feeds the value alone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_storedValue)
  }
}

// MARK: - Coding

// `Decodable` and `Encodable` stand apart: a conformance to `Codable` as one makes the compiler
// prefer the general `decode` over the one below, and a missing key throws.
extension Observed: Decodable where Value: Decodable {}
extension Observed: Encodable where Value: Encodable {}
extension AtomicObserved: Decodable where Value: Decodable {}
extension AtomicObserved: Encodable where Value: Encodable {}
extension TrackedObserved: Decodable where Value: Decodable {}
extension TrackedObserved: Encodable where Value: Encodable {}

extension _StoredProperty where Value: Decodable {
  /// Decodes the value alone, as a plain property does.
  public init(from decoder: any Decoder) throws {
    // By a container, not by `Value(from:)`, which would pass by a coder's strategies for dates,
    // data and the like.
    self.init(wrappedValue: try decoder.singleValueContainer().decode(Value.self))
  }
}

extension _StoredProperty where Value: Encodable {
  /// Encodes the value alone, as a plain property does.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(_storedValue)
  }
}

/// Decoding of optional observed properties by synthesised `Decodable` conformances.
extension KeyedDecodingContainer {
  /// Decodes an optional property; a missing key is `nil`, as it is without the wrapper.
  public func decode<Property: _StoredProperty & Decodable, Value: Decodable>(
    _ type: Property.Type, forKey key: Key
  ) throws -> Property where Property.Value == Value? {
    Property(wrappedValue: try decodeIfPresent(Value.self, forKey: key))
  }
}

/// Encoding of optional observed properties by synthesised `Encodable` conformances.
extension KeyedEncodingContainer {
  /// Encodes an optional property; `nil` leaves the key out, as it does without the wrapper.
  public mutating func encode<Property: _StoredProperty & Encodable, Value: Encodable>(
    _ property: Property, forKey key: Key
  ) throws where Property.Value == Value? {
    try encodeIfPresent(property._storedValue, forKey: key)
  }
}

// MARK: - Printing

extension _StoredProperty {
  /// The value's own description.
  public var description: String { String(describing: _storedValue) }

  /// The value's own description for debugging.
  public var debugDescription: String { String(reflecting: _storedValue) }

  /// The value's own mirror.
  public var customMirror: Mirror { Mirror(reflecting: _storedValue) }
}
