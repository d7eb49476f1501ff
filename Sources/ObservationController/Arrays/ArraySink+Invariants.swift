#if DEBUG
  extension ArraySink {
    /// What is wrong with the sink of an active token, while nothing is delivered, edited or
    /// mutated in place, and no thread is in a transaction.
    func _checkInvariants() -> [String] {
      let (broken, path, array) = state.withLock { state in
        var broken: [String] = []
        func require(_ holds: Bool, _ text: String) { if !holds { broken.append(text) } }
        require(!state.queue.isDelivering && state.queue.isEmpty, "a change of an array is left")
        require(state.waiting.isEmpty && !state.isRecording, "a change of elements is not recorded")
        require(state.hookers == 0, "elements are being hooked")
        require(state.mutated.isEmpty, "an element is being mutated in place")
        require(state.handler != nil, "an active observation has no handler")
        require(!followsElements || !state.elements.hasJoined, "elements are not yet hooked")
        broken += state.elements._checkInvariants()
        return (broken, state.path?.path, state.array)
      }
      let all = broken + (path?._checkInvariants() ?? [])
      guard followsElements, let instances = array?.instanceCount else { return all }
      let count = state.withLock { $0.elements.occurrences }
      return count == instances ? all : all + ["\(count) elements are followed of \(instances)"]
    }
  }

  extension AnyObservableArray {
    /// How many elements are instances; `nil` where they are not followed by their places.
    var instanceCount: Int? { nil }
  }

  extension ObservableArray {
    var instanceCount: Int? {
      storage.count { ElementIdentity<Element>.object(of: $0) != nil }
    }
  }
#endif
