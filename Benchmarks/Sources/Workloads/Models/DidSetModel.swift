/// Observation by hand: closures called with the old and the new value.
final class DidSetModel: TalliedModel {
  var numberHandlers: [(Int, Int) -> Void] = []
  var textHandlers: [(String, String) -> Void] = []
  var itemHandlers: [(Item, Item) -> Void] = []
  var listHandlers: [([Int]) -> Void] = []

  var number = 0 {
    didSet {
      let new = number
      for handler in numberHandlers { handler(oldValue, new) }
    }
  }

  var text = "" {
    didSet {
      let new = text
      for handler in textHandlers { handler(oldValue, new) }
    }
  }

  var item = Item() {
    didSet {
      let new = item
      for handler in itemHandlers { handler(oldValue, new) }
    }
  }

  // Without the old value, which would make every append copy the list.
  var list: [Int] = [] {
    didSet {
      for handler in listHandlers { handler(list) }
    }
  }

  func observe(_ kind: Kind, by tallies: [Tally], times: Int) -> [AnyObject] {
    for tally in tallies {
      for _ in 0..<times {
        switch kind {
        case .number: numberHandlers.append { old, new in tally.add(new, insteadOf: old) }
        case .text: textHandlers.append { old, new in tally.add(new, insteadOf: old) }
        case .item: itemHandlers.append { old, new in tally.add(new, insteadOf: old) }
        }
      }
    }
    return []
  }
}
