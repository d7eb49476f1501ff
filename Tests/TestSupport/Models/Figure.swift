import ObservationController

/// Derived values of two numbers, in a diamond, a branch and a chain. Records its computations.
package final class Figure {
  @Observed package var a = 1
  @Observed package var b = 2
  @Observed package var isLarge = false
  @Observed package private(set) var secret = 7

  /// The computations, in order.
  package let computed = LineRecorder()

  @Derived({ (figure: Figure) in
    figure.computed.write("sum")
    return figure.a + figure.b
  }) package var sum: Int

  @Derived({ (figure: Figure) in
    figure.computed.write("double")
    return figure.a * 2
  }) package var double: Int

  @Derived({ (figure: Figure) in
    figure.computed.write("square")
    return figure.a * figure.a
  }) package var square: Int

  /// Reads two with a common dependency.
  @Derived({ (figure: Figure) in
    figure.computed.write("both")
    return "\(figure.a): \(figure.double) \(figure.square)"
  }) package var both: String

  @Derived({ (figure: Figure) in
    figure.computed.write("branch")
    return figure.isLarge ? figure.a : figure.b
  }) package var branch: Int

  /// Reads one derived value that reads another one, and no stored property.
  @Derived({ (figure: Figure) in
    figure.computed.write("text")
    return "\(figure.branch)"
  }) package var text: String

  @Derived({ (figure: Figure) in figure.secret + 1 }) package var next: Int

  package init() {}

  /// Computed each time, from derived values.
  package var plain: String { "\(sum) \(double)" }

  package func setSecret(_ value: Int) { secret = value }
}
