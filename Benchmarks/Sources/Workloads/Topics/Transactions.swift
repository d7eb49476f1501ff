import ObservationController

/// A hundred changes, delivered at the end of a transaction, and without one.
enum TransactionsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "transaction-100-sets", count: 200,
        [
          ofOneProperty(.observed, inTransaction: true),
          ofOneProperty(.alone, inTransaction: false),
        ]),
      Comparison(
        "transaction-100-objects", count: 200,
        [ofObjects(.observed, inTransaction: true), ofObjects(.alone, inTransaction: false)]),
    ]
  }

  private static func ofOneProperty(_ peer: Peer, inTransaction: Bool) -> Workload {
    Workload(peer) { count in
      let model = ObservedModel()
      let tally = Tally()
      let kept = model.observe(.number, by: [tally], times: 1)
      return Run {
        for _ in 0..<count {
          perform(inTransaction: inTransaction) { setNumbers(of: model, 100) }
        }
      } isRight: {
        // From 0 to 100 the first time, and then from 100 to 100; without a transaction by way of
        // 1.
        withExtendedLifetime(kept) { tally.sum == 100 }
      }
    }
  }

  private static func ofObjects(_ peer: Peer, inTransaction: Bool) -> Workload {
    Workload(peer) { count in
      let cells = (0..<100).map { _ in ObservedCell() }
      let tally = Tally()
      let kept = ObservedCell.observe(cells, by: tally)
      return Run {
        for number in stride(from: 1, through: count, by: 1) {
          perform(inTransaction: inTransaction) {
            for cell in cells { set(number, inCell: cell) }
          }
        }
      } isRight: {
        withExtendedLifetime(kept) { tally.sum == 100 * count }
      }
    }
  }

  private static func perform(inTransaction: Bool, _ body: () -> Void) {
    if inTransaction { withObservationTransaction(body) } else { body() }
  }
}
