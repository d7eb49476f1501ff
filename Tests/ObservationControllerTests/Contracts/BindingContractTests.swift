import ObservationController
import TestSupport
import XCTest

/// The contract of two-way bindings.
final class BindingContractTests: TestCase {
  private final class Tag: Equatable {
    static func == (left: Tag, right: Tag) -> Bool { true }
  }

  // MARK: C32: Both ends hold the value set last

  func test_C32_equalValue_setAtEitherEnd_isTheValueOfBoth() {
    let (a, b) = (Holder(Tag()), Holder(Tag()))
    let panel = Panel()
    panel.observations.bindTwoWay(a, \.value, with: b, \.value)
    XCTAssertTrue(a.value === b.value)
    for end in [a, a, b, b, a] {
      let tag = Tag()
      end.value = tag
      XCTAssertTrue(a.value === tag)
      XCTAssertTrue(b.value === tag)
    }
  }
}
