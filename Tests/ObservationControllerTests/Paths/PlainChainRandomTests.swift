import ObservationController
import TestSupport
import XCTest

/// A chain of properties has the history of an equal computed property in every program: the chain
/// is notified by setters, the computed property is evaluated.
final class PlainChainRandomTests: TestCase {
  private typealias Pet = ChainedPet
  private typealias Friend = ChainedFriend

  private final class Sitter: Friend {
    let guest: Pet
    override init(_ guest: Pet) {
      self.guest = guest
      super.init(guest)
    }
    override var pet: Pet {
      get { super.pet.name.count < 3 ? super.pet : guest }
      set { super.pet = newValue }
    }
  }

  private final class Person {
    @Observed var friend: Friend
    init(_ friend: Friend) { self.friend = friend }
    var petName: String { friend.pet.name }
  }

  /// Runs one program, with equal objects and handlers, for one of both key paths.
  private final class World {
    private let pets = [Pet("a"), Pet("b"), Pet("c"), ChainedLoudPet("d")]
    private let friends: [Friend]
    private let person: Person
    private lazy var observations = ObservationController(observer: self)
    private var random: SeededGenerator
    private var reactions = 0
    let recorder = LineRecorder()

    init(_ keyPath: KeyPath<Person, String>, seed: UInt64) {
      random = SeededGenerator(seed: seed)
      friends = [Friend(pets[0]), Friend(pets[1]), Friend(pets[3]), Sitter(pets[2])]
      person = Person(friends[0])
      let choices: [ObservationOptions] = [
        [], .old, [.old, .prior], [.old, .distinct], [.old, .prior, .distinct],
      ]
      for number in 0..<Int.random(in: 1...3, using: &random) {
        let options = choices.randomElement(using: &random)!
        let reacts = Bool.random(using: &random)
        observations.observe(
          person, keyPath, options: options, context: ObservationContext("\(number)")
        ) { world, _, change in
          world.note("\(number)", change, reacts: reacts)
        }
      }
      if Bool.random(using: &random) {
        for (index, pet) in pets.enumerated() {
          observations.observe(pet, \.name, options: [.old, .prior]) { world, _, change in
            world.note("pet \(index)", change, reacts: true)
          }
        }
      }
    }

    private func note(_ name: String, _ change: ObservedChange<String>, reacts: Bool) {
      let old = change.oldValue ?? "-"
      recorder.write("\(name): \(change.isPrior ? "prior " : "")\(old) → \(change.newValue)")
      guard reacts, reactions < 3, Int.random(in: 0..<3, using: &random) == 0 else { return }
      reactions += 1
      changeSomething()
    }

    func run(steps: Int) {
      for step in 0..<steps {
        recorder.write("step \(step)")
        reactions = 0
        if Int.random(in: 0..<6, using: &random) == 0 {
          withObservationTransaction {
            for _ in 0..<3 { changeSomething() }
          }
        } else {
          changeSomething()
        }
      }
    }

    private func changeSomething() {
      let pet = pets.randomElement(using: &random)!
      let friend = friends.randomElement(using: &random)!
      let name = ["a", "b", "long"].randomElement(using: &random)!
      let current = person.friend.pet
      switch Int.random(in: 0..<7, using: &random) {
      case 0: pet.name = name
      case 1, 2: current.name = name
      case 3: current.name.append("x")
      case 4: friend.pet = pet
      case 5: person.friend.pet = pet
      default: person.friend = friend
      }
    }
  }

  func test_C10_chain_hasTheHistoryOfAComputedProperty() {
    for seed in seeds(quick: 15, full: 600) {
      let (chain, computed) = (
        World(\.friend.pet.name, seed: seed), World(\.petName, seed: seed)
      )
      chain.run(steps: 40)
      computed.run(steps: 40)
      let (delivered, expected) = (chain.recorder.events, computed.recorder.events)
      guard delivered == expected else {
        let index = zip(delivered, expected).prefix { $0 == $1 }.count
        return XCTFail(
          """
          \(delivered.prefix(index).suffix(8).joined(separator: "\n"))
          chain: \(delivered.dropFirst(index).prefix(4))
          computed: \(expected.dropFirst(index).prefix(4))
          """)
      }
    }
  }
}
