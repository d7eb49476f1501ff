import ObservationController
import TestSupport
import XCTest

/// Live views in use: read-only, retained by their user, up to date before any delivery.
final class ArrayViewUseTests: TestCase {
  private let source = ObservableArray(students("ab"))
  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  // MARK: Read-only

  func test_everyMutator_isReported_withThePlaceOfTheView_andChangesNothing() {
    let school = School()
    let line: UInt = #line + 2
    let views = [
      source.filtered(on: []) { _ in true }, source.sorted(on: [\.name]) { $0.name < $1.name },
      source.mapped(on: []) { $0 }, source.window(0..<9), source.unique(on: [\.name]) { $0.name },
      source.filtered(on: [], with: school, \.students) { _, _ in true },
      ObservableArray([source]).flattened(),
    ]
    let new = Student("n")
    let edits: [(ObservableArray<Student>) -> Void] = [
      { $0.append(new) }, { $0.append(contentsOf: [new]) }, { $0.insert(new, at: 0) },
      { $0.insert(contentsOf: [new], at: 1) }, { $0.remove(at: 0) }, { $0.removeFirst() },
      { $0.removeLast() }, { $0.removeSubrange(0...0) }, { $0.removeAll() },
      { $0.removeAll { _ in true } }, { $0.remove($0[0]) }, { $0[1] = new },
      { $0.replaceSubrange(0..<1, with: [new]) }, { $0.swapAt(0, 1) }, { $0.move(from: 0, to: 1) },
      { $0.sort { $0.name > $1.name } }, { $0.setElements([new]) }, { $0.reverse() },
      { _ = $0.popLast() }, { $0 += [new] },
      { view in view.performBatchUpdates { view.append(new) } },
    ]
    for (offset, view) in views.enumerated() {
      observations.observeArray(view) { $0.write($2) }
      for (number, edit) in edits.enumerated() {
        let issues = collectingIssues { edit(view) }
        guard case .readOnlyArray(#fileID, let place)? = issues.first, issues.count == 1 else {
          XCTFail("view \(offset), edit \(number): \(issues)")
          continue
        }
        XCTAssertTrue((line...line + 4).contains(place), "\(place)")
        let text = issues[0].description
        XCTAssertTrue(text.hasPrefix("\(#fileID):\(place): "), text)
        XCTAssertTrue(text.hasSuffix("edit the array that it shows"), text)
        XCTAssertEqual(view.map(\.name), ["a", "b"])
      }
    }
    XCTAssertEqual(recorder.events, [])
    source.append(new)
    for view in views { XCTAssertEqual(view.map(\.name), ["a", "b", "n"]) }
  }

  func test_editThatWouldDoNothing_isNotReported() {
    let view = source.filtered(on: []) { _ in false }
    let issues = collectingIssues {
      view.append(contentsOf: [])
      view.removeAll()
      view.performBatchUpdates {}
    }
    XCTAssertEqual(issues.map(\.description), [])
  }

  // MARK: Lifetime

  func test_view_isKeptByItsUserAlone_andKeepsItsSourceAndItsClosure() {
    let closures = LifetimeCounter()
    let countBefore = ObservationDispatcher.shared.activeObservationCount
    weak var (weakSource, weakView): (ObservableArray<Student>?, ObservableArray<Student>?)
    do {
      var view: ObservableArray<Student>? = scoped {
        let source = ObservableArray(students("ab"))
        weakSource = source
        return source.filtered(on: [\.age, \.label]) { [ticket = closures.makeTicket()] student in
          withExtendedLifetime(ticket) { student.age >= 18 }
        }
      }
      weakView = view
      weakSource?.removeFirst()
      weakSource?[0].age = 1
      XCTAssertEqual(view?.count, 0)
      XCTAssertGreaterThan(ObservationDispatcher.shared.activeObservationCount, countBefore)
      view = nil
    }
    XCTAssertNil(weakView)
    XCTAssertNil(weakSource)
    XCTAssertEqual(closures.count, 0)
    XCTAssertEqual(ObservationDispatcher.shared.activeObservationCount, countBefore)
  }

  func test_viewThatIsDropped_endsWhileItsSourceLives() {
    let closures = LifetimeCounter()
    assertLeavesNoObservations {
      var views = (0..<3).map { number in
        let ticket = closures.makeTicket()
        return source.filtered(on: [\.age]) { _ in withExtendedLifetime(ticket) { true } }
          .sorted(on: [\.age]) { $0.age < $1.age + number * 0 }
      }
      source.append(Student("c"))
      views.removeLast()
      source[0].age = 1
      XCTAssertEqual(closures.count, 2)
      views = []
      XCTAssertEqual(closures.count, 0)
      source[0].age = 2
      source.removeAll()
    }
  }

  func test_viewThatOnlyAnObservationNames_isKeptByARetainingController() {
    let retaining = ObservationController(observer: recorder)
    let other = ObservationController(observer: recorder, retainsObserved: false)
    retaining.observeArray(source.filtered(on: []) { _ in true }) { $0.write("kept \($2.line)") }
    other.observeArray(source.filtered(on: []) { _ in true }) { $0.write("dropped \($2.line)") }
    source.removeLast()
    XCTAssertEqual(recorder.takeEvents(), ["kept removal -b1: a"])
    retaining.unobserveAll()
    source.removeAll()
    XCTAssertEqual(recorder.events, [])
  }

  // MARK: Up to date

  func test_handlersRegisteredBeforeTheView_readItUpToDate() {
    var view: ObservableArray<Student>?
    var names: [String] { view?.map(\.name) ?? [] }
    let (a, school) = (source[0], School())
    school.students = source
    observations.observeArray(source, elements: [\.age, \.label]) { recorder, _, change in
      recorder.write("\(change.kind) \(names)")
    }
    observations.observe(school, \.students.count) { recorder, _, _ in
      recorder.write("count \(names)")
    }
    observations.observe(a, \.age) { recorder, _, _ in recorder.write("age \(names)") }
    observations.observe(a, \.label) { recorder, _, _ in recorder.write("label \(names)") }
    view = source.filtered(on: [\.age]) { $0.age >= 18 }
    source.append(Student("c"))
    a.age = 1
    source.performBatchUpdates {
      source.removeLast()
      a.age = 30
    }
    let (all, some) = (#"["a", "b", "c"]"#, #"["b", "c"]"#)
    XCTAssertEqual(
      recorder.events.prefix(6),
      [
        "insertion \(all)", "count \(all)",
        "element \(some)", "element \(some)", "age \(some)", "label \(some)",
      ])
    // The two properties of their own are delivered at once, the array and its elements at the end.
    XCTAssertEqual(
      Set(recorder.events.dropFirst(6)),
      [
        "age \(some)", "label \(some)", #"batch ["b"]"#, #"count ["b"]"#, #"element ["a", "b"]"#,
      ])
    withExtendedLifetime(view) {}
  }

  func test_viewsOfViews_areUpToDate_inAnyOrderOfCreation() {
    var chain: ObservableArray<String>?
    let first = source.filtered(on: [\.age]) { $0.age >= 18 }
    observations.observeArray(first) { recorder, _, change in
      recorder.write("\(change.kind) \(chain?.elements ?? [])")
    }
    observations.observeArray(source) { recorder, _, change in
      recorder.write("source \(chain?.elements ?? [])")
    }
    chain = first.mapped(on: []) { $0.name }
    source.removeFirst()
    XCTAssertEqual(recorder.events, [#"removal ["b"]"#, #"source ["b"]"#])
  }

  func test_handlerOfAView_thatEditsTheSource_getsOneChain() {
    let view = source.filtered(on: [\.age]) { $0.age >= 18 }
    let replay = ArrayReplay(view.mapped(on: []) { $0.name }.elements)
    let names = view.mapped(on: []) { $0.name }
    observations.observeArray(view) { [source] recorder, _, change in
      recorder.write(change)
      if change.kind == .removal, source.count < 4 { source.append(Student("c")) }
    }
    observations.observeArray(names) { replay.receive($2) }
    source[0].age = 1
    source[0].age = 30
    XCTAssertEqual(
      recorder.events, ["removal -a0: b", "insertion +c1: b c", "insertion +a0: a b c"])
    XCTAssertEqual(replay.elements, ["a", "b", "c"])
    XCTAssertEqual(replay.flaws, [])
  }

  // MARK: As a property

  private final class List {
    let all = ObservableArray(students("aB"))
    private(set) lazy var visible = all.filtered(on: [\.name]) { $0.name == $0.name.lowercased() }
  }

  private func checkThatAPropertyIsObserved(_ list: List) {
    observations.observeArray(list, \.visible, elements: [\.age]) { $0.write($2) }
    observations.observe(list, \.visible.count) { $0.write("count \($2)") }
    list.all[1].name = "b"
    list.all[1].age = 1
    list.all.append(Student("C"))
    list.all[0].name = "A"
    list.all[0].age = 2
    XCTAssertEqual(
      recorder.takeEvents(),
      [
        "insertion +b1: a b", "count 1 → 2", "element b@1: a b 20 → 1", "removal -A0: b",
        "count 2 → 1",
      ])
  }

  func test_viewAsAProperty_isObservedLikeAnyArray() {
    let list = List()
    XCTAssertEqual(list.visible.count, 1)
    checkThatAPropertyIsObserved(list)
  }

  func test_viewThatIsMadeWhileItsKeyPathIsRead_isObservedLikeAnyArray() {
    checkThatAPropertyIsObserved(List())
  }

  func test_elementsOfAView_areDeliveredAfterTheViewsChange_ifStillInIt() {
    source.append(Student("c"))
    let sorted = source.sorted(on: [\.age]) { $0.age < $1.age }
    let adults = source.filtered(on: [\.age]) { $0.age >= 18 }
    observations.observeArray(sorted, elements: [\.age]) { $0.write($2) }
    observations.observeArray(adults, elements: [\.age]) { $0.write("adults \($2.line)") }
    source[0].age = 30
    source[2].age = 1
    source[2].age = 40
    XCTAssertEqual(
      recorder.events,
      [
        "move a0→2: b c a", "element a@2: b c a 20 → 30", "adults element a@0: a b c 20 → 30",
        "move c1→0: c b a", "adults removal -c2: a b", "element c@0: c b a 20 → 1",
        "move c0→2: b a c", "adults insertion +c2: a b c", "element c@2: b a c 1 → 40",
      ])
  }

  func test_viewMadeInAHandler_orInABatch_isUpToDateFromThenOn() {
    var views: [ObservableArray<Student>] = []
    observations.observeArray(source) { recorder, source, change in
      guard views.isEmpty else { return }
      views.append(source.filtered(on: [\.age]) { $0.age >= 18 })
      source.append(Student("d"))
    }
    source.append(Student("c"))
    XCTAssertEqual(views[0].map(\.name), ["a", "b", "c", "d"])
    source.performBatchUpdates {
      source.removeFirst()
      views.append(source.filtered(on: [\.age]) { $0.age >= 18 })
      XCTAssertEqual(views[1].map(\.name), ["b", "c", "d"])
      source.append(Student("e"))
    }
    for view in views { XCTAssertEqual(view.map(\.name), ["b", "c", "d", "e"]) }
  }

  func test_viewWhoseElementsReadAnotherView_isDeliveredOnceInATransaction() {
    let rivals = (0..<3).map { Rival($0) }
    let source = ObservableArray(rivals)
    let all = source.filtered(on: []) { _ in true }
    for rival in rivals { rival.others = all }
    let strong = source.filtered(on: [\.isStrong]) { $0.isStrong }
    observations.observeArray(strong) { recorder, _, change in
      recorder.write("\(change.kind) \(change.elements.map(\.strength))")
    }
    withObservationTransaction {
      source.append(Rival(8))
      source.append(Rival(7))
    }
    XCTAssertEqual(recorder.events, ["batch [8, 7]"])
  }
}

/// An element with a property that reads an array of elements.
private final class Rival {
  let strength: Int
  weak var others: ObservableArray<Rival>?

  init(_ strength: Int) { self.strength = strength }

  var isStrong: Bool { strength * 2 > others?.count ?? 0 }
}
