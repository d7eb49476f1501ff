import ObservationController
import TestSupport
import XCTest

/// Test case with a model and one recorder.
class TransactionTestCase: TestCase {
  let parcel = Parcel()
  let recorder = LineRecorder()
  private(set) lazy var observations = ObservationController(observer: recorder)

  /// Records changes of the property as `name: 1 → 2`.
  @discardableResult
  func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, as name: String,
    options: ObservationOptions = .old,
    then act: @escaping (ObservedChange<Value>) -> Void = { _ in }
  ) -> ObservationToken {
    observations.observe(
      object, keyPath, options: options, context: ObservationContext(name)
    ) { recorder, _, change in
      recorder.write("\(name): \(change)")
      act(change)
    }
  }

  /// Records changes of the array.
  @discardableResult
  func observeStamps(
    of parcel: Parcel, as name: String, elements: [PartialKeyPath<Stamp>] = [],
    options: ObservationOptions = []
  ) -> ObservationToken {
    observations.observeArray(
      parcel, \.stamps, elements: elements, options: options, context: ObservationContext(name)
    ) { recorder, _, change in recorder.write("\(name): \(change.line)") }
  }
}
