import Synchronization

/// Sets a property to what becomes of the values of another one.
///
///     info ──▶ handler ──▶ binding ──▶ info      strong, until the observation ends
///                             └┄┄▶ target        weak
///
/// Keeps no value.
@usableFromInline
final class OneWayBinding<Target: AnyObject, Value> {
  private let target: BindingTarget
  private let keyPath: ReferenceWritableKeyPath<Target, Value>

  /// Whether the source is the property that is set.
  @usableFromInline let isOfItself: Bool

  private let token = OwnToken()

  /// Counts the values that have been made, to notice newer ones.
  private let lastTurn = Atomic<UInt64>(0)

  @usableFromInline
  init(
    of source: AnyObject, _ sourceKeyPath: AnyKeyPath, to target: Target,
    _ keyPath: ReferenceWritableKeyPath<Target, Value>
  ) {
    self.target = BindingTarget(target, keyPath, isTwoWay: false)
    self.keyPath = keyPath
    isOfItself = self.target.isProperty(of: source, at: sourceKeyPath)
  }

  /// What to register for the source.
  @usableFromInline
  func request(of keyPath: AnyKeyPath, file: String, line: UInt) -> ObservationRequest {
    target.request(of: keyPath, file: file, line: line)
  }

  @usableFromInline
  func begin(_ token: ObservationToken) {
    self.token.set(token)
  }
}

extension OneWayBinding {
  /// Sets the target to what `make` returns; ends the binding if the target has gone.
  ///
  /// Nothing happens if the binding has ended meanwhile, or if the source has been set and that has
  /// been delivered: in its initial delivery `make` may do so, or another thread.
  ///
  /// - Parameter make: Calls the user; receives the target.
  @usableFromInline
  func set(_ make: (Target) -> Value) {
    guard let object = target.object else { return token.end() }
    // Safe: `init` took it as a `Target`.
    let target = unsafeDowncast(object, to: Target.self)
    let turn = lastTurn.wrappingAdd(1, ordering: .relaxed).newValue
    let value = make(target)
    guard token.isActive, lastTurn.load(ordering: .relaxed) == turn else { return }
    // Set again and again otherwise, since setting it is a change of the source.
    if isOfItself, isEqual(value, target[keyPath: keyPath]) { return }
    target[keyPath: keyPath] = value
  }

  private func isEqual(_ left: Value, _ right: Value) -> Bool {
    withUnsafePointer(to: left) { left in
      withUnsafePointer(to: right) { ValueEquality.forDistinct(of: Value.self)(left, $0) }
    }
  }
}
