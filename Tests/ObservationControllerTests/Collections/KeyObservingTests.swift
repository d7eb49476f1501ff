import ObservationController
import TestSupport
import XCTest

/// A key of a dictionary, and an element of a set, as a place of its own.
final class KeyObservingTests: TestCase {
  private final class Settings {
    @Observed var values: ObservableDictionary<String, String> = ["theme": "light", "font": "Mono"]
    @Observed var tags: ObservableSet<String> = ["new"]
    @Derived({ (settings: Settings) in
      settings.reads += 1
      return settings.values["theme"] ?? "none"
    })
    var theme: String
    var reads = 0
  }

  private let settings = Settings()
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_observedKey_isNotifiedOfItsOwnChangesAlone() {
    observations.observe(settings, \.values["theme"]) { recorder, _, change in
      recorder.append("\(change.oldValue! ?? "nil")→\(change.newValue ?? "nil")")
    }
    settings.values["font"] = "Sans"
    settings.values["size"] = "12"
    settings.values["theme"] = "dark"
    settings.values["theme"] = nil
    settings.values.removeValue(forKey: "font")
    settings.values["theme"] = "blue"
    settings.values["theme"]?.append("!")
    settings.values.performBatchUpdates {
      settings.values["font"] = nil
      settings.values["theme"] = "red"
      settings.values["theme"] = "green"
    }
    withObservationTransaction {
      settings.values["theme"] = "x"
      settings.values["theme"] = "black"
    }
    settings.values.setElements(["theme": "white"])
    settings.values = ["theme": "grey"]
    XCTAssertEqual(
      recorder.events,
      [
        "light→dark", "dark→nil", "nil→blue", "blue→blue!", "blue!→green", "green→black",
        "black→white", "white→grey",
      ])
  }

  func test_derivedValueOfAKey_isComputedForItsOwnChangesAlone() {
    XCTAssertEqual(settings.theme, "light")
    settings.values["font"] = "Sans"
    settings.values.merge(["a": "b", "c": "d"]) { $1 }
    XCTAssertEqual(settings.theme, "light")
    XCTAssertEqual(settings.reads, 1)
    settings.values["theme"] = "dark"
    XCTAssertEqual(settings.theme, "dark")
    XCTAssertEqual(settings.reads, 2)
    withObservationTransaction {
      settings.values["theme"] = nil
      XCTAssertEqual(settings.theme, "none")
    }
    settings.values.performBatchUpdates {
      settings.values["theme"] = "again"
      XCTAssertEqual(settings.theme, "again")
    }
    settings.values.removeAll()
    XCTAssertEqual(settings.theme, "none")
  }

  func test_observedDerivedValueOfAKey_isDelivered() {
    observations.observe(settings, \.theme) { $0.append("\($2.oldValue!)→\($2.newValue)") }
    settings.values["theme"] = "dark"
    settings.values["font"] = nil
    settings.values.removeAll()
    withObservationTransaction { settings.values["theme"] = "x" }
    XCTAssertEqual(recorder.events, ["light→dark", "dark→none", "none→x"])
  }

  func test_countAndElements_followTheWhole() {
    observations.observe(settings, \.values.count) { $0.append("count \($2.newValue)") }
    observations.observe(settings, \.values.elements) { $0.append("elements \($2.newValue.count)") }
    settings.values["size"] = "12"
    settings.values["size"] = "13"
    XCTAssertEqual(recorder.events, ["count 3", "elements 3", "count 3", "elements 3"])
  }

  func test_C28_observersOfKeyAndDictionary_areNotifiedInOrder() {
    observations.observe(settings, \.values["theme"]) { recorder, _, _ in recorder.append("1") }
    observations.observeDictionary(settings.values) { recorder, _, _ in recorder.append("2") }
    observations.observe(settings, \.theme) { recorder, _, _ in recorder.append("3") }
    observations.observeDictionary(settings, \.values) { recorder, _, _ in recorder.append("4") }
    settings.values["theme"] = "dark"
    settings.values["theme"]?.append("!")
    settings.values.performBatchUpdates { settings.values["theme"] = "x" }
    XCTAssertEqual(recorder.events.joined(), "123412341234")
  }

  func test_priorOfAKey_comesBeforeItsChange() {
    observations.observe(settings, \.values["theme"], options: [.old, .prior]) {
      recorder, settings, change in
      recorder.append("\(change.isPrior ? "prior" : "after") \(settings.values["theme"] ?? "nil")")
    }
    settings.values["font"] = nil
    settings.values["theme"] = "dark"
    settings.values["theme"]?.append("!")
    settings.values.removeAll()
    XCTAssertEqual(
      recorder.events,
      ["prior light", "after dark", "prior dark", "after dark!", "prior dark!", "after nil"])
  }

  func test_distinctKey_leavesOutEqualValues() {
    observations.observe(settings, \.values["theme"], options: [.old, .distinct]) {
      $0.append($2.newValue ?? "nil")
    }
    settings.values["theme"] = "light"
    settings.values["none"]?.append("x")
    settings.values["theme"] = "dark"
    XCTAssertEqual(recorder.events, ["dark"])
  }

  func test_mutationInPlaceThatFindsNothing_notifiesNoObserver() {
    observations.observe(settings, \.values["none"]) { recorder, _, _ in recorder.append("key") }
    observations.observeDictionary(settings.values) { $0.append("\($2)") }
    settings.values["none"]?.append("x")
    XCTAssertEqual(recorder.events, [])
    settings.values["none", default: ""].append("x")
    XCTAssertEqual(recorder.events, ["key", "insertion: none: x"])
  }

  func test_elementOfASet_isAPlaceOfItsOwn() {
    observations.observe(settings, \.tags[contains: "old"]) { $0.append("\($2.newValue)") }
    settings.tags.insert("other")
    settings.tags.remove("new")
    settings.tags.insert("old")
    settings.tags.formIntersection(["other"])
    XCTAssertEqual(recorder.events, ["true", "false"])
    let both = ObservableValue { [settings] in settings.tags.contains("a") }
    XCTAssertFalse(both.value)
    settings.tags.formUnion(["a", "b"])
    XCTAssertTrue(both.value)
  }

  func test_handlerOfAKey_thatSetsAnother_isFollowedInTurn() {
    observations.observe(settings, \.values["theme"]) { recorder, settings, change in
      recorder.append("theme \(change.newValue ?? "nil")")
      settings.values["font"] = "for \(change.newValue ?? "nil")"
      if change.newValue == "a" { settings.values["theme"] = "b" }
    }
    observations.observe(settings, \.values["font"]) { $0.append("font \($2.newValue ?? "nil")") }
    settings.values["theme"] = "a"
    XCTAssertEqual(recorder.events, ["theme a", "font for a", "theme b", "font for b"])
  }

  func test_keysThatNothingReadsAnyMore_areForgotten() {
    let numbers = ObservableDictionary<Int, Int>()
    for round in 0..<3 {
      for number in 0..<500 {
        let value = ObservableValue { numbers[number] }
        XCTAssertEqual(value.value, numbers[number])
        numbers[number] = round
        XCTAssertEqual(value.value, round)
      }
    }
    let kept = (0..<200).map { number in ObservableValue { numbers[number] } }
    XCTAssertEqual(kept.map(\.value), Array(repeating: 2, count: 200))
    for number in 0..<200 { numbers[number] = number }
    XCTAssertEqual(kept.map(\.value), Array(0..<200))
  }

  func test_keyWhoseHashCollides_isTheRightOne() {
    struct Key: Hashable {
      let number: Int
      func hash(into hasher: inout Hasher) { hasher.combine(number % 2) }
    }
    let numbers = ObservableDictionary<Key, Int>()
    let values = (0..<6).map { number in ObservableValue { numbers[Key(number: number)] } }
    XCTAssertEqual(values.map(\.value), Array(repeating: nil, count: 6))
    for number in 0..<6 {
      numbers[Key(number: number)] = number
      XCTAssertEqual(values[number].value, number)
    }
  }

  func test_dictionaryThatIsDropped_endsWhatReadsItsKeys() {
    let value = ObservableValue { [weak settings] in settings?.values["theme"] }
    assertLeavesNoObservations {
      var dictionary: ObservableDictionary<String, Int>? = ["a": 1]
      let weakDictionary = WeakDictionary(dictionary)
      let inner = ObservationController(observer: recorder, retainsObserved: false)
      inner.observe(dictionary!, \.["a"]) { recorder, _, _ in recorder.append("a") }
      dictionary?["a"] = 2
      dictionary = nil
      XCTAssertNil(weakDictionary.dictionary)
      XCTAssertEqual(recorder.events, ["a"])
    }
    XCTAssertEqual(value.value, "light")
  }
}

private struct WeakDictionary {
  weak var dictionary: ObservableDictionary<String, Int>?

  init(_ dictionary: ObservableDictionary<String, Int>?) { self.dictionary = dictionary }
}
