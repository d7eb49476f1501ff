import OpenCombine

/// A class that publishes its properties.
final class PublishedModel: TalliedModel {
  @Published var number = 0
  @Published var text = ""
  @Published var item = Item()
  @Published var list: [Int] = []

  func observe(_ kind: Kind, by tallies: [Tally], times: Int) -> [AnyObject] {
    tallies.flatMap { tally in
      (0..<times).map { _ in
        switch kind {
        case .number: Self.tell(tally, of: $number)
        case .text: Self.tell(tally, of: $text)
        case .item: Self.tell(tally, of: $item)
        }
      }
    }
  }

  /// A sink does not receive the old value: it keeps the one that it received before.
  static func tell<Value: Weighed>(
    _ tally: Tally, of publisher: some Publisher<Value, Never>
  ) -> AnyCancellable {
    var last: Value?
    return publisher.sink { new in
      if let last { tally.add(new, insteadOf: last) }
      last = new
    }
  }
}
