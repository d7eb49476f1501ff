import ObservationController
import TestSupport
import XCTest

/// Both ends of a two-way binding hold the value set last, where `==` can't tell it from another.
final class TwoWayBindingIdentityTests: TestCase {
  /// Equal to every other one of its id.
  private final class Item: Equatable {
    let id: Int
    init(_ id: Int) { self.id = id }
    static func == (left: Item, right: Item) -> Bool { left.id == right.id }
  }

  /// Equal if the id is.
  private struct Record: Equatable {
    var id = 1
    var title = ""
    static func == (left: Record, right: Record) -> Bool { left.id == right.id }
  }

  private final class Form {
    @Observed var item = Item(1)
    @Observed var maybe: Item?
    @Observed var items: [Item] = []
    @Observed var list: ObservableArray<Int> = []
    @Observed var record = Record()
    @Observed var number = 0.0
    @Observed var text = ""
    @Observed var inner = Inner()
    @Observed var unrelated = 0

    /// Spells the text in one way.
    var composed: String {
      get { text }
      set { text = newValue == "é" ? "\u{e9}" : newValue }
    }

    /// Made anew at each reading.
    var fresh: Item {
      get { Item(item.id + unrelated * 0) }
      set { item = newValue }
    }
  }

  private final class Inner {
    @Observed var item = Item(1)
    @Observed var record = Record()
  }

  private final class Shared: @unchecked Sendable {
    @AtomicObserved var text = ""
  }

  private let panel = Panel()
  private var observations: ObservationController<Panel> { panel.observations }

  /// Sets each end in turn to each value, in each way, and expects the other end to have it.
  private func assertKeeps<Value>(
    _ keyPath: ReferenceWritableKeyPath<Form, Value>, _ values: [Value],
    by areSame: (Value, Value) -> Bool, line: UInt = #line
  ) {
    for isConverting in [false, true] {
      for inTransaction in [false, true] {
        let (a, b) = (Form(), Form())
        if isConverting {
          observations.bindTwoWay(
            a, keyPath, with: b, keyPath, forward: { $0 }, backward: { $0 } as (Value) -> Value)
        } else {
          observations.bindTwoWay(a, keyPath, with: b, keyPath)
        }
        assertNoIssues {
          for end in [a, a, b, b, a, b, a] {
            for value in values {
              if inTransaction {
                withObservationTransaction { end[keyPath: keyPath] = value }
              } else {
                end[keyPath: keyPath] = value
              }
              XCTAssertTrue(areSame(a[keyPath: keyPath], value), "\(keyPath)", line: line)
              XCTAssertTrue(areSame(b[keyPath: keyPath], value), "\(keyPath)", line: line)
            }
          }
        }
      }
    }
  }

  private static func areSame(_ left: [Item], _ right: [Item]) -> Bool {
    left.elementsEqual(right) { $0 === $1 }
  }

  private static func areSame(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
  }

  private let spellings = ["\u{e9}", "e\u{301}", "\u{e9}"]

  func test_C32_equalValues_thatCanBeToldApart_areCarriedOver() {
    let items = [Item(1), Item(1), Item(1)]
    assertKeeps(\.item, items, by: ===)
    assertKeeps(\.maybe, items + [nil, items[0]], by: ===)
    assertKeeps(\.items, [[items[0]], [items[1]], [items[0], items[2]]], by: Self.areSame)
    assertKeeps(\.list, [[], [], [1], [1]], by: ===)
    assertKeeps(\.record, ["a", "b", "a"].map { Record(title: $0) }) { $0.title == $1.title }
    assertKeeps(\.number, [0, -0.0, 0, .nan, -.nan]) { $0.bitPattern == $1.bitPattern }
    assertKeeps(\.text, spellings, by: Self.areSame)
    assertKeeps(\.inner.item, items, by: ===)
    assertKeeps(\.inner.record, ["a", "b", "a"].map { Record(title: $0) }) { $0.title == $1.title }
  }

  func test_C32_mutationInPlace_ofAPartThatIsNotCompared_isCarriedOver() {
    let (a, b) = (Form(), Form())
    observations.bindTwoWay(a, \.record, with: b, \.record)
    for (index, end) in [a, a, b, a, b, b].enumerated() {
      end.record.title += "\(index)"
      XCTAssertEqual(a.record.title, b.record.title)
      XCTAssertEqual(a.record.title.count, index + 1)
    }
  }

  func test_C32_observableArray_replacedByAnEqualOne_isShared() {
    let (a, b) = (Form(), Form())
    observations.bindTwoWay(a, \.list, with: b, \.list)
    for end in [a, b, b, a] {
      end.list = []
      end.list.append(1)
      XCTAssertEqual([a.list.elements, b.list.elements], [[1], [1]])
    }
  }

  func test_C32_handlerOfEitherEnd_thatSetsAnEqualValue_isCarriedOver() {
    for isBefore in [true, false] {
      for setsFirst in [true, false] {
        for observesFirst in [true, false] {
          let (a, b) = (Form(), Form())
          var last: Item?
          func observe() {
            var isArmed = true
            observations.observe(
              observesFirst ? a : b, \.item, context: ObservationContext()
            ) { _, form, _ in
              guard last != nil, isArmed else { return }
              isArmed = false
              let item = Item(1)
              last = item
              (setsFirst ? a : b).item = item
            }
          }
          if isBefore { observe() }
          observations.bindTwoWay(a, \.item, with: b, \.item)
          if !isBefore { observe() }
          last = a.item
          assertNoIssues { a.item = Item(1) }
          let text = "\(isBefore) \(setsFirst) \(observesFirst)"
          XCTAssertTrue(a.item === last, text)
          XCTAssertTrue(b.item === last, text)
        }
      }
    }
  }

  func test_C32_setterThatSpellsAnew_isCarriedBack() {
    let (a, b) = (Form(), Form())
    observations.bindTwoWay(a, \.text, with: b, \.composed)
    assertNoIssues { a.text = "e\u{301}" }
    XCTAssertTrue(Self.areSame(a.text, "\u{e9}"))
    XCTAssertTrue(Self.areSame(b.text, "\u{e9}"))
  }

  /// No value is the same as one that was read before.
  func test_C32_getterThatMakesNewValues_ofBothEnds_settles() {
    let (a, b) = (Form(), Form())
    observations.bindTwoWay(a, \.fresh, with: b, \.fresh)
    assertNoIssues {
      for (id, end) in [a, a, b, a, b].enumerated() {
        end.fresh = Item(id)
        XCTAssertEqual([a.item.id, b.item.id], [id, id])
      }
    }
  }

  func test_C32_getterThatMakesNewTexts_convertedWithLoss_keepsTheLeader() {
    final class Words {
      @Observed var list = [String]()
      @Observed var separator = ", "
      var text: [String] {
        get { list.map { String($0.reversed().reversed()) + separator.prefix(0) } }
        set { list = newValue }
      }
    }
    let (words, dial) = (Words(), Dial())
    observations.bindTwoWay(
      dial, \.value, with: words, \.text, forward: { ["about the number \($0 / 10 * 10)"] },
      backward: { _ in -1 })
    dial.value = 15
    words.separator = "; "
    XCTAssertEqual(dial.value, 15)
    XCTAssertEqual(words.text, ["about the number 10"])
  }

  func test_C32_ringOfBindings_withEqualInstances_settles() {
    let forms = (0..<4).map { _ in Form() }
    for (index, form) in forms.enumerated() {
      observations.bindTwoWay(form, \.item, with: forms[(index + 1) % 4], \.item)
    }
    for form in forms + forms.reversed() {
      let item = Item(1)
      assertNoIssues { form.item = item }
      for form in forms { XCTAssertTrue(form.item === item) }
    }
  }

  func test_C32_transactionThatSetsBothEnds_toEqualValues_leavesThemAlike() {
    let (a, b) = (Form(), Form())
    observations.bindTwoWay(a, \.item, with: b, \.item)
    for (first, second) in [(a, b), (b, a), (b, a), (a, b)] {
      withObservationTransaction {
        first.item = Item(1)
        second.item = Item(1)
      }
      XCTAssertTrue(a.item === b.item)
    }
  }

  func test_C32_atomicEnds_setByThreads_toEqualTexts_holdTheSameBytes() {
    let controller = observations
    for _ in 0..<100 {
      let (a, b) = (Shared(), Shared())
      controller.bindTwoWay(a, \.text, with: b, \.text)
      onThreads(2) { thread in
        for number in 0..<20 {
          let text = number.isMultiple(of: 2) ? "e\u{301}" : "\u{e9}"
          if thread == 0 { a.text = text } else { b.text = text }
        }
      }
      XCTAssertTrue(Self.areSame(a.text, b.text))
    }
  }

  func test_C32_valuesThatCanNotBeCompared_setByAHandler_areNotConvertedBack() {
    let (first, second) = (Instrument(), Instrument())
    var conversions = 0
    observations.observe(second, \.reading, options: []) { _, second, change in
      if change.newValue.degrees == 5 { second.reading.degrees = 6 }
    }
    observations.bindTwoWay(
      first, \.reading, with: second, \.reading, forward: { $0 },
      backward: {
        conversions += 1
        return $0
      })
    first.reading.degrees = 5
    XCTAssertEqual([first.reading.degrees, second.reading.degrees], [6, 6])
    XCTAssertEqual(conversions, 1)
  }
}
