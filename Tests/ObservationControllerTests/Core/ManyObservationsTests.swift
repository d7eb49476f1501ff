import ObservationController
import TestSupport
import XCTest

/// Many observations of one object by one controller, which are found by hash.
final class ManyObservationsTests: TestCase {
  private let observer = SilentObserver()
  private lazy var controller = ObservationController(observer: observer)

  // MARK: Contexts

  func test_contexts_unobserveOne_endsThatOneAlone_aroundTheLimit() {
    for count in 1...12 {
      for ended in 0..<count {
        let circle = Circle()
        let tokens = (0..<count).map { observe(circle, \.radius, ObservationContext("\($0)")) }
        controller.unobserve(circle, \.radius, context: ObservationContext("\(ended)"))
        XCTAssertEqual(tokens.map(\.isActive), (0..<count).map { $0 != ended })
        // Observing again returns the first tokens, except for the observation that has ended.
        let again = (0..<count).map { observe(circle, \.radius, ObservationContext("\($0)")) }
        XCTAssertEqual(zip(tokens, again).map { $0 === $1 }, (0..<count).map { $0 != ended })
        controller.unobserve(circle)
        XCTAssertEqual(again.filter(\.isActive).count, 0)
      }
    }
  }

  func test_observations_randomOperations_matchAList() {
    for seed in seeds(quick: 3, full: 60) {
      var random = SeededGenerator(seed: seed)
      let (circle, model) = (Circle(), ObservationList())
      let targets = (0..<12).map { _ in Circle() }
      let keyPaths: [ReferenceWritableKeyPath<Circle, Double>] = [\.radius, \.borderWidth]
      for round in 0..<400 {
        let isGrowing = (round / 100).isMultiple(of: 2)
        let keyPath = keyPaths[Int.random(in: 0..<2, using: &random)]
        let context = ObservationContext("\(Int.random(in: 0..<15, using: &random))")
        let target = Int.random(in: 0..<targets.count, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<(isGrowing ? 6 : 2):
          model.check(observe(circle, keyPath, context), keyPath, context, target: nil)
        case 6, 7:
          let token = controller.bind(circle, keyPath, to: targets[target], \.radius)
          model.check(token, keyPath, nil, target: target)
        case 8 where isGrowing:
          model.check(observe(circle, keyPath, nil), keyPath, nil, target: nil)
        case 8 where round.isMultiple(of: 5):
          controller.unobserve(circle, keyPath)
          model.remove { $0.keyPath == keyPath }
        case 9 where round.isMultiple(of: 3):
          controller.unobserve(circle, keyPath, context: nil)
          model.remove { $0.keyPath == keyPath && $0.context == nil }
        default:
          controller.unobserve(circle, keyPath, context: context)
          model.remove { $0.keyPath == keyPath && $0.context == context }
        }
        XCTAssertEqual(controller.observations.count, model.entries.count, "seed \(seed)")
        for keyPath in keyPaths {
          XCTAssertEqual(
            controller.isObserving(circle, keyPath),
            model.entries.contains { $0.keyPath == keyPath }, "seed \(seed)")
        }
        XCTAssertTrue(model.entries.allSatisfy(\.token.isActive), "seed \(seed)")
      }
      controller.unobserveAll()
    }
  }

  private func observe(
    _ circle: Circle, _ keyPath: KeyPath<Circle, Double>, _ context: ObservationContext?
  ) -> ObservationToken {
    controller.observe(circle, keyPath, context: context) { _, _, _ in }
  }

  // MARK: Hashing

  func test_keyPaths_hashedIndexThatUnobserves_locksNothing() {
    let rows = Rows()
    let tokens = (0..<20).map { row in
      controller.observe(rows, \.[Row(row)]) { _, _, _ in }
    }
    Row.onHash = { [controller] in controller.unobserve(rows, \.[Row(0)]) }
    defer { Row.onHash = {} }
    controller.unobserve(rows, \.[Row(12)])
    XCTAssertEqual(tokens.map(\.isActive), (0..<20).map { $0 != 0 && $0 != 12 })
  }

  // MARK: Long lists

  func test_property_thousandObservers_deliversInOrder_withoutThoseThatEnd() {
    let circle = Circle()
    var (tokens, delivered): ([ObservationToken], [Int]) = ([], [])
    for index in 0..<1_000 {
      tokens.append(
        controller.observe(circle, \.radius, context: ObservationContext()) { _, _, _ in
          delivered.append(index)
          // The last ones end in the delivery that has not reached them; others later.
          if index == 100 { for token in tokens[700...] { token.invalidate() } }
          if index.isMultiple(of: 3) { tokens[index].invalidate() }
        })
    }
    circle.radius += 1
    XCTAssertEqual(delivered, Array(0..<700))
    delivered = []
    circle.radius += 1
    XCTAssertEqual(delivered, (0..<700).filter { !$0.isMultiple(of: 3) })
  }

  func test_event_thousandHandlers_areObservationsOfTheirOwn() {
    let event = ObservableEvent<Int>()
    var delivered: [Int] = []
    let tokens = (0..<1_000).map { index in
      controller.observe(event) { _, _ in delivered.append(index) }
    }
    for (index, token) in tokens.enumerated() where !index.isMultiple(of: 7) { token.invalidate() }
    event.send(1)
    XCTAssertEqual(delivered, (0..<1_000).filter { $0.isMultiple(of: 7) })
  }

  func test_hook_thousandHandlers_lastActiveOneAnswers() {
    let hook = ObservableHook<Int, Int> { _ in -1 }
    let tokens = (0..<1_000).map { index in controller.handle(hook) { _, _ in index } }
    XCTAssertEqual(hook(0), 999)
    for token in tokens[300...] { token.invalidate() }
    XCTAssertEqual(hook(0), 299)
  }

  func test_object_thousandObserversOfOneProperty_endWithIt() {
    let controller = ObservationController(observer: observer, retainsObserved: false)
    var circle: Circle? = Circle()
    let tokens = (0..<1_000).map { _ in
      controller.observe(circle!, \.radius, context: ObservationContext()) { _, _, _ in }
    }
    circle = nil
    XCTAssertEqual(tokens.filter(\.isActive).count, 0)
    XCTAssertEqual(controller.observations.count, 0)
  }
}

/// The expected observations.
private final class ObservationList {
  struct Entry {
    let token: ObservationToken
    let keyPath: AnyKeyPath
    let context: ObservationContext?
    let target: Int?
  }

  private(set) var entries: [Entry] = []

  /// Whether a token is that of an equal observation, if there is one; otherwise adds it.
  func check(
    _ token: ObservationToken, _ keyPath: AnyKeyPath, _ context: ObservationContext?, target: Int?
  ) {
    let same = entries.first {
      $0.keyPath == keyPath && $0.context == context && $0.target == target
    }
    if let same { return XCTAssertTrue(same.token === token) }
    XCTAssertFalse(entries.contains { $0.token === token })
    entries.append(Entry(token: token, keyPath: keyPath, context: context, target: target))
  }

  func remove(where isEnded: (Entry) -> Bool) {
    XCTAssertFalse(entries.contains { isEnded($0) && $0.token.isActive })
    entries.removeAll(where: isEnded)
  }
}

private final class Rows {
  @Observed var number = 0

  subscript(row: Row) -> Int { number + row.index }
}

private struct Row: Hashable {
  nonisolated(unsafe) static var onHash = {}

  let index: Int

  init(_ index: Int) {
    self.index = index
  }

  func hash(into hasher: inout Hasher) {
    let onHash = Self.onHash
    Self.onHash = {}
    onHash()
    Self.onHash = onHash
    hasher.combine(index)
  }
}
