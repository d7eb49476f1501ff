import ObservationController

/// The lines above the table: uptime, load, processes, memory, and who is busiest.
///
/// Held by ``Monitor``. Keeps the status alive through its controller; nothing else keeps
/// the header alive.
final class HeaderViewModel {
  let uptimeLine = DisplayLine()
  let loadLine = DisplayLine()
  let countsLine = DisplayLine()
  let memoryLine = DisplayLine()
  let busiestLine = DisplayLine()

  /// From the top down.
  var lines: [DisplayLine] { [uptimeLine, loadLine, countsLine, memoryLine, busiestLine] }

  private let deliveries: DeliveryTally
  private lazy var observations = ObservationController(observer: self)

  /// Shows the status as it is, and from then on as it changes.
  init(status: SystemStatus, deliveries: DeliveryTally) {
    self.deliveries = deliveries

    // The delegate method, for what the status says of the system itself: a computed path, as the
    // uptime counts seconds and the line shows minutes, and a plain property. `.initial`, so that
    // the same statement shows the first text. `.distinct`, for a sample assigns every value, and
    // one that is what it was is no news.
    observations.observe(status, \.minutesUp, options: [.initial, .distinct])
    observations.observe(status, \.loadAverages, options: [.initial, .distinct])

    // Bindings, where a line says one value and there is nothing else to do.

    // A nested path with a derived property at its end, of all processes.
    observations.bind(status, \.processes.counts, to: countsLine, \.text) {
      "Tasks    " + Format.counts($0)
    }

    // A nested path with a computed property at its end, of two others.
    observations.bind(status, \.memory.usage, to: memoryLine, \.text) {
      "Memory   " + Format.memory($0)
    }

    // A nested path through a link that is replaced all the time: it follows the command
    // of whichever process is busiest, and of no other.
    observations.bind(status, \.processes.busiest?.command, to: busiestLine, \.text) {
      "Busiest  " + Format.command($0 ?? "nobody")
    }
  }
}

extension HeaderViewModel: ObservationDelegate {
  func observeValue(
    at keyPath: AnyKeyPath, of object: AnyObject, change: ObservedChange<Any>,
    context: ObservationContext?
  ) {
    deliveries.addOne()
    switch keyPath {
    case \SystemStatus.minutesUp:
      uptimeLine.text = "Up       " + Format.uptime(minutes: change.newValue as? Int)
    case \SystemStatus.loadAverages:
      loadLine.text = "Load     " + Format.loadAverages(change.newValue as? LoadAverages)
    default:
      assertionFailure("nobody asked for \(keyPath)")
    }
  }
}
