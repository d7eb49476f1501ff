import TestSupport

/// Generates random programs.
struct Generator {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func program() -> Program {
    var program = Program()
    for slot in 0..<Program.slots { program.operations.append(.makeNode(slot)) }
    for slot in 0..<chance(1...3) { program.operations.append(makeController(slot)) }
    for _ in 0..<chance(3...7) { program.operations.append(observing()) }
    for _ in 0..<chance(6...14) { program.operations.append(operation(isNested: false)) }
    for context in program.scripts.indices where chance(3) > 0 {
      program.scripts[context] = (0..<chance(1...2)).map { _ in operation(isNested: true) }
    }
    return program
  }

  // MARK: Steps

  /// - Parameter isNested: Whether it is in a script or a transaction.
  private mutating func operation(isNested: Bool) -> Operation {
    switch chance(100) {
    case ..<58: return change()
    case ..<72: return observing()
    case ..<78: return ending()
    case ..<81: return .makeNode(slot())
    case ..<83: return .dropNode(slot())
    case ..<85: return makeController(controller())
    case ..<87: return .dropController(controller())
    case ..<89: return .ask(controller(), slot(), path())
    default:
      let body = (0..<chance(isNested ? 1...3 : 1...5)).map { _ in operation(isNested: true) }
      return .transaction(body, throwing: chance(5) == 0)
    }
  }

  private mutating func change() -> Operation {
    switch chance(28) {
    case 20...24: return .edit(slot(), edit())
    case 25...26: return .batch(slot(), (0..<chance(1...4)).map { _ in edit() })
    case 27: return .setList(slot(), to: chance(3) == 0 ? nil : slot())
    case 0...4: return .set(slot(), .a, chance(3))
    case 5...7: return .set(slot(), .b, chance(3))
    case 8...9: return .increment(slot(), .a)
    case 10: return .increment(slot(), .b)
    case 11: return .setTags(slot(), Array(repeating: chance(3), count: chance(3)))
    case 12...13: return .append(slot(), chance(3))
    case 14: return .appendThrowing(slot(), chance(3))
    case 15: return .setSpot(slot(), chance(3))
    default: return .link(slot(), to: chance(4) == 0 ? nil : slot())
    }
  }

  private mutating func observing() -> Operation {
    switch chance(10) {
    case 0:
      var observation = observation()
      let paths = (0..<chance(0...3)).map { _ in path() }
      if paths.contains(where: \.readsElements) { observation.options.remove(.prior) }
      return .observeEach(observation, paths)
    case 1:
      return .bind(
        Binding(
          controller: controller(), source: slot(), from: number(), target: slot(), to: number(),
          transforms: chance(2) == 0))
    case 2...3: return .observeArray(observation(), elements: chance(2) == 0)
    default: return .observe(observation())
    }
  }

  private mutating func edit() -> ArrayEdit {
    switch chance(16) {
    case 0...4: .append(slot())
    case 5...6: .insert(slot(), at: chance(4))
    case 7: .replace(chance(4), with: slot())
    case 8...9: .remove(at: chance(4))
    case 10: .removeLast
    case 11: .removeNode(slot())
    case 12: .removeAll
    case 13: .swap(chance(4), chance(4))
    case 14: .move(chance(4), to: chance(4))
    default: .setElements((0..<chance(4)).map { _ in slot() })
    }
  }

  private mutating func observation() -> Observation {
    var options: Set<Option> = chance(4) == 0 ? [] : [.old]
    for option in [Option.initial, .prior, .distinct] where chance(4) == 0 {
      options.insert(option)
    }
    let path = path()
    // Where handlers edit the array just before an edit, its index may be out of range.
    if path.readsElements { options.remove(.prior) }
    return Observation(
      controller: controller(), node: slot(), path: path, options: options, context: context(),
      kind: chance(2) == 0 ? .block : HandlerKind.allCases[chance(HandlerKind.allCases.count)])
  }

  private mutating func ending() -> Operation {
    switch chance(12) {
    case 0...3: .invalidate(chance(12))
    case 4: .unobservePath(controller(), slot(), path())
    case 5: .unobserveContext(controller(), slot(), path(), context())
    case 6...7: .unobserveObject(controller(), slot())
    case 8: .unobserveAll(controller())
    case 9: .removeObservations(slot())
    case 10: .removeObservationsBy(slot(), observer: slot())
    default: .removeObservationsAt(slot(), path())
    }
  }

  private mutating func makeController(_ slot: Int) -> Operation {
    .makeController(
      slot, observer: self.slot(), retains: chance(2) == 0, owned: chance(2) == 0)
  }

  // MARK: Choices

  private mutating func slot() -> Int { chance(Program.slots) }
  /// The first ones more often, which most programs have.
  private mutating func controller() -> Int {
    min(chance(Program.controllerSlots), chance(Program.controllerSlots))
  }
  private mutating func number() -> NumberProperty { chance(2) == 0 ? .a : .b }

  private mutating func context() -> Int? {
    let context = chance(Program.contexts + 1)
    return context == Program.contexts ? nil : context
  }

  private mutating func path() -> Path {
    // The most frequent targets.
    if chance(3) == 0 { return .a }
    let path = Path.allCases[chance(Path.allCases.count)]
    return path == .plain && chance(3) > 0 ? .sum : path
  }

  private mutating func chance(_ count: Int) -> Int { .random(in: 0..<count, using: &random) }

  private mutating func chance(_ range: ClosedRange<Int>) -> Int {
    .random(in: range, using: &random)
  }
}
