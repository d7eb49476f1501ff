import ObservationController
import TestSupport
import XCTest

/// Two-way bindings, driven by random values.
final class TwoWayBindingRandomTests: TestCase {
  func test_celsiusAndFahrenheit_drivenFromBothEnds_followTheLastWriter() {
    for seed in seeds(quick: 1, full: 10) {
      var generator = SeededGenerator(seed: seed)
      let (celsius, fahrenheit, panel) = (Dial(), Dial(), Panel())
      panel.observations.bindTwoWay(
        celsius, \.value, with: fahrenheit, \.value,
        forward: Degrees.fahrenheit, backward: Degrees.celsius)
      assertNoIssues {
        for step in 0..<1_000 {
          let value = Int.random(in: -300...300, using: &generator)
          if Bool.random(using: &generator) {
            celsius.value = value
            XCTAssertEqual(celsius.value, value, "step \(step)")
            XCTAssertEqual(fahrenheit.value, Degrees.fahrenheit(value), "step \(step)")
          } else {
            fahrenheit.value = value
            XCTAssertEqual(fahrenheit.value, value, "step \(step)")
            XCTAssertEqual(celsius.value, Degrees.celsius(value), "step \(step)")
          }
        }
      }
    }
  }

  /// Some dials with two-way bindings between them, with and without loss, and handlers that set
  /// some of them: every change ends, and bound dials agree, unless a cycle was stopped.
  func test_randomBindingsAndHandlers_endInStep() {
    var (programs, stopped, flaws) = (0, 0, [String]())
    for seed in seeds(quick: 25, full: 400) {
      programs += 1
      let issues = collectingIssues {
        var program = Program(seed: seed)
        program.run()
        flaws = program.flaws
      }
      if issues.isEmpty { XCTAssertEqual(flaws, []) } else { stopped += 1 }
    }
    XCTAssertLessThan(stopped, programs * 3 / 4, "too few programs end")
  }
}

private struct Program {
  private var generator: SeededGenerator
  private let dials: [Dial]
  private let panel = Panel()
  private var bindings: [(first: Dial, second: Dial, isLossy: Bool)] = []
  private(set) var flaws: [String] = []

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
    let count = Int.random(in: 2...4, using: &generator)
    dials = (0..<count).map { _ in Dial() }
    // A tree, so that all bindings can be satisfied.
    for index in 1..<count {
      if Bool.random(using: &generator) { addHandler() }
      let other = dials[Int.random(in: 0..<index, using: &generator)]
      let isLossy = Bool.random(using: &generator)
      bindings.append((dials[index], other, isLossy))
    }
    bindings.shuffle(using: &generator)
    for (first, second, isLossy) in bindings {
      if isLossy {
        panel.observations.bindTwoWay(
          first, \.value, with: second, \.value, forward: Degrees.celsius,
          backward: Degrees.fahrenheit)
      } else {
        panel.observations.bindTwoWay(first, \.value, with: second, \.value)
      }
      if Bool.random(using: &generator) { addHandler() }
    }
  }

  /// Clamps a dial, or sets another one when it passes a certain value.
  private mutating func addHandler() {
    let (target, limit) = (dials.randomElement(using: &generator)!, random())
    let isClamp = Bool.random(using: &generator)
    let source = dials.randomElement(using: &generator)!
    panel.observations.observe(source, \.value, context: ObservationContext()) {
      _, source, change in
      if isClamp {
        if change.newValue > limit + 40 { source.value = limit }
      } else if change.newValue % 8 == limit & 7 {
        target.value = limit
      }
    }
  }

  private mutating func random() -> Int {
    Int.random(in: -60...60, using: &generator)
  }

  mutating func run() {
    for step in 0..<40 {
      let dial = dials.randomElement(using: &generator)!
      dial.value = random()
      for (first, second, isLossy) in bindings {
        let isConsistent =
          isLossy
          ? second.value == Degrees.celsius(first.value)
            || first.value == Degrees.fahrenheit(second.value)
          : first.value == second.value
        if !isConsistent { flaws.append("step \(step): \(first.value) and \(second.value)") }
      }
    }
  }
}
