import TestSupport
import XCTest

@testable import Demo

final class OptionsTests: TestCase {
  func test_options_none_areTheDefaults() throws {
    let options = try Options(arguments: [])
    XCTAssertNil(options.samples)
    XCTAssertNil(options.rows)
    XCTAssertEqual(options.interval, 1)
    XCTAssertEqual(options.order, .processor)
    XCTAssertFalse(options.showsHelp)
  }

  func test_options_each_isRead() throws {
    XCTAssertEqual(try Options(arguments: ["--samples", "5"]).samples, 5)
    XCTAssertEqual(try Options(arguments: ["--interval", "0.5"]).interval, 0.5)
    XCTAssertEqual(try Options(arguments: ["--rows", "10000"]).rows, 10_000)
    XCTAssertEqual(try Options(arguments: ["--sort", "cpu"]).order, .processor)
    XCTAssertEqual(try Options(arguments: ["--sort", "memory"]).order, .memory)
    XCTAssertEqual(
      try Options(arguments: ["--graph", "a.dot"]).graph,
      OutputFile(content: "graph", path: "a.dot"))
    XCTAssertEqual(try Options(arguments: ["--trace", "t.json"]).trace?.path, "t.json")
    XCTAssertEqual(try Options(arguments: ["--sort", "name"]).order, .command)
    XCTAssertEqual(try Options(arguments: ["--proc", "/p"]).procFolder, "/p")
    XCTAssertTrue(try Options(arguments: ["--help"]).showsHelp)
    XCTAssertTrue(try Options(arguments: ["-h"]).showsHelp)
  }

  func test_options_together_areAllRead() throws {
    let options = try Options(
      arguments: ["--rows=3", "--sort=memory", "--samples", "1", "--interval=2", "--rows", "4"])
    XCTAssertEqual(options.rows, 4, "the last one counts")
    XCTAssertEqual(options.order, .memory)
    XCTAssertEqual(options.samples, 1)
    XCTAssertEqual(options.interval, 2)
  }

  func test_options_help_namesEveryOption() {
    for name in [
      "--samples N", "--interval SECONDS", "--rows N", "--sort ORDER", "--proc FOLDER",
      "--graph FILE",
      "--trace FILE", "--help",
    ] {
      XCTAssertTrue(Options.help.contains(name), name)
    }
  }

  func test_options_wrong_areOneClearLine() {
    let expected: [([String], String)] = [
      (["--samples"], "--samples needs a number from 1"),
      (["--samples", "0"], "--samples needs a number from 1, not '0'"),
      (["--samples", "-3"], "--samples needs a number from 1, not '-3'"),
      (["--samples", "many"], "--samples needs a number from 1, not 'many'"),
      (["--samples", "1.5"], "--samples needs a number from 1, not '1.5'"),
      (["--samples", "1\(Int.max)"], "--samples needs a number from 1, not '1\(Int.max)'"),
      (["--samples="], "--samples needs a number from 1, not ''"),
      (["--rows", "0"], "--rows needs a number from 1 to 10000, not '0'"),
      (["--rows", "10001"], "--rows needs a number from 1 to 10000, not '10001'"),
      (["--rows"], "--rows needs a number from 1 to 10000"),
      (["--interval"], "--interval needs seconds from 0.001 to 86400"),
      (["--interval", "0"], "--interval needs seconds from 0.001 to 86400, not '0'"),
      (["--interval", "-1"], "--interval needs seconds from 0.001 to 86400, not '-1'"),
      (["--interval", "nan"], "--interval needs seconds from 0.001 to 86400, not 'nan'"),
      (["--interval", "inf"], "--interval needs seconds from 0.001 to 86400, not 'inf'"),
      (["--interval", "1s"], "--interval needs seconds from 0.001 to 86400, not '1s'"),
      (["--trace"], "--trace needs a file to write"),
      (["--trace="], "--trace needs a file to write, not ''"),
      (["--proc"], "--proc needs a folder"),
      (["--sort"], "--sort needs cpu, memory, pid or name"),
      (["--sort", "size"], "--sort needs cpu, memory, pid or name, not 'size'"),
      (["--sort", "CPU"], "--sort needs cpu, memory, pid or name, not 'CPU'"),
      (["--sort", "a\nb"], #"--sort needs cpu, memory, pid or name, not 'a\u{A}b'"#),
      (["--graph"], "--graph needs a file name that ends in .dot or .mmd"),
      (["--graph", "a.svg"], "--graph needs a file name that ends in .dot or .mmd, not 'a.svg'"),
      (["--graph", ".dot"], "--graph needs a file name that ends in .dot or .mmd, not '.dot'"),
      (["--verbose"], "unknown option '--verbose'; see --help"),
      (["--help=yes"], "unknown option '--help=yes'; see --help"),
      (["-x"], "unknown option '-x'; see --help"),
      (["5"], "unexpected argument '5'; see --help"),
      ([""], "unexpected argument ''; see --help"),
      (["--rows", "3", "4"], "unexpected argument '4'; see --help"),
    ]
    for (arguments, message) in expected {
      XCTAssertThrowsError(try Options(arguments: arguments), "\(arguments)") { error in
        XCTAssertEqual(String(describing: error), message)
      }
    }
  }

  func test_error_exitStatus_isThatOfWrongUsage() {
    XCTAssertEqual(OptionsError.exitStatus, 64)
  }
}
