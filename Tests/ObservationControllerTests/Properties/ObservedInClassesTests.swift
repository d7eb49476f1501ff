import ObservationController
import TestSupport
import XCTest

/// `@Observed` in the classes that Swift has: subclasses, generic ones, isolated ones.
final class ObservedInClassesTests: TestCase {
  // MARK: Subclasses

  func test_inheritedProperty_observedThroughTheSubclass_delivers() {
    let dog = Dog()
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    controller.observe(dog, \.name, action: ChangeRecorder<String>.record)
    dog.name = "Rex"
    (dog as Animal).name = "Bello"
    XCTAssertEqual(recorder.events, [.changed("", "Rex"), .changed("Rex", "Bello")])
  }

  func test_inheritedProperty_observedThroughTheSuperclass_delivers() {
    let dog = Dog()
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    controller.observe(dog as Animal, \.name, action: ChangeRecorder<String>.record)
    dog.name = "Rex"
    XCTAssertEqual(recorder.events, [.changed("", "Rex")])
  }

  func test_ownProperty_ofSubclass_delivers() {
    let dog = Dog()
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(dog, \.tricks, action: ChangeRecorder<Int>.record)
    dog.name = "Rex"
    dog.tricks += 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
  }

  func test_overriddenProperty_withDidSet_deliversAndCallsIt() {
    let cat = Cat()
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    controller.observe(cat, \.name, action: ChangeRecorder<String>.record)
    cat.name = "Minka"
    XCTAssertEqual(recorder.events, [.changed("", "Minka")])
    XCTAssertEqual(cat.renamings, 1)
  }

  func test_property_withDidSetOfItsOwn_deliversAndCallsIt() {
    let animal = Animal()
    let recorder = ChangeRecorder<Int>()
    let controller = ObservationController(observer: recorder)
    controller.observe(animal, \.age, action: ChangeRecorder<Int>.record)
    animal.age = 1
    XCTAssertEqual(recorder.events, [.changed(0, 1)])
    XCTAssertEqual(animal.birthdays, 1)
  }

  // MARK: Generic classes

  func test_genericClass_ofAnyValue_delivers() {
    func check<Value: Equatable>(_ values: Value...) {
      let box = Box(values[0])
      let recorder = ChangeRecorder<Value>()
      let controller = ObservationController(observer: recorder)
      controller.observe(box, \.value) { $0.record($2) }
      for value in values.dropFirst() { box.value = value }
      XCTAssertEqual(
        recorder.events, zip(values, values.dropFirst()).map { .changed($0, $1) })
    }
    check(1, 2, 3)
    check("a", "b")
    check([1], [], [2, 3])
    check(1, nil, 2)
  }

  func test_genericSubclass_ofAGenericClass_delivers() {
    let pair = Pair(1, "a")
    let recorder = ChangeRecorder<Int>()
    let second = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    let secondController = ObservationController(observer: second)
    controller.observe(pair, \.value, action: ChangeRecorder<Int>.record)
    secondController.observe(pair, \.second, action: ChangeRecorder<String>.record)
    pair.value = 2
    pair.second = "b"
    XCTAssertEqual(recorder.events, [.changed(1, 2)])
    XCTAssertEqual(second.events, [.changed("a", "b")])
  }

  // MARK: Protocols

  func test_property_behindAProtocol_delivers() {
    func rename(_ named: some Named) { named.name = "Rex" }
    let dog = Dog()
    let recorder = ChangeRecorder<String>()
    let controller = ObservationController(observer: recorder)
    controller.observe(dog, \.name, action: ChangeRecorder<String>.record)
    rename(dog)
    let named: any Named = dog
    named.name = "Bello"
    XCTAssertEqual(recorder.events, [.changed("", "Rex"), .changed("Rex", "Bello")])
  }

  func test_property_observedInAGenericFunction_delivers() {
    let dog = Dog()
    let recorder = ChangeRecorder<String>()
    func observeName<Object: Named>(
      of object: Object, with controller: ObservationController<ChangeRecorder<String>>
    ) {
      controller.observe(object, \.name, action: ChangeRecorder<String>.record)
    }
    let controller = ObservationController(observer: recorder)
    observeName(of: dog, with: controller)
    dog.name = "Rex"
    XCTAssertEqual(recorder.events, [.changed("", "Rex")])
  }

  // MARK: Isolated classes

  func test_mainActorClass_observedOnTheMainActor_delivers() async {
    await MainActor.run {
      let screen = Screen()
      let recorder = ChangeRecorder<String>()
      let controller = ObservationController(observer: recorder)
      controller.observe(screen, \.title, options: [.initial, .old]) { $0.record($2) }
      screen.title = "Start"
      screen.title.append("!")
      XCTAssertEqual(
        recorder.events, [.initial(""), .changed("", "Start"), .changed("Start", "Start!")])
    }
  }

  func test_actor_observingItsModel_delivers() async {
    let keeper = Keeper()
    let counts = await keeper.countTo(3)
    XCTAssertEqual(counts, [1, 2, 3])
  }
}

private protocol Named: AnyObject {
  var name: String { get set }
}

private class Animal: Named {
  @Observed var name = ""
  @Observed var age = 0 { didSet { birthdays += 1 } }
  final var birthdays = 0
}

private final class Dog: Animal {
  @Observed var tricks = 0
}

private final class Cat: Animal {
  var renamings = 0
  override var name: String { didSet { renamings += 1 } }
}

private class Box<Value> {
  @Observed var value: Value

  init(_ value: Value) {
    self.value = value
  }
}

private final class Pair<First, Second>: Box<First> {
  @Observed var second: Second

  init(_ first: First, _ second: Second) {
    self.second = second
    super.init(first)
  }
}

@MainActor
private final class Screen {
  @Observed var title = ""
}

private actor Keeper {
  private let counter = Counter()
  private let recorder = Recorder<Int>()
  private lazy var observations = ObservationController(observer: self)

  func countTo(_ last: Int) -> [Int] {
    observations.observe(counter, \.count) { keeper, _, change in
      keeper.assumeIsolated { $0.recorder.append(change.newValue) }
    }
    for count in 1...last { counter.count = count }
    return recorder.events
  }
}
