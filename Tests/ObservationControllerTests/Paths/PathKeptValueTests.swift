import ObservationController
import TestSupport
import XCTest

/// Old values of paths: those that were read last.
final class PathKeptValueTests: TestCase {
  private final class Owner {
    @Observed var pet: Pet
    @Observed var number = 0
    var reads = 0

    /// An instance that nothing else holds.
    var label: Label {
      reads += 1
      return Label(number, pet.name)
    }

    @Derived({ (owner: Owner) in owner.number / 10 }) var tens: Int

    init(_ pet: Pet) { self.pet = pet }
  }

  private final class Pet {
    @Observed var name = "a"
    @Observed var tag: Label?
  }

  private final class Label {
    let text: String
    init(_ number: Int, _ name: String) { text = "\(number)\(name)" }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C10_pathToAnInstance_isReadOnceForEachChange() {
    let owner = Owner(Pet())
    for options in [.old, .distinct, [.old, .prior], []] as [ObservationOptions] {
      let token = observations.observe(owner, \.label, options: options) { _, _, _ in }
      owner.reads = 0
      owner.number += 1
      owner.pet.name += "b"
      withObservationTransaction {
        owner.number += 1
        owner.pet = Pet()
      }
      XCTAssertEqual(owner.reads, 3, "\(options)")
      token.invalidate()
    }
  }

  func test_C10_pathToAnInstance_deliversFromTheOneReadLast() {
    let owner = Owner(Pet())
    observations.observe(owner, \.label, options: [.old, .prior]) { recorder, _, change in
      recorder.write(
        change.isPrior
          ? "prior \(change.newValue.text)"
          : "\(change.oldValue!.text) → \(change.newValue.text)")
    }
    owner.number = 1
    owner.pet.name = "b"
    XCTAssertEqual(recorder.events, ["prior 0a", "0a → 1a", "prior 1a", "1a → 1b"])
  }

  func test_C15_path_keepsTheValueReadLast_untilAnotherOrItsEnd() {
    let owner = Owner(Pet())
    weak var kept: Label?
    let token = observations.observe(owner, \.label) { _, _, change in kept = change.newValue }
    owner.number = 1
    XCTAssertEqual(kept?.text, "1a")
    weak var first = kept
    owner.number = 2
    XCTAssertNil(first)
    XCTAssertEqual(kept?.text, "2a")
    first = nil
    token.invalidate()
    XCTAssertNil(kept)
  }

  /// The token of a chain of properties is the observation itself.
  func test_C15_chainEnded_tokenKept_valueReadLastIsReleased() {
    let owner = Owner(Pet())
    owner.pet.tag = Label(0, "a")
    weak let tag = owner.pet.tag
    let token = observations.observe(owner, \.pet.tag) { _, _, _ in }
    token.invalidate()
    owner.pet.tag = nil
    XCTAssertNil(tag)
    XCTAssertFalse(token.isActive)
  }

  func test_C15_path_withoutOldValues_keepsNone() {
    let owner = Owner(Pet())
    weak var kept: Label?
    observations.observe(owner, \.label, options: []) { _, _, change in kept = change.newValue }
    owner.number = 1
    XCTAssertNil(kept)
  }

  func test_C15_link_ofAPath_isNotKept() {
    let owner = Owner(Pet())
    observations.observe(owner, \.pet.name) { _, _, _ in }
    weak var pet = owner.pet
    owner.pet = Pet()
    XCTAssertNil(pet)
    pet = nil
  }

  func test_C4_pathOverADerivedValue_thatStaysEqual_hasAPriorDeliveryAlone() {
    let owner = Owner(Pet())
    observations.observe(owner, \.tens, options: [.old, .prior]) { $0.write($2) }
    owner.number = 5
    XCTAssertEqual(recorder.takeEvents(), ["about to change from 0"], "no change follows")
    owner.number = 12
    XCTAssertEqual(recorder.takeEvents(), ["about to change from 0", "0 → 1"])
  }
}
