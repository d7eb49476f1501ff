/// Waiting for the end of a mutation in place of an element's property.
///
/// A closure of a live view may read the property of any element, and hooking an element reads that
/// of this one. During the mutation Swift traps at that. So a view records changes meanwhile, and
/// follows them when the property can be read again; other observers wait only with elements that
/// come and are being mutated.
extension ArraySink {
  func beginMutation(of element: ObjectIdentifier) {
    state.withLock { state in
      state.mutated.append(element)
      // Waits as it does for elements that are being hooked.
      if token.isOfView { state.hookers += 1 }
    }
  }

  func endMutation(of element: ObjectIdentifier) {
    state.withLock { state in
      // Not there if the observation has ended.
      guard let index = state.mutated.lastIndex(of: element) else { return }
      state.mutated.remove(at: index)
      if token.isOfView { state.hookers -= 1 }
    }
  }

  func deliverPostponed() {
    hookJoined()
    deliverHooked()
  }
}
