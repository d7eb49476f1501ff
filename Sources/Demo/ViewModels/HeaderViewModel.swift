import ObservationController

/// The lines above the table: uptime, processors, memory, load, and who is busiest.
///
/// Held by ``Monitor``. Keeps the models alive; nothing else keeps the header alive.
final class HeaderViewModel {
  let uptimeLine = DisplayLine()
  private(set) var processorLines: [DisplayLine] = []
  let memoryLine = DisplayLine()
  private(set) var loadLines: [DisplayLine] = []
  let busiestLine = DisplayLine()

  /// From the top down.
  var lines: [DisplayLine] {
    [uptimeLine] + processorLines + [memoryLine] + loadLines + [busiestLine]
  }

  private let status: SystemStatus
  private let screen: Screen
  private lazy var observations = ObservationController(observer: self)

  // The texts derive from the models and the screen. The library records the properties that each
  // of them reads, and computes it anew only after one of those has changed.

  /// Reads a computed property, of seconds as minutes, and a derived one of all processes.
  @Derived({ (header: HeaderViewModel) in
    Format.uptime(minutes: header.status.minutesUp, header.status.processes.counts)
  })
  private var uptime: StyledText

  @Derived({ (header: HeaderViewModel) in
    Format.processors(header.status.processors.percents, on: header.screen)
  })
  private var processors: [StyledText]

  @Derived({ (header: HeaderViewModel) in
    Format.memory(header.status.memory.usage, on: header.screen)
  })
  private var memory: StyledText

  @Derived({ (header: HeaderViewModel) in
    Format.load(header.status.loadAverages, header.status.processors.history, on: header.screen)
  })
  private var load: [StyledText]

  /// Shows the status as it is, and from then on as it changes.
  init(status: SystemStatus, screen: Screen) {
    self.status = status
    self.screen = screen

    // Bindings, where a line says one value and there is nothing else to do.
    observations.bind(self, \.uptime, to: uptimeLine, \.text)
    observations.bind(self, \.memory, to: memoryLine, \.text)

    // A nested path through a link that is replaced all the time: it follows the command of
    // whichever process is busiest, and of no other.
    observations.bind(status, \.processes.busiest?.command, to: busiestLine, \.text) {
      Format.busiest($0)
    }

    // Handlers, where the number of lines depends on the value. `.initial`, so that the same
    // statement shows the first one. There are as many lines as processors and height ask for.
    observations.observe(self, \.processors, options: .initial) { header, _, change in
      header.processorLines.show(change.newValue)
    }
    observations.observe(self, \.load, options: .initial) { header, _, change in
      header.loadLines.show(change.newValue)
    }
  }
}
