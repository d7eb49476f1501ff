extension ObservationController {
  /// Registers each key path with the type that its values have, and hands them on as `Any`.
  func registerEach<Object: AnyObject>(
    _ object: Object, _ keyPaths: [PartialKeyPath<Object>], _ options: ObservationOptions,
    _ context: ObservationContext?, _ handlerKind: ObservationDescription.HandlerKind,
    _ isolation: (any Actor)?, _ file: String, _ line: UInt,
    handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> [ObservationToken] {
    guard !keyPaths.isEmpty else {
      ObservationDispatcher.report(.emptyKeyPaths(file: file, line: line))
      return []
    }
    return keyPaths.map { keyPath in
      let request = ObservationRequest(
        keyPath: keyPath, options: options, context: context, handlerKind: handlerKind,
        file: file, line: line)
      let valueType = type(of: keyPath).valueType
      return registerTyped(object, keyPath, valueType, request, isolation, handler)
    }
  }

  /// Receives the value type of a key path, opened.
  private func registerTyped<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: PartialKeyPath<Object>, _ valueType: Value.Type,
    _ request: ObservationRequest, _ isolation: (any Actor)?,
    _ handler: @escaping (Observer, Object, ObservedChange<Any>) -> Void
  ) -> ObservationToken {
    // Safe: every key path from `Object` to values of this type is a `KeyPath<Object, Value>`.
    let keyPath = unsafeDowncast(keyPath, to: KeyPath<Object, Value>.self)
    return register(object, keyPath, request, isolation: isolation) {
      handler($0, $1, $2.withValuesAsAny)
    }
  }
}
