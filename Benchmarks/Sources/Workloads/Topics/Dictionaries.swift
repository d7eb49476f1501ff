import ObservationController

/// Inserting a key or an element, and removing it, in a dictionary and a set of 1,000: unobserved,
/// and with one observer. And setting an observed key among few and among many.
enum DictionariesTopic {
  static var comparisons: [Comparison] {
    [
      Comparison("dictionary-0", [plainDictionary, dictionary(isObserved: false)]),
      Comparison("dictionary-1", [plainDictionary, dictionary(isObserved: true)]),
      Comparison("elements-0", [plainSet, set(isObserved: false)]),
      Comparison("elements-1", [plainSet, set(isObserved: true)]),
      Comparison("dictionary-key-1000", [key(among: 1_000)]),
      Comparison(
        "dictionary-key-1000000", duration: .forMeasuring(objects: 1_000_000),
        [key(among: 1_000_000)]),
    ]
  }

  private final class Plain {
    var numbers: [Int: Int]
    var elements: Set<Int>

    init() {
      numbers = Dictionary(uniqueKeysWithValues: (0..<1_000).map { ($0, $0) })
      elements = Set(0..<1_000)
    }
  }

  private static var plainDictionary: Workload {
    Workload(.plain) { count in
      let plain = Plain()
      return Run {
        for key in 0..<count { turn(key, in: plain) }
      } isRight: {
        plain.numbers.count == 1_000
      }
    }
  }

  private static func dictionary(isObserved: Bool) -> Workload {
    Workload(.observed) { count in
      let numbers = ObservableDictionary(Plain().numbers)
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      if isObserved {
        controller.observeDictionary(numbers) { tally, _, _ in tally.sum &+= 1 }
      }
      return Run {
        for key in 0..<count { turn(key, in: numbers) }
      } isRight: {
        withExtendedLifetime(controller) {
          numbers.count == 1_000 && tally.sum == (isObserved ? count * 2 : 0)
        }
      }
    }
  }

  private static var plainSet: Workload {
    Workload(.plain) { count in
      let plain = Plain()
      return Run {
        for key in 0..<count { turnElement(key, in: plain) }
      } isRight: {
        plain.elements.count == 1_000
      }
    }
  }

  private static func set(isObserved: Bool) -> Workload {
    Workload(.observed) { count in
      let elements = ObservableSet(0..<1_000)
      let tally = Tally()
      let controller = ObservationController(observer: tally)
      if isObserved { controller.observeSet(elements) { tally, _, _ in tally.sum &+= 1 } }
      return Run {
        for key in 0..<count { turnElement(key, in: elements) }
      } isRight: {
        withExtendedLifetime(controller) {
          elements.count == 1_000 && tally.sum == (isObserved ? count * 2 : 0)
        }
      }
    }
  }

  private final class Settings {
    let values: ObservableDictionary<Int, Int>

    init(_ count: Int) {
      values = ObservableDictionary(Dictionary(uniqueKeysWithValues: (0..<count).map { ($0, $0) }))
    }
  }

  /// A thousand keys are observed, one of which is set.
  private static func key(among n: Int) -> Workload {
    var kept: (settings: Settings, tally: Tally, observers: AnyObject)?
    return Workload(.observed) { count in
      let fixture =
        kept
        ?? {
          let (settings, tally) = (Settings(n), Tally())
          let controller = ObservationController(observer: tally)
          for key in 0..<1_000 {
            controller.observe(settings, \.values[key], options: []) { tally, _, _ in
              tally.sum &+= 1
            }
          }
          return (settings, tally, controller)
        }()
      kept = fixture
      fixture.tally.sum = 0
      return Run {
        for number in 0..<count { fixture.settings.values[7] = number }
      } isRight: {
        withExtendedLifetime(fixture) { fixture.tally.sum == count }
      }
    }
  }

  @inline(never)
  private static func turn(_ key: Int, in plain: Plain) {
    plain.numbers[key &+ 1_000_000] = key
    plain.numbers[key &+ 1_000_000] = nil
  }

  @inline(never)
  private static func turn(_ key: Int, in numbers: ObservableDictionary<Int, Int>) {
    numbers[key &+ 1_000_000] = key
    numbers[key &+ 1_000_000] = nil
  }

  @inline(never)
  private static func turnElement(_ key: Int, in plain: Plain) {
    plain.elements.insert(key &+ 1_000_000)
    plain.elements.remove(key &+ 1_000_000)
  }

  @inline(never)
  private static func turnElement(_ key: Int, in elements: ObservableSet<Int>) {
    elements.insert(key &+ 1_000_000)
    elements.remove(key &+ 1_000_000)
  }
}
