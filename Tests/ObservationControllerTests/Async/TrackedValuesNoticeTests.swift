import Observation
import ObservationController
import TestSupport
import XCTest

/// What ended sequences over `Observable` objects leave at them, and what sequences that begin
/// there afterwards are notified of.
@MainActor
final class TrackedValuesNoticeTests: TestCase {
  private let observer = SilentObserver()

  private var controllers: [ObservationController<SilentObserver>] {
    [true, false].map { ObservationController(observer: observer, retainsObserved: $0) }
  }

  /// The paths of each kind: a property, a computed one, and one that leads to another object.
  private var paths: [KeyPath<Journal, Int>] {
    [\.entries, \.doubled, \.inner.entries, \.chosen]
  }

  func test_values_endedOverAnUnchangedObject_leaveOneNoticeAtMost() async {
    for observations in controllers {
      for path in paths {
        let journal = Journal()
        for _ in 1...1000 { _ = observations.values(of: journal, path) }
        XCTAssertEqual(observations.observations.count, 0)
        let limit = observations.retainsObserved ? 0 : 1
        XCTAssertLessThanOrEqual(journal.notices.count, limit, "\(path)")
      }
    }
  }

  func test_values_endedInEachWay_leaveOneNoticeAtMost() async {
    for way in WayToEnd<SilentObserver, Journal, Int>.all {
      let journal = Journal()
      for _ in 1...20 {
        var observations: ObservationController? = ObservationController(observer: observer)
        let values = observations!.values(of: journal, \.entries)
        way.end(&observations, journal, \.entries)
        let all = await values.collect()
        XCTAssertEqual(all, [0], way.name)
      }
      XCTAssertEqual(journal.notices.count, 0, way.name)
    }
  }

  func test_values_endedAfterChanges_leaveOneNoticeAtMost() async {
    for observations in controllers {
      let journal = Journal()
      for round in 0..<100 {
        var values = Optional(
          observations.values(of: journal, \.entries).makeAsyncIterator())
        var all = [await values?.next()]
        journal.entries += 1
        all.append(await values?.next())
        XCTAssertEqual(all, [round, round + 1])
        values = nil
      }
      XCTAssertLessThanOrEqual(journal.notices.count, observations.retainsObserved ? 0 : 1)
    }
  }

  func test_values_afterOneThatHasEnded_followEachChange() async {
    for observations in controllers {
      for path in paths {
        let journal = Journal()
        _ = observations.values(of: journal, path)
        var first = observations.values(of: journal, path).makeAsyncIterator()
        _ = observations.values(of: journal, path)
        var second = observations.values(of: journal, path).makeAsyncIterator()
        var all: [Int?] = []
        for entries in 1...3 {
          all += [await first.next(), await second.next()]
          if entries == 3 { break }
          journal.entries = entries
          journal.inner.entries = entries
        }
        XCTAssertEqual(all.count, 6)
        XCTAssertEqual(all.last, journal[keyPath: path], "\(path)")
        XCTAssertEqual(all[4], all[5], "\(path)")
      }
    }
  }

  /// What the getter reads follows from a property that Observation does not track.
  func test_values_untrackedStateDecidesWhatIsRead_followWhatEachHasRead() async {
    for observations in controllers {
      let journal = Journal()
      var first = observations.values(of: journal, \.chosen).makeAsyncIterator()
      journal.choosesInner = true
      var second = observations.values(of: journal, \.chosen).makeAsyncIterator()
      var all = [await first.next(), await second.next()]
      journal.inner.entries = 5
      all.append(await second.next())
      journal.entries = 1
      all.append(await first.next())
      XCTAssertEqual(all, [0, 0, 5, 5])
    }
  }

  /// Tracking around the call is notified of changes, and not of the end.
  func test_values_insideOfATracking_doNotNotifyItOfTheirEnd() async {
    for observations in controllers {
      let journal = Journal()
      let notified = Guarded(0)
      var values: ObservationValues<Int>?
      withObservationTracking {
        values = observations.values(of: journal, \.entries)
      } onChange: {
        notified.withLock { $0 += 1 }
      }
      withExtendedLifetime(values) {}
      values = nil
      XCTAssertEqual(observations.observations.count, 0)
      XCTAssertEqual(notified.withLock { $0 }, 0)
      journal.entries = 1
      XCTAssertEqual(notified.withLock { $0 }, 1)
    }
  }

  /// All are ended by the notice that they share.
  func test_values_severalOfADeallocatedObject_end() async {
    let observations = ObservationController(observer: observer, retainsObserved: false)
    for changes in [0, 1] {
      var kept: [ObservationValues<Int>] = []
      assertReleased {
        let journal = Journal()
        for path in paths + paths { kept.append(observations.values(of: journal, path)) }
        kept.removeFirst()
        for _ in 0..<changes { journal.inner.entries += 1 }
        return journal
      }
      for values in kept {
        let all = await values.collect()
        XCTAssertEqual(all, [0])
      }
    }
    XCTAssertEqual(observations.observations.count, 0)
  }

  /// Subscript indices in the path, and what they retain.
  func test_values_endedOverAnUnchangedObject_releaseWhatTheKeyPathCaptures() async {
    for observations in controllers {
      let (journal, indices) = (Journal(), LifetimeCounter())
      for _ in 1...10 {
        let index = JournalIndex(indices)
        _ = observations.values(of: journal, \.[index])
      }
      XCTAssertEqual(indices.count, 0)
    }
  }

  /// Ends on other threads, while the values change.
  func test_values_endedOnSeveralThreads_leaveOneNoticeAtMost() async {
    for observations in controllers {
      let journal = Journal()
      var kept = (1...200).map { _ in observations.values(of: journal, \.entries) }
      let ended = kept.prefix(150).map { Guarded<ObservationValues<Int>?>($0) }
      kept.removeFirst(150)
      let ends = Task.detached {
        onThreads(3) { number in
          for index in ended.indices where index % 3 == number {
            ended[index].withLock { $0 = nil }
          }
        }
      }
      for entries in 1...20 {
        journal.entries = entries
        await Task.yield()
      }
      await ends.value
      for values in kept {
        var last: Int?
        for await entries in values {
          last = entries
          if entries == 20 { break }
        }
        XCTAssertEqual(last, 20)
      }
      kept = []
      XCTAssertEqual(observations.observations.count, 0)
      XCTAssertLessThanOrEqual(journal.notices.count, observations.retainsObserved ? 0 : 1)
    }
  }
}

/// Counts the notices that wait at it: Observation retains the key path of each, and that its
/// subscript index.
@MainActor
private final class Journal: Observable {
  let notices: LifetimeCounter
  var choosesInner = false
  private let registrar = ObservationRegistrar()
  private var stored = 0
  private let innerOrNone: Journal?

  init(_ notices: LifetimeCounter = LifetimeCounter(), isInner: Bool = false) {
    self.notices = notices
    innerOrNone = isInner ? nil : Journal(notices, isInner: true)
  }

  nonisolated subscript(index: JournalIndex) -> Int { 0 }

  var inner: Journal { innerOrNone! }
  var doubled: Int { entries * 2 }
  var chosen: Int { choosesInner ? inner.entries : entries }

  var entries: Int {
    get {
      registrar.access(self, keyPath: \.[JournalIndex(notices)])
      return stored
    }
    set {
      registrar.withMutation(of: self, keyPath: \.[JournalIndex(notices)]) { stored = newValue }
    }
  }
}

/// All are equal, so that they make one property.
private final class JournalIndex: Hashable, Sendable {
  private let ticket: LifetimeCounter.Ticket

  init(_ counter: LifetimeCounter) { ticket = counter.makeTicket() }

  static func == (left: JournalIndex, right: JournalIndex) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}
