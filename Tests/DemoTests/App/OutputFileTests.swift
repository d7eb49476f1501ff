import Foundation
import TestSupport
import XCTest

@testable import Demo

final class OutputFileTests: TestCase {
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("OutputFileTests-\(UUID())").path

  override func invokeTest() {
    XCTAssertNoThrow(
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false))
    super.invokeTest()
    XCTAssertNoThrow(try FileManager.default.removeItem(atPath: folder))
  }

  func test_check_fileThatCanBeWritten_leavesNothing() throws {
    let file = OutputFile(content: "trace", path: folder + "/a.json")
    try file.check()
    XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    try file.write("text")
    try file.check()
    XCTAssertEqual(try String(contentsOfFile: file.path, encoding: .utf8), "text")
  }

  func test_check_folderOrNothingToWriteIn_throws() {
    for path in [folder, folder + "/no/a.json", "/dev/null/a.json"] {
      let file = OutputFile(content: "trace", path: path)
      XCTAssertThrowsError(try file.check(), path) { error in
        XCTAssertEqual("\(error)", "can't write the trace to '\(path)'")
      }
      XCTAssertThrowsError(try file.write(""))
    }
  }

  func test_check_nameAlone_isInTheCurrentFolder() {
    XCTAssertNoThrow(try OutputFile(content: "trace", path: "OutputFileTests.json").check())
  }
}
