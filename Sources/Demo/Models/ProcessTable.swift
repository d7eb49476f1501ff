import ObservationController

/// All processes, in the order in which they are asked for.
final class ProcessTable {
  /// The busiest or the biggest first, and by identifier where they tie. Edited here alone.
  let records: ObservableArray<ProcessRecord> = []
  @Observed private(set) var order: ProcessOrder

  /// Derived: counted anew when the list has changed, or the state of a process in it, and not
  /// before somebody asks.
  @Derived({ (table: ProcessTable) in ProcessCounts(of: table.records.map(\.state)) })
  var counts: ProcessCounts

  /// The process that used most of a processor since the last sample, if one used any.
  @Derived({ (table: ProcessTable) in
    table.records.filter { $0.processorPercent > 0 }.min(by: ProcessOrder.processor.areInOrder)
  })
  var busiest: ProcessRecord?

  init(order: ProcessOrder = .processor) {
    self.order = order
  }

  /// Sorts the processes by `order`, now and from now on.
  func sort(by order: ProcessOrder) {
    self.order = order
    records.sort(by: order.areInOrder)
  }

  /// Makes the records what the samples say, as part of a transaction.
  ///
  /// A process keeps its record as long as it is listed. The list tells of one change, of the
  /// processes that ended, started and moved, with the changes of single processes after it.
  ///
  /// The list is sorted here rather than by a live view: that would move each process as soon as
  /// it changes, past others that are yet to change, and most of them back again.
  func apply(_ samples: [ProcessSample]) {
    var started = Dictionary(
      samples.map { ($0.processIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    records.removeAll { started[$0.processIdentifier] == nil }
    for record in records.elements {
      if let sample = started.removeValue(forKey: record.processIdentifier) {
        record.apply(sample)
      }
    }
    records.append(contentsOf: started.values.map(ProcessRecord.init))
    records.sort(by: order.areInOrder)
  }
}
