/// Shrinks a failing program.
enum Shrinker {
  /// - Parameter fails: Whether a program still fails.
  /// - Returns: A program that fails, of which no smaller variant that is tried does.
  static func shrink(_ program: Program, while fails: (Program) -> Bool) -> Program {
    var smallest = program
    while let smaller = variants(of: smallest).first(where: fails) { smallest = smaller }
    return smallest
  }

  /// Smaller and simpler programs, the smallest first.
  private static func variants(of program: Program) -> AnySequence<Program> {
    let lists = program.scripts.indices.lazy.map { context in
      shorter(program.scripts[context]).map { script in
        var smaller = program
        smaller.scripts[context] = script
        return smaller
      }
    }.joined()
    let shorterPrograms = shorter(program.operations).map { operations in
      var smaller = program
      smaller.operations = operations
      return smaller
    }
    return AnySequence([AnySequence(shorterPrograms), AnySequence(lists)].joined())
  }

  /// Without a part, larger parts first; then with one step made simpler.
  fileprivate static func shorter(_ operations: [Operation]) -> [[Operation]] {
    var results: [[Operation]] = []
    var length = operations.count
    while length > 0 {
      for start in stride(from: 0, to: operations.count, by: length) {
        var shorter = operations
        shorter.removeSubrange(start..<min(start + length, operations.count))
        results.append(shorter)
      }
      length /= 2
    }
    for index in operations.indices {
      for simpler in operations[index].simpler {
        var shorter = operations
        shorter[index] = simpler
        results.append(shorter)
      }
      // The steps of a transaction without it.
      if !operations[index].body.isEmpty {
        var shorter = operations
        shorter.replaceSubrange(index...index, with: operations[index].body)
        results.append(shorter)
      }
    }
    return results
  }
}

extension Operation {
  /// The operation with less in it; each is simpler than its origin, so that shrinking ends.
  fileprivate var simpler: [Operation] {
    switch self {
    case .observe(let observation): observation.simpler.map { .observe($0) }
    case .observeEach(let observation, let paths):
      observation.simpler.map { .observeEach($0, paths) }
        + paths.indices.map { index in
          var fewer = paths
          fewer.remove(at: index)
          return .observeEach(observation, fewer)
        }
    case .bind(var binding):
      if binding.transforms {
        {
          binding.transforms = false
          return [.bind(binding)]
        }()
      } else {
        []
      }
    case .set(let slot, let property, let value) where value > 0: [.set(slot, property, value - 1)]
    case .setTags(let slot, let tags) where !tags.isEmpty: [.setTags(slot, [])]
    case .makeController(let slot, let observer, let retains, let owned):
      (retains ? [.makeController(slot, observer: observer, retains: false, owned: owned)] : [])
        + (owned ? [.makeController(slot, observer: observer, retains: retains, owned: false)] : [])
    case .transaction(let body, let throwing):
      (throwing ? [.transaction(body, throwing: false)] : [])
        + Shrinker.shorter(body).map { .transaction($0, throwing: throwing) }
    case .observeArray(let observation, let elements):
      observation.simpler.filter { $0.kind == observation.kind }
        .map { .observeArray($0, elements: elements) }
        + (elements ? [.observeArray(observation, elements: false)] : [])
    case .batch(let slot, let edits):
      edits.map { .edit(slot, $0) }
        + edits.indices.map { index in
          var fewer = edits
          fewer.remove(at: index)
          return .batch(slot, fewer)
        }
    default: []
    }
  }
}

extension Observation {
  fileprivate var simpler: [Observation] {
    var results = options.sorted().map { option in
      var simpler = self
      simpler.options.remove(option)
      return simpler
    }
    if kind != .block {
      var simpler = self
      simpler.kind = .block
      results.append(simpler)
    }
    if context != nil {
      var simpler = self
      simpler.context = nil
      results.append(simpler)
    }
    return results
  }
}
