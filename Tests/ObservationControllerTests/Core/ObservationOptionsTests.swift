import ObservationController
import TestSupport
import XCTest

/// All sixteen sets of options, over one history of changes.
final class ObservationOptionsTests: TestCase {
  private static let allSets = (UInt8(0)..<16).map { ObservationOptions(rawValue: $0) }
  private static let values = [1, 1, 0, 0, 2, 2, 2, 3]

  /// Expected deliveries of an observation with `options` while a property goes from 0 through
  /// `values`.
  ///
  /// - Parameter priorKnowsNext: Whether a prior delivery can be omitted for an equal value: on
  ///   assignment to the property itself, in contrast to a dependency of a path.
  private func expectedEvents(
    _ options: ObservationOptions, priorKnowsNext: Bool
  ) -> [RecordedEvent<Int>] {
    var events: [RecordedEvent<Int>] = []
    if options.contains(.initial) { events.append(.initial(0)) }
    var current = 0
    for value in Self.values {
      let isSilent = options.contains(.distinct) && value == current
      if options.contains(.prior), !(isSilent && priorKnowsNext) { events.append(.prior(current)) }
      if !isSilent { events.append(.changed(options.contains(.old) ? current : nil, value)) }
      current = value
    }
    return events
  }

  func test_options_everySetOnAProperty_deliversAsDocumented() {
    for options in Self.allSets {
      let counter = Counter()
      let recorder = ChangeRecorder<Int>()
      let controller = ObservationController(observer: recorder)
      controller.observe(counter, \.count, options: options, action: ChangeRecorder<Int>.record)
      for value in Self.values { counter.count = value }
      XCTAssertEqual(
        recorder.events, expectedEvents(options, priorKnowsNext: true), "\(options)")
    }
  }

  func test_options_everySetOnAnInPlaceMutation_deliversAsDocumented() {
    func set(_ count: inout Int, to value: Int) { count = value }
    for options in Self.allSets {
      let counter = Counter()
      let recorder = ChangeRecorder<Int>()
      let controller = ObservationController(observer: recorder)
      controller.observe(counter, \.count, options: options, action: ChangeRecorder<Int>.record)
      for value in Self.values { set(&counter.count, to: value) }
      XCTAssertEqual(
        recorder.events, expectedEvents(options, priorKnowsNext: false), "\(options)")
    }
  }

  func test_options_everySetOnAPath_deliversAsDocumented() {
    for options in Self.allSets {
      let link = Link()
      let recorder = ChangeRecorder<Int>()
      let controller = ObservationController(observer: recorder)
      controller.observe(
        link, \.counter.count, options: options, action: ChangeRecorder<Int>.record)
      for value in Self.values { link.counter.count = value }
      XCTAssertEqual(
        recorder.events, expectedEvents(options, priorKnowsNext: false), "\(options)")
    }
  }

  func test_options_everySetTogether_doesNotDisturbTheOthers() {
    let counter = Counter()
    let recorders = Self.allSets.map { _ in ChangeRecorder<Int>() }
    let controllers = zip(Self.allSets, recorders).map { options, recorder in
      let controller = ObservationController(observer: recorder)
      controller.observe(counter, \.count, options: options, action: ChangeRecorder<Int>.record)
      return controller
    }
    for value in Self.values { counter.count = value }
    for (options, recorder) in zip(Self.allSets, recorders) {
      XCTAssertEqual(
        recorder.events, expectedEvents(options, priorKnowsNext: true), "\(options)")
    }
    withExtendedLifetime(controllers) {}
  }

  func test_distinct_onObjectsWithoutEquality_comparesIdentity() {
    let person = Person()
    let recorder = ChangeRecorder<ObjectIdentifier?>()
    let controller = ObservationController(observer: recorder)
    assertNoIssues {
      controller.observe(person, \.employer, options: [.old, .distinct]) { recorder, _, change in
        recorder.append(
          .changed(
            change.oldValue.map { $0.map(ObjectIdentifier.init) },
            change.newValue.map(ObjectIdentifier.init)))
      }
    }
    let (first, second) = (Company(), Company())
    for company in [nil, first, first, second, nil, nil] { person.employer = company }
    let (one, two) = (ObjectIdentifier(first), ObjectIdentifier(second))
    XCTAssertEqual(
      recorder.events, [.changed(.some(nil), one), .changed(one, two), .changed(two, nil)])
  }

  func test_distinct_onIncomparableValues_reportsOnceAndDelivers() {
    let clock = Clock()
    let recorder = Recorder<Int>()
    let controller = ObservationController(observer: recorder)
    let issues = collectingIssues {
      controller.observe(clock, \.time, options: .distinct) { $0.append($2.newValue.hours) }
      clock.time = Clock.Time()
      clock.time = Clock.Time()
    }
    XCTAssertEqual(issues.count, 1)
    XCTAssertEqual(recorder.events, [0, 0])
  }

  func test_description_namesTheOptions() {
    XCTAssertEqual("\(ObservationOptions())", "[]")
    XCTAssertEqual("\(ObservationOptions.old)", "[old]")
    XCTAssertEqual(
      "\([.distinct, .prior, .old, .initial] as ObservationOptions)",
      "[initial, old, prior, distinct]")
  }
}

private final class Link {
  let counter = Counter()
}
