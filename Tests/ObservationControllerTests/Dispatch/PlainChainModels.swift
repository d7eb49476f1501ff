import ObservationController
import TestSupport

/// The end of the chains that tests of chains observe.
class ChainedPet {
  @Observed var name: String
  @Observed var tags: [String] = []
  init(_ name: String) { self.name = name }
}

/// One whose property is more than what it stores, so that a path to it is no chain.
final class ChainedLoudPet: ChainedPet {
  override var name: String {
    get { super.name.uppercased() }
    set { super.name = newValue }
  }
}

/// A link.
class ChainedFriend {
  @Observed var pet: ChainedPet
  init(_ pet: ChainedPet) { self.pet = pet }
}

/// Where chains begin; with computed properties that read the same.
final class ChainedPerson {
  @Observed var friend: ChainedFriend
  @Observed var pet: ChainedPet
  init(_ pet: ChainedPet) {
    self.pet = pet
    friend = ChainedFriend(pet)
  }
  var shout: String { pet.name.uppercased() }
  var greeting: String { "hello " + pet.name }
}
