import XCTest

/// Records the depth of the stack at each level of a recursion.
package final class StackMeter {
  private var addresses: [UInt] = []

  package init() {}

  /// Call it once on each level.
  package func note() {
    var mark: UInt8 = 0
    withUnsafeMutablePointer(to: &mark) { addresses.append(UInt(bitPattern: $0)) }
  }

  /// The mean number of bytes that a level takes.
  package var bytesPerLevel: Int {
    guard let first = addresses.first, let last = addresses.last, addresses.count > 1 else {
      return 0
    }
    return (Int(first) - Int(last)) / (addresses.count - 1)
  }
}

extension StackMeter {
  /// Skips a test under AddressSanitizer, which keeps variables elsewhere, so that the size of the
  /// remaining stack is unknown.
  package static func skipWhereStacksAreHidden() throws {
    try XCTSkipIf(isUnderAddressSanitizer, "AddressSanitizer hides the stack")
  }
}
