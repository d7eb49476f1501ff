import ObservationController

/// Downloads files, a few of them at a time, from a network that is simulated.
actor DownloadQueue {
  nonisolated let downloads: [Download]

  /// How many may run at once.
  private let width: Int

  init(_ downloads: [Download], width: Int) {
    self.downloads = downloads
    self.width = width
  }

  /// Takes the next packets of every running download, each on a thread of its own; `false` if
  /// there is nothing more to do.
  func step() async -> Bool {
    var running = downloads.filter { $0.state.wrappedValue == .running }
    for download in downloads where download.state.wrappedValue == .waiting {
      guard running.count < width else { break }
      download.start()
      running.append(download)
    }
    await withTaskGroup(of: Void.self) { group in
      for download in running { group.addTask { download.receive(20) } }
    }
    return !running.isEmpty
  }
}
