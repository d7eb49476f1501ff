import Foundation
import ObservationController
import TestSupport
import XCTest

/// Delivery of issues: to a reporter that can be replaced, by default to standard error.
final class IssueReporterTests: TestCase {
  private let person = Person()
  private let observer = SilentObserver()
  private lazy var controller = ObservationController(observer: observer)

  private func makeIssue() {
    controller.observe(person, \.note) { _, _, _ in }
  }

  func test_reporter_replaced_receivesIssuesOnceEach() {
    let outer = collectingIssues {
      let inner = collectingIssues {
        makeIssue()
        makeIssue()
      }
      XCTAssertEqual(inner.count, 2)
      makeIssue()
    }
    XCTAssertEqual(outer.count, 1)
  }

  func test_reporter_replaced_releasesTheOldOne() {
    let reporters = LifetimeCounter()
    _ = collectingIssues {
      scoped {
        let ticket = reporters.makeTicket()
        ObservationIssue.reporter = { _ in _ = ticket }
      }
      XCTAssertEqual(reporters.count, 1)
      ObservationIssue.reporter = { _ in }
      XCTAssertEqual(reporters.count, 0)
    }
  }

  func test_reporter_mayObserveUnobserveAndReplaceItself() {
    let outer = collectingIssues {
      let controller = UncheckedReference(controller)
      let person = UncheckedReference(person)
      ObservationIssue.reporter = { _ in
        ObservationIssue.reporter = { _ in }
        controller.object.observe(person.object, \.name) { _, _, _ in }
        controller.object.observe(person.object, \.note) { _, _, _ in }
      }
      makeIssue()
    }
    XCTAssertEqual(outer.count, 0)
    XCTAssertEqual(controller.observations.map(\.keyPath), [\Person.name])
  }

  func test_reporter_byDefault_printsOneLineOnStandardError() throws {
    let line: UInt = #line + 2
    let text = try capturingStandardError {
      controller.observe(person, \.note) { _, _, _ in }
      controller.observeEach(person, []) { _, _, _ in }
    }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    XCTAssertEqual(lines.count, 3, text)
    XCTAssertEqual(lines.last, "")
    for (offset, text) in lines.dropLast().enumerated() {
      XCTAssertTrue(
        text.hasPrefix("ObservationController: \(#fileID):\(line + UInt(offset)): "), text)
    }
  }

  /// Returns the text written to standard error while `body` runs.
  private func capturingStandardError(_ body: () -> Void) throws -> String {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    XCTAssertTrue(FileManager.default.createFile(atPath: url.path, contents: nil))
    defer { try? FileManager.default.removeItem(at: url) }
    let file = try FileHandle(forWritingTo: url)
    let original = dup(STDERR_FILENO)
    dup2(file.fileDescriptor, STDERR_FILENO)
    body()
    dup2(original, STDERR_FILENO)
    close(original)
    return try String(contentsOf: url, encoding: .utf8)
  }
}
