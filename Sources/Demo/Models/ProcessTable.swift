import ObservationController

/// All processes, in the order in which they are asked for.
final class ProcessTable {
  /// The busiest or the biggest first, and by identifier where they tie. Edited here alone.
  let records: ObservableArray<ProcessRecord> = []
  @Observed private(set) var counts = ProcessCounts()
  @Observed private(set) var order: ProcessOrder

  init(order: ProcessOrder = .processor) {
    self.order = order
  }

  /// Sorts the processes by `order`, now and from now on.
  func sort(by order: ProcessOrder) {
    self.order = order
    records.sort(by: order.areInOrder)
  }

  /// Makes the records what the samples say.
  ///
  /// A process keeps its record as long as it is listed. The first samples set the list, for
  /// nothing is known to have started; all others are one change of it, of the processes that
  /// ended, started and moved, with the changes of single processes after it.
  ///
  /// The list is sorted here rather than by a live view: that would move each process as soon as
  /// it changes, past others that are yet to change, and most of them back again.
  ///
  /// The counts are assigned once for all processes. Computed, they would be computed anew for
  /// each change of each process.
  func apply(_ samples: [ProcessSample]) {
    counts = ProcessCounts(of: samples)
    var started = Dictionary(
      samples.map { ($0.processIdentifier, $0) }, uniquingKeysWith: { first, _ in first })
    guard !records.isEmpty else {
      records.setElements(started.values.map(ProcessRecord.init).sorted(by: order.areInOrder))
      return
    }
    records.performBatchUpdates {
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
}
