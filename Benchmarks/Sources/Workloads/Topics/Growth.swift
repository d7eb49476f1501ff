import ObservationController

/// Single operations among few others and among many: `growth-contexts-1000` is one of a thousand.
enum GrowthTopic {
  static var comparisons: [Comparison] {
    let powers = (2...6).map { Int(pow10: $0) }
    let sets = powers.flatMap { n in
      [
        ofSet("contexts", n, RegistrationSet.ofContexts, RegistrationSet.observe),
        ofSet("contexts-end", n, { .ofContexts($0).observed }, RegistrationSet.unobserve),
        ofSet("key-paths", n, RegistrationSet.ofKeyPaths, RegistrationSet.observe),
        ofSet("key-paths-end", n, { .ofKeyPaths($0).observed }, RegistrationSet.unobserve),
        ofSet("bindings-source", n, BindingSet.init, BindingSet.bindFromOne),
        ofSet("bindings-target", n, BindingSet.init, BindingSet.bindToOne),
        ofSet("introspection", n, isOnly: true, ObservedSet.init, ObservedSet.inspect),
        ofSet("removal-by-object", n, isOnly: true, ObservedSet.init, ObservedSet.removeByObject),
        ofSet(
          "removal-by-observer", n, isOnly: true, ObservedSet.init, ObservedSet.removeByObserver),
        ofSet(
          "removal-by-key-path", n, isOnly: true, ObservedSet.init, ObservedSet.removeByKeyPath),
      ]
    }
    // A million of these take gigabytes, or seconds to make.
    let lists = powers.dropLast().flatMap { n in
      [
        ofSet("end-property", n, TokenSet.ofProperty, TokenSet.end),
        ofSet("end-event", n, TokenSet.ofEvent, TokenSet.end),
        ofSet("graph", n, isOnly: true, ObservedSet.init, ObservedSet.draw),
        ofSet("hook", n, HookSet.init, HookSet.ask),
        ofSet("sum-transaction", n, SumSet.init, SumSet.changeAll),
        ofSet("element-batch", n, ElementSet.alone, ElementSet.changeInBatch),
        ofSet("element-transaction", n, ElementSet.withViews, ElementSet.changeInTransaction),
        ofSet("element-joined", n, ElementSet.joined, ElementSet.changeInTransaction),
        ofSet("queue-edits", n, QueuedEditSet.init, QueuedEditSet.edit),
        ofSet("update", n, UpdateSet.replacingAll, UpdateSet.updateOnce),
      ]
    }
    let views = ViewKind.allCases.flatMap { kind in
      [
        view("view-element-\(kind)", kind, ViewedArray.changeElements),
        view("view-append-\(kind)", kind, ViewedArray.append),
      ]
    }
    return sets + lists + views
  }

  /// Operations on all of `n` at once, several times where they are few.
  ///
  /// - Parameter isOnly: Not several times, since each of them has controllers, which count as
  ///   well.
  private static func ofSet<Objects: GrowthSet>(
    _ name: String, _ n: Int, isOnly: Bool = false, _ make: @escaping (Int) -> Objects,
    _ operate: @escaping (Objects) -> () -> Void
  ) -> Comparison {
    Comparison(
      "growth-\(name)-\(n)", count: isOnly ? n : max(10_000, n), isCountFixed: true,
      duration: .seconds(n < 1_000_000 ? 1 : 4),
      [
        Workload(.observed) { count in
          let sets = (0..<count / n).map { _ in make(n) }
          return Run {
            for set in sets { operate(set)() }
          } isRight: {
            sets.allSatisfy(\.isRight)
          }
        }
      ])
  }

  private static func view(
    _ name: String, _ kind: ViewKind, _ operate: @escaping (ViewedArray) -> (Int) -> Void
  ) -> Comparison {
    Comparison(
      "growth-\(name)", count: 1_000, isCountFixed: true,
      [
        Workload(.observed) { count in
          let array = ViewedArray(kind)
          return Run {
            operate(array)(count)
          } isRight: {
            array.isRight(after: count)
          }
        }
      ])
  }
}

/// Many observations, bindings or objects that one operation is done to.
protocol GrowthSet {
  /// Whether the operations had the effect that they should have had.
  var isRight: Bool { get }
}
