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

    // A block, for each line needs one statement that nobody else calls. `.initial`, so
    // that the same statement shows the first text. `.distinct`, for a sample assigns
    // every value, and one that is what it was must not be drawn again.

    // A computed path: the uptime counts seconds, the line shows minutes.
    observations.observe(status, \.minutesUp, options: [.initial, .distinct]) {
      header, _, change in
      header.deliveries.addOne()
      header.uptimeLine.show("Up       " + Format.uptime(minutes: change.newValue))
    }

    // A plain property.
    observations.observe(status, \.loadAverages, options: [.initial, .distinct]) {
      header, _, change in
      header.deliveries.addOne()
      header.loadLine.show("Load     " + Format.loadAverages(change.newValue))
    }

    // A nested path.
    observations.observe(status, \.processes.counts, options: [.initial, .distinct]) {
      header, _, change in
      header.deliveries.addOne()
      header.countsLine.show("Tasks    " + Format.counts(change.newValue))
    }

    // A nested path with a computed property at its end, of two others.
    observations.observe(status, \.memory.usage, options: [.initial, .distinct]) {
      header, _, change in
      header.deliveries.addOne()
      header.memoryLine.show("Memory   " + Format.memory(change.newValue))
    }

    // A nested path through a link that is replaced all the time: it follows the command
    // of whichever process is busiest, and of no other.
    observations.observe(status, \.busiest?.command, options: [.initial, .distinct]) {
      header, _, change in
      header.deliveries.addOne()
      header.busiestLine.show("Busiest  " + Format.command(change.newValue ?? "nobody"))
    }
  }
}
