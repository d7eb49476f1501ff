import Observation
import ObservationController
import TestSupport
import XCTest

/// A class whose property names no graph, trace or description of another test has learned.
final class DescribedPage {
  @Observed var title = ""
  @Observed var next: DescribedPage?
  @Observed var lines: ObservableArray<String> = []
  @AtomicObserved var reads = 0
  @Derived({ (page: DescribedPage) in page.title.count }) var length: Int

  /// A property without a name in reflection.
  var heading: String { "# " + title }
}

/// Observed when it has been deallocated before its observer.
private final class DroppedPage {
  @Observed var title = ""
}

/// Descriptions of observations: one line with all details.
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
    XCTAssertEqual(
      "\(controller.observations[0])",
      "\(name(observer)) observes \\DescribedPage.title of \(name(page)) [initial, old], context \"a\" "
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

  func test_description_ofDeallocatedObserverAndObject_saysSo() {
    let description = scoped {
      let controller = ObservationController(observer: SilentObserver())
      controller.observe(DroppedPage(), \.title) { _, _, _ in }
      return controller.observations[0]
    }
    XCTAssertNil(description.observer)
    XCTAssertNil(description.object)
    // The name in the system, or the type.
    let printed = String(reflecting: \DroppedPage.title)
    let keyPath = printed.contains("<computed ") ? "\\DroppedPage.‹String›" : printed
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

  func test_printedController_namesProperties_notAddresses() {
    let page = DescribedPage()
    page.next = DescribedPage()
    page.next?.next = DescribedPage()
    let controller = ObservationController(observer: observer)
    controller.observe(page, \.next?.next?.title) { _, _, _ in }
    controller.observe(page, \.title) { _, _, _ in }
    controller.observe(page, \.reads) { _, _, _ in }
    controller.observe(page, \.length) { _, _, _ in }
    controller.observe(page, \.heading) { _, _, _ in }
    controller.observeArray(page, \.lines) { _, _, _ in }
    let text = controller.debugDescription
    let names = text.split(separator: "\n").dropFirst().map { line in
      String(line.split(separator: " ")[2])
    }
    let heading = String(reflecting: \DescribedPage.heading)
    XCTAssertEqual(
      names,
      ["next?.next?.title?", "title", "reads", "length"].map { "\\DescribedPage.\($0)" }
        + [heading.contains("<computed ") ? "\\DescribedPage.‹String›" : heading]
        + ["\\DescribedPage.lines"], text)
  }

  func test_printedController_namesTrackedProperties() {
    final class TrackedPage: Observable {
      @TrackedObserved var title = ""
    }
    let page = TrackedPage()
    let controller = ObservationController(observer: observer)
    controller.observe(page, \.title) { _, _, _ in }
    let text = controller.debugDescription
    XCTAssertTrue(text.contains(" observes \\TrackedPage.title of TrackedPage@"), text)
  }

  func test_description_ofASubclassInstance_namesItsOwnClass() {
    let pupil = Pupil("Ada")
    let controller = ObservationController<AnyObject>(observer: observer)
    controller.observe(pupil as Student, \.name) { _, _, _ in }
    XCTAssertTrue("\(controller.observations[0])".contains(" of Pupil@"))
    XCTAssertTrue("\(controller.observations[0])".hasPrefix("SilentObserver@"))
  }
}
