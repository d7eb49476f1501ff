import Foundation
import XCTest

/// Notes how deep in the stack each level of a recursion is.
final class StackMeter {
  private var addresses: [UInt] = []

  /// Call it once on each level.
  func note() {
    var mark: UInt8 = 0
    withUnsafeMutablePointer(to: &mark) { addresses.append(UInt(bitPattern: $0)) }
  }

  /// The mean number of bytes that a level takes.
  var bytesPerLevel: Int {
    guard let first = addresses.first, let last = addresses.last, addresses.count > 1 else {
      return 0
    }
    return (Int(first) - Int(last)) / (addresses.count - 1)
  }
}

extension StackMeter {
  /// Skips a test under AddressSanitizer, which keeps variables elsewhere: nobody can tell then how much
  /// of a stack is left.
  static func skipWhereStacksAreHidden() throws {
    #if canImport(Darwin)
      let everywhere = UnsafeMutableRawPointer(bitPattern: -2)
    #else
      let everywhere = UnsafeMutableRawPointer(bitPattern: 0)
    #endif
    try XCTSkipIf(dlsym(everywhere, "__asan_init") != nil, "AddressSanitizer hides the stack")
  }
}
