import ObservationController

/// One row of the table: a place on the screen that shows now this process, now that.
///
/// Held by ``ProcessTableViewModel``. Observes itself, which keeps nobody alive.
final class ProcessRowViewModel {
  let line = DisplayLine()
  /// The process to show, if there are as many.
  @Observed var record: ProcessRecord?

  private let deliveries: DeliveryTally
  private lazy var observations = ObservationController(observer: self)

  /// Shows an empty row.
  init(deliveries: DeliveryTally) {
    self.deliveries = deliveries
    // An action: what a row does when it changes is its one task, and has a name. The
    // path reads the record and all that is shown of it, whichever record it is at the
    // time. `.distinct`, for 12.31 % and 12.34 % read the same.
    observations.observe(
      self, \.text, options: [.initial, .distinct], action: ProcessRowViewModel.textDidChange)
  }

  /// What the row says. Computed, and observed as it is.
  var text: String {
    guard let record else { return "" }
    return Format.row(
      processIdentifier: String(record.processIdentifier),
      state: String(record.state.rawValue),
      processorPercent: Format.fixed(record.processorPercent, digits: 1),
      residentBytes: Format.bytes(record.residentBytes),
      command: Format.command(record.command))
  }

  private func textDidChange(_ change: ObservedChange<String>) {
    deliveries.addOne()
    line.show(change.newValue)
  }
}
