import ObservationController
import TestSupport
import XCTest

/// Lifetimes of observed arrays, their owners and their elements.
final class ArrayLifetimeTests: TestCase {
  /// An element that is counted while it is alive.
  private final class Member {
    @Observed var score = 0
    @Observed var link: Person?
    private let ticket: LifetimeCounter.Ticket

    init(_ counter: LifetimeCounter) {
      ticket = counter.makeTicket()
      link = Person("link")
    }

    /// Reads two properties, and one of the link.
    var label: String { "\(score) \(link?.name ?? "")" }
  }

  private final class Club {
    @Observed var members: ObservableArray<Member> = []
    @Observed var guests: [Member] = []
    @Observed var partner: Club?
    let board: ObservableArray<Member> = []
    let ticket: LifetimeCounter.Ticket

    init(_ counter: LifetimeCounter, partner: Club? = nil) {
      ticket = counter.makeTicket()
      self.partner = partner
    }

    /// All arrays, those of the partner included.
    var arrays: [ObservableArray<Member>] {
      [members, board] + (partner.map { [$0.members] } ?? [])
    }
  }

  private final class Watcher {
    var calls = 0
    let ticket: LifetimeCounter.Ticket

    init(_ counter: LifetimeCounter) {
      ticket = counter.makeTicket()
    }
  }

  private static var keyPaths: [PartialKeyPath<Member>] { [\.score, \.label, \.link?.name] }
  private let counter = LifetimeCounter()

  // MARK: Teardown

  /// The kinds of observations of a club.
  private typealias Feature = (
    ObservationController<Watcher>, Club, LifetimeCounter.Ticket
  ) -> Void

  private static var features: [String: Feature] {
    [
      "property": { observations, club, ticket in
        observations.observeArray(club, \.members, elements: keyPaths, options: .initial) {
          w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "constant": { observations, club, ticket in
        observations.observeArray(club, \.board, elements: keyPaths, options: .old) { w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "standalone": { observations, club, ticket in
        observations.observeArray(club.members, elements: keyPaths, options: .old) { w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "nested": { observations, club, ticket in
        observations.observeArray(club, \.partner?.members, elements: keyPaths) { w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "plain": { observations, club, ticket in
        observations.observeArray(club, \.guests, elements: keyPaths, options: .distinct) {
          w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "computed": { observations, club, ticket in
        observations.observe(club, \.members.first?.link?.name) { w, _, _ in
          withExtendedLifetime(ticket) { w.calls += 1 }
        }
      },
      "view": { observations, club, ticket in
        let view = club.members.filtered(on: [\.score, \.label]) { $0.score < 9 }
          .sorted(on: [\.score]) { $0.score > $1.score }
          .mapped(on: [\.label]) { member in withExtendedLifetime(ticket) { member } }
        observations.observeArray(view, elements: keyPaths) { w, _, _ in w.calls += 1 }
      },
    ]
  }

  /// Edits all arrays of the club, and properties of their elements.
  private func edit(_ club: Club) {
    for array in club.arrays {
      array.append(contentsOf: (0..<4).map { _ in Member(counter) })
      array.append(array[0])
      array[1] = Member(counter)
      array.swapAt(0, 2)
      array.removeFirst()
      array.performBatchUpdates {
        array[0].score += 1
        array.insert(Member(counter), at: 0)
        array.sort { $0.score < $1.score }
      }
      for member in array {
        member.score += 1
        member.link = Person("new")
        member.link?.name = "other"
      }
    }
    club.guests = club.members.elements
    club.guests.swapAt(0, 1)
    club.guests[0].score = 5
    club.members = ObservableArray(club.guests.suffix(2))
    club.members[0].link?.name = "last"
  }

  func test_teardown_ofEachFeature_inEachOrder_leavesNothing() {
    for (name, feature) in Self.features.sorted(by: { $0.key < $1.key }) {
      for isRetaining in [true, false] {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
          assertLeavesNoObservations {
            var watcher: Watcher? = Watcher(counter)
            var club: Club? = Club(counter, partner: Club(counter))
            var observations: ObservationController? = ObservationController(
              observer: watcher!, retainsObserved: isRetaining)
            feature(observations!, club!, counter.makeTicket())
            edit(club!)
            if name != "view" || isRetaining { XCTAssertGreaterThan(watcher!.calls, 0, name) }
            for step in order {
              switch step {
              case 0: observations = nil
              case 1: club = nil
              default: watcher = nil
              }
            }
          }
          XCTAssertEqual(counter.count, 0, "\(name), retaining: \(isRetaining), order \(order)")
        }
      }
    }
  }

  // MARK: C15

  private func members(_ count: Int) -> [Member] { (0..<count).map { _ in Member(counter) } }

  func test_C15_elementThatLeaves_isFree_whileTheArrayIsObserved() {
    for keyPaths in [[], [\.score], [\.label], [\.link?.name], Self.keyPaths] {
      let (club, watcher) = (Club(counter), Watcher(counter))
      let observations = ObservationController(observer: watcher)
      observations.observeArray(club, \.members, elements: keyPaths, options: .old) { w, _, _ in
        w.calls += 1
      }
      observations.observeArray(club, \.guests, elements: keyPaths, options: .old) { w, _, _ in
        w.calls += 1
      }
      let view = club.members.sorted(on: keyPaths) { $0.score < $1.score }
      observations.observeArray(view, elements: keyPaths) { w, _, _ in w.calls += 1 }
      let array = club.members
      let own = counter.count
      let leave: [() -> Void] = [
        { array.removeLast() }, { array.removeAll() }, { array[0] = array[1] },
        { array.removeAll { $0 === array[2] } }, { array.replaceSubrange(0..<2, with: []) },
        { array.performBatchUpdates { array.removeFirst() } }, { array.setElements([]) },
      ]
      for (index, leave) in leave.enumerated() {
        array.setElements(members(3))
        array.append(array[0])
        for member in array {
          member.score += 1
          member.link?.name += "!"
        }
        array.removeLast()
        leave()
        XCTAssertEqual(counter.count, own + Set(array.map(ObjectIdentifier.init)).count, "\(index)")
      }
      array.setElements([])
      club.guests = members(3)
      club.guests[1].score = 3
      club.guests.removeFirst()
      XCTAssertEqual(counter.count, own + 2)
      club.guests = []
      XCTAssertEqual(counter.count, own)
      XCTAssertGreaterThan(watcher.calls, 0)
    }
  }

  func test_C15_elementThatIsRemovedInItsOwnHandler_isFreeAfterIt() {
    for keyPath in Self.keyPaths {
      let array = ObservableArray(members(2))
      let watcher = Watcher(counter)
      let observations = ObservationController(observer: watcher)
      observations.observeArray(array, elements: [keyPath]) { watcher, array, change in
        watcher.calls += 1
        if change.kind == .element { array.remove(change.entries[0].element) }
      }
      let own = counter.count
      array[0].score = 1
      if array.count == 2 { array[0].link?.name = "new" }
      XCTAssertEqual(counter.count, own - 1)
      XCTAssertEqual(watcher.calls, 2)
    }
  }

  func test_C15_observerDroppedByHandlerOfElement_isFreeBeforeNextChange() {
    let array = ObservableArray(members(1))
    var watcher: Watcher? = Watcher(counter)
    let own = counter.count
    var kinds: [ArrayChange<Member>.Kind] = []
    let observations = ObservationController(observer: watcher!)
    observations.observe(array[0], \.score) { w, _, _ in w.calls += 1 }
    observations.observeArray(array, elements: [\.score]) { _, array, change in
      kinds.append(change.kind)
      array.removeAll()
      watcher = nil
    }
    array[0].score = 1
    XCTAssertEqual(kinds, [.element])
    XCTAssertEqual(counter.count, own - 1, "the observation retains the member")
  }

  private struct Wide {
    var first: LifetimeCounter.Ticket?
    var others = (1, 2, 3, 4)
  }

  private final class Holder {
    @Observed var object: LifetimeCounter.Ticket?
    @Observed var wide = Wide()
    @Observed var text = ""
  }

  func test_C15_valuesOfAnElement_areFree_unlessTheChangeIsKept() {
    var kept: [ArrayChange<Holder>] = []
    do {
      let array: ObservableArray<Holder> = [Holder(), Holder()]
      let watcher = Watcher(counter)
      let observations = ObservationController(observer: watcher)
      var keeps = false
      observations.observeArray(array, elements: [\.object, \.wide, \.text], options: .old) {
        _, _, change in
        if keeps { kept.append(change) }
      }
      let own = counter.count
      for round in 1...3 {
        array[0].object = counter.makeTicket()
        array[0].wide.first = counter.makeTicket()
        array[0].text = "longer than the words of a string: \(round)"
        XCTAssertEqual(counter.count, own + 2)
      }
      keeps = true
      array[0].object = nil
      array[0].wide = Wide()
      array[0].text = ""
      XCTAssertEqual(counter.count, own + 2)
    }
    XCTAssertEqual(counter.count, 2)
    XCTAssertEqual(kept.map(\.elementKeyPath), [\.object, \.wide, \.text])
    XCTAssertEqual(kept.map(\.elements.count), [2, 2, 2])
    XCTAssertEqual(kept.map(\.oldElements?.count), [2, 2, 2])
    XCTAssertEqual(
      kept[2].elementChange?.oldValue as? String, "longer than the words of a string: 3")
    kept = []
    XCTAssertEqual(counter.count, 0)
  }

  func test_C15_replacedArray_andReplacedLink_areReleased() {
    let (club, watcher) = (Club(counter, partner: Club(counter)), Watcher(counter))
    let observations = ObservationController(observer: watcher)
    let own = counter.count
    club.members = ObservableArray(members(2))
    club.partner?.members.append(contentsOf: members(2))
    observations.observeArray(club, \.members, elements: Self.keyPaths) { w, _, _ in w.calls += 1 }
    observations.observeArray(club, \.partner?.members, elements: Self.keyPaths) { w, _, _ in
      w.calls += 1
    }
    XCTAssertEqual(counter.count, own + 4)
    club.members = []
    XCTAssertEqual(counter.count, own + 2)
    club.partner = nil
    XCTAssertEqual(counter.count, own - 1)
    XCTAssertEqual(watcher.calls, 2)
  }

  /// A weak link is deallocated without a notification: the path notices at its next read.
  func test_C15_arrayDeallocatedBehindAConstant_leavesItsElements() {
    final class Pointer {
      @Observed var isOn = true
      weak var club: Club?
      var members: ObservableArray<Member>? { isOn ? club?.members : nil }
      var guests: [Member] { isOn ? club?.guests ?? [] : [] }
    }
    for isPlain in [false, true] {
      for keyPath in Self.keyPaths {
        let (pointer, watcher) = (Pointer(), Watcher(counter))
        let observations = ObservationController(observer: watcher)
        var club: Club? = Club(counter)
        let kept = Member(counter)
        pointer.club = club
        club?.members = [kept, Member(counter)]
        club?.guests = [kept, Member(counter)]
        if isPlain {
          observations.observeArray(pointer, \.guests, elements: [keyPath]) { w, _, _ in
            w.calls += 1
          }
        } else {
          observations.observeArray(pointer, \.members, elements: [keyPath]) { w, _, _ in
            w.calls += 1
          }
        }
        club = nil
        // A plain array is the value that the path has read last, which it keeps.
        XCTAssertEqual(counter.count, isPlain ? 3 : 2, "\(keyPath), plain: \(isPlain)")
        kept.score = 1
        kept.link?.name = "new"
        XCTAssertEqual(watcher.calls, 0)
        club = Club(counter)
        pointer.club = club
        pointer.isOn = true
        club?.members.append(kept)
        club?.guests.append(kept)
        kept.score = 2
        kept.link?.name = "newer"
        XCTAssertGreaterThan(watcher.calls, 2)
      }
    }
  }
}
