import Foundation
import ObservationController
import TestSupport
import XCTest

/// A trace that explains a call, as the README shows it.
final class ReadmeTraceTests: TestCase {
  func test_readme_trace_explainsACall_andWritesAFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (person, view) = (Person(), TracedView())
    let token = view.observations.observe(person, \.name) { view, _, change in
      view.title = change.newValue
    }

    let trace = ObservationTrace.record { person.name = "Grace" }
    let explanation = trace.explain(token)
    let file = folder.appendingPathComponent("trace.json").path
    try trace.chromeTrace.write(toFile: file, atomically: true, encoding: .utf8)

    XCTAssertEqual(trace.outline, ["set Person.name", "  delivery Person.name ← 0"])
    XCTAssertNotNil(
      explanation.wholeMatch(
        of:
          #/
          the\ handler\ of\ TracedView@\w+\ registered\ at\ \S+/ReadmeTraceTests\.swift:\d+
          \ was\ called\ for\ \\Person\.name\ of\ Person@\w+\n
          \ \ because\ \\Person\.name\ of\ Person@\w+\ was\ set\n
          \ \ from\ outside\ of\ any\ delivery
          /#), explanation)
    XCTAssertTrue("\(trace)".contains("\\Person.name of Person@"), "\(trace)")
    XCTAssertTrue(FileManager.default.fileExists(atPath: file))
  }
}
