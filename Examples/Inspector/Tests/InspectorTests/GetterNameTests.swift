import ObservationController
import XCTest

@testable import Inspector

/// Names of computed properties, whose key paths print addresses on Linux.
final class GetterNameTests: XCTestCase {
  private class Base {
    var inherited: Int { 1 }
    subscript(index: Int) -> Int { index }
  }
  private final class Box<Value>: Base {
    var value: Value? { nil }
    var table: [String: (Int) -> Value] { [:] }
    private var hidden: Int { 2 }
    static var hiddenKeyPath: AnyKeyPath { \Box<Value>.hidden }
    override var inherited: Int { 3 }
  }

  func test_symbols_giveNamesOfAllPropertiesInAPath() {
    let keyPaths: [(AnyKeyPath, String)] = [
      (\Order.label, #"\Order.label"#), (\Order.label.count, #"\Order.label.count"#),
      (\Order.customerInOrder.initial, #"\Order.customerInOrder.initial"#),
      (\Box<Int>.value?.description, #"\Box<Int>.value?.description"#),
      (\Box<Order>.value?.customerInOrder.initial, #"\Box<Order>.value?.customerInOrder.initial"#),
      (\Box<Int>.table, #"\Box<Int>.table"#), (\Box<Int>.inherited, #"\Box<Int>.inherited"#),
      (Box<Int>.hiddenKeyPath, #"\Box<Int>.hidden"#), (\Base[1], #"\Base.subscript(_:)"#),
    ]
    for (keyPath, name) in keyPaths {
      let printed = String(reflecting: keyPath)
      GetterNames.learn(Set(GetterNames.naming(printed).unknown))
      XCTAssertEqual(GetterNames.naming(printed).text, name)
      XCTAssertEqual(GetterNames.naming(printed).unknown, [])
    }
  }

  func test_unknownAddress_isNamedByItsType() {
    let printed = #"\Order.<computed 0x0000000000000010 (Optional<(Int) -> ()>)>?.count"#
    XCTAssertEqual(GetterNames.naming(printed).unknown, [16])
    GetterNames.learn([16])
    XCTAssertEqual(GetterNames.naming(printed).text, #"\Order.‹Optional<(Int) -> ()>›?.count"#)
  }

  func test_otherSymbols_areNoNames() {
    for symbol in ["main", "Order.label.getter : Swift.String", "key path getter for Order.label"] {
      XCTAssertNil(GetterNames.propertyName(in: symbol))
    }
  }

  @MainActor
  func test_library_namesComputedPropertiesThatAreListed() async {
    final class Price {
      @Observed var cents = 100
      var inEuros: Double { Double(cents) / 100 }
      var inDollars: Double { Double(cents) / 90 }
    }
    let price = Price()
    let controller = ObservationController(observer: self)
    controller.observe(price, \.inEuros) { _, _, _ in }
    ObservationGraph.setLabel("price abroad", for: \Price.inDollars)
    controller.observe(price, \.inDollars) { _, _, _ in }
    let list = await ObservationList.all(by: ObjectReader(readsObjects: true)) {
      $0.object is Price
    }
    XCTAssertEqual(list.observations.map(\.keyPath), [#"\Price.inEuros"#, #"\Price.inDollars"#])
    let texts = controller.observations.map(\.description)
    XCTAssertTrue(texts[0].contains(#"\Price.inEuros of"#), texts[0])
    XCTAssertTrue(texts[1].contains(#"\Price.price abroad of"#), "a label of the program's stays")
    let trace = ObservationTrace.record { price.cents = 200 }
    XCTAssertEqual(
      trace.events.filter { $0.kind == .delivery }.map(\.property),
      [#"\Price.inEuros"#, #"\Price.price abroad"#])
  }
}
