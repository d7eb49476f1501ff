import Dispatch

/// Two threads that have nothing in common: objects, observers and controllers of their own.
///
/// Each sets as often as the one thread of `threads/Observed-1` does, so that `threads/Observed-2`
/// takes as long if neither hinders the other.
enum ThreadsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "threads", count: 200_000, isCountFixed: true, duration: .seconds(5),
        [1, 2].flatMap { threads in
          [
            setting(DidSetModel.self, .didSet, threads),
            setting(ObservedModel.self, .observed, threads),
            setting(PublishedModel.self, .published, threads),
          ]
        })
    ]
  }

  static func setting<M: TalliedModel>(_: M.Type, _ peer: Peer, _ threads: Int) -> Workload {
    Workload(peer, variant: "-\(threads)") { count in
      // Memory in between, so that no two threads write to one line of the processor's cache.
      var margins: [[UInt8]] = []
      let fixtures = (0..<threads).map { _ in
        margins.append(Array(repeating: 0, count: 1_000))
        return Fixture<M>()
      }
      let set = Unchecked(fixtures.map { fixture in { setNumbers(of: fixture.model, count) } })
      return Run {
        onThreads(threads) { thread in set.value[thread]() }
      } isRight: {
        withExtendedLifetime(margins) { fixtures.allSatisfy { $0.tally.sum == count } }
      }
    }
  }
}

private final class Fixture<M: TalliedModel> {
  let model = M()
  let tally = Tally()
  private var kept: [AnyObject] = []

  init() {
    kept = model.observe(.number, by: [tally], times: 1)
  }
}

/// Calls `body` on as many threads at once.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  if count == 1 { return body(0) }
  // Each queue gets a thread of its own, whereas `concurrentPerform` may take but one for all of
  // them.
  let group = DispatchGroup()
  for thread in 0..<count {
    DispatchQueue(label: "thread \(thread)").async(group: group) { body(thread) }
  }
  group.wait()
}

/// Takes a value to another thread, which the one who makes it answers for.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
