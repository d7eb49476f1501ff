/// Adding and removing infos. Called under the lock of the info's store, or of its follower if it is
/// a part of following an array.
extension Subject {
  func insert(_ info: ObservationInfo) {
    // Not the subject, see `edit`.
    edit { [isAtomic] infos, current in
      infos.insert(info)
      return current | Phase.needs(of: info, isAtomic: isAtomic)
    }
    derived?.didInsert(info)
  }

  /// Takes `info` off this subject.
  ///
  /// - Returns: Whether the caller may drop the handler now. If not, a delivery is under way, and
  ///   the deliverer drops it.
  func remove(_ info: ObservationInfo) -> Bool {
    // Before it is removed: the subject may be gone then.
    if let derived, latestInfos.contains(info) { derived.didRemove(info) }
    return edit { [isAtomic] infos, current in
      guard infos.remove(info) else { return current }
      if infos.isEmpty { return 0 }
      // One that needs nothing of its own leaves the needs as they are.
      return Phase.needs(of: info, isAtomic: isAtomic) == Phase.isObserved
        ? current : infos.needs(upTo: current, isAtomic: isAtomic)
    } whileDelivering: { deferred in
      if info.sink == nil { deferred.ended.append(info) }
    }
  }

  /// Edits the list, or, while a thread delivers, the copy that takes its place afterwards.
  ///
  /// - Parameter body: Receives the list and its needs, returns its needs.
  /// - Returns: Whether the list itself was edited.
  @discardableResult @inline(__always)
  private func edit(
    _ body: (inout InfoList, Phase.RawValue) -> Phase.RawValue,
    whileDelivering: (Deferred) -> Void = { _ in }
  ) -> Bool {
    // Nothing here may retain the subject, which may be deallocated as soon as the lock is free; see
    // `SubjectLink`.
    withLock {
      // From here on no thread begins a delivery without the lock, and none ends one.
      let phase = self.phase.bitwiseOr(Phase.locked, ordering: .acquiring).oldValue
      let isDelivering = phase & Phase.delivering != 0
      var needs = phase & Phase.needs
      if isDelivering {
        let waiting = makeDeferredLocked()
        var copy = waiting.infos.take() ?? infos
        needs |= body(&copy, needs)
        waiting.infos = copy
        whileDelivering(waiting)
        self.phase.store(
          needs | phase & Phase.isRead | Phase.delivering | Phase.hasDeferred,
          ordering: .releasing)
      } else {
        // Swapped out and back, not edited in place: every access to `infos` is then so short that the
        // compiler proves exclusivity, and deliveries go without a run-time check.
        var list = InfoList.none
        swap(&list, &infos)
        needs = body(&list, needs)
        swap(&list, &infos)
        self.phase.store(
          needs | phase & (Phase.isRead | Phase.hasDeferred), ordering: .releasing)
      }
      return !isDelivering
    }
  }
}

extension InfoList {
  /// What the infos need; stops looking when that is all there was before.
  ///
  /// - Complexity: O(1) where all have the same options, else O(n).
  func needs(upTo limit: Phase.RawValue, isAtomic: Bool) -> Phase.RawValue {
    var needs: Phase.RawValue = 0
    _ = contains { info in
      needs |= Phase.needs(of: info, isAtomic: isAtomic)
      return needs == limit
    }
    return needs
  }
}
