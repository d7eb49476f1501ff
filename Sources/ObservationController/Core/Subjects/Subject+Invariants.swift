#if DEBUG
  extension Subject {
    /// What is wrong with the subject while no thread delivers, edits its list or is in a
    /// transaction.
    func _checkInvariants() -> [String] {
      let (phase, infos, waiting) = withLock {
        (self.phase.load(ordering: .relaxed), self.infos, deferred)
      }
      var broken: [String] = []
      func require(_ holds: Bool, _ text: String) {
        if !holds { broken.append("\(text) (phase \(String(phase, radix: 2)))") }
      }

      // The legal combinations of bits at rest, see `Subject.Phase`.
      require(phase & Phase.busy == 0, "a turn, a lock or a change is left")
      require(
        phase & Phase.needs == infos.needs(upTo: Phase.needs),
        "the needs are not those of its infos")
      require(
        phase & Phase.isPrepared == 0 || phase & Phase.isRead != 0,
        "changes are compared for nobody that has read it")
      require(
        isOfStoredProperty || phase & (Phase.isRead | Phase.isPrepared) == 0,
        "a derived property is read as a stored one")

      require(waiting?.infos == nil, "an edited list is left")
      require(waiting?.ended.isEmpty ?? true, "infos that have ended are left")
      require(waiting?.held == nil, "a held change is left")
      require(
        waiting.map { $0.queue.isEmpty && !$0.queue.isDelivering } ?? true, "a change is left")
      var last: UInt128?
      infos.visit { info in
        require(info.isActive, "an info that has ended is listed")
        require(last.map { $0 < info.order } ?? true, "the list is out of order")
        last = info.order
      }
      return broken + (vertex?._checkInvariants() ?? [])
    }
  }
#endif
