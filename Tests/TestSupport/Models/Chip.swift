import ObservationController

/// Element that is changed on one side of a queue, and shown on the other.
///
/// `Sendable`: changed by the test alone, while the queue waits.
package final class Chip: Hashable, CustomStringConvertible, @unchecked Sendable {
  package let number: Int
  @Observed package var rank = 0

  package init(_ number: Int = 0) { self.number = number }

  package var description: String { "\(number)" }
  package static func == (left: Chip, right: Chip) -> Bool { left === right }
  package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
