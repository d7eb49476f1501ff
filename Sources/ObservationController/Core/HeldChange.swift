/// Change of a property that a transaction holds back, from the first store to the end.
struct HeldChange {
  /// The value before, if an info needs it.
  var old: HeldChange.Value

  /// Infos to notify.
  private(set) var infos: InfoList

  /// Infos that were added inside of the transaction, with the value by then: they are notified of
  /// what changes after that.
  private(set) var later: [(old: ValueBox?, infos: InfoList)] = []

  /// The list as it was at the last change.
  private(set) var latest: InfoList

  /// Whether the prior delivery to `infos` is still to be made.
  var needsPrior = true

  /// Subjects of derived properties that depend on the change.
  var derived: [Subject] = []

  @inline(__always)
  init(_ old: ValueBox?, for infos: InfoList) {
    (self.old, self.infos, latest) = (HeldChange.Value(old), infos, infos)
  }
}

extension HeldChange {
  /// Notes another change.
  ///
  /// - Parameter old: The value before it.
  /// - Returns: The replaced list, to be released by the caller; `nil` if the list has not changed.
  mutating func add(_ old: () -> ValueBox?, for infos: InfoList) -> InfoList? {
    guard !latest.isIdentical(to: infos) else { return nil }
    defer { latest = infos }
    let new = later.reduce(infos.subtracting(self.infos)) { $0.subtracting($1.infos) }
    if !new.isEmpty { later.append((new.needsValueBefore ? old() : nil, new)) }
    return latest
  }

  /// Takes the infos of live views, which are updated before all others.
  mutating func takeViews() -> [(old: ValueBox?, infos: InfoList)] {
    let parts = parts
    infos = infos.filter { !$0.isOfView }
    for index in later.indices { later[index].infos = later[index].infos.filter { !$0.isOfView } }
    // Later changes are noted for the live views as for infos that were added later.
    latest = .none
    return parts.map { ($0.old, $0.infos.filter(\.isOfView)) }
  }

  /// An info that can read the property.
  var reader: ObservationInfo? {
    infos.first { !$0.isPath }
      ?? later.lazy.compactMap { $0.infos.first { !$0.isPath } }.first
  }

  /// Groups of infos, each with the value that its change begins with.
  var parts: [(old: ValueBox?, infos: InfoList)] { [(old.box, infos)] + later }
}

extension ObservationTransaction {
  /// Entry of a transaction for something that was changed in it.
  struct Entry {
    let change: any ChangedInTransaction

    /// The change of a stored property; that of an atomic one is kept in `Subject.Deferred`.
    var held = HeldChange(nil, for: .none)

    /// The last value that was stored, if it is small and trivial. Others are read at the end: a
    /// copy would make a collection copy itself when it is mutated.
    var new = HeldChange.Value(nil)

    /// Reference to the object.
    var holder = ObservationInfo.Root.released

    /// Whether `Subject.heldIndex` is the index of this entry: not while a transaction of another
    /// thread holds back a change of the property.
    var isIndexed = false

    /// Whether the property has the turn to deliver this.
    var hasTurn = false

    /// Event that traces have recorded for the change.
    var cause: UInt64 = 0
  }
}

extension HeldChange {
  /// A value that a transaction keeps, or none. No optional, whose copies would branch.
  struct Value {
    private let value: ValueBox
    let isEmpty: Bool

    @inline(__always)
    init(_ box: ValueBox?) { (value, isEmpty) = (box ?? ValueBox(()), box == nil) }

    @inline(__always)
    var box: ValueBox? { isEmpty ? nil : value }

    /// Address of the value at `place`, if there is one; valid as long as it stands there.
    @inline(__always)
    static func address(of place: UnsafePointer<HeldChange.Value>) -> UnsafeRawPointer? {
      // The words of the box come first.
      place.pointee.isEmpty ? nil : place.pointee.value.storage?.address ?? UnsafeRawPointer(place)
    }
  }
}

extension InfoList {
  /// Whether an info needs the value before; paths have values of their own.
  var needsValueBefore: Bool {
    contains { info in
      !info.actsBeforeStore && !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    }
  }
}
