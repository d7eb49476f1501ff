/// The column by which processes are sorted.
enum ProcessOrder: String, CaseIterable, Sendable {
  case processor = "cpu"
  case memory
  case identifier = "pid"
  case command = "name"

  /// Whether `first` stands before `second`: never for both ways round, and for one of them
  /// unless they are the same process. The busiest and the biggest come first.
  func areInOrder(_ first: ProcessRecord, _ second: ProcessRecord) -> Bool {
    switch self {
    case .processor where first.processorPercent != second.processorPercent:
      first.processorPercent > second.processorPercent
    case .memory where first.residentBytes != second.residentBytes:
      first.residentBytes > second.residentBytes
    case .command where first.command != second.command:
      first.command < second.command
    default:
      first.processIdentifier < second.processIdentifier
    }
  }

  /// The one that follows, and after the last one the first.
  var next: Self {
    let all = Self.allCases
    return all[(all.firstIndex(of: self)! + 1) % all.count]
  }

  /// The properties that ``areInOrder(_:_:)`` reads and that change.
  static var properties: [PartialKeyPath<ProcessRecord>] {
    [\.processorPercent, \.residentBytes, \.command]
  }
}
