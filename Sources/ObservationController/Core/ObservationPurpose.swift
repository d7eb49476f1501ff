/// What an observation is for, by which it is told apart from others of the same key path and context.
enum ObservationPurpose {
  /// To tell a handler: the same again is the same observation.
  case observation

  /// To tell a handler that is one of many: the same again is another one.
  case oneOfMany

  /// To set a property: the same again is the same observation if it sets the same one.
  case binding(BindingTarget)
}

extension ObservationPurpose {
  var isObservation: Bool {
    if case .observation = self { true } else { false }
  }

  var isOneOfMany: Bool {
    if case .oneOfMany = self { true } else { false }
  }

  /// Calls the `==` of a key path; not under a lock.
  func isSame(as other: ObservationPurpose) -> Bool {
    switch (self, other) {
    case (.observation, .observation): true
    case (.binding(let target), .binding(let other)): target.isSame(as: other)
    default: false
    }
  }

  /// Whether it ends as soon as the observer is found to have gone, and does not wait for the
  /// controller: somebody else may be waiting for its end, as the loop over a sequence does.
  var endsWithObserver: Bool { !isObservation }

  /// The property that is set, if that is what it is for.
  var target: BindingTarget? {
    if case .binding(let target) = self { target } else { nil }
  }

  /// Whether there is nothing left to do: the object to be set has gone.
  var isDone: Bool {
    if case .binding(let target) = self { target.object == nil } else { false }
  }
}
