/// The token of a binding, for its own handler to look at and to end.
///
/// Held strongly: the token holds the handler until it ends, and the handler holds this.
struct OwnToken: ~Copyable {
  private let state = Locked<ObservationToken?>(nil)
}

extension OwnToken {
  /// Whether the binding goes on; also before the token is known.
  var isActive: Bool { state.withLock { $0 }?.isActive ?? true }

  func set(_ token: ObservationToken) {
    state.withLock { $0 = token }
  }

  /// Nothing happens if the token is not known yet: the next delivery will come here too.
  func end() {
    state.withLock { $0 }?.invalidate()
  }
}
