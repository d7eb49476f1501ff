import ObservationController
import TestSupport
import XCTest

/// What transactions change: two numbers, a text, links, arrays, and paths that read several of them.
final class Parcel {
  @Observed var width = 1
  @Observed var height = 2
  @Observed var label = "box"
  @Observed var note: String?
  @Observed var layers: [Int] = []
  @Observed var content: Parcel?
  @Observed var stamps: ObservableArray<Stamp> = []
  @Observed var spares: [Stamp] = []

  init(width: Int = 1, height: Int = 2) {
    self.width = width
    self.height = height
  }

  /// Reads both numbers, one of them twice.
  var area: Int { width * height + width * 0 }

  /// Reads the same numbers further down.
  var innerArea: Int { (content?.width ?? 0) * (content?.height ?? 0) }
}

/// What arrays hold.
final class Stamp: CustomStringConvertible {
  let letter: String
  @Observed var price: Int

  init(_ letter: String, price: Int = 1) {
    self.letter = letter
    self.price = price
  }

  var description: String { letter }
}

/// A test of what one recorder writes down.
class TransactionTestCase: TestCase {
  let parcel = Parcel()
  let recorder = LineRecorder()
  private(set) lazy var observations = ObservationController(observer: recorder)

  /// Has the recorder write changes of the property as `name: 1 → 2`.
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

  /// Has the recorder write changes of the array.
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
