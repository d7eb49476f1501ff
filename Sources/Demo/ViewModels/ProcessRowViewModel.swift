import ObservationController

/// The row of one process, as long as that is in sight.
///
/// Held by ``ProcessTableViewModel``. Keeps the record alive; its observation ends with it.
final class ProcessRowViewModel {
  let record: ProcessRecord
  let line = DisplayLine()

  private lazy var observations = ObservationController(observer: self)

  init(_ record: ProcessRecord) {
    self.record = record

    // A computed path, which reads four properties. The line is set once for each transaction in
    // which one of them changed, whichever it was.
    observations.bind(record, \.row, to: line, \.text)
  }
}

extension ProcessRecord {
  /// The row of the process in the table.
  var row: StyledText { Format.row(self) }
}
