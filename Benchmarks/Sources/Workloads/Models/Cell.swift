import Observation
import ObservationController
import OpenCombine

/// A small class with one property, of which there are many objects.
protocol Cell: AnyObject {
  init()
  var number: Int { get set }
}

/// A cell that can be observed.
protocol TalliedCell: Cell {
  /// Has `tally` observe all of `cells`.
  ///
  /// - Returns: What has to be kept for as long as the observer should be notified.
  static func observe(_ cells: some Collection<Self>, by tally: Tally) -> AnyObject

  /// Ends what ``observe(_:by:)`` began, apart from letting go what it returned.
  static func end(_ cells: some Collection<Self>)
}

extension TalliedCell {
  static func end(_ cells: some Collection<Self>) {}
}

final class PlainCell: Cell {
  var number = 0
}

final class DidSetCell: TalliedCell {
  var handlers: [(Int, Int) -> Void] = []

  var number = 0 {
    didSet {
      let new = number
      for handler in handlers { handler(oldValue, new) }
    }
  }

  static func observe(_ cells: some Collection<DidSetCell>, by tally: Tally) -> AnyObject {
    for cell in cells {
      cell.handlers.append { old, new in tally.add(new, insteadOf: old) }
    }
    return tally
  }

  static func end(_ cells: some Collection<DidSetCell>) {
    for cell in cells { cell.handlers = [] }
  }
}

final class ObservedCell: TalliedCell {
  @Observed var number = 0

  static func observe(_ cells: some Collection<ObservedCell>, by tally: Tally) -> AnyObject {
    let controller = ObservationController(observer: tally)
    for cell in cells {
      controller.observe(cell, \.number) { tally, _, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
    }
    return controller
  }
}

final class PublishedCell: TalliedCell {
  @Published var number = 0

  static func observe(_ cells: some Collection<PublishedCell>, by tally: Tally) -> AnyObject {
    let sinks = Kept()
    sinks.objects.reserveCapacity(cells.count)
    for cell in cells {
      sinks.objects.append(PublishedModel.tell(tally, of: cell.$number))
    }
    return sinks
  }
}

@Observable
final class ObservableCell: TalliedCell {
  var number = 0

  static func observe(_ cells: some Collection<ObservableCell>, by tally: Tally) -> AnyObject {
    let trackings = Kept()
    trackings.objects.reserveCapacity(cells.count)
    for cell in cells {
      trackings.objects.append(Tracking(of: cell, by: tally) { $0.number })
    }
    return trackings
  }
}

/// Many objects that are let go as one.
final class Kept {
  var objects: [AnyObject] = []
}
