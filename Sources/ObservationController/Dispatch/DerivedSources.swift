/// A derived property, for another one that reads it. Keeps neither its object nor what it is computed
/// by.
final class DerivedSource {
  private weak var owner: AnyObject?
  private weak var info: ObservationInfo?

  init(_ owner: AnyObject, _ info: ObservationInfo) {
    self.owner = owner
    self.info = info
  }

  /// What computes it; `nil` once its object has gone.
  var use: (path: DerivedPath, owner: AnyObject, info: ObservationInfo)? {
    guard let owner, let info, case .cache(let path)? = info.path?.role else { return nil }
    return (path, owner, info)
  }
}

/// Set once, in `init`; reading weak references is safe on any thread.
extension DerivedSource: @unchecked Sendable {}

/// The derived properties that one reads. A few may be listed twice.
struct DerivedSources {
  private(set) var all: [DerivedSource] = []

  mutating func insert(_ source: DerivedSource) {
    if all.last !== source { all.append(source) }
  }
}

/// Derived values that read each other so many levels deep that the stack has no room for one getter
/// inside of the other.
extension DerivedPath {
  /// Computes what the value was computed from before, each after its own sources, so that getters find
  /// it, and need no room for more. Only here: one of them may not be read any more.
  ///
  /// Stops the program, with a sentence that says why, where that is not known yet, and nothing is left
  /// of the stack.
  func makeRoom(on stack: ThreadStack, for info: ObservationInfo) {
    guard !stack.isFull else {
      fatalError(
        """
        \(info.site.file):\(info.site.line): the derived \(info.site.keyPath) is read by a derived \
        property that is read by another, and so on, until the stack of the thread was full. Read \
        those first that the others read, or use a thread with a larger stack
        """)
    }
    var open = outdatedSources.map { (source: $0, isExpanded: false) }
    var seen: Set<ObjectIdentifier> = []
    while let (source, isExpanded) = open.popLast() {
      guard let use = source.use, use.path.isOutdated else { continue }
      if isExpanded {
        _ = use.path.compute(for: use.owner, use.info)
      } else if seen.insert(ObjectIdentifier(source)).inserted {
        open.append((source, true))
        open += use.path.outdatedSources.map { ($0, false) }
      }
    }
  }
}
