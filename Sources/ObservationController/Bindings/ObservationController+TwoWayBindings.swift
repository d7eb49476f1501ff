/// Keeping two properties in step, whichever of them is set.
///
/// Both are observed, and both observations end together, whichever of them ends, by the token or
/// with either object.
extension ObservationController {
  /// Sets `bKeyPath` of `b` to the value at `aKeyPath` of `a`, now and after each change, and the
  /// other way round.
  ///
  ///     observations.bindTwoWay(settings, \.volume, with: slider, \.value)
  ///
  /// Binding the same properties again, in whichever order, changes nothing and returns the first
  /// token. A key path that reads no observable property reports
  /// ``ObservationIssue/nothingObservable(keyPath:file:line:)``, sets nothing and returns an
  /// inactive token. A property that is bound to itself stays as it is. Both directions end
  /// together, by the token, by ``unobserve(_:_:)`` of either property, when either object goes,
  /// and with the controller.
  ///
  /// - Parameters:
  ///   - a: Kept alive until it is unobserved, if the controller retains.
  ///   - aKeyPath: A property, or any nested or computed path, that reads properties and can be
  ///     set.
  ///   - b: Held weakly. Takes the value of `a` first.
  ///   - bKeyPath: As `aKeyPath`. Either is set on the thread that made the change, before the
  ///     assignment returns, with no lock held.
  ///   - file: Where the binding stands, for issues and descriptions.
  ///   - line: Likewise.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As ``observe(_:_:options:context:isolation:file:line:handler:)``, and comparing
  ///   two values for each change. The binding keeps the last value of both ends.
  @discardableResult
  public func bindTwoWay<A: AnyObject, B: AnyObject, Value>(
    _ a: A, _ aKeyPath: ReferenceWritableKeyPath<A, Value>,
    with b: B, _ bKeyPath: ReferenceWritableKeyPath<B, Value>,
    file: String = #fileID, line: UInt = #line
  ) -> ObservationToken {
    bindTwoWay(
      a, aKeyPath, with: b, bKeyPath, isolation: nil, file: file, line: line,
      forward: { $0 }, backward: { $0 })
  }

  /// Sets `bKeyPath` of `b` to what `forward` makes of the value at `aKeyPath` of `a`, now and
  /// after each change, and the other way round by `backward`.
  ///
  ///     observations.bindTwoWay(
  ///       thermometer, \.celsius, with: display, \.fahrenheit,
  ///       forward: { $0 * 9 / 5 + 32 }, backward: { ($0 - 32) * 5 / 9 })
  ///
  /// The converters may lose information: the end that was set last keeps its value, and the other
  /// one is what that converts to; it is not converted back. But what is set by somebody else, a
  /// handler that limits the value just converted, say, is carried over in turn. Handlers that
  /// never agree are stopped as those of one property are, and reported as
  /// ``ObservationIssue/cycle(keyPath:file:line:)``.
  ///
  /// Values are told apart by `==`, objects that have none by identity. Other values can be bound
  /// too, but one that a handler of the other end sets while that is being delivered may be
  /// converted there and back.
  ///
  /// Everything else is as without converters.
  ///
  /// - Parameters:
  ///   - a: Kept alive until it is unobserved, if the controller retains.
  ///   - aKeyPath: As without converters.
  ///   - b: Held weakly. Takes what `forward` makes of the value of `a` first.
  ///   - bKeyPath: As without converters.
  ///   - isolation: As ``observe(_:_:options:context:isolation:file:line:handler:)`` has it.
  ///   - file: Where the binding stands, for issues and descriptions.
  ///   - line: Likewise.
  ///   - forward: Runs on the thread that made the change, before the assignment returns, with no
  ///     lock held. Released when the binding ends.
  ///   - backward: Likewise.
  /// - Returns: A token that ends this binding alone.
  /// - Complexity: As without converters.
  @discardableResult
  public func bindTwoWay<A: AnyObject, AValue, B: AnyObject, BValue>(
    _ a: A, _ aKeyPath: ReferenceWritableKeyPath<A, AValue>,
    with b: B, _ bKeyPath: ReferenceWritableKeyPath<B, BValue>,
    isolation: (any Actor)? = #isolation, file: String = #fileID, line: UInt = #line,
    forward: @escaping (AValue) -> BValue, backward: @escaping (BValue) -> AValue
  ) -> ObservationToken {
    let binding = TwoWayBinding(a, aKeyPath, b, bKeyPath, forward: forward, backward: backward)
    let (first, second) = (binding.first, binding.second)
    let request = second.target.request(of: first.keyPath, file: file, line: line)
    guard !binding.isOfItself else {
      return register(a, first.keyPath, request, isolation: nil) { _, _, _ in }
    }
    let token = register(
      a, first.keyPath, request, isolation: isolation,
      prepare: { token in
        // The second one is registered before the initial delivery of the first, which sets it.
        binding.begin(token)
        let request = first.target.request(
          of: second.keyPath, options: [], holdsWeakly: true, file: file, line: line)
        let partner = self.register(
          b, second.keyPath, request, isolation: isolation,
          prepare: binding.begin(second:)
        ) { _, b, _ in binding.secondDidChange(b) }
        self.store.pair(token, partner)
      },
      handler: { _, a, _ in binding.firstDidChange(a) })
    return store.first(ofPairWith: token)
  }
}
