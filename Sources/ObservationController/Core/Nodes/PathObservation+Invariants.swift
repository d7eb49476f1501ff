#if DEBUG
  extension PathObservation {
    /// What is wrong with the path of an active info, while nothing is delivered, evaluated or
    /// mutated in place, and no thread is in a transaction.
    func _checkInvariants() -> [String] {
      let broken = state.withLock { state -> [String] in
        var broken: [String] = []
        func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }
        require(state.holds == 0, "a path is held by \(state.holds)")
        require(state.before == nil, "the values before a transaction are left")
        require(!state.hasPrior, "a prior delivery is left without a change")
        require(!state.queue.isDelivering && state.queue.isEmpty, "a change of a path is left")
        require(
          pin != nil || (state.kept != nil) == keepsValue,
          keepsValue ? "a path has no value to compare with" : "a path keeps a value for nobody")
        return broken
      }
      // A pinned path is no node.
      return broken + (pin == nil ? node.vertex._checkInvariants() : [])
    }
  }
#endif
