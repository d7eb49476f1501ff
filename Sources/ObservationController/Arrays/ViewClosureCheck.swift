import Synchronization

/// Checks what the closure of a live view reads, in debug builds: a property that the view does not
/// follow leaves it out of date, in silence.
///
/// The first calls of the closure are checked, and then some of them, since a check takes much
/// longer than the closure.
@usableFromInline
final class ViewClosureCheck<Element> {
  private let keyPaths: [PartialKeyPath<Element>]
  private let place: (file: String, line: UInt)
  private let calls = Atomic<Int>(0)
  private let isReported = Atomic<Bool>(false)

  /// The parameter of the view, which has the closures, and with them this. Set once.
  @usableFromInline weak var parameter: ViewParameter?

  private init(_ keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt) {
    (self.keyPaths, place) = (keyPaths, (file, line))
  }

  /// - Returns: `nil` in a release build.
  @usableFromInline
  static func make(
    on keyPaths: [PartialKeyPath<Element>], _ file: String, _ line: UInt
  ) -> ViewClosureCheck? {
    #if DEBUG
      ViewClosureCheck(keyPaths, file, line)
    #else
      nil
    #endif
  }

  /// The closure, with the check.
  @usableFromInline
  func checking<Result>(_ closure: @escaping (Element) -> Result) -> (Element) -> Result {
    { element in self.call(of: [element]) { closure(element) } }
  }

  /// The closure, with the check.
  @usableFromInline
  func checking<Result>(
    _ closure: @escaping (Element, Element) -> Result
  ) -> (Element, Element) -> Result {
    { first, second in self.call(of: [first, second]) { closure(first, second) } }
  }

  private func call<Result>(of elements: [Element], _ body: () -> Result) -> Result {
    let number = calls.wrappingAdd(1, ordering: .relaxed).newValue
    guard number <= 1_000 || number.isMultiple(of: 100), !isReported.load(ordering: .relaxed)
    else { return body() }
    var result: Result!
    var accesses = AccessTracker.track { result = body() }
    let suspects = unfollowed(accesses, of: elements, besides: result)
    // Properties of objects that the closure has made for itself end with the records of them.
    accesses = PropertyAccesses()
    for case (let storage, let keyPath) in suspects where storage.object != nil {
      guard !isReported.exchange(true, ordering: .relaxed) else { break }
      ObservationDispatcher.report(
        .notFollowed(
          keyPath: keyPath ?? \ObservableArray<Element>.elements, file: place.file,
          line: place.line))
    }
    return result
  }

  /// What was read that neither the key paths of the elements nor the parameter read.
  ///
  /// - Parameter result: What the closure has made, whose properties are of no concern.
  private func unfollowed<Result>(
    _ accesses: PropertyAccesses, of elements: [Element], besides result: Result
  ) -> [(storage: WeakReference, keyPath: AnyKeyPath?)] {
    let own = ElementIdentity<Result>.object(of: result).map { ObjectIdentifier($0) }
    let owners = elements.compactMap { ElementIdentity.object(of: $0).map { ObjectIdentifier($0) } }
    // Nearly always a property that is named, of an element.
    let others = accesses.all.filter { access in
      access.owner != own
        && (!owners.contains(access.owner) || !keyPaths.contains { $0 == access.keyPath })
    }
    guard !others.isEmpty else { return [] }
    let followed = AccessTracker.track {
      for keyPath in keyPaths { for element in elements { _ = element[keyPath: keyPath] } }
      if let parameter, let object = parameter.observed { _ = parameter.access.box(object) }
    }
    let stored = followed.all.reduce(into: Set<ObjectIdentifier>()) {
      $0.formUnion($1.storedBehind)
    }
    return others.compactMap { access in
      guard let storage = access.storage, !access.storedBehind.isSubset(of: stored) else {
        return nil
      }
      return (WeakReference(storage), access.keyPath)
    }
  }
}

extension PropertyAccess {
  fileprivate var storage: AnyObject? { subject ?? derived }

  /// The stored properties that decide on the value.
  fileprivate var storedBehind: Set<ObjectIdentifier> {
    guard let derived else { return subject.map { [ObjectIdentifier($0)] } ?? [] }
    guard let lock = derived.node.vertex.lockGraph() else { return [ObjectIdentifier(derived)] }
    defer { lock.unlock() }
    return Set(
      derived.node.verticesBehind.compactMap { $0.isNode ? nil : $0.pointee.object })
  }
}
