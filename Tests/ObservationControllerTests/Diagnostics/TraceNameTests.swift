import ObservationController
import TestSupport
import XCTest

/// Names in traces. Each test has models of its own, since a name that has been learned stays
/// known.
final class TraceNameTests: TestCase {
  private let observer = SilentObserver()

  func test_trace_readsObjectsAtItsStart_andNamesPathsProperties() {
    final class Engine {
      @Observed var power = 1
    }
    final class Car {
      @Observed var engine = Engine()
      @Observed var factor = 2
      @AtomicObserved var odometer = 0
      var horsepower: Int { engine.power * factor }
    }
    let car = Car()
    let controller = ObservationController(observer: observer)
    controller.observe(car, \.horsepower) { _, _, _ in }
    controller.observe(car, \.odometer) { _, _, _ in }
    controller.observe(car, \.engine.power) { _, _, _ in }
    ObservationGraph.setLabel("horsepower", for: \Car.horsepower)
    let trace = ObservationTrace.record {
      car.engine.power = 2
      car.factor = 3
      car.odometer = 1
    }
    let named = Set(trace.events.map { "\($0.kind) \($0.property ?? "")" })
    XCTAssertEqual(
      named,
      [
        "set \\Engine.power", "delivery \\Car.horsepower", "delivery \\Car.engine.power",
        "set \\Car.factor", "set \\Car.odometer", "delivery \\Car.odometer",
      ])
  }

  func test_trace_thatDoesNotRead_namesByTypes_untilNamesAreLearned() throws {
    final class Pump {
      @Observed var pressure = 1.5
    }
    let pump = Pump()
    let controller = ObservationController(observer: observer)
    controller.observe(pump, \.pressure) { _, _, _ in }
    let trace = ObservationTrace.record(readsObjects: false) { pump.pressure = 2 }
    #if os(Linux)
      XCTAssertEqual(trace.outline, ["set Pump.‹Double›", "  delivery Pump.‹Double› ← 0"])
    #endif
    trace.learnNames()
    XCTAssertEqual(trace.outline, ["set Pump.pressure", "  delivery Pump.pressure ← 0"])
  }

  func test_trace_readsObjectsAtItsStop_andNamesNewObservations() {
    final class Lamp {
      @Observed var isOn = false
      @Observed var colour = "red"
      var title: String { isOn ? colour : "off" }
    }
    let trace = ObservationTrace()
    trace.start()
    let lamp = Lamp()
    let controller = ObservationController(observer: observer)
    controller.observe(lamp, \.title) { _, _, _ in }
    lamp.isOn = true
    lamp.colour = "green"
    trace.stop()
    XCTAssertEqual(
      trace.events.filter { $0.kind == .set }.map(\.property), ["\\Lamp.isOn", "\\Lamp.colour"])
  }

  func test_trace_propertyThatOnlyADerivedOneReads_ofANewObject_isNamed() {
    final class Bell {
      @Observed var tone = "a"
      @Derived({ (bell: Bell) in bell.tone + "!" }) var sound: String
    }
    let controller = ObservationController(observer: observer)
    let trace = ObservationTrace.record(readsObjects: false) {
      let bell = Bell()
      controller.observe(bell, \.sound) { _, _, _ in }
      bell.tone = "b"
    }
    XCTAssertEqual(trace.events.filter { $0.kind == .set }.map(\.property), ["\\Bell.tone"])
  }

  func test_trace_stepsOfAChain_areNamed_thoughUnobserved() {
    final class Wheel {
      @Observed var size = 1
    }
    final class Bike {
      @Observed var wheel = Wheel()
    }
    let bike = Bike()
    let controller = ObservationController(observer: observer)
    controller.observe(bike, \.wheel.size, options: []) { _, _, _ in }
    let trace = ObservationTrace.record(readsObjects: false) {
      bike.wheel.size = 2
      bike.wheel = Wheel()
    }
    trace.learnNames()
    XCTAssertEqual(
      trace.events.filter { $0.kind == .set }.map(\.property), ["\\Wheel.size", "\\Bike.wheel"])
  }

  func test_trace_optionalLinks_areNamed_whenThePathIsReadAnyway() {
    final class Street {
      @Observed var number = 1
    }
    final class House {
      @Observed var street: Street?
    }
    let house = House()
    let controller = ObservationController(observer: observer)
    controller.observe(house, \.street?.number) { _, _, _ in }
    let trace = ObservationTrace.record {
      house.street = Street()
      house.street?.number = 2
    }
    XCTAssertEqual(
      trace.outline,
      [
        "set House.street", "  rehook House.street?.number ← 0",
        "  delivery House.street?.number ← 0", "set Street.number",
        "  delivery House.street?.number ← 3",
      ])
  }

  func test_trace_findingOutNames_callsNoGetter() {
    final class Oven {
      @Observed var heat = 0
      var reads = 0
      var hot: Bool {
        reads += 1
        return heat > 100
      }
    }
    let oven = Oven()
    let controller = ObservationController(observer: observer)
    controller.observe(oven, \.hot) { _, _, _ in }
    controller.observe(oven, \.heat, context: "same") { _, _, _ in }
    let before = oven.reads
    let trace = ObservationTrace.record {}
    trace.learnNames()
    XCTAssertEqual(oven.reads, before)
  }

  func test_trace_readsAsTheGraphDoes() {
    final class Tank {
      @Observed var level = 0
    }
    let tank = Tank()
    let controller = ObservationController(observer: observer)
    controller.observe(tank, \.level) { _, _, _ in }
    ObservationGraph.setLabel("north", for: tank)
    let trace = ObservationTrace.record { tank.level = 1 }
    let graph = ObservationGraph(of: tank)
    XCTAssertEqual(trace.events[0].object, "Tank “north”")
    XCTAssertTrue(graph.nodes.contains { $0.name == "Tank “north”" })
    XCTAssertEqual(trace.events[0].property, "\\Tank.level")
    XCTAssertTrue(graph.nodes.contains { $0.kind == .property && $0.name == "level" })
    XCTAssertTrue("\(controller.observations[0])".contains("\\Tank.level of Tank@"))
  }

  func test_trace_events_haveTypeAndAddress_whereThereIsNoLabel() {
    let counter = Counter()
    let controller = ObservationController(observer: observer)
    controller.observe(counter, \.count) { _, _, _ in }
    let trace = ObservationTrace.record { counter.count = 1 }
    let address = String(UInt(bitPattern: ObjectIdentifier(counter)), radix: 16)
    XCTAssertEqual(trace.events.map(\.object), ["Counter@\(address)", "Counter@\(address)"])
  }
}
