import ObservationController

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Prints what each composition gives, and fails if that is not what it should.
@main
enum AsyncAlgorithmsExample {
  static func main() async {
    let cafe = Cafe()
    var results = [
      check("totals", await cafe.totals(), [3, 6, 8, 20]),
      check("notes", await cafe.notes(), ["", "oat", "oat milk", "to go"]),
      check(
        "log", await cafe.log(), ["left 5 → 6", "right 1 → 2", "right 2 → 3", "left 6 → 9"]),
      check(
        "portions", await cafe.portions(),
        [["9 → 10", "10 → 11", "11 → 12"], ["12 → 13", "13 → 14"]]),
      check("rises", await cafe.rises(), [[4, 5, 6], [3, 4], [2]]),
    ]
    results.append(
      check("live observations", ObservationDispatcher.shared.activeObservationCount, 0))
    exit(results.allSatisfy { $0 } ? 0 : 1)
  }

  private static func check<Result: Equatable>(
    _ name: String, _ result: Result, _ expected: Result
  ) -> Bool {
    print("\(name): \(result)")
    if result != expected { print("  expected \(expected)") }
    return result == expected
  }
}
