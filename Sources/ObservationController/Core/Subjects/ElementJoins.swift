/// Changes of elements that a transaction has made, which each observation of an array receives as
/// one (C11).
///
///     transaction ─▶ changes of properties, paths ─▶ arrays join them ─▶ one change each
///
/// Joined when everything is evaluated and has its turn, before the first handler runs. In the
/// place of the first change that was joined an observation is notified of all. A change whose
/// property or path is being delivered by another frame or thread is delivered after that, by
/// itself.
struct ElementJoins {
  /// Changes of properties of elements.
  private var changes: [HeldChange] = []

  /// Paths of elements.
  private var paths = InfoList.none

  /// The arrays that join changes, each with the info that delivers them; `nil` for those that
  /// can't.
  private var joiners: [ObjectIdentifier: ObservationInfo?] = [:]
  private var order: [any Sink] = []

  var isEmpty: Bool { changes.isEmpty && paths.isEmpty }

  mutating func add(_ change: HeldChange) {
    if changes.last !== change { changes.append(change) }
  }

  mutating func add(_ path: ObservationInfo) {
    if !path.isOfView { _ = paths.insertIfNew(path) }
  }

  /// Has arrays join the changes.
  ///
  /// - Parameter id: The number of all changes of the transaction.
  mutating func perform(id: UInt64) {
    guard !isEmpty else { return }
    defer { self = ElementJoins() }
    for change in changes where change.isDue { join(change, id: id) }
    paths.visit { path in
      guard path.isActive, let joiner = path.sink?.joiner, info(of: joiner).info != nil else {
        return
      }
      ObservationDispatcher.deliverPaths(.one(path), through: id)
    }
    for joiner in order { joiner.endJoining(as: id) }
  }

  /// Has arrays join a change, for whose turn they are notified of all.
  private mutating func join(_ change: HeldChange, id: UInt64) {
    guard let object = change.holder.object, let new = change.new else { return }
    for group in change.groups where group.infos.hasElements {
      var recipient = ObservationRecipient()
      for info in group.infos.all where info.isPart && !info.isOfView {
        guard let joiner = info.sink?.joiner, case (let part?, let isFirst) = self.info(of: joiner)
        else { continue }
        change.isJoined = true
        _ = group.infos.remove(info)
        if isFirst { group.infos.insert(part) }
        DeliveryProbe.resume(change.cause) {
          ObservationDelivery.withValues(group.old, new) {
            ObservationDispatcher.deliver(
              $0, of: object, to: info, through: id, recipient: &recipient)
          }
        }
      }
    }
  }

  /// The info that delivers what an array joins, and whether it is asked for the first time.
  private mutating func info(of joiner: any Sink) -> (info: ObservationInfo?, isFirst: Bool) {
    if let known = joiners[ObjectIdentifier(joiner)] { return (known, false) }
    let info = joiner.beginJoining()
    joiners[ObjectIdentifier(joiner)] = .some(info)
    if info != nil { order.append(joiner) }
    return (info, true)
  }
}
