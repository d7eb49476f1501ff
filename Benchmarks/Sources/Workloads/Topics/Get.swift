import CSupport
import Dispatch

/// Reading a property.
enum GetTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "get-int", count: 100_000,
        [
          reading(PlainModel.self, .plain),
          reading(ObservedModel.self, .observed),
          reading(PublishedModel.self, .published),
          reading(ObservableModel.self, .observable),
        ]),
      Comparison(
        "get-int-asleep", count: 100_000, isCountFixed: true,
        [
          Workload(.alone) { reading($0) },
          Workload(.observed) { reading($0, whileAnotherSleeps: true) },
        ]),
    ]
  }

  /// Reads on this thread, perhaps while another one sleeps that has read a derived value.
  private static func reading(_ count: Int, whileAnotherSleeps: Bool = false) -> Run {
    let sleeper = whileAnotherSleeps ? Sleeper() : nil
    let model = ObservedModel()
    model.number = 3
    let tally = Tally()
    return Run {
      tally.sum = readNumbers(of: model, count)
    } isRight: {
      withExtendedLifetime(sleeper) { tally.sum == 3 * count }
    }
  }

  private static func reading<M: Model>(_: M.Type, _ peer: Peer) -> Workload {
    Workload(peer) { count in
      let model = M()
      model.number = 3
      let tally = Tally()
      return Run {
        tally.sum = readNumbers(of: model, count)
      } isRight: {
        tally.sum == 3 * count
      }
    }
  }
}

@inline(never)
private func read<M: Model>(_ model: M) -> Int { model.number }

@inline(never)
private func readNumbers<M: Model>(of model: M, _ count: Int) -> Int {
  var sum = 0
  for _ in 0..<count {
    sum &+= read(model)
    // A plain property would otherwise be read once for the whole loop.
    memory_barrier()
  }
  return sum
}

/// A thread that has read a derived value, and sleeps as long as this lives.
private final class Sleeper {
  private let wake = DispatchSemaphore(value: 0)

  init() {
    let (ready, wake) = (DispatchSemaphore(value: 0), wake)
    DispatchQueue(label: "sleeper").async {
      _ = DerivedLink.chain(of: 2).last!.value
      ready.signal()
      wake.wait()
    }
    ready.wait()
  }

  deinit { wake.signal() }
}
