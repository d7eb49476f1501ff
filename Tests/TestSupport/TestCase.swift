import ObservationController
import XCTest

/// A test case that ends the observations of its controllers after each test, and that XCTest does
/// not delay.
///
/// XCTest retains each test case, and with it the objects in its properties: tests that examine all
/// observations would otherwise find those of all earlier tests.
open class TestCase: XCTestCase {
  // XCTest waits for both in a run loop, which misses one that ends before the loop has begun and
  // polls again after 100 ms. One that needs the main thread can't end before.

  override open func setUp() async throws { await MainActor.run {} }

  override open func tearDown() async throws { await MainActor.run {} }

  override open func invokeTest() {
    super.invokeTest()
    // Its own controllers, and those of its objects, such as an observer's.
    for value in Self.properties(of: self) {
      Self.endObservations(of: value)
      Self.properties(of: value).forEach(Self.endObservations)
    }
  }

  private static func endObservations(of value: Any) {
    (value as? any EndingObservations)?.unobserveAll()
  }

  /// The stored properties of an object; none of a value.
  private static func properties(of value: Any) -> [Any] {
    var mirror: Mirror? = Mirror(reflecting: value)
    if mirror?.displayStyle == .optional, let some = mirror?.children.first?.value {
      mirror = Mirror(reflecting: some)
    }
    guard mirror?.displayStyle == .class else { return [] }
    var properties: [Any] = []
    while let current = mirror {
      properties += current.children.map(\.value)
      mirror = current.superclassMirror
    }
    return properties
  }
}

/// Any controller.
private protocol EndingObservations {
  func unobserveAll()
}

extension ObservationController: EndingObservations {}
