import ObservationController

/// The end of the chains that tests of chains observe.
open class ChainedPet {
  @Observed open var name: String
  @Observed package var tags: [String] = []

  public init(_ name: String) { self.name = name }
}

/// A pet whose property is not a stored one, so that a path to it is no chain.
package final class ChainedLoudPet: ChainedPet {
  package override var name: String {
    get { super.name.uppercased() }
    set { super.name = newValue }
  }
}

/// A link.
open class ChainedFriend {
  @Observed open var pet: ChainedPet

  public init(_ pet: ChainedPet) { self.pet = pet }
}

/// The beginning of chains; with computed properties of equal values.
package final class ChainedPerson {
  @Observed package var friend: ChainedFriend
  @Observed package var pet: ChainedPet

  package init(_ pet: ChainedPet) {
    self.pet = pet
    friend = ChainedFriend(pet)
  }

  package var shout: String { pet.name.uppercased() }
  package var greeting: String { "hello " + pet.name }
}
