/// The change of a property that a transaction holds back, from the first store to the end.
struct HeldChange {
  /// The value before, if somebody needs it.
  var old: HeldValue

  /// Those who are notified.
  private(set) var infos: InfoList

  /// The same for those who began to observe inside of the transaction: they are notified of what changes
  /// after that.
  private(set) var later: [(old: HeldValue, infos: InfoList)] = []

  /// The list as it was at the last change.
  private(set) var latest: InfoList

  /// Whether the prior delivery to `infos` is still to be made.
  var needsPrior = true

  /// Subjects of derived properties that the change leads to.
  var derived: [Subject] = []

  @inline(__always)
  init(_ old: HeldValue, for infos: InfoList) {
    (self.old, self.infos, latest) = (old, infos, infos)
  }
}

extension HeldChange {
  /// Notes another change.
  ///
  /// - Parameter old: The value before it.
  /// - Returns: The list before, to be freed by the caller; `nil` if that is still the list.
  mutating func add(_ old: () -> HeldValue, for infos: InfoList) -> InfoList? {
    guard !latest.isIdentical(to: infos) else { return nil }
    defer { latest = infos }
    let new = later.reduce(infos.subtracting(self.infos)) { $0.subtracting($1.infos) }
    if !new.isEmpty { later.append((new.needsValueBefore ? old() : HeldValue(), new)) }
    return latest
  }

  /// Takes out those of live views, which follow before all others.
  mutating func takeViews() -> [(old: HeldValue, infos: InfoList)] {
    if later.isEmpty, !infos.contains(where: { !$0.isOfView }) {
      defer { (infos, latest) = (.none, .none) }
      return [(old, infos)]
    }
    let parts = [(old: old, infos: infos)] + later
    infos = infos.filter { !$0.isOfView }
    for index in later.indices { later[index].infos = later[index].infos.filter { !$0.isOfView } }
    // Notified of what changes after this as others are who have come later.
    latest = .none
    return parts.map { ($0.old, $0.infos.filter(\.isOfView)) }
  }

  /// Somebody who can read the property.
  var reader: ObservationInfo? {
    infos.first { !$0.isPath }
      ?? later.lazy.compactMap { $0.infos.first { !$0.isPath } }.first
  }

  /// The same to wait for its turn.
  func pending(_ id: UInt64, _ new: ValueBox?, cause: UInt64) -> [PendingChange] {
    let first = PendingChange(id: id, old: old.boxed, new: new, cause: cause)
    first.infos = infos
    first.needsPrior = needsPrior
    first.derived = DerivedDelivery(derived: derived, id: id)
    return [first]
      + later.map { part in
        let change = PendingChange(id: id, old: part.old.boxed, new: new, cause: cause)
        change.infos = part.infos
        change.needsPrior = true
        return change
      }
  }
}

/// Something that was changed in a transaction, and what the transaction keeps for it.
struct HeldEntry {
  let change: any ChangedInTransaction

  /// That of a property; one that several threads may change has its own in `Subject.Deferred`.
  var held = HeldChange(HeldValue(), for: .none)

  /// The last value that was stored, if that is small and trivial. Others are read at the end, since a copy
  /// would have a collection copy itself when it is mutated.
  var new = HeldValue()

  /// Holds the object.
  var holder = ObservationInfo.Root.released

  /// Whether `Subject.heldIndex` is that of this entry: not if a transaction of another thread, in which
  /// the property was changed before, is under way.
  var isIndexed = false

  /// Whether the property has the turn to deliver this.
  var hasTurn = false

  /// Whether the transaction delivers it.
  var isQueued = false
}

/// A value that a transaction keeps: a small trivial one in place, any other in a box.
struct HeldValue {
  private var words: ValueCopier.Words = (0, 0)
  private var box: ValueBox?
  private(set) var isEmpty = true

  init() {}

  init(_ box: ValueBox?) { (self.box, isEmpty) = (box, box == nil) }

  /// Copies the value at an address, if there is one.
  @inline(__always)
  init(at address: UnsafeRawPointer?, _ copier: ValueCopier) {
    guard let address else { return }
    isEmpty = false
    guard copier.inlineSize > 0 else {
      box = copier.box(address)
      return
    }
    withUnsafeMutableBytes(of: &words) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: copier.inlineSize))
    }
  }

  /// The same in a box.
  var boxed: ValueBox? { isEmpty ? nil : box ?? ValueBox(words) }

  /// The address of the value that stands at `place`, if there is one; valid as long as it stands there.
  @inline(__always)
  static func address(of place: UnsafePointer<HeldValue>) -> UnsafeRawPointer? {
    // The words come first.
    place.pointee.isEmpty ? nil : place.pointee.box?.address ?? UnsafeRawPointer(place)
  }

  /// Lends the address of the value, if there is one.
  @inline(__always)
  mutating func withAddress(_ body: (UnsafeRawPointer?) -> Void) {
    let boxed = box?.address
    let isEmpty = isEmpty
    withUnsafeMutablePointer(to: &words) {
      body(isEmpty ? nil : boxed ?? UnsafeRawPointer($0))
    }
  }
}

extension InfoList {
  /// Whether somebody is told of the value before; paths have values of their own.
  var needsValueBefore: Bool {
    contains { info in
      !info.actsBeforeStore && !info.traits.isDisjoint(with: [.old, .prior, .distinct])
    }
  }
}
