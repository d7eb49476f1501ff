import ObservationController
import TestSupport
import XCTest

/// Derived properties in the classes that Swift has.
final class DerivedClassesTests: TestCase {
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  private class Box<Content: CustomStringConvertible> {
    @Observed var content: Content
    @Derived({ (box: Box) in "<\(box.content)>" }) var text: String

    init(_ content: Content) { self.content = content }
  }

  private final class Crate<Content: CustomStringConvertible>: Box<Content> {
    @Observed var mark = "!"
    @Derived({ (crate: Crate) in crate.text + crate.mark }) var marked: String
  }

  func test_genericClass_itsSubclass_andSeveralInstantiations() {
    let (number, text) = (Box(1), Box("a"))
    XCTAssertEqual([number.text, text.text], ["<1>", "<a>"])
    let crate = Crate(2)
    observations.observe(crate, \.marked) { $0.write($2) }
    observations.observe(crate, \.text) { $0.write($2) }
    number.content = 3
    text.content = "b"
    crate.content = 4
    crate.mark = "?"
    XCTAssertEqual([number.text, text.text, crate.marked], ["<3>", "<b>", "<4>?"])
    XCTAssertEqual(recorder.events, ["<2>! → <4>!", "<2> → <4>", "<4>! → <4>?"])
  }

  private class Animal {
    @Observed var name = "Rex"
    var sound: String { "…" }
    @Derived({ (animal: Animal) in "\(animal.name): \(animal.sound)" }) var line: String
  }

  private final class Dog: Animal {
    @Observed var volume = 1
    override var sound: String { String(repeating: "wau", count: volume) }
  }

  func test_inheritedProperty_callsTheSubclassesOverride() {
    let dog = Dog()
    XCTAssertEqual(dog.line, "Rex: wau")
    observations.observe(dog, \.line) { $0.write($2) }
    observations.observe(dog as Animal, \.line, context: "animal") { $0.write("animal: \($2)") }
    dog.volume = 2
    dog.name = "Max"
    XCTAssertEqual(
      recorder.events,
      [
        "Rex: wau → Rex: wauwau", "animal: Rex: wau → Rex: wauwau",
        "Rex: wauwau → Max: wauwau", "animal: Rex: wauwau → Max: wauwau",
      ])
  }

  private final class Twin {
    @Observed var name: String
    @Derived({ (twin: Twin) in twin.name + "!" }) var loud: String

    init(_ name: String) { self.name = name }

    func takeStorage(of other: Twin) { _loud = other._loud }
  }

  func test_storageOfAnotherObject_computesForTheObjectThatIsRead() {
    let (twin, other) = (Twin("a"), Twin("b"))
    XCTAssertEqual([twin.loud, other.loud], ["a!", "b!"])
    twin.takeStorage(of: other)
    XCTAssertEqual([twin.loud, other.loud], ["a!", "b!"])
    observations.observe(twin, \.loud) { $0.write($2) }
    twin.name = "c"
    other.name = "d"
    XCTAssertEqual([twin.loud, other.loud], ["c!", "d!"])
    XCTAssertEqual(recorder.events, ["a! → c!"])
  }

  func test_closure_mayCapture_andBeAFunction() {
    let controls = Controls(factor: 3)
    XCTAssertEqual([controls.scaled, controls.doubled], [3, 2])
    controls.value = 5
    XCTAssertEqual([controls.scaled, controls.doubled], [15, 10])
  }

  private final class Controls {
    @Observed var value = 1
    @Derived<Controls, Int> var scaled: Int
    @Derived(Controls.double) var doubled: Int

    init(factor: Int) {
      _scaled = Derived { $0.value * factor }
    }

    private static func double(_ controls: Controls) -> Int { controls.value * 2 }
  }

  func test_valuesOfEveryShape_areKept() {
    final class Shapes {
      @Observed var a = 1
      @Derived({ (shapes: Shapes) in (shapes.a, "\(shapes.a)") }) var tuple: (Int, String)
      @Derived({ (shapes: Shapes) in { shapes.a } }) var function: () -> Int
      @Derived({ (shapes: Shapes) in shapes.a as Any }) var any: Any
      @Derived({ (shapes: Shapes) in shapes.a > 1 ? .some(nil) : nil }) var nested: Int??
      @Derived({ (shapes: Shapes) in _ = shapes.a }) var nothing: Void
    }
    let shapes = Shapes()
    for value in 1...2 {
      shapes.a = value
      XCTAssertEqual(shapes.tuple.1, "\(value)")
      XCTAssertEqual(shapes.function(), value)
      XCTAssertEqual(shapes.any as? Int, value)
      XCTAssert(shapes.nested == (value > 1 ? .some(nil) : nil))
      shapes.nothing
    }
  }
}

/// Derived properties of a class on the main actor.
@MainActor
final class DerivedMainActorTests: TestCase {
  @MainActor
  private final class Screen {
    @Observed var first = "Ada"
    @Observed private(set) var clicks = 0
    @Derived({ (screen: Screen) in screen.first + " \(screen.clicks)" }) var title: String

    func click() { clicks += 1 }
  }

  func test_mainActorClass_computesAndIsObserved() async {
    let screen = Screen()
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    XCTAssertEqual(screen.title, "Ada 0")
    observations.observe(screen, \.title) { $0.write($2) }
    screen.first = "Grace"
    screen.click()
    withObservationTransaction {
      screen.click()
      screen.first = "Mary"
    }
    XCTAssertEqual(
      recorder.events, ["Ada 0 → Grace 0", "Grace 0 → Grace 1", "Grace 1 → Mary 2"])
  }
}
