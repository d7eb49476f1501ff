import ObservationController
import TestSupport
import XCTest

/// Changes are lent to handlers without counting references; a value that a handler keeps stays
/// alive.
final class LentChangeTests: TestCase {
  /// Kinds of values: trivial bits, references, and a weak reference, which can't be lent and is
  /// copied.
  private final class Holdings {
    @Observed var text = "a string that is too long to stand inline, number 0"
    @Observed var ticket: LifetimeCounter.Ticket?
    @Observed var tickets: [LifetimeCounter.Ticket] = []
    @Observed var pair: (number: Int, ticket: LifetimeCounter.Ticket?) = (0, nil)
    @Observed var link = WeakLink()
    @Observed var anything: any Sendable = 0
  }

  private struct WeakLink {
    weak var ticket: LifetimeCounter.Ticket?
    var name = ""
  }

  private let holdings = Holdings()
  private let tickets = LifetimeCounter()
  private var observer: SilentObserver? = SilentObserver()
  private lazy var observations: ObservationController<SilentObserver>? = ObservationController(
    observer: observer!)

  // MARK: Kept changes

  func test_changeKeptBeyondTheEndOfTheObservation_holdsItsValues() {
    var kept: [ObservedChange<String>] = []
    observations?.observe(holdings, \.text, context: "kept") { kept.append($2) }
    for number in 1...3 {
      holdings.text = "a string that is too long to stand inline, number \(number)"
    }
    observations = nil
    observer = nil
    XCTAssertEqual(kept.map(\.newValue.last), ["1", "2", "3"])
    XCTAssertEqual(kept.map { $0.oldValue?.last }, ["0", "1", "2"])
    XCTAssertEqual(kept.map(\.keyPath), Array(repeating: \Holdings.text, count: 3))
    XCTAssertEqual(kept.map(\.context), Array(repeating: "kept", count: 3))
  }

  func test_controllerAndValuesDroppedByTheHandler_leaveItsChangeWhole() {
    let recorder = LineRecorder()
    observations?.observe(holdings, \.text, context: "only") { [unowned self] _, holdings, change in
      observations = nil
      observer = nil
      holdings.text = "replaced"
      recorder.write("\(change.oldValue?.last ?? "-") → \(change.newValue.last ?? "-")")
      recorder.write("\(change.keyPath == \Holdings.text) \(change.context == "only")")
    }
    holdings.text = "a string that is too long to stand inline, number 1"
    XCTAssertEqual(recorder.events, ["0 → 1", "true true"])
    XCTAssertEqual(holdings.text, "replaced")
  }

  func test_valueReplacedByTheHandlerDuringAMutation_isStillDelivered() {
    let counts = Recorder<Int>()
    observations?.observe(holdings, \.tickets, options: []) { _, holdings, change in
      if change.newValue.count == 1 { holdings.tickets = [] }
      counts.append(change.newValue.count)
    }
    holdings.tickets.append(tickets.makeTicket())
    XCTAssertEqual(counts.events, [1, 0])
    XCTAssertEqual(tickets.count, 0)
  }

  // MARK: Reference counts

  func test_references_areNeitherDroppedNorKept() {
    let recorder = Recorder<Bool>()
    observations?.observe(holdings, \.ticket) { recorder.append($2.newValue != nil) }
    observations?.observe(holdings, \.ticket, options: [.initial, .old, .prior], context: "all") {
      recorder.append($2.newValue != nil)
    }
    observations?.observe(holdings, \.ticket, options: [], context: "new") {
      recorder.append($2.newValue != nil)
    }
    for _ in 0..<100 { holdings.ticket = tickets.makeTicket() }
    XCTAssertEqual(tickets.count, 1)
    holdings.ticket = nil
    XCTAssertEqual(tickets.count, 0)
    XCTAssertEqual(recorder.events.count, 1 + 101 * 4)
  }

  func test_referencesInCompositeValues_areNeitherReleasedNorLeaked() {
    var kept: [Any] = []
    observations?.observe(holdings, \.tickets, options: [.old, .prior]) { kept.append($2) }
    observations?.observe(holdings, \.pair, options: [.old, .prior]) { kept.append($2) }
    observations?.observe(holdings, \.anything, options: [.old, .prior]) { kept.append($2) }
    observations?.observeEach(holdings, \.tickets, \.pair, context: "each") { kept.append($2) }
    for number in 0..<10 {
      holdings.tickets.append(tickets.makeTicket())
      holdings.pair = (number, tickets.makeTicket())
      holdings.pair.number += 1
      holdings.anything = tickets.makeTicket()
    }
    XCTAssertEqual(tickets.count, 30)
    XCTAssertEqual(kept.count, 110)
    kept = []
    XCTAssertEqual(tickets.count, 12)
    (holdings.tickets, holdings.pair, holdings.anything) = ([], (0, nil), 0)
    kept = []
    XCTAssertEqual(tickets.count, 0)
  }

  // MARK: Values that can't be lent

  func test_valueWithAWeakReference_isDeliveredAndMayBeKept() {
    var kept: [ObservedChange<WeakLink>] = []
    let names = LineRecorder()
    observations?.observe(holdings, \.link, options: [.old, .prior]) { _, _, change in
      kept.append(change)
      let old = change.oldValue.map { "\($0.name)\($0.ticket == nil ? "-" : "+")" } ?? ""
      names.write("\(old)→\(change.newValue.name)\(change.newValue.ticket == nil ? "-" : "+")")
    }
    var ticket: LifetimeCounter.Ticket? = tickets.makeTicket()
    holdings.link = WeakLink(ticket: ticket, name: "a")
    holdings.link.name = "b"
    XCTAssertEqual(names.events, ["-→-", "-→a+", "a+→a+", "a+→b+"])
    XCTAssertEqual(kept.filter { $0.newValue.ticket === ticket }.count, 3)
    ticket = nil
    XCTAssertEqual(tickets.count, 0)
    XCTAssertEqual(kept.filter { $0.newValue.ticket == nil }.count, 4)
    XCTAssertEqual(kept.map(\.newValue.name), ["", "a", "a", "b"])
  }

  func test_valueOfAGenericProperty_isLentOrCopiedByItsType() {
    @inline(never)
    func changes<Value>(of first: Value, to second: Value) -> [ObservedChange<Value>] {
      let (box, observer) = (Holder(first), SilentObserver())
      var kept: [ObservedChange<Value>] = []
      let observations = ObservationController(observer: observer)
      observations.observe(box, \.value) { kept.append($2) }
      box.value = second
      observations.unobserveAll()
      return kept
    }
    XCTAssertEqual(changes(of: 1, to: 2).map(\.description), ["1 → 2"])
    let ticket = tickets.makeTicket()
    let links = changes(
      of: WeakLink(ticket: ticket, name: "a"), to: WeakLink(ticket: ticket, name: "b"))
    XCTAssertTrue(links.allSatisfy { $0.oldValue?.ticket === ticket })
    XCTAssertTrue(links.allSatisfy { $0.newValue.ticket === ticket })
    XCTAssertEqual(changes(of: ticket, to: tickets.makeTicket()).count, 1)
    XCTAssertEqual(tickets.count, 1)
  }
}
