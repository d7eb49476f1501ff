import ObservationController
import TestSupport
import XCTest

/// C10: chains of properties, whose last property has the value of the path, and key paths that
/// only resemble them.
final class PlainChainTests: TestCase {
  private typealias Pet = ChainedPet
  private typealias Friend = ChainedFriend
  private typealias Person = ChainedPerson

  /// Reads the property of another object of the expected class.
  private final class Mimic: Pet {
    let other: Pet
    init(_ other: Pet) {
      self.other = other
      super.init("mimic")
    }
    override var name: String {
      get { other.name + "'s mimic" }
      set { other.name = newValue }
    }
  }

  private final class Sitter: Friend {
    @Observed var guest = Pet("guest")
    override var pet: Pet {
      get { guest }
      set { guest = newValue }
    }
  }

  private typealias Event = RecordedEvent<String>

  private let pet = Pet("a")
  private lazy var person = Person(pet)
  private let recorder = ChangeRecorder<String>()
  private lazy var observations = ObservationController(observer: recorder)

  private func record(
    _ keyPath: KeyPath<Person, String> = \.pet.name, options: ObservationOptions = .old
  ) {
    observations.observe(person, keyPath, options: options, action: ChangeRecorder<String>.record)
  }

  func test_C10_chainOfTwo_leafAndLinkInTurns_isNotified() {
    record()
    pet.name = "b"
    let other = Pet("c")
    person.pet = other
    pet.name = "no longer read"
    other.name = "d"
    person.pet = pet
    other.name = "no longer read"
    pet.name = "e"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "b"), .changed("b", "c"), .changed("c", "d"),
        .changed("d", "no longer read"), .changed("no longer read", "e"),
      ])
  }

  func test_C10_chainOfThree_leafAndLinksInTurns_isNotified() {
    record(\.friend.pet.name)
    pet.name = "b"
    let other = Pet("c")
    person.friend.pet = other
    other.name = "d"
    let before = person.friend
    person.friend = Friend(pet)
    before.pet = Pet("unheard")
    other.name = "unheard"
    pet.name = "e"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "b"), .changed("b", "c"), .changed("c", "d"), .changed("d", "b"),
        .changed("b", "e"),
      ])
  }

  func test_C4_chain_withEachOption_isNotified() {
    for (options, expected): (ObservationOptions, [Event]) in [
      ([], [.changed(nil, "b"), .changed(nil, "b"), .changed(nil, "c")]),
      ([.initial], [.initial("a"), .changed(nil, "b"), .changed(nil, "b"), .changed(nil, "c")]),
      ([.old, .distinct], [.changed("a", "b"), .changed("b", "c")]),
      (
        [.old, .prior],
        [
          .prior("a"), .changed("a", "b"), .prior("b"), .changed("b", "b"), .prior("b"),
          .changed("b", "c"),
        ]
      ),
    ] {
      pet.name = "a"
      let observations = ObservationController(observer: recorder)
      observations.observe(
        person, \.pet.name, options: options, action: ChangeRecorder<String>.record)
      pet.name = "b"
      pet.name = "b"
      pet.name = "c"
      XCTAssertEqual(recorder.takeEvents(), expected, "\(options)")
    }
  }

  func test_C10_linkOfAClassThatOverridesTheProperty_isReadByItsGetter() {
    record()
    let loud = ChainedLoudPet("b")
    person.pet = loud
    loud.name = "c"
    person.pet = pet
    pet.name = "d"
    let mimicked = Pet("e")
    person.pet = Mimic(mimicked)
    mimicked.name = "f"
    person.pet = mimicked
    person.pet = Mimic(mimicked)
    mimicked.name = "g"
    person.pet = mimicked
    mimicked.name = "h"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "B"), .changed("B", "C"), .changed("C", "a"), .changed("a", "d"),
        .changed("d", "e's mimic"), .changed("e's mimic", "f's mimic"),
        .changed("f's mimic", "f"), .changed("f", "f's mimic"),
        .changed("f's mimic", "g's mimic"), .changed("g's mimic", "g"), .changed("g", "h"),
      ])
  }

  func test_C10_linkInTheMiddleOverridden_isReadByItsGetter() {
    record(\.friend.pet.name)
    let sitter = Sitter(pet)
    person.friend = sitter
    pet.name = "unheard"
    sitter.guest.name = "b"
    sitter.pet = pet
    pet.name = "c"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "guest"), .changed("guest", "b"), .changed("b", "unheard"),
        .changed("unheard", "c"),
      ])
  }

  func test_C10_startsWithSuchALink_isReadByItsGetter() {
    person.pet = Mimic(pet)
    record()
    pet.name = "b"
    person.pet = pet
    pet.name = "c"
    XCTAssertEqual(
      recorder.events,
      [.changed("a's mimic", "b's mimic"), .changed("b's mimic", "b"), .changed("b", "c")])
  }

  func test_C10_computedProperties_withEqualDependencies_haveTheirOwnValues() {
    record(\.shout)
    record(\.greeting)
    record(\.pet.name)
    pet.name = "b"
    person.pet = Pet("c")
    XCTAssertEqual(
      recorder.events,
      [
        .changed("A", "B"), .changed("hello a", "hello b"), .changed("a", "b"),
        .changed("B", "C"), .changed("hello b", "hello c"), .changed("b", "c"),
      ])
  }

  func test_C6_leafMutatedInPlace_isDeliveredOnce() {
    let tags = ChangeRecorder<[String]>()
    let lists = ObservationController(observer: tags)
    lists.observe(person, \.pet.tags, action: ChangeRecorder<[String]>.record)
    pet.tags.append("x")
    pet.tags += ["y"]
    let other = Pet("b")
    other.tags = ["z"]
    person.pet = other
    other.tags[0] = "w"
    XCTAssertEqual(
      tags.events,
      [
        .changed([], ["x"]), .changed(["x"], ["x", "y"]), .changed(["x", "y"], ["z"]),
        .changed(["z"], ["w"]),
      ])
  }

  func test_C6_linkReplacedInsideTheMutationOfTheLeaf_isOneChange() {
    func mutate(_ name: inout String, _ body: () -> Void) {
      name += "!"
      body()
      name += "?"
    }
    record()
    let other = Pet("b")
    mutate(&pet.name) { person.pet = other }
    other.name = "c"
    XCTAssertEqual(recorder.events, [.changed("a", "b"), .changed("b", "c")])
    XCTAssertEqual(pet.name, "a!?")
  }

  func test_C11_leafAndLinkInATransaction_areDeliveredOnce() {
    record()
    withObservationTransaction {
      pet.name = "b"
      person.pet = Pet("c")
      person.pet.name = "d"
    }
    person.pet.name = "e"
    withObservationTransaction { person.pet.name = "f" }
    person.pet.name = "g"
    XCTAssertEqual(
      recorder.events,
      [.changed("a", "d"), .changed("d", "e"), .changed("e", "f"), .changed("f", "g")])
  }

  func test_C10_propertyReadTwice_isDelivered() {
    final class Ring {
      @Observed var next: Ring?
      @Observed var name = "a"
      var following: Ring { next ?? self }
    }
    let ring = Ring()
    observations.observe(ring, \.following.following.name, action: ChangeRecorder<String>.record)
    ring.name = "b"
    ring.next = Ring()
    ring.next?.name = "c"
    XCTAssertEqual(recorder.events, [.changed("a", "b"), .changed("b", "a"), .changed("a", "c")])
  }

  func test_C10_chainThatReturnsToItsObject_isNotified() {
    let ring = Loop("a")
    observations.observe(ring, \.next.next.name, action: ChangeRecorder<String>.record)
    ring.name = "b"
    let other = Loop("c")
    ring.next = other
    other.name = "d"
    other.next = ring
    ring.name = "e"
    ring.next = ring
    ring.name = "f"
    other.name = "unheard"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "b"), .changed("b", "c"), .changed("c", "d"), .changed("d", "b"),
        .changed("b", "e"), .changed("e", "e"), .changed("e", "f"),
      ])
  }

  func test_C10_linkThatRefersToItsOwnObject_isDelivered() {
    final class Node {
      @Observed var next: Node
      let name: String
      init(_ name: String) {
        // Replaced before it is read.
        next = unsafeBitCast(LifetimeCounter(), to: Node.self)
        self.name = name
      }
    }
    let (a, b, c) = (Node("a"), Node("b"), Node("c"))
    (a.next, b.next, c.next) = (b, c, c)
    let lines = LineRecorder()
    let observations = ObservationController(observer: lines)
    observations.observe(a, \.next.next) { lines, _, change in
      lines.write("\(change.oldValue!.name) → \(change.newValue.name)")
    }
    a.next = a
    a.next = b
    b.next = a
    c.next = b
    a.next = c
    c.next = c
    b.next = b
    XCTAssertEqual(lines.events, ["c → a", "a → c", "c → a", "a → b", "b → c"])
  }

  func test_C10_linkSetToItsObject_isDelivered_andTheLeafOnce() {
    record()
    person.pet = pet
    pet.name = "b"
    person.pet = pet
    person.pet = pet
    pet.name = "c"
    XCTAssertEqual(
      recorder.events,
      [
        .changed("a", "a"), .changed("a", "b"), .changed("b", "b"), .changed("b", "b"),
        .changed("b", "c"),
      ])
  }

  private final class Loop {
    @Observed var link: Loop?
    @Observed var name: String
    init(_ name: String) { self.name = name }
    var next: Loop {
      get { link ?? self }
      set { link = newValue }
    }
  }

  func test_C10_leafOfEachKind_inGenericClasses_isDelivered() {
    func lines<Value>(_ first: Value, _ second: Value) -> [String] {
      let (box, recorder) = (Holder(Holder(first)), LineRecorder())
      let observations = ObservationController(observer: recorder)
      observations.observe(box, \.value.value) { recorder, _, change in
        recorder.write("\(change.oldValue!) → \(change.newValue)")
      }
      box.value.value = second
      box.value = Holder(first)
      box.value.value = second
      return recorder.events
    }
    XCTAssertEqual(lines(1, 2), ["1 → 2", "2 → 1", "1 → 2"])
    XCTAssertEqual(lines([1], []), ["[1] → []", "[] → [1]", "[1] → []"])
    XCTAssertEqual(lines(Int?.none, 1).count, 3)
    XCTAssertEqual(lines(Pet("a"), Pet("b")).count, 3)
    XCTAssertEqual(lines("a" as Any, 1 as Any), ["a → 1", "1 → a", "a → 1"])
  }

  func test_C15_chain_keepsNothingAlive() {
    record()
    assertReleased {
      let other = Pet("b")
      person.pet = other
      other.name = "c"
      person.pet = pet
      return other
    }
    let owners = ObservationController(observer: recorder, retainsObserved: false)
    assertReleased {
      let person = Person(pet)
      owners.observe(person, \.pet.name, action: ChangeRecorder<String>.record)
      pet.name = "d"
      return person
    }
    _ = recorder.takeEvents()
    pet.name = "e"
    XCTAssertEqual(recorder.events, [.changed("d", "e")])
  }
}
