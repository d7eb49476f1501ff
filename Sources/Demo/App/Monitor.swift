/// Models and view models, wired up.
///
///     Session ──▶ Monitor ──▶ Sampler
///                    ├──────▶ SystemStatus ──▶ MemoryStatus, ProcessTable ──▶ ProcessRecord
///                    ├──────▶ HeaderViewModel ╌╌▶ SystemStatus
///                    └──────▶ ProcessTableViewModel ╌╌▶ ProcessTable, ProcessRecord
///
/// All arrows are strong; the broken ones end when a controller goes. No model knows a
/// view model, so that letting go of the monitor lets go of everything.
final class Monitor {
  let status: SystemStatus
  let header: HeaderViewModel
  let table: ProcessTableViewModel
  let deliveries = DeliveryTally()
  private(set) var sampleCount = 0

  private var sampler: Sampler

  /// Nothing is sampled yet.
  init(reader: any SystemReader, order: ProcessOrder, rowCount: Int) {
    sampler = Sampler(reader: reader)
    status = SystemStatus(order: order)
    header = HeaderViewModel(status: status, deliveries: deliveries)
    table = ProcessTableViewModel(
      processes: status.processes, rowCount: rowCount, deliveries: deliveries)
  }

  /// All lines, from the top down.
  var lines: [DisplayLine] { header.lines + table.lines }

  /// How many lines there are besides the rows.
  var fixedLineCount: Int { lines.count - table.rows.count }

  /// Takes a sample and applies it. The view models know when this returns.
  func takeSample() {
    let sample = sampler.sample()
    sampleCount += 1
    status.apply(sample)
  }
}
