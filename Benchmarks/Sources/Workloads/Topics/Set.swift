/// Setting a property that 0, 1, 10 or 100 observers watch.
enum SetTopic {
  static var comparisons: [Comparison] {
    [unobserved]
      + [(Kind.number, "int"), (.text, "string"), (.item, "reference")].flatMap { kind, name in
        [
          comparison("set-\(name)-1", kind),
          comparison("set-\(name)-10", kind, times: 10),
          comparison("set-\(name)-10-controllers", kind, observers: 10),
          comparison("set-\(name)-100", kind, times: 100),
        ]
      }
  }

  private static var unobserved: Comparison {
    Comparison(
      "set-int-0", count: 100_000,
      [
        setting(PlainModel.self, .plain),
        setting(DidSetModel.self, .didSet),
        setting(ObservedModel.self, .observed),
        setting(PublishedModel.self, .published),
        setting(ObservableModel.self, .observable),
      ])
  }

  /// - Parameters:
  ///   - observers: Objects that observe, each with a controller of its own where there is one.
  ///   - times: How often each of them does.
  static func comparison(_ name: String, _ kind: Kind, observers: Int = 1, times: Int = 1)
    -> Comparison
  {
    let handlers = observers * times
    return Comparison(
      name, count: max(100, 20_000 / handlers),
      [
        setting(DidSetModel.self, .didSet, kind, observers, times),
        setting(ObservedModel.self, .observed, kind, observers, times),
        setting(PublishedModel.self, .published, kind, observers, times),
        setting(ObservableModel.self, .observable, kind, observers, times, behind: 1),
      ])
  }

  private static func setting<M: Model>(_: M.Type, _ peer: Peer) -> Workload {
    Workload(peer) { count in
      let model = M()
      return Run {
        setNumbers(of: model, count)
      } isRight: {
        model.number == count
      }
    }
  }

  /// - Parameter behind: Number of changes that the peer delivers late.
  private static func setting<M: TalliedModel>(
    _: M.Type, _ peer: Peer, _ kind: Kind, _ observers: Int, _ times: Int, behind: Int = 0
  ) -> Workload {
    Workload(peer) { count in
      let model = M()
      let tallies = (0..<observers).map { _ in Tally() }
      let texts = Kind.texts
      let items = Kind.items
      model.text = texts[0]
      model.item = items[0]
      let kept = model.observe(kind, by: tallies, times: times)
      return Run {
        switch kind {
        case .number: setNumbers(of: model, count)
        case .text: setTexts(of: model, to: texts, count)
        case .item: setItems(of: model, to: items, count)
        }
      } isRight: {
        let expected = times * kind.weight(afterSetting: count - behind)
        return withExtendedLifetime(kept) { tallies.allSatisfy { $0.sum == expected } }
      }
    }
  }
}

// A function that is not inlined for each operation, here and elsewhere: the optimiser would
// otherwise join the operations of a loop, or take parts of them out of it, for one peer more than
// for another.

@inline(never)
func set<M: Model>(_ number: Int, in model: M) { model.number = number }

@inline(never)
private func set<M: Model>(_ text: String, in model: M) { model.text = text }

@inline(never)
private func set<M: Model>(_ item: Item, in model: M) { model.item = item }

/// Sets 1, 2, … `count`.
@inline(never)
func setNumbers<M: Model>(of model: M, _ count: Int) {
  for number in stride(from: 1, through: count, by: 1) { set(number, in: model) }
}

@inline(never)
private func setTexts<M: Model>(of model: M, to texts: [String], _ count: Int) {
  for index in stride(from: 1, through: count, by: 1) { set(texts[index & 15], in: model) }
}

@inline(never)
private func setItems<M: Model>(of model: M, to items: [Item], _ count: Int) {
  for index in stride(from: 1, through: count, by: 1) { set(items[index & 15], in: model) }
}

extension Kind {
  /// Sixteen texts that do not fit into a `String` itself, each a character longer than the one
  /// before.
  fileprivate static let texts = (0..<16).map {
    String(repeating: "a longer text ", count: 3) + String(repeating: "!", count: $0)
  }

  fileprivate static let items = (0..<16).map { Item(weight: $0) }

  /// How much the value has grown after that many changes.
  fileprivate func weight(afterSetting count: Int) -> Int {
    switch self {
    case .number: count
    case .text, .item: count & 15
    }
  }
}
