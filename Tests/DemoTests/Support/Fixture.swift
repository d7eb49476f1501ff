import Foundation

@testable import Demo

/// The recorded `/proc` trees: `first`, `second` two seconds later, and `malformed`.
enum Fixture {
  /// The units of the system on which the trees were recorded.
  static let units = ProcUnits(ticksPerSecond: 100, pageBytes: 4096)

  static func folder(_ name: String) -> ProcFolder {
    let fixtures = Bundle.module.url(forResource: "Fixtures", withExtension: nil)!
    return ProcFolder(path: fixtures.appendingPathComponent("proc/\(name)").path)
  }

  static func reader(_ name: String) -> ProcReader {
    ProcReader(files: folder(name), units: units)
  }

  /// The samples of the two trees; then of the second again, at the same instant.
  static var samples: [SystemSample] {
    var sampler = Sampler(reader: ReplayReader(recorded: "first", "second"))
    return (0..<3).map { _ in sampler.sample() }
  }
}

/// Replays readings, and then the last one again and again.
final class ReplayReader: SystemReader, @unchecked Sendable {
  // Unchecked: used on the thread of one test only.
  private var readings: [SystemReading]

  init(_ readings: [SystemReading]) {
    self.readings = readings
  }

  /// The recorded trees, one after the other.
  convenience init(recorded names: String...) {
    self.init(names.map { Fixture.reader($0).read() })
  }

  func read() -> SystemReading {
    readings.count > 1 ? readings.removeFirst() : readings[0]
  }
}

/// Files that exist or not, and may be removed while they are read.
final class FakeProcFiles: ProcFiles, @unchecked Sendable {
  // Unchecked: used on the thread of one test only.
  var texts: [String: String]
  let listed: [String]
  /// Called before each file is read.
  var willRead: (FakeProcFiles, String) -> Void = { _, _ in }

  init(listed: [String], texts: [String: String]) {
    self.listed = listed
    self.texts = texts
  }

  func names() -> [String] { listed }

  func text(at path: String) -> String? {
    willRead(self, path)
    return texts[path]
  }
}
