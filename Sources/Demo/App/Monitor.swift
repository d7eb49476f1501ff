/// Models and view models, wired up.
///
///     Session ──▶ Monitor ──▶ SystemStatus ──▶ MemoryStatus, ProcessTable ──▶ ProcessRecord
///        ┆           ├──────▶ HeaderViewModel ╌╌▶ SystemStatus
///        ┆           └──────▶ ProcessTableViewModel ╌╌▶ ProcessTable, ProcessRecord
///        └╌╌╌╌╌╌╌▶ latest sample ◀── BackgroundSampler, on a queue of its own
///
/// All arrows are strong; the broken ones end when a controller goes. No model knows a
/// view model, so that letting go of the monitor lets go of everything.
final class Monitor {
  let status: SystemStatus
  let header: HeaderViewModel
  let table: ProcessTableViewModel
  let deliveries = DeliveryTally()
  private(set) var sampleCount = 0

  /// Nothing is known yet.
  init(order: ProcessOrder, rowCount: Int) {
    status = SystemStatus(order: order)
    header = HeaderViewModel(status: status, deliveries: deliveries)
    table = ProcessTableViewModel(
      processes: status.processes, rowCount: rowCount, deliveries: deliveries)
  }

  /// All lines, from the top down.
  var lines: [DisplayLine] { header.lines + table.lines }

  /// How many lines there are besides the rows.
  var fixedLineCount: Int { lines.count - table.rows.count }

  /// Applies a sample. The view models know when this returns.
  func apply(_ sample: SystemSample) {
    sampleCount += 1
    status.apply(sample)
  }
}
