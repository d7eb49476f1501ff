/// What the processes are sorted by.
enum ProcessOrder: String, CaseIterable, Sendable {
  case processor = "cpu"
  case memory = "memory"

  /// Whether `first` stands before `second`: never for both ways round, and for one of them
  /// unless they are the same process.
  func areInOrder(_ first: ProcessRecord, _ second: ProcessRecord) -> Bool {
    let (firstKey, secondKey) = (key(of: first), key(of: second))
    return firstKey != secondKey
      ? firstKey > secondKey : first.processIdentifier < second.processIdentifier
  }

  /// What a record is sorted by; the greatest comes first.
  private func key(of record: ProcessRecord) -> Double {
    switch self {
    case .processor: record.processorPercent
    case .memory: Double(record.residentBytes)
    }
  }
}
