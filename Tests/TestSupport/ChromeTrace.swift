import Foundation

/// A file in the trace-event format, as viewers read it, and its problems.
package struct ChromeTrace {
  package typealias Entry = [String: Any]

  /// Slices and instants, in the order of the file.
  package private(set) var events: [Entry] = []

  /// The number of arrows.
  package private(set) var flowCount = 0

  /// Events that a viewer would not show, or show elsewhere.
  package private(set) var problems: [String] = []

  private struct Slice {
    let start: Double
    let end: Double

    func contains(_ time: Double) -> Bool { start <= time && time <= end }
  }

  /// An end of an arrow.
  private struct End {
    let phase: String
    let thread: Int
    let time: Double
  }

  /// Times are written in thousandths.
  private static let precision = 0.0005

  package init(_ data: Data) throws {
    let file = try JSONSerialization.jsonObject(with: data) as? Entry
    guard let entries = file?["traceEvents"] as? [Entry] else {
      problems = ["no traceEvents"]
      return
    }
    var slices: [Int: [Slice]] = [:]
    var flows: [Int: [End]] = [:]
    for entry in entries {
      guard let phase = entry["ph"] as? String, let thread = entry["tid"] as? Int,
        entry["pid"] is Int, entry["name"] is String
      else {
        problems.append("without name, ph, pid or tid: \(entry)")
        continue
      }
      if phase == "M" { continue }
      guard let time = entry["ts"] as? Double, entry["cat"] is String else {
        problems.append("without ts or cat: \(entry)")
        continue
      }
      switch phase {
      case "X":
        guard let duration = entry["dur"] as? Double else {
          problems.append("without dur: \(entry)")
          continue
        }
        slices[thread, default: []].append(Slice(start: time, end: time + duration))
        events.append(entry)
      case "i":
        if entry["s"] as? String != "t" { problems.append("without its scope: \(entry)") }
        events.append(entry)
      case "s", "f":
        guard let id = entry["id"] as? Int else {
          problems.append("without id: \(entry)")
          continue
        }
        flows[id, default: []].append(End(phase: phase, thread: thread, time: time))
        if phase == "f", entry["bp"] as? String != "e" { problems.append("without bp: \(entry)") }
      default:
        problems.append("no such phase: \(entry)")
      }
    }
    flowCount = flows.count
    checkNesting(of: slices)
    check(flows, slices)
  }

  /// Slices of a thread are nested, or follow each other.
  private mutating func checkNesting(of slices: [Int: [Slice]]) {
    for (thread, own) in slices {
      var open: [Slice] = []
      for slice in own.sorted(by: { ($0.start, -$0.end) < ($1.start, -$1.end) }) {
        while let last = open.last, last.end <= slice.start + Self.precision { open.removeLast() }
        if let last = open.last, slice.end > last.end + Self.precision {
          problems.append("overlap on thread \(thread): \(last) and \(slice)")
        }
        open.append(slice)
      }
    }
  }

  /// Arrows begin and end in slices, and lead forwards.
  private mutating func check(_ flows: [Int: [End]], _ slices: [Int: [Slice]]) {
    for (id, ends) in flows {
      guard ends.map(\.phase) == ["s", "f"], ends[0].time <= ends[1].time else {
        problems.append("arrow \(id): \(ends)")
        continue
      }
      for end in ends
      where !(slices[end.thread] ?? []).contains(where: { $0.contains(end.time) }) {
        problems.append("arrow \(id), outside of every slice: \(end)")
      }
    }
  }

  /// The arguments of the event with that number.
  package func arguments(ofEvent id: String?) -> [String: String]? {
    events.lazy.compactMap { $0["args"] as? [String: String] }.first { $0["event"] == id }
  }

  /// The arguments of the last event whose name begins with `prefix`.
  package func arguments(ofLast prefix: String) -> [String: String]? {
    events.last { ($0["name"] as? String)?.hasPrefix(prefix) ?? false }?["args"]
      as? [String: String]
  }
}
