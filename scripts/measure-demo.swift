// The main file of scripts/measure-demo.

import Foundation
import ObservationController

final class CountingSink: TextSink {
  func write(_ text: String) throws {}
}

final class NoKeyboard: KeyboardMode {
  func enter() {}
  func leave() {}
}

@MainActor
final class Measurement {
  private let monitor: Monitor
  private let view: TerminalView
  private let busyCount: Int
  private var time = 1000.0
  private var processes: [ProcessSample]

  init(processes count: Int, busy: Int, size: TerminalSize) throws {
    monitor = Monitor(screen: Screen(size: size, gauge: .unicode))
    view = TerminalView(sink: CountingSink(), keyboard: NoKeyboard(), currentSize: { size })
    busyCount = busy
    processes = (1...count).map {
      ProcessSample(
        processIdentifier: $0, state: .sleeping, processorPercent: 0, residentBytes: $0 << 12,
        command: "/usr/bin/program\($0 % 40) --number \($0)", isKernelThread: $0 % 3 == 0)
    }
    try view.open()
  }

  /// The system a tenth of a second later: each busy process has another share, size and maybe
  /// state.
  private func nextSample() -> SystemSample {
    time += 0.1
    for index in stride(from: 0, to: processes.count, by: processes.count / busyCount) {
      processes[index].processorPercent = Double.random(in: 0..<1000).rounded() / 10
      processes[index].residentBytes += 4096
      processes[index].state = Bool.random() ? .running : .sleeping
    }
    return SystemSample(
      uptime: time, loadAverages: LoadAverages([time / 1000, 1, 1]),
      memory: MemoryReading(totalBytes: 1 << 34, availableBytes: Int(time * 1e6)),
      processorPercents: (0..<8).map { _ in .random(in: 0...100) }, processes: processes)
  }

  private func draw() throws {
    try view.draw(monitor.lines(rows: view.size.rows, limit: nil))
  }

  func run() throws {
    for _ in 0..<10 { try apply(nextSample()) }
    let drawn = view.tally.redrawn
    let samples = try (0..<100).map { _ in
      let sample = nextSample()
      return try Self.milliseconds { try apply(sample) }
    }
    let lines = Double(view.tally.redrawn - drawn) / 100
    print("a sample, \(busyCount) of \(processes.count) busy: \(samples.reduce(0, +) / 100) ms")
    print("the slowest: \(samples.max() ?? 0) ms; lines redrawn: \(lines) of \(view.size.rows)")
    let table = monitor.table
    try key("down") { table.moveSelection(by: 1) }
    try key("page down") { table.moveSelection(by: 37) }
    try key("end") { table.moveSelection(by: 5000) }
    try key("a letter of the filter") { table.filter = "program3" }
    try key("another one") { table.filter = "program39" }
    try key("no filter") { table.filter = "" }
    try key("another order") { table.order = .memory }
    try key("kernel threads") { table.showsKernelThreads = true }
    try key("why drawn?") { monitor.inspector.toggle(.why) }
    try key("observers?") { monitor.inspector.toggle(.who) }
  }

  private func apply(_ sample: SystemSample) throws {
    monitor.apply(sample, tally: view.tally)
    try draw()
  }

  private func key(_ name: String, _ body: () -> Void) throws {
    let time = try Self.milliseconds {
      body()
      try draw()
    }
    print("\(name): \(time) ms")
  }

  /// The processor time of `body`: others may be running.
  private static func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = clock()
    try body()
    return (Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e5).rounded() / 100
  }
}

let busy = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 200
try Measurement(processes: 5000, busy: busy, size: TerminalSize(rows: 50, columns: 100)).run()
