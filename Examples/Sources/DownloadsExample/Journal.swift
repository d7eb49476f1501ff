import ObservationController

/// Writes down what becomes of each download, from async sequences.
actor Journal {
  private var tasks: [Task<String, Never>] = []
  private lazy var observations = ObservationController(observer: self)

  func follow(_ download: Download) {
    // Observes from here on, whenever the task below begins: it begins with the state that is now,
    // and misses none.
    let states = observations.values(of: download, \.state.wrappedValue)
    tasks.append(
      Task {
        var line = "\(download.name):"
        for await state in states {
          line += " \(state)"
          if state == .finished || state == .failed { break }
        }
        return line
      })
  }

  /// One line for each download, once all of them have ended.
  func finish() async -> [String] {
    var lines: [String] = []
    for task in tasks { lines.append(await task.value) }
    // An actor may go a little later than its last caller thinks.
    observations.unobserveAll()
    return lines
  }
}
