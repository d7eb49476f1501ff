extension SystemStatus {
  /// Makes the models what a sample says.
  ///
  /// Everything is assigned, changed or not: which of it matters is for those who observe
  /// it to say. All of them have been told when this returns.
  func apply(_ sample: SystemSample) {
    uptime = sample.uptime
    loadAverages = sample.loadAverages
    memory.apply(sample.memory)
    processes.apply(sample.processes)
    busiest = processes.records.filter { $0.processorPercent > 0 }.min { first, second in
      // Of equals the first to have come, whatever the list is sorted by.
      first.processorPercent != second.processorPercent
        ? first.processorPercent > second.processorPercent
        : first.processIdentifier < second.processIdentifier
    }
  }
}
