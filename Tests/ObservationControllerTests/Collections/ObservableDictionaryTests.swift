import Foundation
import ObservationController
import TestSupport
import XCTest

/// A dictionary of its own: its edits, one change each, and reading it.
final class ObservableDictionaryTests: TestCase {
  private typealias Numbers = ObservableDictionary<String, Int>
  private typealias Kind = DictionaryChange<String, Int>.Kind

  /// Every mutating operation of a dictionary, with a kind for small dictionaries.
  private let edits: [(String, (Numbers) -> Void, (inout [String: Int]) -> Void)] = [
    ("set", { $0["a"] = 9 }, { $0["a"] = 9 }),
    ("set nil", { $0["a"] = nil }, { $0["a"] = nil }),
    ("in place", { $0["b"]? += 1 }, { $0["b"]? += 1 }),
    ("in place to nil", { setNil(&$0["b"]) }, { setNil(&$0["b"]) }),
    ("in place from nil", { setOne(&$0["z"]) }, { setOne(&$0["z"]) }),
    ("default", { $0["b", default: 5] += 1 }, { $0["b", default: 5] += 1 }),
    ("default of a new one", { $0["z", default: 5] += 1 }, { $0["z", default: 5] += 1 }),
    ("updateValue", { $0.updateValue(4, forKey: "c") }, { $0.updateValue(4, forKey: "c") }),
    ("removeValue", { $0.removeValue(forKey: "c") }, { $0.removeValue(forKey: "c") }),
    (
      "remove(at:)", { if let index = $0.index(forKey: "a") { $0.remove(at: index) } },
      { if let index = $0.index(forKey: "a") { $0.remove(at: index) } }
    ),
    ("removeAll", { $0.removeAll() }, { $0.removeAll() }),
    (
      "removeAll where", { $0.removeAll { $0.value > 1 } },
      { $0 = $0.filter { $0.value <= 1 } }
    ),
    (
      "merge", { $0.merge(["a": 7, "z": 8]) { $0 + $1 } },
      { $0.merge(["a": 7, "z": 8]) { $0 + $1 } }
    ),
    (
      "merge pairs", { $0.merge([("y", 1), ("y", 2), ("a", 3)]) { $0 * 10 + $1 } },
      { $0.merge([("y", 1), ("y", 2), ("a", 3)]) { $0 * 10 + $1 } }
    ),
    ("setElements", { $0.setElements(["q": 1]) }, { $0 = ["q": 1] }),
    ("update to", { $0.update(to: ["a": 1, "q": 1]) }, { $0 = ["a": 1, "q": 1] }),
    (
      "batch",
      { dictionary in
        dictionary.performBatchUpdates {
          dictionary["a"] = nil
          dictionary["n"] = 1
          dictionary["b"] = 20
        }
      },
      {
        $0.merge(["n": 1, "b": 20]) { $1 }
        $0["a"] = nil
      }
    ),
  ]

  func test_everyEdit_unobservedOrObserved_isThatOfADictionary() {
    for elements in [[:], ["a": 1], ["b": 2], ["a": 1, "b": 2, "c": 3]] as [[String: Int]] {
      for (name, edit, plainEdit) in edits {
        var plain = elements
        plainEdit(&plain)
        let unobserved = Numbers(elements)
        edit(unobserved)
        XCTAssertEqual(unobserved.elements, plain, name)
        for hasOld in [false, true] {
          let observed = Numbers(elements)
          let replay = DictionaryReplay(of: observed, hasOld: hasOld)
          edit(observed)
          XCTAssertEqual(observed.elements, plain, name)
          XCTAssertEqual(replay.elements, plain, name)
          XCTAssertEqual(replay.flaws, [], name)
          XCTAssertLessThanOrEqual(replay.kinds.count, 1, name)
        }
      }
    }
  }

  func test_eachEdit_hasItsKind_andOneThatDoesNothingNone() {
    let elements = ["a": 1, "b": 2, "c": 3]
    let expected: [String: Kind?] = [
      "set": .update, "set nil": .removal, "in place": .update, "in place to nil": .removal,
      "in place from nil": .insertion, "default": .update, "default of a new one": .insertion,
      "updateValue": .update, "removeValue": .removal, "remove(at:)": .removal,
      "removeAll": .removal, "removeAll where": .removal, "merge": .batch, "merge pairs": .batch,
      "setElements": .setting, "update to": .batch, "batch": .batch,
    ]
    for (name, edit, _) in edits {
      let dictionary = Numbers(elements)
      let replay = DictionaryReplay(of: dictionary)
      edit(dictionary)
      XCTAssertEqual(replay.takeKinds(), [expected[name]!!], name)
    }
    let dictionary = Numbers(elements)
    let replay = DictionaryReplay(of: dictionary)
    dictionary["z"] = nil
    dictionary["z"]? += 1
    dictionary.removeValue(forKey: "z")
    dictionary.removeAll { $0.value > 10 }
    dictionary.merge([:]) { $1 }
    dictionary.update(to: elements)
    dictionary.performBatchUpdates {}
    dictionary.reserveCapacity(100)
    XCTAssertEqual(replay.takeKinds(), [])
    dictionary.merge(["x": 1, "y": 2]) { $1 }
    dictionary.merge(["x": 3, "y": 4]) { $1 }
    dictionary.update(to: elements)
    dictionary.update(to: ["a": 1])
    XCTAssertEqual(replay.takeKinds(), [.insertion, .update, .removal, .removal])
    XCTAssertEqual(replay.flaws, [])
  }

  func test_results_areThoseOfADictionary() {
    let dictionary: Numbers = ["a": 1, "b": 2]
    XCTAssertEqual(dictionary.updateValue(3, forKey: "a"), 1)
    XCTAssertNil(dictionary.updateValue(4, forKey: "c"))
    XCTAssertEqual(dictionary.removeValue(forKey: "c"), 4)
    XCTAssertNil(dictionary.removeValue(forKey: "c"))
    XCTAssertEqual(dictionary["z", default: 8], 8)
    XCTAssertEqual(dictionary.count, 2)
    XCTAssertEqual(dictionary.keys.sorted(), ["a", "b"])
    XCTAssertEqual(dictionary.values.sorted(), [2, 3])
    XCTAssertEqual(dictionary.map(\.value).sorted(), [2, 3])
    let element = dictionary.remove(at: dictionary.index(forKey: "b")!)
    XCTAssertEqual(element.value, 2)
    XCTAssertEqual(dictionary.popFirst()?.key, "a")
    XCTAssertNil(dictionary.popFirst())
    XCTAssertTrue(dictionary.isEmpty)
  }

  func test_printing_equality_andCoding_areThoseOfADictionary() throws {
    let dictionary: Numbers = ["a": 1]
    XCTAssertEqual("\(dictionary)", "[\"a\": 1]")
    XCTAssertEqual(String(reflecting: dictionary), "[\"a\": 1]")
    XCTAssertEqual(Mirror(reflecting: dictionary).displayStyle, .dictionary)
    XCTAssertEqual(dictionary, ["a": 1])
    XCTAssertNotEqual(dictionary, ["a": 2])
    XCTAssertEqual(Set([dictionary, ["a": 1]]).count, 1)
    let data = try JSONEncoder().encode(dictionary)
    XCTAssertEqual(String(decoding: data, as: UTF8.self), "{\"a\":1}")
    XCTAssertEqual(try JSONDecoder().decode(Numbers.self, from: data), dictionary)
  }

  func test_change_madeByHand_isThatOfAnObservation() {
    typealias Change = DictionaryChange<String, Int>
    let change = Change(
      kind: .update, entries: [Change.Entry(key: "a", oldValue: 1, newValue: 2)],
      elements: ["a": 2], oldElements: ["a": 1])
    XCTAssertEqual(change.kind, .update)
    XCTAssertEqual(change.oldElements, ["a": 1])
    XCTAssertEqual(change.applying(to: ["a": 1]), ["a": 2])
    XCTAssertEqual("\(change)", "update: a: 1 → 2")
    let setting = Change(kind: .setting, elements: ["b": 1])
    XCTAssertEqual(setting.entries, [Change.Entry(key: "b", oldValue: nil, newValue: 1)])
    XCTAssertNil(setting.valueKeyPath)
  }

  func test_setting_hasEntriesForTheKeysOfBoth() {
    let dictionary: Numbers = ["a": 1, "b": 2]
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    observations.observeDictionary(dictionary) { recorder, _, change in
      let entries = change.entries.sorted { $0.key < $1.key }
      recorder.append(entries.map { "\($0.key)\($0.oldValue ?? 0)\($0.newValue ?? 0)" }.joined())
    }
    dictionary.setElements(["b": 3, "c": 4])
    XCTAssertEqual(recorder.events, ["a10b23c04"])
  }
}

private func setNil(_ value: inout Int?) { value = nil }
private func setOne(_ value: inout Int?) { value = 1 }
