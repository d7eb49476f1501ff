import Foundation

/// Names of users.
enum UserName {
  /// The name that this system has for the number of a user; `nil` if it has none.
  @Sendable
  static func ofThisSystem(_ number: Int) -> String? {
    guard let identifier = uid_t(exactly: number) else { return nil }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    // As long as the library proposes for names, and for the other fields, which are not used here.
    var buffer = [CChar](repeating: 0, count: 16_384)
    // The name points into the buffer, and is copied while that is pinned.
    return buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress,
        getpwuid_r(identifier, &entry, start, buffer.count, &found) == 0,
        let name = found?.pointee.pw_name
      else { return nil }
      return String(cString: name)
    }
  }
}
