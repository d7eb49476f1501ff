import CSupport

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
        ])
    ]
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
