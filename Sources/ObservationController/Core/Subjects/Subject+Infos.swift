/// Adding and removing infos. Called under the lock of the info's store, or of the array sink that
/// the info is a part of.
extension Subject {
  func insert(_ info: ObservationInfo) {
    edit { infos, current, _ in
      infos.insert(info)
      return current | Phase.needs(of: info)
    }
    derived?.didInsert()
  }

  /// Takes `info` off this subject.
  ///
  /// - Returns: Whether the caller may drop the handler now. If not, a delivery is under way, and
  ///   the deliverer drops it.
  func remove(_ info: ObservationInfo) -> Bool {
    edit { infos, current, waiting in
      if info.sink == nil { waiting?.ended.append(info) }
      guard infos.remove(info) else { return current }
      if infos.isEmpty { return 0 }
      // Removing an info without special needs leaves the needs as they are.
      let lost = Phase.needs(of: info)
      return lost == Phase.isObserved
        ? current : current & ~lost | infos.needs(upTo: lost, near: info)
    }
  }

  /// Replaces the handler of an info that is listed, from the next delivery on.
  ///
  /// - Returns: The old one, to be released outside of every lock; `nil` if a delivery is under
  ///   way, which may be calling it, and releases it when it ends.
  func replaceHandler(of info: ObservationInfo, by new: AnyObject) -> AnyObject? {
    var old: AnyObject?
    edit { _, current, waiting in
      old = info.replaceHandler(by: new)
      if let waiting {
        // Released as that of an info which has ended.
        waiting.ended.append(
          ObservationInfo(
            registration: info.registration, root: .released, handler: old.take(),
            serial: info.serial))
      }
      return current
    }
    return old
  }

  /// Edits the list, or, while a thread delivers, the copy that takes its place afterwards.
  ///
  /// - Parameter body: Receives the list, its needs, and what waits, while a thread delivers.
  ///   Returns the needs.
  /// - Returns: Whether the list itself was edited.
  @discardableResult @inline(__always)
  private func edit(
    _ body: (inout InfoList, Phase.RawValue, Deferred?) -> Phase.RawValue
  ) -> Bool {
    // By hand: a closure would retain the subject, in a build that is not optimised, until the lock
    // is free. By then it may be deallocated; see `SubjectReference`.
    lock.lock(as: .subject)
    // From here on no thread begins a delivery without the lock, and none ends one.
    let phase = self.phase.bitwiseOr(Phase.locked, ordering: .acquiring).oldValue
    let isDelivering = phase & Phase.delivering != 0
    var needs = phase & Phase.needs
    if isDelivering {
      let waiting = makeDeferredLocked()
      var copy = waiting.infos.take() ?? infos
      needs |= body(&copy, needs, waiting)
      waiting.infos = copy
      needs |= Phase.hasDeferred
    } else {
      needs = body(&infos, needs, nil)
    }
    let others = ~Phase.needs & ~Phase.locked
    self.phase.store(needs | phase & others, ordering: .releasing)
    lock.unlock(as: .subject)
    return !isDelivering
  }
}

extension InfoList {
  /// Needs of all infos; stops looking once they include `limit`.
  ///
  /// - Parameter info: One that has just been removed. The chunks around it are looked at first:
  ///   ending n infos in any order looks at O(n log n), whatever their options.
  /// - Complexity: O(1) where all have the same options, else O(n).
  func needs(
    upTo limit: Subject.Phase.RawValue, near info: ObservationInfo? = nil
  ) -> Subject.Phase.RawValue {
    var needs: Subject.Phase.RawValue = 0
    func reachLimit(_ info: ObservationInfo) -> Bool {
      needs |= Subject.Phase.needs(of: info)
      return needs & limit == limit
    }
    if let info, case .chunks(let list) = self {
      _ = list.chunks(around: info.order).contains { $0.contains(where: reachLimit) }
    } else {
      _ = contains(where: reachLimit)
    }
    return needs
  }
}
