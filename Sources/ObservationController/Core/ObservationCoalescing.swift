/// Which changes an observation on a queue or the main actor joins into one delivery.
///
///     observations.observeOnMainActor(download, \.progress, coalescing: .interval(.milliseconds(16))) {
///       view, _, change in view.bar.progress = change.newValue
///     }
///
/// A joined delivery has the first old and the last new value. An initial delivery that changes are joined
/// to stays one, with the last value. With ``ObservationOptions/distinct`` a joined delivery is left out if
/// both values are equal; ``ObservationOptions/prior`` has no meaning then and is left out.
///
/// A Boolean literal means ``latest`` or ``none``.
public enum ObservationCoalescing: Hashable, Sendable {
  /// One delivery for each change.
  case none

  /// One delivery for all changes that are made before it begins, so that at most one waits.
  ///
  /// While the target is busy, however many changes are one delivery. A target that is idle begins each
  /// delivery at once, so that it may receive nearly as many as there are changes: what draws on a screen,
  /// or else costs much, wants ``interval(_:)``.
  case latest

  /// At most one delivery in each interval, of all changes made before it begins.
  ///
  /// The first change after a pause is delivered at once, and what follows at the end of the interval, so
  /// that no change waits longer than that for a target that is idle. The interval is counted from the
  /// beginning of a delivery, by the clock of `DispatchTime`. One that is not positive means ``latest``.
  case interval(Duration)
}

extension ObservationCoalescing: ExpressibleByBooleanLiteral {
  /// Makes ``latest`` of `true`, and ``none`` of `false`.
  public init(booleanLiteral value: Bool) {
    self = value ? .latest : .none
  }
}
