import ObservationController

/// All processes of the system, in the order in which it lists them.
final class ProcessTable {
  /// Edited here alone. Who shows some of them, or in another order, makes a live view.
  let records: ObservableArray<ProcessRecord> = []
  /// The number of the sample that was applied last, from 1. Observed by who needs every sample,
  /// also one that changes nothing.
  @Observed private(set) var sampleNumber = 0

  /// Derived: counted anew when the list has changed, or the state of a process in it, and not
  /// before it is read.
  @Derived({ (table: ProcessTable) in ProcessCounts(of: table.records.map(\.state)) })
  var counts: ProcessCounts

  /// The process that used most of a processor since the last sample, if one used any. Reads those
  /// alone that did, a live view of few among many.
  @Derived({ (table: ProcessTable) in table.active.min(by: ProcessOrder.processor.areInOrder) })
  var busiest: ProcessRecord?

  private lazy var active = records.filtered(on: [\.processorPercent]) { $0.processorPercent > 0 }

  /// Makes the records what the samples say, as part of a transaction.
  ///
  /// A process keeps its record as long as it is listed. At the end of the transaction the list
  /// delivers one change, with the processes that ended and started.
  ///
  /// - Parameter details: Of the process that is looked at more closely. Others keep theirs.
  func apply(_ samples: [ProcessSample], details: ProcessDetails? = nil) {
    sampleNumber += 1
    var started = Dictionary(
      samples.map { ($0.processIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    for record in records.elements {
      started.removeValue(forKey: record.processIdentifier)
        .map { record.apply($0, inSample: sampleNumber) }
    }
    let listed = Set(samples.map(\.processIdentifier))
    records.removeAll { !listed.contains($0.processIdentifier) }
    records.append(
      contentsOf: samples.compactMap {
        started.removeValue(forKey: $0.processIdentifier)
          .map { ProcessRecord($0, inSample: sampleNumber) }
      })
    if let details {
      records.first { $0.processIdentifier == details.processIdentifier }?.apply(details)
    }
  }
}
