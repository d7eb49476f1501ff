/// Deliveries to infos of any kind.
extension ObservationDispatcher {
  /// Delivers a change to every active info, in the order of registration.
  ///
  /// - Parameters:
  ///   - infos: Not edited until the delivery has ended: the caller holds `Phase.delivering`, or
  ///     passes a list of its own.
  ///   - id: Up to which change a path that is reached delivers what it has queued.
  @inline(never)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList,
    through id: UInt64
  ) {
    var recipient = ObservationRecipient()
    let isTracing = DeliveryProbe.isInstalled
    let chunks = infos.visitUnretained { info in
      info._withUnsafeGuaranteedRef { info in
        if info.traits.isDisjoint(with: .special), !isTracing {
          recipient.receiveNext(delivery.limited(to: info.traits), of: object, info: info)
        } else {
          recipient.releaseIfLast()
          deliver(delivery, of: object, toSpecial: info, through: id, recipient: &recipient)
        }
      }
    }
    chunks?.visitLists { deliver(delivery, of: object, toEach: $0, through: id) }
  }

  /// Delivers to an info of any kind. Out of line, or its many variables would be in the way of the
  /// few that a plain delivery has: 30 instructions.
  @inline(never)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toSpecial info: ObservationInfo,
    through id: UInt64, recipient: inout ObservationRecipient
  ) {
    guard info.isActive else {
      DeliveryProbe.record(.skip(info, .ended))
      return
    }
    guard isWanted(delivery, by: info) else { return }
    if let sink = info.sink {
      sink.deliver(info, delivery, of: object, through: id, to: &recipient)
    } else {
      call(info, with: delivery, of: object, recipient: &recipient)
    }
  }

  /// Calls the handler of an observation of a property.
  @inline(__always)
  private static func call(
    _ info: ObservationInfo, with delivery: ObservationDelivery, of object: AnyObject,
    recipient: inout ObservationRecipient
  ) {
    guard let handler = info.unretainedHandler else { return }
    let delivery = delivery.limited(to: info.traits)
    if info.traits.contains(.rooted) {
      guard let root = info.registration.store.object(of: info) else { return }
      recipient.receive(delivery, of: root, info: info, handler: handler)
    } else {
      recipient.receive(delivery, of: object, info: info, handler: handler)
    }
  }

  /// Whether a delivery tells `info` something: unless the values are equal and it asked for
  /// `.distinct`. Paths compare their own values.
  @inline(__always)
  private static func isWanted(_ delivery: ObservationDelivery, by info: ObservationInfo) -> Bool {
    guard info.traits.contains(.distinct), !info.isPath else { return true }
    // Comparing calls the user's `==`, which may end the observation.
    return !info.leavesOut(delivery.old, delivery.new) && info.isActive
  }

  /// Delivers a prior change to the property's own infos; paths deliver theirs themselves.
  ///
  /// - Parameter next: The value to come; `nil` if it is not known.
  /// - Returns: Those that were left out, since they ask for `.distinct` too and the value to come is
  ///   equal.
  @discardableResult
  static func deliverPrior(
    _ delivery: ObservationDelivery, next: UnsafeRawPointer?, of object: AnyObject,
    to infos: InfoList
  ) -> InfoList {
    var recipient = ObservationRecipient()
    var leftOut = InfoList.none
    infos.visit { info in
      guard !info.isPath, info.traits.contains(.prior), info.isActive else { return }
      if let areEqual = info.registration.areEqual, let next, areEqual(delivery.new, next) {
        return leftOut.insert(info)
      }
      guard info.isActive else { return }
      call(info, with: delivery, of: object, recipient: &recipient)
    }
    return leftOut
  }

  /// Delivers what the paths have queued up to the change numbered `id`.
  ///
  /// - Parameter delivered: Those that have been delivered to already.
  static func deliverPaths(
    _ infos: InfoList, through id: UInt64, after delivered: InfoList = .none
  ) {
    var recipient = ObservationRecipient()
    infos.visit { info in
      if !delivered.contains(info) { info.pathSink?.deliver(info, through: id, to: &recipient) }
    }
  }

  /// Delivers the current value to an info that asked for `.initial`.
  ///
  /// - Parameter handler: The info's own, held by the caller, since another thread may end the
  ///   observation meanwhile.
  @usableFromInline
  static func deliverInitial(
    _ value: UnsafeRawPointer, of object: AnyObject, to info: ObservationInfo,
    handler: AnyObject
  ) {
    guard info.isActive else { return }
    ObservationRecipient.receiveAlone(
      ObservationDelivery(old: nil, new: value, kind: .initial), of: object, info: info,
      handler: .passUnretained(handler))
  }
}

extension ObservationInfo {
  /// Whether the observation asked for `.distinct`, and the values are equal. Calls the user's `==`.
  func leavesOut(_ old: UnsafeRawPointer?, _ new: UnsafeRawPointer) -> Bool {
    guard let areEqual = registration.areEqual, let old, areEqual(old, new) else { return false }
    DeliveryProbe.record(.skip(self, .equal))
    return true
  }
}
