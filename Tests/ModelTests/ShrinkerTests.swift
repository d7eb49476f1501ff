import TestSupport
import XCTest

/// Deliberate errors of the model are found, and shrunk.
final class ShrinkerTests: TestCase {
  func test_faultOfTheModel_ofEachKind_isFoundAndShrunkToAHandfulOfSteps() {
    for fault in Model.Fault.allCases {
      guard let (seed, program) = failingProgram(fault) else {
        XCTFail("\(fault) was not found")
        continue
      }
      let smallest = Shrinker.shrink(program) { !Comparison($0, fault: fault).isEqual }
      XCTAssertFalse(Comparison(smallest, fault: fault).isEqual, "\(fault)")
      XCTAssertTrue(Comparison(smallest).isEqual, "\(fault)")
      let steps = smallest.allOperations.filter {
        !["makeNode", "makeController"].contains($0.kind)
      }
      XCTAssertLessThanOrEqual(steps.count, 6, "\(fault), seed \(seed): \(smallest)")
    }
  }

  private func failingProgram(_ fault: Model.Fault) -> (UInt64, Program)? {
    for seed in 0..<UInt64(2_000) {
      var generator = Generator(seed: seed)
      let program = generator.program()
      if !Comparison(program, fault: fault).isEqual { return (seed, program) }
    }
    return nil
  }

  func test_shrinking_keepsOnlyTheNeededOperations() {
    var generator = Generator(seed: 1)
    var program = generator.program()
    let needed = Operation.transaction([.set(0, .a, 2)], throwing: true)
    program.operations.insert(needed, at: program.operations.count / 2)
    program.scripts[1].append(.dropNode(1))
    let smallest = Shrinker.shrink(program) { program in
      program.operations.contains { $0.body.contains { $0.isSetOfFirst } }
        && program.scripts.joined().contains { $0 == .dropNode(1) }
    }
    XCTAssertEqual(smallest.operations, [.transaction([.set(0, .a, 0)], throwing: false)])
    XCTAssertEqual(smallest.scripts, [[], [.dropNode(1)], [], []])
  }

  #if os(Linux) || os(macOS)
    func test_printedPrograms_withEveryKindOfStep_compile() throws {
      // Three programs in one, with the steps that they lack from others. The result need not make
      // sense: it is not run.
      var generator = Generator(seed: 1)
      var program = generator.program()
      var kinds: Set<String> = []
      for seed in 2..<UInt64(1_000) {
        var generator = Generator(seed: seed)
        let operations = generator.program().operations
        let new = Set(operations.map(\.kind)).subtracting(kinds)
        if seed <= 3 || !new.isEmpty { program.operations += operations }
        kinds.formUnion(new)
      }
      XCTAssertEqual(kinds.count, Operation.kindCount)
      let source = program.swift(named: "program")
      XCTAssertEqual(try Compiler().errors(in: ["program": source])["program"], [], source)
    }
  #endif
}

extension Operation {
  fileprivate var isSetOfFirst: Bool {
    if case .set(0, .a, _) = self { true } else { false }
  }
}
