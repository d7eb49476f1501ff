import Observation
import ObservationController
import OpenCombine

/// Making objects with ten properties, none of them observed.
enum CreationTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "create-10-properties", count: 5_000, isCountFixed: true, measures: [.time, .bytes],
        [
          making(.plain) { PlainTen() },
          making(.observed) { ObservedTen() },
          making(.published) { PublishedTen() },
          making(.observable) { ObservableTen() },
        ])
    ]
  }

  private static func making<Object: AnyObject>(
    _ peer: Peer, _ make: @escaping () -> Object
  ) -> Workload {
    Workload(peer) { count in
      let kept = Kept()
      kept.objects.reserveCapacity(count)
      return Run {
        for _ in 0..<count { kept.objects.append(make()) }
      } isRight: {
        kept.objects.count == count && Set(kept.objects.map(ObjectIdentifier.init)).count == count
      }
    }
  }
}

private final class PlainTen {
  var a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7, i = 8, j = 9
}

private final class ObservedTen {
  @Observed var a = 0
  @Observed var b = 1
  @Observed var c = 2
  @Observed var d = 3
  @Observed var e = 4
  @Observed var f = 5
  @Observed var g = 6
  @Observed var h = 7
  @Observed var i = 8
  @Observed var j = 9
}

private final class PublishedTen {
  @Published var a = 0
  @Published var b = 1
  @Published var c = 2
  @Published var d = 3
  @Published var e = 4
  @Published var f = 5
  @Published var g = 6
  @Published var h = 7
  @Published var i = 8
  @Published var j = 9
}

@Observable
private final class ObservableTen {
  var a = 0
  var b = 1
  var c = 2
  var d = 3
  var e = 4
  var f = 5
  var g = 6
  var h = 7
  var i = 8
  var j = 9
}
