import Foundation
import ObservationController

/// A queue of downloads whose bars are drawn on the main actor.
///
/// In a terminal the bars move in place; elsewhere each step prints them anew.
@main
enum DownloadsExample {
  @MainActor
  static func main() async {
    await downloadEverything()
    let left = ObservationDispatcher.shared.activeObservationCount
    print("Observations left: \(left)")
    exit(left == 0 ? 0 : 1)
  }

  @MainActor
  private static func downloadEverything() async {
    let queue = DownloadQueue(
      [
        Download("atlas", size: 60), Download("birds", size: 100),
        Download("chess", size: 50, breaksAt: 30), Download("dunes", size: 20),
      ], width: 2)
    let bars = queue.downloads.map(ProgressBar.init)
    let journal = Journal()
    for download in queue.downloads { await journal.follow(download) }

    let isTerminal = isatty(STDOUT_FILENO) == 1
    var step = 0
    while await queue.step() {
      await mainQueueIsThrough()
      step += 1
      if isTerminal, step > 1 { print("\u{1B}[\(bars.count + 1)A", terminator: "") }
      print("Step \(step)")
      for bar in bars { print("  \(bar.text)\(isTerminal ? "\u{1B}[K" : "")") }
      if isTerminal { try? await Task.sleep(for: .milliseconds(300)) }
    }

    print("Journal")
    for line in await journal.finish() { print("  \(line)") }
    let packets = queue.downloads.reduce(0) { $0 + $1.received.wrappedValue }
    print("Packets: \(packets)")
  }

  /// Deliveries to the main actor are jobs of the main queue: those that are on their way come
  /// first.
  @MainActor
  private static func mainQueueIsThrough() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}
