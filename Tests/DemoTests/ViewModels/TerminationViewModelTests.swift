import ObservationController
import TestSupport
import XCTest

@testable import Demo

/// No signal is sent: the sender is a double.
final class TerminationViewModelTests: TestCase {
  private let sent = Recorder<Int>()
  private var failure: String?
  private lazy var termination = TerminationViewModel { [unowned self] identifier in
    sent.append(identifier)
    return failure
  }
  private let record = ProcessRecord(.stub(7, command: "p7"))
  private lazy var observations = ObservationController(observer: self)

  func test_terminate_isAskedFirst_andSentAfterAYesAlone() {
    termination.terminate(record)
    XCTAssertTrue(termination.isAsking)
    XCTAssertEqual(
      text, " Send SIGTERM to process 7, p7? y sends it, any other key does not")
    XCTAssertEqual(sent.events, [])
    termination.answer("y")
    XCTAssertEqual(sent.takeEvents(), [7])
    XCTAssertEqual(text, " SIGTERM was sent to process 7.")
    XCTAssertFalse(termination.isAsking)
    termination.answer("y")
    XCTAssertEqual(sent.events, [], "no question, no answer")
    termination.terminate(record)
    XCTAssertEqual(sent.events, [], "asked anew")
  }

  func test_terminate_anyOtherAnswer_sendsNothing() {
    for key in ["n", "Y", "x", .enter, .escape, .down] as [Key] {
      termination.terminate(record)
      termination.answer(key)
      XCTAssertFalse(termination.isAsking)
      termination.answer("y")
    }
    XCTAssertEqual(sent.events, [])
  }

  func test_terminate_anotherProgramSinceTheQuestion_isAskedAnew() {
    termination.terminate(record)
    record.apply(.stub(7, command: "other"), inSample: 2)
    termination.answer("y")
    XCTAssertEqual(sent.events, [])
    XCTAssertTrue(text.contains("process 7, other?"), text)
    termination.answer("y")
    XCTAssertEqual(sent.events, [7])
  }

  func test_terminate_anotherHandlerRefuses_sendsNothing() {
    let token = observations.handle(termination.shouldTerminate) { _, _ in false }
    termination.terminate(record)
    termination.answer("y")
    XCTAssertEqual(sent.events, [])
    token.invalidate()
    termination.terminate(record)
    termination.answer("y")
    XCTAssertEqual(sent.events, [7])
  }

  func test_terminate_fails_saysWhy() {
    failure = "Operation not permitted"
    termination.terminate(record)
    termination.answer("y")
    XCTAssertEqual(text, " SIGTERM was not sent: Operation not permitted.")
  }

  func test_terminate_recording_isNotEvenAsked() {
    let termination = TerminationViewModel(sender: nil)
    termination.terminate(record)
    XCTAssertFalse(termination.isAsking)
    XCTAssertEqual(
      termination.line.text.text, " Nothing is sent: these processes are a recording.")
  }

  private var text: String { termination.line.text.text }
}
