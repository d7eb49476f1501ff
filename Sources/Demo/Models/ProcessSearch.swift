/// Which processes the user asks for.
struct ProcessSearch: Equatable {
  /// In lower case; empty for all.
  let text: String
  let findsKernelThreads: Bool

  /// Whether command or number of a process contain the text.
  func finds(_ record: ProcessRecord) -> Bool {
    (findsKernelThreads || !record.isKernelThread)
      && (text.isEmpty || record.command.lowercased().contains(text)
        || String(record.processIdentifier) == text)
  }
}
