/// Delivers changes to infos: decides which handlers are called.
extension ObservationDispatcher {
  /// Delivers a change to the only info of a property: the end of the fast path.
  ///
  /// - Parameter info: Not retained: the list holds it, and is not edited until the delivery has
  ///   ended.
  @inline(__always)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toOnly info: Unmanaged<ObservationInfo>
  ) {
    info._withUnsafeGuaranteedRef { info in
      guard info.isActive, info.traits.isDisjoint(with: .special),
        let handler = info.unretainedHandler
      else { return deliver(delivery, of: object, toOnlySpecial: info) }
      let registration = info.registration
      guard let observer = registration.store.observer else { return observerHasGone(from: info) }
      LockRank.assertNoneIsHeld()
      handler._withUnsafeGuaranteedRef {
        registration.invoke($0, registration, observer, object, delivery.limited(to: info.traits))
      }
    }
  }

  @inline(never)
  private static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toOnlySpecial info: ObservationInfo
  ) {
    var recipient = ObservationRecipient()
    deliver(delivery, of: object, toSpecial: info, through: 0, recipient: &recipient)
  }

  /// Ends an observation that does not wait for the controller's deinit.
  @inline(never)
  static func observerHasGone(from info: ObservationInfo) {
    DeliveryProbe.record(.skip(info, .observerGone))
    if info.registration.endsWithObserver { info.invalidate() }
  }

  /// Delivers a change to every active info, in the order of registration.
  ///
  /// - Parameters:
  ///   - infos: Not edited until the delivery has ended: the caller holds
  ///     `Subject.Phase.delivering`, or
  ///     passes a list of its own.
  ///   - id: Up to which change a path that is reached delivers its pending changes.
  @inline(never)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toEach infos: InfoList,
    through id: UInt64
  ) {
    var recipient = ObservationRecipient()
    let isTraced = DeliveryProbe.isInstalled
    infos.visit {
      deliver(
        delivery, of: object, to: $0, through: id, isTraced: isTraced, recipient: &recipient)
    }
  }

  /// Delivers to one of several infos.
  ///
  /// - Parameter isTraced: Whether a trace records; asked once for a list of infos.
  @inline(__always)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, to info: ObservationInfo,
    through id: UInt64, isTraced: Bool = DeliveryProbe.isInstalled,
    recipient: inout ObservationRecipient
  ) {
    if info.traits.isDisjoint(with: .special), !isTraced {
      recipient.receive(delivery, of: object, info: info, isTraced: false)
    } else {
      recipient.releaseIfLast()
      deliver(delivery, of: object, toSpecial: info, through: id, recipient: &recipient)
    }
  }

  /// Delivers to an info of any kind. Not inlined: its variables would cost the plain delivery
  /// registers.
  @inline(never)
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toSpecial info: ObservationInfo,
    through id: UInt64, recipient: inout ObservationRecipient
  ) {
    guard info.isActive else {
      DeliveryProbe.record(.skip(info, .ended))
      return
    }
    // A path compares its own values.
    if info.traits.contains(.distinct), !info.isPath, info.leavesOut(delivery) { return }
    if info.isPart, let part = info.unretainedHandler {
      deliver(delivery, of: object, toPart: info, handler: part, to: &recipient)
    } else if let sink = info.sink {
      sink.deliver(info, delivery, of: object, through: id, to: &recipient)
    } else {
      call(info, with: delivery, of: object, recipient: &recipient)
    }
  }

  /// Delivers to a property of the elements of an array, which finds the observer itself, and
  /// releases it: nothing else may hold that.
  static func deliver(
    _ delivery: ObservationDelivery, of object: AnyObject, toPart info: ObservationInfo,
    handler: Unmanaged<AnyObject>, to recipient: inout ObservationRecipient
  ) {
    recipient = ObservationRecipient()
    LockRank.assertNoneIsHeld()
    handler._withUnsafeGuaranteedRef {
      let registration = info.registration
      registration.invoke($0, registration, info, object, delivery.limited(to: info.traits))
    }
  }

  /// Calls the handler of an observation of a property.
  @inline(__always)
  private static func call(
    _ info: ObservationInfo, with delivery: ObservationDelivery, of object: AnyObject,
    recipient: inout ObservationRecipient
  ) {
    if info.traits.contains(.rooted) {
      guard let root = info.object else { return }
      recipient.receive(delivery, of: root, info: info)
    } else {
      recipient.receive(delivery, of: object, info: info)
    }
  }

  /// Delivers a prior change to the property's own infos; paths deliver theirs themselves.
  ///
  /// - Parameters:
  ///   - current: The value that is still there.
  ///   - next: The value that is about to be stored; `nil` if it is not known.
  /// - Returns: The infos that were left out, since they ask for `.distinct` too and `next` is
  ///   equal.
  @discardableResult
  static func deliverPrior(
    _ current: UnsafeRawPointer, next: UnsafeRawPointer?, of object: AnyObject, to infos: InfoList
  ) -> InfoList {
    let delivery = ObservationDelivery(old: current, new: current, kind: .prior)
    var recipient = ObservationRecipient()
    var leftOut = InfoList.none
    infos.visit { info in
      guard info.traits.contains(.prior), info.isActive else { return }
      if let areEqual = info.registration.areEqual, let next, areEqual(current, next) {
        return leftOut.insert(info)
      }
      call(info, with: delivery, of: object, recipient: &recipient)
    }
    return leftOut
  }

  /// Delivers the pending changes of paths up to the change numbered `id`.
  static func deliverPaths(_ infos: InfoList, through id: UInt64) {
    var recipient = ObservationRecipient()
    infos.visit { $0.path?.deliver($0, through: id, to: &recipient) }
  }

  /// Delivers the current value to an info that asked for `.initial`.
  ///
  /// - Parameter handler: The info's own, retained by the caller, since another thread may end the
  ///   observation meanwhile.
  @usableFromInline
  static func deliverInitial(
    _ value: UnsafeRawPointer, of object: AnyObject, to info: ObservationInfo,
    handler: AnyObject
  ) {
    // A path may be being evaluated further up the stack, by a getter that observes.
    AccessTracker.withoutTracking {
      ObservationRecipient.receiveAlone(
        ObservationDelivery(old: nil, new: value, kind: .initial), of: object, info: info,
        handler: handler)
    }
  }

  /// Calls the handler of `info` at once, also inside another delivery to it: answers of hooks,
  /// notifications and values that Observation tracks wait for no turn.
  ///
  /// Nothing happens if the observation has ended, or the deinit of observer or observed object has
  /// begun.
  ///
  /// - Parameter value: Of the type that the handler takes.
  static func deliverDirectly<Value>(_ value: Value, to info: ObservationInfo) {
    // The handler is cleared under this lock, since no subject's turn guards it; what is handed out
    // is released outside of the lock.
    let (object, handler) = info.withStoreLock { (info.root.object, info.handler) }
    guard let object, let handler else { return }
    withUnsafePointer(to: value) {
      ObservationRecipient.receiveAlone(
        ObservationDelivery(old: nil, new: $0, kind: .change), of: object, info: info,
        handler: handler)
    }
  }
}

extension ObservationInfo {
  /// Whether the observation asked for `.distinct`, and the values are equal. Calls the user's
  /// `==`.
  func leavesOut(_ delivery: ObservationDelivery) -> Bool {
    guard let areEqual = registration.areEqual, let old = delivery.old, areEqual(old, delivery.new)
    else { return false }
    DeliveryProbe.record(.skip(self, .equal))
    return true
  }

  func leavesOut(_ old: ValueBox?, _ new: ValueBox) -> Bool {
    registration.areEqual != nil && ObservationDelivery.withValues(old, new, leavesOut)
  }
}
