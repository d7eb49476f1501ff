import Dispatch
import ObservationController
import OpenCombine
import OpenCombineDispatch

/// Delivery on a serial queue, until the last change has been delivered there.
enum QueuesTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "queue", count: 2_000, isCountFixed: true,
        [didSet, observed(.observed), observed(.coalescing), published])
    ]
  }

  private static var didSet: Workload {
    Workload(.didSet) { count in
      let model = DidSetModel()
      let tally = Tally()
      let queue = DispatchQueue(label: "didSet")
      model.numberHandlers.append { old, new in
        queue.async { tally.add(new, insteadOf: old) }
      }
      return delivering(model, on: queue, to: tally, count)
    }
  }

  private static func observed(_ peer: Peer) -> Workload {
    Workload(peer) { count in
      let model = ObservedModel()
      let tally = Tally()
      let queue = DispatchQueue(label: "Observed")
      let controller = ObservationController(observer: tally)
      controller.observe(
        model, \.number, on: queue, coalescing: peer == .coalescing ? .latest : .none
      ) {
        tally, _, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
      return delivering(model, on: queue, to: tally, count, keeping: controller)
    }
  }

  private static var published: Workload {
    Workload(.published) { count in
      let model = PublishedModel()
      let tally = Tally()
      let queue = DispatchQueue(label: "Published")
      let sink = PublishedModel.tell(tally, of: model.$number.receive(on: queue.ocombine))
      return delivering(model, on: queue, to: tally, count, keeping: sink)
    }
  }

  private static func delivering(
    _ model: some Model, on queue: DispatchQueue, to tally: Tally, _ count: Int,
    keeping kept: AnyObject? = nil
  ) -> Run {
    Run {
      setNumbers(of: model, count)
      queue.sync {}
    } isRight: {
      withExtendedLifetime(kept) { tally.sum == count }
    }
  }
}
