/// The objects on the way of the cycles that were reported last, for their descriptions.
///
/// Beside `ObservationIssue.derivedCycle`, whose parts are public and have no room for them. Copies
/// of an issue share the memory of its key paths, by which their objects are found.
enum DerivedCycleObjects {
  /// The number of cycles whose objects are kept: reporters print an issue at once, or soon.
  private static let limit = 64

  private static let latest = Locked<[(keyPaths: [AnyKeyPath], objects: [String])]>([])

  /// Notes the objects, by type and address.
  ///
  /// - Returns: The key paths of the issue.
  static func note(_ way: [DerivedNode.CycleStep]) -> [AnyKeyPath] {
    let keyPaths = way.map(\.keyPath)
    let objects = way.map { "\(type(of: $0.keyPath).rootType)@\(String($0.owner, radix: 16))" }
    // Freed outside of the lock: key paths may capture the user's objects.
    let oldest = latest.withLock { latest in
      latest.append((keyPaths, objects))
      return latest.count > limit ? latest.removeFirst() : nil
    }
    withExtendedLifetime(oldest) {}
    return keyPaths
  }

  /// The objects that belong to the key paths of an issue; `nil` if it is not one of the last.
  static func of(_ keyPaths: [AnyKeyPath]) -> [String]? {
    latest.withLock { latest in
      latest.last { address(of: $0.keyPaths) == address(of: keyPaths) }?.objects
    }
  }

  private static func address(of keyPaths: [AnyKeyPath]) -> UnsafePointer<AnyKeyPath>? {
    keyPaths.withUnsafeBufferPointer(\.baseAddress)
  }
}
