import ObservationController

/// Nested and computed paths.
///
/// Neither `didSet` nor `@Published` follows a path by itself; `@Observable` does, reading all of
/// it.
enum PathsTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("path-leaf", count: 2_000, leaf(links: 1)),
      Comparison("path-link", count: 2_000, [observedLink, observableLink]),
      Comparison("path-plain-leaf", count: 2_000, [observedPlainLeaf]),
      Comparison("path-constant-leaf", count: 2_000, [observedConstantLeaf]),
      Comparison("path-plain-link", count: 2_000, [observedPlainLink]),
      Comparison("path-computed", count: 2_000, [observedTotal(), observableTotal]),
      Comparison("path-computed-beside", count: 2_000, [observedTotal(isBeside: true)]),
    ]
  }

  /// The last property of a path through that many links is set.
  static func leaf(links: Int) -> [Workload] {
    [
      Workload(.observed) { count in
        let (first, last) = ObservedLink.chain(links: links)
        let tally = Tally()
        let controller = ObservationController(observer: tally)
        controller.observe(first, ObservedLink.paths[links - 1]) { tally, _, change in
          tally.add(change.newValue!, insteadOf: change.oldValue!!)
        }
        return Run {
          setNumbers(ofLink: last, count)
        } isRight: {
          withExtendedLifetime((first, controller)) { tally.sum == count }
        }
      },
      Workload(.observable) { count in
        let (first, last) = ObservableLink.chain(links: links)
        let tally = Tally()
        let tracking = Tracking(of: first, by: tally) { first in
          var link = first
          for _ in 0..<links { link = link.next! }
          return link.number
        }
        return Run {
          setNumbers(ofLink: last, count)
        } isRight: {
          withExtendedLifetime((first, tracking)) { tally.sum == count - 1 }
        }
      },
    ]
  }

  // The number of the next object, which is another one with each operation: 1 more each time.

  private static var observedLink: Workload {
    Workload(.observed) { count in
      let (first, _) = ObservedLink.chain(links: 1)
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      controller.observe(first, \.next?.number) { tally, _, change in
        tally.add(change.newValue!, insteadOf: change.oldValue!!)
      }
      let links = numbered(ObservedLink.self, count)
      return Run {
        setNext(of: first, to: links)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == count }
      }
    }
  }

  // A path through a link that is no optional, which makes the path a chain of properties.

  private static var observedPlainLeaf: Workload {
    Workload(.observed) { count in
      let (holder, tally, controller) = observedHolder()
      return Run {
        setNumbers(ofLink: holder.link, count)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == count }
      }
    }
  }

  private static var observedConstantLeaf: Workload {
    Workload(.observed) { count in
      let (holder, tally) = (ConstantHolder(), Tally())
      let controller = ObservationController(observer: tally)
      controller.observe(holder, \.link.number) { tally, _, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
      return Run {
        setNumbers(ofLink: holder.link, count)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == count }
      }
    }
  }

  private static var observedPlainLink: Workload {
    Workload(.observed) { count in
      let (holder, tally, controller) = observedHolder()
      let links = numbered(ObservedLink.self, count)
      return Run {
        setLink(of: holder, to: links)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == count }
      }
    }
  }

  private static func observedHolder() -> (
    ObservedHolder, Tally, ObservationController<Tally>
  ) {
    let (holder, tally) = (ObservedHolder(), Tally())
    let controller = ObservationController(observer: tally)
    controller.observe(holder, \.link.number) { tally, _, change in
      tally.add(change.newValue, insteadOf: change.oldValue!)
    }
    return (holder, tally, controller)
  }

  private static var observableLink: Workload {
    Workload(.observable) { count in
      let (first, _) = ObservableLink.chain(links: 1)
      let tally = Tally()
      let tracking = Tracking(of: first, by: tally) { $0.next!.number }
      let links = numbered(ObservableLink.self, count)
      return Run {
        setNext(of: first, to: links)
      } isRight: {
        withExtendedLifetime(tracking) { tally.sum == count - 1 }
      }
    }
  }

  private static func numbered<L: Link>(_: L.Type, _ count: Int) -> [L] {
    (0..<count).map { index in
      let link = L()
      link.number = index + 1
      return link
    }
  }

  /// - Parameter isBeside: Whether the property that is set has an observer of its own, too.
  private static func observedTotal(isBeside: Bool = false) -> Workload {
    Workload(.observed) { count in
      let object = ObservedLink()
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      controller.observe(object, \.total) { tally, _, change in
        tally.add(change.newValue, insteadOf: change.oldValue!)
      }
      if isBeside {
        controller.observe(object, \.number) { tally, _, change in
          tally.add(change.newValue, insteadOf: change.oldValue!)
        }
      }
      return Run {
        setNumbers(ofLink: object, count)
      } isRight: {
        withExtendedLifetime(controller) { tally.sum == (isBeside ? 2 : 1) * count }
      }
    }
  }

  private static var observableTotal: Workload {
    Workload(.observable) { count in
      let object = ObservableLink()
      let tally = Tally()
      let tracking = Tracking(of: object, by: tally) { $0.total }
      return Run {
        setNumbers(ofLink: object, count)
      } isRight: {
        withExtendedLifetime(tracking) { tally.sum == count - 1 }
      }
    }
  }
}

/// An object that leads to another one by a constant.
private final class ConstantHolder {
  let link = ObservedLink()
}

@inline(never)
private func set<L: Link>(_ number: Int, inLink link: L) { link.number = number }

@inline(never)
private func setNumbers<L: Link>(ofLink link: L, _ count: Int) {
  for number in stride(from: 1, through: count, by: 1) { set(number, inLink: link) }
}

@inline(never)
private func setNext<L: Link>(of link: L, to links: [L]) {
  for next in links { set(next, inLink: link) }
}

@inline(never)
private func set<L: Link>(_ next: L, inLink link: L) { link.next = next }

@inline(never)
private func setLink(of holder: ObservedHolder, to links: [ObservedLink]) {
  for link in links { set(link, inHolder: holder) }
}

@inline(never)
private func set(_ link: ObservedLink, inHolder holder: ObservedHolder) { holder.link = link }
