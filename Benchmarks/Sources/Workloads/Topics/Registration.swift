import ObservationController
import OpenCombine

/// Beginning and ending an observation of one property.
///
/// `withObservationTracking` can't be ended, so that `@Observable` has no part in this.
enum RegistrationTopic {
  static var comparisons: [Comparison] {
    [Comparison("observe-unobserve", count: 2_000, [didSet, observed, published])]
  }

  private static var didSet: Workload {
    Workload(.didSet) { count in
      let model = DidSetModel()
      let tally = Tally()
      return Run {
        for _ in 0..<count { beginAndEnd(model, tally) }
      } isRight: {
        set(1, in: model)
        return model.numberHandlers.isEmpty && tally.sum == 0
      }
    }
  }

  private static var observed: Workload {
    Workload(.observed) { count in
      let model = ObservedModel()
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      return Run {
        for _ in 0..<count { beginAndEnd(model, controller) }
      } isRight: {
        set(1, in: model)
        return controller.observations.isEmpty && tally.sum == 0
      }
    }
  }

  private static var published: Workload {
    Workload(.published) { count in
      let model = PublishedModel()
      model.number = 1
      let tally = Tally()
      return Run {
        for _ in 0..<count { beginAndEnd(model, tally) }
      } isRight: {
        set(5, in: model)
        // A sink receives the value when it begins.
        return tally.sum == count
      }
    }
  }
}

@inline(never)
private func beginAndEnd(_ model: DidSetModel, _ tally: Tally) {
  model.numberHandlers.append { old, new in tally.add(new, insteadOf: old) }
  model.numberHandlers.removeLast()
}

@inline(never)
private func beginAndEnd(_ model: ObservedModel, _ controller: ObservationController<Tally>) {
  let token = controller.observe(model, \.number) { tally, _, change in
    tally.add(change.newValue, insteadOf: change.oldValue!)
  }
  token.invalidate()
}

@inline(never)
private func beginAndEnd(_ model: PublishedModel, _ tally: Tally) {
  let cancellable = model.$number.sink { new in tally.add(new, insteadOf: 0) }
  cancellable.cancel()
}
