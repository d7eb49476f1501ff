import ObservationController

/// Performs an action when one of its values is computed for the first time.
package final class Opener {
  @Observed package var a = 1
  @Observed package var b = 2
  package let number = AtomicObserved(wrappedValue: 3)
  package private(set) var computations = 0
  private var onFirstRead: ((Opener) -> Void)?

  package init(_ onFirstRead: @escaping (Opener) -> Void) { self.onFirstRead = onFirstRead }

  /// A computed path over `a`.
  package var shown: Int {
    let action = onFirstRead.take()
    action?(self)
    return a
  }

  @Derived({ (opener: Opener) in
    opener.computations += 1
    return opener.shown
  }) package var derived: Int

  /// Actions that begin an observation whose initial handler reads `b`: of an ordinary property,
  /// and of an atomic one in a constant.
  package static func observing(
    by observations: ObservationController<LineRecorder>
  ) -> [(Opener) -> Void] {
    [
      {
        observations.observe($0, \.a, options: .initial) { recorder, opener, _ in
          recorder.write("initial \(opener.b)")
        }
      },
      {
        observations.observe($0, \.number.wrappedValue, options: .initial) { recorder, opener, _ in
          recorder.write("initial \(opener.b)")
        }
      },
    ]
  }
}
