import Observation
import ObservationController

/// A link of a chain, and a value that is computed from two others.
protocol Link: AnyObject {
  init()
  var number: Int { get set }
  var other: Int { get set }
  var next: Self? { get set }
}

extension Link {
  /// Depends on two properties.
  var total: Int { number + other }

  /// Makes a chain of `links` links.
  ///
  /// - Returns: Its first and its last object.
  static func chain(links: Int) -> (first: Self, last: Self) {
    let last = Self()
    let first = (0..<links).reduce(last) { next, _ in
      let link = Self()
      link.next = next
      return link
    }
    return (first, last)
  }
}

/// A link that this library observes.
final class ObservedLink: Link {
  @Observed var number = 0
  @Observed var other = 0
  @Observed var next: ObservedLink?
}

/// An object that always has a link, so that a path through it has no optional in between.
final class ObservedHolder {
  @Observed var link = ObservedLink()
}

/// A link of the standard library's observing.
@Observable
final class ObservableLink: Link {
  var number = 0
  var other = 0
  var next: ObservableLink?
}

extension ObservedLink {
  /// The path through 1, 2, … 10 links to the number of the last object.
  static var paths: [KeyPath<ObservedLink, Int?>] {
    [
      \.next?.number,
      \.next?.next?.number,
      \.next?.next?.next?.number,
      \.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.next?.next?.next?.next?.number,
      \.next?.next?.next?.next?.next?.next?.next?.next?.next?.next?.number,
    ]
  }
}
