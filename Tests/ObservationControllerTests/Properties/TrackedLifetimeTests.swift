import Dispatch
import Observation
import ObservationController
import TestSupport
import XCTest

/// Lifetimes of objects with tracked properties, and their use on several threads.
final class TrackedLifetimeTests: TestCase {
  func test_objectTrackedAndObserved_isDeallocated_andEndsItsObservations() {
    assertLeavesNoObservations {
      let closures = LifetimeCounter()
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder, retainsObserved: false)
      assertReleased {
        let document = TrackedDocument()
        let author = TrackedAuthor("Ada")
        document.author = author
        observations.observe(document, \.text) { [ticket = closures.makeTicket()] _, _, _ in
          withExtendedLifetime(ticket) {}
        }
        observations.observe(document, \.author?.name) { _, _, _ in }
        recorder.track("tracked") { document.text }
        document.text = "a"
        author.name = "Grace"
        return document
      }
      XCTAssertEqual(closures.count, 0)
      XCTAssertEqual(observations.observations.count, 0)
    }
  }

  func test_retainedObject_livesUntilItIsUnobserved() {
    let recorder = LineRecorder()
    let observations = ObservationController(observer: recorder)
    weak var document: TrackedDocument?
    scoped {
      let made = TrackedDocument()
      document = made
      observations.observe(made, \.text) { _, _, _ in }
    }
    XCTAssertNotNil(document)
    observations.unobserveAll()
    XCTAssertNil(document)
  }

  func test_observer_dropped_isDeallocated_andNotNotified() {
    let document = TrackedDocument()
    let delivered = LineRecorder()
    assertReleased {
      let observer = Warden()
      observer.observations.observe(document, \.text) { _, _, _ in delivered.write("delivered") }
      document.text = "a"
      return observer
    }
    document.text = "b"
    XCTAssertEqual(delivered.events, ["delivered"])
  }

  func test_values_areReleased_afterTheirDelivery() {
    let values = LifetimeCounter()
    let holder = TicketDocument()
    let observations = ObservationController(observer: holder)
    for options in [[], .old, [.old, .prior]] as [ObservationOptions] {
      observations.observe(holder, \.ticket, options: options) { _, _, _ in }
      holder.ticket = values.makeTicket()
      holder.ticket = values.makeTicket()
      XCTAssertEqual(values.count, 1)
      observations.unobserveAll()
    }
    holder.ticket = nil
    XCTAssertEqual(values.count, 0)
  }

  // MARK: Threads

  func test_threads_readTrackAndObserveOneObject() {
    let document = UncheckedReference(TrackedDocument())
    assertLeavesNoObservations {
      onThreads(4) { _ in
        let recorder = LineRecorder()
        for _ in 1...200 {
          let observations = ObservationController(observer: recorder, retainsObserved: false)
          observations.observe(document.object, \.text, options: .initial) { recorder, _, change in
            recorder.write(change.newValue)
          }
          observations.observe(document.object, \.summary) { _, _, _ in }
          recorder.track("") { document.object.text }
        }
        XCTAssertEqual(recorder.events.count, 200)
      }
    }
  }

  func test_threads_eachWithItsOwnObject_notifyTheirOwnObservers() {
    onThreads(4) { number in
      let document = TrackedDocument()
      let recorder = LineRecorder()
      let observations = ObservationController(observer: recorder)
      observations.observe(document, \.text) { recorder, _, change in
        recorder.write(change.newValue)
      }
      for round in 1...200 {
        recorder.track("tracked") { document.text }
        document.text = "\(number), \(round)"
      }
      XCTAssertEqual(recorder.events, (1...200).flatMap { ["tracked", "\(number), \($0)"] })
    }
  }
}

private final class TicketDocument: Observable {
  @TrackedObserved var ticket: LifetimeCounter.Ticket?
}
