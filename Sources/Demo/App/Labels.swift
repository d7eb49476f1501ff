import ObservationController

extension Monitor {
  /// Names what stands in a graph or trace more than once, and what is computed.
  func setLabels() {
    let lines = [
      ("uptime", header.uptimeLine), ("load", header.loadLine), ("counts", header.countsLine),
      ("memory", header.memoryLine), ("busiest", header.busiestLine), ("titles", table.titleLine),
    ]
    for (label, line) in lines { ObservationGraph.setLabel(label, for: line) }
    ObservationGraph.setLabel("minutesUp", for: \SystemStatus.minutesUp)
    ObservationGraph.setLabel("text", for: \DisplayLine.text)
    ObservationGraph.setLabel("usage", for: \MemoryStatus.usage)
  }
}

extension EventSource {
  /// Names the events, which have no key paths.
  func setLabels() {
    ObservationGraph.setLabel("key", for: key)
    ObservationGraph.setLabel("interruption", for: interruption)
    ObservationGraph.setLabel("suspension", for: suspension)
    ObservationGraph.setLabel("resizing", for: resizing)
  }
}
