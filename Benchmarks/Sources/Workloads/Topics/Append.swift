import ObservationController
import OpenCombine

/// Appending to an array in place, unobserved and with one observer that does not ask for the array
/// before.
enum AppendTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "append-0",
        [
          appending(PlainModel.self, .plain),
          appending(ObservedModel.self, .observed),
          appending(PublishedModel.self, .published),
          appending(ObservableModel.self, .observable),
        ]),
      Comparison(
        "append-1",
        [
          appending(PlainModel.self, .plain),
          appending(DidSetModel.self, .didSet) { model, tally in
            model.listHandlers.append { tally.sum &+= $0.count }
            return []
          },
          appending(ObservedModel.self, .observed) { model, tally in
            let controller = ObservationController(observer: tally)
            controller.observe(model, \.list, options: []) { tally, _, change in
              tally.sum &+= change.newValue.count
            }
            return [controller]
          },
          appending(PublishedModel.self, .published) { model, tally in
            [model.$list.sink { tally.sum &+= $0.count }]
          },
        ]),
    ]
  }

  private static func appending<M: Model>(_: M.Type, _ peer: Peer) -> Workload {
    appending(M.self, peer, observe: nil)
  }

  private static func appending<M: Model>(
    _: M.Type, _ peer: Peer, observe: ((M, Tally) -> [AnyObject])?
  ) -> Workload {
    Workload(peer) { count in
      let model = M()
      // Growing would be most of what is measured, and is the same for all.
      model.list.reserveCapacity(count)
      let tally = Tally()
      let kept = observe?(model, tally)
      return Run {
        append(to: model, count)
      } isRight: {
        let expected = observe == nil ? 0 : count * (count + 1) / 2
        return withExtendedLifetime(kept) { model.list.count == count && tally.sum == expected }
      }
    }
  }
}

@inline(never)
private func append<M: Model>(_ number: Int, to model: M) { model.list.append(number) }

@inline(never)
private func append<M: Model>(to model: M, _ count: Int) {
  for number in 0..<count { append(number, to: model) }
}
