import ObservationController

/// A member of a chain in which each handler changes the next one.
package final class DeepLink {
  @Observed package var value = 0
  @AtomicObserved package var shared = 0
  @Observed package var items: ObservableArray<Int> = []
  package let event = ObservableEvent<Int>()

  package init() {}

  /// Computed, so that it is observed as a path.
  package var computed: Int { value * 10 }
  package var computedFromShared: Int { shared * 10 }
}

/// The kinds of changes of a chain.
package enum DeepChange: String, CaseIterable, Sendable {
  case property, mutation, prior, path, priorOfAPath, transaction, transactionOfAPath
  case atomic, pathOfAnAtomic, array, event

  /// Has `handler` called once for the effect of `change` on `link`.
  package func observe(
    _ link: DeepLink, with controller: ObservationController<LineRecorder>,
    handler: @escaping () -> Void
  ) -> ObservationToken {
    switch self {
    case .property, .mutation, .transaction:
      controller.observe(link, \.value) { _, _, _ in handler() }
    case .prior:
      controller.observe(link, \.value, options: .prior) { _, _, change in
        if change.isPrior { handler() }
      }
    case .path, .transactionOfAPath:
      controller.observe(link, \.computed) { _, _, _ in handler() }
    case .priorOfAPath:
      controller.observe(link, \.computed, options: .prior) { _, _, change in
        if change.isPrior { handler() }
      }
    case .atomic:
      controller.observe(link, \.shared) { _, _, _ in handler() }
    case .pathOfAnAtomic:
      controller.observe(link, \.computedFromShared) { _, _, _ in handler() }
    case .array:
      controller.observeArray(link, \.items) { _, _, _ in handler() }
    case .event:
      controller.observe(link.event) { _, _ in handler() }
    }
  }

  package func change(_ link: DeepLink) {
    switch self {
    case .property, .prior, .path, .priorOfAPath: link.value = 1
    case .mutation: link.value += 1
    case .transaction, .transactionOfAPath: withObservationTransaction { link.value = 1 }
    case .atomic, .pathOfAnAtomic: link.shared = 1
    case .array: link.items.append(1)
    case .event: link.event.send(1)
    }
  }
}
