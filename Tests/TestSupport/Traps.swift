#if os(Linux) || os(macOS)
  import Foundation
  import XCTest

  extension TestCase {
    /// Runs the test again in another process, in which `body` has to trap with `message`. A test
    /// calls this once.
    package func assertTraps(
      with message: String, in test: String = #function, file: StaticString = #filePath,
      line: UInt = #line, _ body: () -> Void
    ) {
      let variable = "OBSERVATION_TRAPS"
      if ProcessInfo.processInfo.environment[variable] != nil { return body() }
      let (status, output) = Subprocess.runAgain(
        "\(type(of: self))/\(test.dropLast(2))", environment: [variable: "1"])
      XCTAssertNotEqual(status, 0, file: file, line: line)
      XCTAssertTrue(output.contains(message), output, file: file, line: line)
    }
  }
#endif
