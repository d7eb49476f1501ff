import ObservationController
import TestSupport
import XCTest

/// Lifetimes: a derived value is kept by its object, and retains no object that it reads.
final class DerivedLifetimeTests: TestCase {
  private final class Owner {
    let values = LifetimeCounter()
    @Observed var version = 0
    @Observed var other: Owner?
    @Derived<Owner, LifetimeCounter.Ticket?> var thing: LifetimeCounter.Ticket?
    @Derived({ (owner: Owner) in owner.other?.version }) var otherVersion: Int?
    @Derived({ (owner: Owner) in owner.weakOther?.version }) var weakVersion: Int?
    weak var weakOther: Owner?

    init(closures: LifetimeCounter = LifetimeCounter()) {
      let ticket = closures.makeTicket()
      _thing = Derived { owner in
        _ = ticket
        return owner.version < 0 ? nil : owner.values.makeTicket()
      }
    }
  }

  private final class Item {
    let number: Int
    let price: Price
    @Derived({ (item: Item) in item.number + item.price.amount }) var sum: Int

    init(_ number: Int, _ price: Price, like other: Item? = nil) {
      (self.number, self.price) = (number, price)
      if let other { _sum = other._sum }
    }
  }

  private final class Price { @Observed var amount = 100 }

  func test_C7_outOfDateValue_whoseDeinitSetsTheSource_isDeliveredAfterwards() {
    let source = Reentrant()
    source.freed = { source.number = 99 }
    _ = source.guardian
    var changes: [String] = []
    let controller = ObservationController(observer: self)
    controller.observe(source, \.number) { _, _, change in
      changes.append("\(change.oldValue!) → \(change.newValue)")
    }
    source.number = 1
    XCTAssertEqual(changes, ["0 → 1", "1 → 99"])
  }

  private final class Reentrant {
    @Observed var number = 0
    var freed: (() -> Void)?
    @Derived({ (source: Reentrant) in Guardian(source.number == 0 ? source.freed : nil) })
    var guardian: Guardian
  }

  private final class Guardian {
    private let atEnd: (() -> Void)?
    init(_ atEnd: (() -> Void)?) { self.atEnd = atEnd }
    deinit { atEnd?() }
  }

  func test_copiedStorage_newObjectInPlaceOfTheOriginal_hasItsOwnValue() {
    let price = Price()
    for _ in 0..<50 {
      var original: Item? = Item(1, price)
      XCTAssertEqual(original?.sum, 101)
      let copy = Item(2, price, like: original)
      original = nil
      let next = Item(3, price, like: copy)
      XCTAssertEqual(next.sum, 103)
      XCTAssertEqual(copy.sum, 102)
    }
  }

  func test_objectDeallocated_releasesClosureAndValue() {
    let closures = LifetimeCounter()
    for isRead in [false, true] {
      let values = scoped { () -> LifetimeCounter in
        let owner = Owner(closures: closures)
        XCTAssertEqual(closures.count, 1)
        if isRead { _ = owner.thing }
        XCTAssertEqual(owner.values.count, isRead ? 1 : 0)
        return owner.values
      }
      XCTAssertEqual(closures.count, 0)
      XCTAssertEqual(values.count, 0)
    }
  }

  func test_valueThatIsOutOfDate_isFreedAtOnce() {
    let owner = Owner()
    _ = owner.thing
    XCTAssertEqual(owner.values.count, 1)
    owner.version = 1
    XCTAssertEqual(owner.values.count, 0)
    _ = owner.thing
    withObservationTransaction {
      owner.version = 2
      XCTAssertEqual(owner.values.count, 0)
    }
  }

  func test_objectThatIsRead_isNotKept_andItsEndIsNoticed() {
    let owner = Owner()
    assertReleased { () -> Owner in
      let other = Owner()
      owner.other = other
      XCTAssertEqual(owner.otherVersion, 0)
      owner.other = nil
      XCTAssertEqual(owner.otherVersion, nil)
      return other
    }
    assertReleased { () -> Owner in
      let other = Owner()
      owner.weakOther = other
      // Not observable: setting an observable property would have it computed anew.
      owner.other = nil
      return other
    }
  }

  func test_weakReference_thatIsRead_becomesNilWithItsObject() {
    let owner = Owner()
    scoped {
      let other = Owner()
      other.version = 5
      owner.weakOther = other
      XCTAssertEqual(owner.weakVersion, 5)
      other.version = 6
      XCTAssertEqual(owner.weakVersion, 6)
    }
    XCTAssertEqual(owner.weakVersion, nil)
  }

  func test_objectThatReadsOthers_isDeallocatedBeforeThem() {
    let other = Owner()
    assertReleased { () -> Owner in
      let owner = Owner()
      owner.other = other
      XCTAssertEqual(owner.otherVersion, 0)
      return owner
    }
    other.version = 1
    XCTAssertEqual(other.version, 1)
  }

  func test_derivedValue_readInADeinit() {
    final class Leaver {
      @Observed var a = 1
      @Derived({ (leaver: Leaver) in leaver.a * 2 }) var double: Int
      let report: (Int) -> Void
      init(_ report: @escaping (Int) -> Void) { self.report = report }
      deinit {
        a = 5
        report(double)
      }
    }
    for isReadBefore in [false, true] {
      let reported = Recorder<Int>()
      assertLeavesNoObservations {
        let leaver = Leaver { reported.append($0) }
        if isReadBefore { XCTAssertEqual(leaver.double, 2) }
      }
      XCTAssertEqual(reported.events, [10])
    }
  }

  func test_valueThatRefersToItsOwner_keepsIt_asAStoredOneWould() {
    final class Ring {
      @Observed var isClosed = true
      @Derived({ (ring: Ring) in ring.isClosed ? ring : nil }) var itself: Ring?
    }
    let reference = scoped { () -> Weak<Ring> in
      let ring = Ring()
      _ = ring.itself
      return Weak(ring)
    }
    XCTAssertNotNil(reference.object)
    reference.object?.isClosed = false
    XCTAssertNil(reference.object)
  }

  func test_deinitOfAValue_mayReadAndChangeTheObject() {
    final class Holder {
      @Observed var a = 1
      let recorder = Recorder<Int>()
      @Derived({ (holder: Holder) -> Sentinel in
        let a = holder.a
        return Sentinel { [unowned holder] in holder.recorder.append(a + holder.thingCount) }
      }) var thing: Sentinel
      @Derived({ (holder: Holder) in holder.a * 100 }) var thingCount: Int
    }
    let holder = Holder()
    _ = holder.thing
    holder.a = 2
    XCTAssertEqual(holder.recorder.events, [201])
    _ = holder.thing
    withObservationTransaction { holder.a = 3 }
    XCTAssertEqual(holder.recorder.events, [201, 302])
  }

  // MARK: Threads

  func test_derivedFromAtomicProperties_isReadAndObservedOnSeveralThreads() {
    final class Gauge: @unchecked Sendable {
      @AtomicObserved var a = 0
      @AtomicObserved var b = 0
      @Derived({ (gauge: Gauge) in gauge.a + gauge.b }) var sum: Int
      @Derived({ (gauge: Gauge) in gauge.sum * 2 }) var double: Int
    }
    let gauge = Gauge()
    let rounds = Effort.count(quick: 30, full: 300)
    onThreads(4) { thread in
      let observer = SilentObserver()
      for round in 0..<rounds {
        switch thread {
        case 0: gauge.a += 1
        case 1: gauge.$b.withLock { $0 += 1 }
        case 2: XCTAssertLessThanOrEqual(gauge.sum, 2 * rounds)
        default:
          let controller = ObservationController(observer: observer)
          controller.observe(gauge, \.double) { _, _, _ in }
          if round.isMultiple(of: 2) { controller.unobserveAll() }
        }
      }
    }
    XCTAssertEqual([gauge.sum, gauge.double], [2 * rounds, 4 * rounds])
  }

  func test_severalThreads_thatReadItForTheFirstTime() {
    for _ in 0..<50 {
      let figure = UncheckedReference(Quiet())
      let values = Recorder<Int>()
      onThreads(4) { _ in
        values.append(figure.object.sum)
      }
      XCTAssertEqual(values.events, [3, 3, 3, 3])
      figure.object.a = 5
      XCTAssertEqual(figure.object.sum, 7)
    }
  }

  private final class Quiet {
    @Observed var a = 1
    @Observed var b = 2
    @Derived({ (quiet: Quiet) in quiet.a + quiet.b }) var sum: Int
  }
}
