/// How the cost of an operation grows with the number of observers and of objects.
enum ScalingTopic {
  static var comparisons: [Comparison] {
    [1, 3, 10, 30, 100, 300, 1_000].map { observers in
      SetTopic.comparison("observers-\(observers)", .number, times: observers)
    } + (0...6).flatMap { ofObjects(count: Int(pow10: $0)) }
      + (1...10).map { links in
        Comparison("links-\(links)", count: 2_000, PathsTopic.leaf(links: links))
      }
  }

  /// Objects with one observer each, which is the same for all of them.
  private static func ofObjects(count objects: Int) -> [Comparison] {
    // Several groups of few objects, so that there is something to measure.
    let count = max(1_000, objects)
    return [
      Comparison(
        "objects-register-\(objects)", count: count, isCountFixed: true,
        duration: .forMeasuring(objects: objects),
        measures: [.time, .bytes],
        [
          registering(DidSetCell.self, .didSet, objects),
          registering(ObservedCell.self, .observed, objects),
          registering(PublishedCell.self, .published, objects),
          registering(ObservableCell.self, .observable, objects),
        ]),
      Comparison(
        "objects-notify-\(objects)", count: max(10_000, objects), isCountFixed: true,
        duration: .forMeasuring(objects: objects),
        [
          notifying(DidSetCell.self, .didSet, objects),
          notifying(ObservedCell.self, .observed, objects),
          notifying(PublishedCell.self, .published, objects),
        ]
          // Two seconds, and no other picture, with a million of them.
          + (objects > 100_000
            ? [] : [notifying(ObservableCell.self, .observable, objects, isBehind: true)])),
      Comparison(
        "objects-end-\(objects)", count: count, isCountFixed: true,
        duration: .forMeasuring(objects: objects),
        [
          ending(DidSetCell.self, .didSet, objects),
          ending(ObservedCell.self, .observed, objects),
          ending(PublishedCell.self, .published, objects),
        ]),
    ]
  }

  private static func registering<C: TalliedCell>(_: C.Type, _ peer: Peer, _ objects: Int)
    -> Workload
  {
    Workload(peer) { count in
      let groups = Group<C>.groups(of: objects, count)
      return Run {
        for group in groups { group.observe() }
      } isRight: {
        groups.allSatisfy { $0.told(behind: peer == .observable) == $0.count }
      }
    }
  }

  private static func notifying<C: TalliedCell>(
    _: C.Type, _ peer: Peer, _ objects: Int, isBehind: Bool = false
  ) -> Workload {
    Workload(peer) { count in
      let group = Group<C>(objects)
      group.observe()
      return Run {
        group.setNumbers(count)
      } isRight: {
        group.tally.sum == (isBehind ? count - min(count, objects) : count)
      }
    }
  }

  private static func ending<C: TalliedCell>(_: C.Type, _ peer: Peer, _ objects: Int) -> Workload {
    Workload(peer) { count in
      let groups = Group<C>.groups(of: objects, count)
      for group in groups { group.observe() }
      return Run {
        for group in groups { group.end() }
      } isRight: {
        groups.allSatisfy { $0.told(behind: false) == 0 }
      }
    }
  }
}

/// Objects with one observer.
private final class Group<C: TalliedCell> {
  let tally = Tally()
  private let cells: [C]
  private var observers: AnyObject?

  var count: Int { cells.count }

  init(_ count: Int) {
    cells = (0..<count).map { _ in C() }
  }

  /// `count` objects in groups of `size`.
  static func groups(of size: Int, _ count: Int) -> [Group] {
    stride(from: 0, to: count, by: size).map { Group(min(size, count - $0)) }
  }

  @inline(never)
  func observe() {
    observers = C.observe(cells, by: tally)
  }

  @inline(never)
  func end() {
    C.end(cells)
    observers = nil
  }

  /// Sets one object after the other, as often as it takes.
  @inline(never)
  func setNumbers(_ count: Int) {
    var left = count
    var number = 0
    while left > 0 {
      number += 1
      for cell in cells.prefix(left) { set(number, inCell: cell) }
      left -= cells.count
    }
  }

  /// Changes each object, and counts the changes that the observer receives.
  ///
  /// - Parameter behind: Whether it is notified with the next change only.
  func told(behind: Bool) -> Int {
    let before = tally.sum
    for cell in cells { set(cell.number + 1, inCell: cell) }
    if behind { for cell in cells { set(0, inCell: cell) } }
    return tally.sum - before
  }
}

@inline(never)
func set<C: Cell>(_ number: Int, inCell cell: C) { cell.number = number }

extension Duration {
  /// Making a million objects takes seconds.
  static func forMeasuring(objects: Int) -> Duration {
    objects < 1_000_000 ? .seconds(1) : .seconds(20)
  }
}

extension Int {
  /// A power of ten.
  init(pow10 exponent: Int) {
    self = (0..<exponent).reduce(1) { power, _ in power * 10 }
  }
}
