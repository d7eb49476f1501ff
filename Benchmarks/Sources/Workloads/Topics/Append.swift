import ObservationController
import OpenCombine

/// Appending to an array in place, unobserved and with one observer that does not ask for the array
/// before.
enum AppendTopic {
  static var comparisons: [Comparison] {
    [
      Comparison(
        "append-0", count: 5_000, isCountFixed: true,
        [
          unobserved(PlainModel.self, .plain),
          unobserved(ObservedModel.self, .observed),
          unobserved(PublishedModel.self, .published),
          unobserved(ObservableModel.self, .observable),
        ]),
      Comparison(
        "append-1", count: 5_000, isCountFixed: true, observed(from: 0) + [published]),
      // Without @Published, which copies the array each time.
      Comparison(
        "append-1-million", count: 5_000, isCountFixed: true, observed(from: 1_000_000)),
      Comparison("append-nested", count: 5_000, isCountFixed: true, nested(from: 0)),
      Comparison(
        "append-nested-million", count: 5_000, isCountFixed: true, nested(from: 1_000_000)),
    ]
  }

  private static func unobserved<M: Model>(_: M.Type, _ peer: Peer) -> Workload {
    appending(M.self, peer, observe: nil)
  }

  /// - Parameter length: How many elements the array has before.
  private static func observed(from length: Int) -> [Workload] {
    [
      appending(PlainModel.self, .plain, from: length, observe: nil),
      appending(DidSetModel.self, .didSet, from: length) { model, tally in
        model.listHandlers.append { tally.sum &+= $0.count }
        return []
      },
      appending(ObservedModel.self, .observed, from: length) { model, tally in
        let controller = ObservationController(observer: tally)
        controller.observe(model, \.list, options: []) { tally, _, change in
          tally.sum &+= change.newValue.count
        }
        return [controller]
      },
    ]
  }

  private static var published: Workload {
    appending(PublishedModel.self, .published) { model, tally in
      [model.$list.dropFirst().sink { tally.sum &+= $0.count }]
    }
  }

  /// In an array of arrays, which nothing observes.
  ///
  /// - Parameter length: How many elements the inner array has before.
  private static func nested(from length: Int) -> [Workload] {
    /// As `list` of a model.
    func inner(_ count: Int) -> [Int] {
      var inner = Array(repeating: 0, count: length)
      inner.reserveCapacity(length + count)
      return inner
    }
    return [
      Workload(.plain) { count in
        let model = PlainGroups([[], inner(count)])
        return Run {
          append(to: model, count)
        } isRight: {
          model.groups[1].count == length + count
        }
      },
      Workload(.observed) { count in
        let groups = ObservableArray([[], inner(count)])
        return Run {
          append(to: groups, count)
        } isRight: {
          groups[1].count == length + count
        }
      },
    ]
  }

  private static func appending<M: Model>(
    _: M.Type, _ peer: Peer, from length: Int = 0, observe: ((M, Tally) -> [AnyObject])?
  ) -> Workload {
    Workload(peer) { count in
      let model = M()
      // Growing would be most of what is measured, and is the same for all.
      model.list.reserveCapacity(length + count)
      model.list.append(contentsOf: repeatElement(0, count: length))
      let tally = Tally()
      let kept = observe?(model, tally)
      return Run {
        append(to: model, count)
      } isRight: {
        let expected =
          observe == nil ? 0 : (1...count).reduce(0) { sum, added in sum + length + added }
        return withExtendedLifetime(kept) {
          model.list.count == length + count && tally.sum == expected
        }
      }
    }
  }
}

@inline(never)
private func append<M: Model>(_ number: Int, to model: M) { model.list.append(number) }

@inline(never)
private func append<M: Model>(to model: M, _ count: Int) {
  for number in 0..<count { append(number, to: model) }
}

private final class PlainGroups {
  var groups: [[Int]]

  init(_ groups: [[Int]]) { self.groups = groups }
}

@inline(never)
private func append(_ number: Int, to model: PlainGroups) { model.groups[1].append(number) }

@inline(never)
private func append(to model: PlainGroups, _ count: Int) {
  for number in 0..<count { append(number, to: model) }
}

@inline(never)
private func append(_ number: Int, to groups: ObservableArray<[Int]>) { groups[1].append(number) }

@inline(never)
private func append(to groups: ObservableArray<[Int]>, _ count: Int) {
  for number in 0..<count { append(number, to: groups) }
}
