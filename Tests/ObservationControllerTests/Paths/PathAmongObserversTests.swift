import ObservationController
import TestSupport
import XCTest

/// Paths beside observers of the properties that they read, as the random programs have found them
/// to differ from the model.
final class PathAmongObserversTests: TestCase {
  private final class Post {
    @Observed var number = 0
    @Observed var other = 0
    @Observed var next: Post?
    @Observed var list: ObservableArray<LineRecorder> = []
    var chosen: Int? { number.isMultiple(of: 2) ? other : next?.other }
    var sum: Int { number + other }
  }

  private let recorder = LineRecorder()
  private lazy var observations = ObservationController(observer: recorder)

  func test_C11_observerRemovedFromAnArray_isNotifiedOfThatByAPath() {
    let post = Post()
    var lines: [String] = []
    var observer: LineRecorder? = LineRecorder()
    let controller = ObservationController(observer: observer!)
    controller.observe(post, \.list.count) { _, _, change in lines.append("\(change.newValue)") }
    post.list.append(observer!)
    withObservationTransaction {
      observer = nil
      post.list.removeAll()
    }
    XCTAssertEqual(lines, ["1", "0"])
  }

  func test_C4_distinctPath_thatStaysEqual_hasAPriorDeliveryOfEachChange() {
    let post = Post()
    var left = 2
    observations.observe(post, \.number) { recorder, post, _ in
      recorder.write("number")
      guard left > 0 else { return }
      left -= 1
      post.number = 0
    }
    observations.observe(post, \.chosen, options: [.distinct, .prior]) { recorder, _, change in
      recorder.write(change.isPrior ? "prior" : "chosen")
    }
    post.number = 0
    XCTAssertEqual(recorder.events, ["prior", "number", "prior", "number", "prior", "number"])
  }

  func test_C10_path_thatAPriorHandlerLeadsAway_isNotifiedOfThatAlone() {
    let post = Post()
    post.number = 1
    observations.observe(post, \.next?.other, options: .prior) { recorder, post, change in
      recorder.write(change.isPrior ? "prior" : "next")
      if change.isPrior { post.number = 2 }
    }
    observations.observe(post, \.chosen) { recorder, _, change in
      recorder.write("chosen \(change.newValue ?? -1)")
    }
    post.next = Post()
    XCTAssertEqual(recorder.takeEvents(), ["prior", "chosen 0", "next"])
    post.next = nil
    XCTAssertEqual(recorder.events, ["prior", "chosen 0", "next"], "number is even by now")
  }

  func test_C8_cycle_amongBindings_namesThePathThatWasObservedFirst() {
    let (first, second) = (Post(), Post())
    let issues = collectingIssues {
      observations.observe(first, \.sum) { _, _, _ in }
      observations.bind(first, \.number, to: second, \.number)
      observations.bind(second, \.number, to: first, \.number)
    }
    guard case .cycle(\Post.sum, _, _)? = issues.first, issues.count == 1 else {
      return XCTFail("\(issues)")
    }
  }

  func test_C11_path_isDeliveredWithTheFirstOfItsChangesThatHasItsTurn() {
    let (root, post) = (Post(), Post())
    var left = 2
    root.next = post
    observations.observe(post, \.number) { recorder, post, _ in
      recorder.write("number")
      guard left > 0 else { return }
      left -= 1
      // The number has to wait for this delivery to end, the other change does not.
      withObservationTransaction {
        post.number = 0
        root.next = post
      }
    }
    observations.observe(root, \.next?.number) { recorder, _, _ in recorder.write("path") }
    post.number = 0
    XCTAssertEqual(recorder.events, ["number", "path", "path", "number", "path", "number"])
  }
}
