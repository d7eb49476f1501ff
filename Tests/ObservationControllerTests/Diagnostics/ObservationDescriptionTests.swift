import ObservationController
import TestSupport
import XCTest

/// Whose key paths no graph or trace of another test has learned the names of, which would be printed.
final class DescribedPage {
  @Observed var title = ""
}

/// How an observation prints: on one line that names everything.
final class ObservationDescriptionTests: TestCase {
  private let observer = SilentObserver()
  private let person = Person()

  private func name(_ object: AnyObject) -> String {
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    return "\(type(of: object))@\(String(address, radix: 16))"
  }

  private func description(
    _ options: ObservationOptions, _ context: ObservationContext?
  ) -> ObservationDescription {
    let controller = ObservationController(observer: observer)
    controller.observe(person, \.name, options: options, context: context) { _, _, _ in }
    return controller.observations[0]
  }

  func test_description_namesEverythingOnOneLine() {
    let page = DescribedPage()
    let controller = ObservationController(observer: observer)
    let line: UInt = #line + 1
    controller.observe(page, \.title, options: [.initial, .old], context: "a") { _, _, _ in }
    let keyPath = String(reflecting: \DescribedPage.title)
    XCTAssertEqual(
      "\(controller.observations[0])",
      "\(name(observer)) observes \(keyPath) of \(name(page)) [initial, old], context \"a\" "
        + "by block at \(#fileID):\(line)")
  }

  func test_description_ofWhateverOptionsAndContext_hasNoLineBreak() {
    for rawValue in UInt8(0)..<16 {
      for context in [nil, "a", ObservationContext()] as [ObservationContext?] {
        let options = ObservationOptions(rawValue: rawValue)
        let text = "\(description(options, context))"
        XCTAssertFalse(text.contains("\n"), text)
        let suffix = context.map { ", context \($0) by block at " } ?? " by block at "
        XCTAssertTrue(text.contains("\(options)\(suffix)"), text)
      }
    }
  }

  func test_description_ofAContextWithALineBreak_isStillOneLine() {
    let text = "\(description(.old, "two\nlines"))"
    XCTAssertFalse(text.contains("\n"), text)
  }

  func test_description_withoutContext_doesNotMentionIt() {
    XCTAssertFalse("\(description(.old, nil))".contains("context"))
  }

  func test_description_whenBothHaveGone_saysSo() {
    let description = scoped {
      let controller = ObservationController(observer: SilentObserver())
      controller.observe(DescribedPage(), \.title) { _, _, _ in }
      return controller.observations[0]
    }
    XCTAssertNil(description.observer)
    XCTAssertNil(description.object)
    let keyPath = String(reflecting: \DescribedPage.title)
    XCTAssertTrue(
      "\(description)".hasPrefix("(gone) observes \(keyPath) of (gone) [old] by block at "),
      "\(description)")
  }

  func test_description_doesNotCallTheObjectsOwn() {
    final class Chatty: CustomStringConvertible {
      @Observed var count = 0
      var description: String { fatalError("not to be called") }
    }
    let chatty = Chatty()
    let controller = ObservationController(observer: observer)
    controller.observe(chatty, \.count) { _, _, _ in }
    XCTAssertTrue("\(controller.observations[0])".contains("Chatty@"))
  }

  func test_description_ofASubclassInstance_namesItsOwnClass() {
    let pupil = Pupil("Ada")
    let controller = ObservationController<AnyObject>(observer: observer)
    controller.observe(pupil as Student, \.name) { _, _, _ in }
    XCTAssertTrue("\(controller.observations[0])".contains(" of Pupil@"))
    XCTAssertTrue("\(controller.observations[0])".hasPrefix("SilentObserver@"))
  }
}
