import AsyncAlgorithms
import ObservationController

/// The observed model.
final class Order {
  @Observed var cups = 1
  @Observed var price = 3
  @Observed var note = ""
}

/// Composes what it observes with the operators of swift-async-algorithms.
///
/// Each sequence begins to observe when it is asked for, so that the changes below are waiting when
/// the loop takes them. Where two sequences are consumed at once, each change waits for the
/// result of the one before, so that the output does not depend on timing.
actor Cafe {
  private let order = Order()
  private let otherOrder = Order()
  private lazy var observations = ObservationController(observer: self)

  /// `combineLatest`: what to pay, again whenever one of two properties changes.
  func totals() async -> [Int] {
    let amounts = combineLatest(
      observations.values(of: order, \.cups), observations.values(of: order, \.price)
    ).map { cups, price in cups * price }.removeDuplicates()
    var totals: [Int] = []
    for await total in amounts {
      totals.append(total)
      switch totals.count {
      case 1: order.cups = 2
      case 2: order.price = 4
      case 3: order.cups = 5
      default: observations.unobserve(order)
      }
    }
    return totals
  }

  /// `removeDuplicates`: what the note said, without what was typed and said the same.
  func notes() async -> [String] {
    let notes = observations.values(of: order, \.note).removeDuplicates()
    for note in ["oat", "oat", "oat milk", "oat milk", "to go"] { order.note = note }
    observations.unobserve(order)
    return await Array(notes)
  }

  /// `merge`: one log of the changes of several objects.
  func log() async -> [String] {
    let changes = merge(
      observations.changes(of: order, \.cups).map { "left \($0)" },
      observations.changes(of: otherOrder, \.cups).map { "right \($0)" })
    var log: [String] = []
    order.cups = 6
    for await line in changes {
      log.append(line)
      switch log.count {
      case 1, 2: otherOrder.cups += 1
      case 3: order.cups = 9
      default: observations.unobserveAll()
      }
    }
    return log
  }

  /// `chunks(ofCount:)`: changes in portions, for a printer that takes three lines at a time.
  func portions() async -> [[String]] {
    let portions = observations.changes(of: order, \.cups).map(\.description).chunks(ofCount: 3)
    for cups in 10...14 { order.cups = cups }
    observations.unobserve(order, \.cups)
    return await Array(portions)
  }

  /// `chunked(by:)`: prices in runs that only rise.
  func rises() async -> [[Int]] {
    let rises = observations.values(of: order, \.price).chunked { $0 < $1 }
    for price in [5, 6, 3, 4, 2] { order.price = price }
    observations.unobserveAll()
    return await Array(rises)
  }
}
