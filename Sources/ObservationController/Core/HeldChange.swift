/// Change of a property that a transaction holds back, from the first store to the end.
struct HeldChange {
  /// The value before, if an info needs it.
  var old: HeldChange.Value

  /// Infos to notify.
  private(set) var infos: InfoList

  /// Infos that were added inside of the transaction, with the value by then: they are notified of
  /// what changes after that.
  private(set) var later: [(old: HeldChange.Value, infos: InfoList)] = []

  /// The list as it was at the last change.
  private(set) var latest: InfoList

  /// Whether the prior delivery to `infos` is still to be made.
  var needsPrior = true

  /// Subjects of derived properties that depend on the change.
  var derived: [Subject] = []

  @inline(__always)
  init(_ old: HeldChange.Value, for infos: InfoList) {
    (self.old, self.infos, latest) = (old, infos, infos)
  }
}

extension HeldChange {
  /// Notes another change.
  ///
  /// - Parameter old: The value before it.
  /// - Returns: The replaced list, to be released by the caller; `nil` if the list has not changed.
  mutating func add(_ old: () -> HeldChange.Value, for infos: InfoList) -> InfoList? {
    guard !latest.isIdentical(to: infos) else { return nil }
    defer { latest = infos }
    let new = later.reduce(infos.subtracting(self.infos)) { $0.subtracting($1.infos) }
    if !new.isEmpty { later.append((new.needsValueBefore ? old() : HeldChange.Value(), new)) }
    return latest
  }

  /// Takes the infos of live views, which are updated before all others.
  mutating func takeViews() -> [(old: HeldChange.Value, infos: InfoList)] {
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
  var parts: [(old: HeldChange.Value, infos: InfoList)] { [(old, infos)] + later }
}

extension ObservationTransaction {
  /// Entry of a transaction for something that was changed in it.
  struct Entry {
    let change: any ChangedInTransaction

    /// The change of a stored property; that of an atomic one is kept in `Subject.Deferred`.
    var held = HeldChange(HeldChange.Value(), for: .none)

    /// The last value that was stored, if it is small and trivial. Others are read at the end: a
    /// copy would make a collection copy itself when it is mutated.
    var new = HeldChange.Value()

    /// Reference to the object.
    var holder = ObservationInfo.Root.released

    /// Whether `Subject.heldIndex` is the index of this entry: not while a transaction of another
    /// thread holds back a change of the property.
    var isIndexed = false

    /// Whether the property has the turn to deliver this.
    var hasTurn = false

    /// Whether the transaction delivers it.
    var isQueued = false
  }
}

extension DerivedDelivery {
  /// Derived properties that changes of one property in a transaction lead to, delivered at its
  /// end.
  final class Group: ChangedInTransaction {
    private(set) var delivery: DerivedDelivery

    init(_ delivery: DerivedDelivery) { self.delivery = delivery }

    func append(_ others: [Subject]) { delivery.derived += others }

    func enqueue(
      _ entry: inout ObservationTransaction.Entry, id: UInt64,
      in transaction: ObservationTransaction
    ) -> Bool { true }

    func deliver(_ entry: inout ObservationTransaction.Entry, id: UInt64) {
      delivery.id = id
      delivery.deliver()
    }
  }
}

extension HeldChange {
  /// A value that a transaction keeps, or none. No optional, whose copies would branch.
  struct Value {
    private var value = ValueBox(())
    private(set) var isEmpty = true

    init() {}

    /// Copies the value at an address, if there is one.
    @inline(__always)
    init(at address: UnsafeRawPointer?, _ copier: ValueBox.Copier) {
      guard let address else { return }
      (value, isEmpty) = (copier.box(address), false)
    }

    init(_ box: ValueBox?) {
      if let box { (value, isEmpty) = (box, false) }
    }

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
