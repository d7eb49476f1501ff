import ObservationController

/// A class whose properties this library observes.
final class ObservedModel: TalliedModel {
  @Observed var number = 0
  @Observed var text = ""
  @Observed var item = Item()
  @Observed var list: [Int] = []

  func observe(_ kind: Kind, by tallies: [Tally], times: Int) -> [AnyObject] {
    tallies.map { tally in
      let controller = ObservationController(observer: tally)
      for time in 0..<times {
        // An equal registration would be a no-op; another context makes it another observation.
        let context = ObservationContext("\(time)")
        switch kind {
        case .number:
          controller.observe(self, \.number, context: context) { tally, _, change in
            tally.add(change.newValue, insteadOf: change.oldValue!)
          }
        case .text:
          controller.observe(self, \.text, context: context) { tally, _, change in
            tally.add(change.newValue, insteadOf: change.oldValue!)
          }
        case .item:
          controller.observe(self, \.item, context: context) { tally, _, change in
            tally.add(change.newValue, insteadOf: change.oldValue!)
          }
        }
      }
      return controller
    }
  }
}
