import Foundation
import TestSupport
import XCTest

/// The program as a process, with its output in pipes.
final class DemoProcessTests: TestCase {
  func test_demo_piped_printsItsSamplesAndEnds() throws {
    let result = try run("--samples", "2", "--interval", "0.001", "--rows", "3")
    XCTAssertEqual(result.status, 0)
    XCTAssertEqual(result.error, "")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
    XCTAssertEqual(lines.count(where: { $0.hasPrefix("Up ") }), 2)
    XCTAssertEqual(lines.count(where: { $0.contains("COMMAND") }), 2)
    XCTAssertTrue(lines.contains("Samples: 2"))
    XCTAssertEqual(lines.count(where: { $0.hasPrefix("By kind: ") }), 1)
    XCTAssertTrue(lines.contains("Live observations after teardown: 0"))
    XCTAssertFalse(result.output.contains("\u{1B}"))
  }

  func test_demo_terminated_endsAsAfterItsSamples() throws {
    let result = try run(arguments: ["--samples", "2", "--interval", "86400"]) { process, output in
      // The first frame, so that the signal handler is installed.
      let start = output.availableData
      process.terminate()
      return start
    }
    XCTAssertEqual(result.status, 0)
    XCTAssertEqual(result.error, "")
    XCTAssertTrue(result.output.contains("Samples: 1\n"), result.output)
    XCTAssertTrue(result.output.hasSuffix("Live observations after teardown: 0\n"))
  }

  func test_demo_trace_namesTheCauseOfEachDrawnLine() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let result = try run(
      "--samples", "2", "--interval", "0.001", "--rows", "3", "--trace", file.path)
    XCTAssertEqual(result.status, 0)
    XCTAssertEqual(result.error, "")
    let data = try Data(contentsOf: file)
    let trace = try ChromeTrace(data)
    XCTAssertEqual(trace.problems, [])
    XCTAssertGreaterThan(trace.flowCount, 10)
    for text in ["0x", "‹"] {
      XCTAssertFalse(String(decoding: data, as: UTF8.self).contains(text), text)
    }
    XCTAssertNotNil(trace.arguments(ofLast: "sample 2"))
    // From a line of the screen back to the property that a sample has set.
    for (line, property, reason) in [
      ("Up", "uptime", "\\"), ("Memory", "memory", "\\MemoryStatus."),
    ] {
      let drawn = try XCTUnwrap(
        trace.arguments(ofLast: "line is now: \(line)")
          ?? trace.arguments(ofLast: "line came into sight: \(line)"))
      let why = try XCTUnwrap(drawn["why"]).split(separator: "\n").map(String.init)
      XCTAssertEqual(why.count, 4, "\(why)")
      XCTAssertTrue(why[0].hasPrefix("by the binding of HeaderViewModel@"), why[0])
      XCTAssertNotNil(
        why[0].firstMatch(of: #/registered at Demo/HeaderViewModel\.swift:\d+, called/#))
      XCTAssertTrue(why[0].contains(", called for \\HeaderViewModel.\(property) of "), why[0])
      XCTAssertTrue(why[1].hasPrefix("because \(reason)"), why[1])
      XCTAssertTrue(why[1].hasSuffix(" was set"), why[1])
      XCTAssertEqual(why[2], "in a transaction")
      XCTAssertNotNil(
        why[3].wholeMatch(of: #/from outside of any delivery, after the mark "sample [12]"/#),
        why[3])
      let delivery = try XCTUnwrap(trace.arguments(ofEvent: drawn["cause"]))
      XCTAssertEqual(delivery["property"], "\\HeaderViewModel.\(property)")
    }
  }

  func test_demo_traceThatCantBeWritten_isOneLineOnStandardError() throws {
    let result = try run("--trace", "/nowhere/trace.json")
    XCTAssertEqual(result.status, 74)
    XCTAssertEqual(result.output, "", "before anything is sampled")
    XCTAssertEqual(result.error, "Demo: can't write the trace to '/nowhere/trace.json'\n")
  }

  func test_demo_help_printsOptionsAndEnds() throws {
    let result = try run("--help")
    XCTAssertEqual(result.status, 0)
    XCTAssertTrue(result.output.hasPrefix("Usage: Demo"))
    XCTAssertEqual(result.error, "")
  }

  func test_demo_wrongArguments_areOneLineOnStandardErrorAndStatus64() throws {
    for arguments in [["--rows", "x"], ["--samples"], ["--nothing"], ["--sort", "size"], ["y"]] {
      let result = try run(arguments: arguments)
      XCTAssertEqual(result.status, 64)
      XCTAssertEqual(result.output, "")
      XCTAssertTrue(result.error.hasPrefix("Demo: "), result.error)
      XCTAssertEqual(result.error.filter { $0 == "\n" }.count, 1)
    }
  }

  func test_demo_graph_namesViewModelsAndObservedObjects() throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("DemoProcessTests-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: directory) }
    for (name, start) in [("a.dot", "digraph"), ("a.mmd", "flowchart")] {
      let file = directory.appendingPathComponent(name)
      let result = try run("--samples", "2", "--interval", "0.001", "--graph", file.path)
      XCTAssertEqual(result.status, 0)
      XCTAssertEqual(result.error, "")
      XCTAssertTrue(result.output.hasSuffix("Live observations after teardown: 0\n"))
      let graph = try String(contentsOf: file, encoding: .utf8)
      XCTAssertTrue(graph.hasPrefix(start))
      for text in [
        "HeaderViewModel", "ProcessTableViewModel", "Session", "SystemStatus", "FooterViewModel",
        "processes.busiest?.command", "uptime (derived)", "titles (derived)", "two-way binding",
        "DisplayLine “busiest”", "processorPercent", "HeaderViewModel.swift:",
        "ProcessTableViewModel.swift:",
      ] {
        XCTAssertTrue(graph.contains(text), text)
      }
      for text in ["0x", "‹"] { XCTAssertFalse(graph.contains(text), text) }
    }
  }

  func test_demo_graphThatCannotBeWritten_isOneLineOnStandardError() throws {
    let result = try run("--graph", "/nowhere/at/all/a.dot")
    XCTAssertEqual(result.status, 74)
    XCTAssertEqual(result.output, "", "before anything is sampled")
    XCTAssertEqual(result.error, "Demo: can't write the graph to '/nowhere/at/all/a.dot'\n")
  }

  private func run(_ arguments: String...) throws -> (status: Int32, output: String, error: String)
  {
    try run(arguments: arguments)
  }

  private func run(
    arguments: [String], whileRunning: (Process, FileHandle) -> Data = { _, _ in Data() }
  ) throws -> (status: Int32, output: String, error: String) {
    // SwiftPM puts the resources of the tests beside the program.
    let program = Bundle.module.bundleURL.deletingLastPathComponent()
      .appendingPathComponent("Demo")
    try XCTSkipUnless(
      FileManager.default.isExecutableFile(atPath: program.path), "no program at \(program.path)")
    let process = Process()
    let (output, error) = (Pipe(), Pipe())
    process.executableURL = program
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = error
    try process.run()
    var outputData = whileRunning(process, output.fileHandleForReading)
    outputData += output.fileHandleForReading.readDataToEndOfFile()
    let errorData = error.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: outputData, as: UTF8.self),
      String(decoding: errorData, as: UTF8.self)
    )
  }
}
