extension ObservedChange {
  /// Makes a change by hand, for a test that calls a handler.
  ///
  ///     viewModel.nameDidChange(ObservedChange(oldValue: "Ada", newValue: "Grace"))
  ///
  /// - Parameters:
  ///   - oldValue: The value before the change; `nil` for an observation without
  ///     ``ObservationOptions/old``.
  ///   - newValue: The value after the change; for a prior change, the one that is still there.
  ///   - isInitial: Whether it is the delivery that ``ObservationOptions/initial`` asks for.
  ///   - isPrior: Whether it is the delivery before the value is stored. An initial delivery is no
  ///     prior one.
  ///   - keyPath: The key path that the handler finds.
  ///   - context: The context that the handler finds.
  ///   - file: File of the call, for descriptions.
  ///   - line: Line of the call, for descriptions.
  /// - Complexity: O(1).
  public init(
    oldValue: Value? = nil, newValue: Value, isInitial: Bool = false, isPrior: Bool = false,
    keyPath: AnyKeyPath = \Value.self, context: ObservationContext? = nil,
    file: String = #fileID, line: UInt = #line
  ) {
    self.init(
      oldValue: oldValue, newValue: newValue,
      registration: ObservationRegistration(byHand: keyPath, context, file, line),
      kind: isInitial ? .initial : isPrior ? .prior : .change)
  }
}

extension ObservationRegistration {
  /// Registration of changes that are made by hand.
  convenience init(
    byHand keyPath: AnyKeyPath, _ context: ObservationContext? = nil, _ file: String, _ line: UInt
  ) {
    self.init(
      store: .ofNobody,
      request: ObservationRequest(
        KeyPathAccess(naming: keyPath), context: context, file: file, line: line),
      invoke: { _, _, _, _, _ in })
  }
}

extension ObservationStore {
  private final class Nobody: Sendable {}

  /// Store of registrations that are in no table.
  fileprivate static let ofNobody = ObservationStore(observer: Nobody(), retainsObserved: false)
}
