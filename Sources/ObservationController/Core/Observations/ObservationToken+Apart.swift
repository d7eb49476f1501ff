/// Tokens that stand apart from their infos.
///
///     program ──▶ token ──▶ info ──▶ sink ──▶ key path     strong
///                   ▲─────────────────┘
///
/// A key path may capture objects, as `\.[cell]` does, which are released when the observation
/// ends, while the program may keep the token. So the token of such a key path is no info: it has
/// one as its root until that ends, which breaks the cycle as well.
extension ObservationToken {
  private convenience init(apartFrom info: ObservationInfo, root: Root) {
    self.init(
      registration: ObservationRegistration(tokenOf: info.registration), root: root, handler: nil,
      serial: info.serial)
  }

  /// What an observing method returns for this info. Of bindings, views and sequences, whose infos
  /// the library uses, the info.
  var returned: ObservationToken {
    let request = registration.request
    return request.binding == nil && !request.isOneOfMany && !request.isEarly ? token : self
  }

  /// What the program may keep: the info itself, unless its key path may capture objects.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  var token: ObservationToken {
    guard !traits.isDisjoint(with: [.path, .array]), !registration.capturesNothing else {
      return self
    }
    return withStoreLock {
      guard let sink, isActive else {
        let token = ObservationToken(apartFrom: self, root: .released)
        _ = token.deactivate()
        return token
      }
      if let token = sink.separateToken { return token }
      let token = ObservationToken(apartFrom: self, root: .retained(self))
      sink.separateToken = token
      return token
    }
  }
}

extension ObservationStore {
  /// Ends the observation of a token that stands apart; nothing happens if it has ended.
  func endInfo(of token: ObservationToken) {
    let pendingRelease = state.withLock { state -> PendingRelease in
      guard case .retained(let info) = token.root else { return PendingRelease() }
      // Safe: nothing else is the root of such a token.
      return endLocked(unsafeDowncast(info, to: ObservationInfo.self), &state)
    }
    withExtendedLifetime(pendingRelease) {}
  }

  /// Ends the token that stands apart from an info. Under the lock of the store.
  ///
  /// - Returns: References to be released outside of the lock.
  func endTokenLocked(of sink: any Sink) -> (ObservationToken, ObservationInfo.Root)? {
    guard let token = sink.separateToken else { return nil }
    sink.separateToken = nil
    _ = token.deactivate()
    return (token, exchange(&token.root, with: .released))
  }
}
