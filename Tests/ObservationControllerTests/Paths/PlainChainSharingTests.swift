import ObservationController
import TestSupport
import XCTest

/// C10: chains of properties of several objects that are observed on one line, which resolves the
/// key path once.
final class PlainChainSharingTests: TestCase {
  private typealias Pet = ChainedPet
  private typealias Owner = ChainedFriend

  private final class Sitter: Owner {
    @Observed var guest: Pet

    override init(_ guest: Pet) {
      self.guest = guest
      super.init(Pet("own"))
    }

    override var pet: Pet {
      get { guest }
      set { guest = newValue }
    }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private func observe(_ owners: [Owner]) {
    for (index, owner) in owners.enumerated() {
      observations.observe(owner, \.pet.name) { recorder, _, change in
        recorder.write("\(index): \(change)")
      }
    }
  }

  func test_C10_chainsOfSeveralObjects_onOneLine_areNotifiedSeparately() {
    let shared = Pet("b")
    let owners = [Owner(Pet("a")), Owner(shared), Owner(shared)]
    observe(owners)
    owners[0].pet.name = "A"
    shared.name = "B"
    owners[1].pet = Pet("c")
    shared.name = "D"
    owners[1].pet.name = "C"
    XCTAssertEqual(
      recorder.events, ["0: a → A", "1: b → B", "2: b → B", "1: B → c", "2: B → D", "1: c → C"])
  }

  func test_C10_chainThatIsNoneForSomeObjects_onOneLine_isReadByTheirGetters() {
    let owners = [Owner(Pet("a")), Sitter(Pet("b")), Owner(ChainedLoudPet("c")), Owner(Pet("d"))]
    observe(owners)
    for owner in owners { owner.pet.name += "!" }
    XCTAssertEqual(recorder.events, ["0: a → a!", "1: b → b!", "2: C → C!", "3: d → d!"])
    recorder.clear()
    for owner in owners { owner.pet = Pet("n") }
    for owner in owners { owner.pet.name = "m" }
    XCTAssertEqual(
      recorder.events,
      [
        "0: a! → n", "1: b! → n", "2: C! → n", "3: d! → n",
        "0: n → m", "1: n → m", "2: n → m", "3: n → m",
      ])
  }

  func test_C10_pathThatIsNoChain_firstOnItsLine_leavesTheOthersAsTheyAre() {
    let owners = [Sitter(Pet("b")), Owner(Pet("a")), Sitter(ChainedLoudPet("c"))]
    observe(owners)
    for owner in owners { owner.pet.name += "!" }
    XCTAssertEqual(recorder.events, ["0: b → b!", "1: a → a!", "2: C → C!"])
  }
}
