import Foundation
import ObservationController
import TestSupport
import XCTest

/// The examples in the documentation of events, hooks and notifications, verbatim.
final class EventExampleTests: TestCase {
  func test_targetAndAction() {
    let saveButton = Button()
    let viewModel = SettingsViewModel(saveButton: saveButton)
    saveButton.tapped.send()
    XCTAssertEqual(viewModel.saves, 1)
  }

  func test_event() {
    let download = Download()
    let viewModel = DownloadViewModel(download)
    download.finished.send("report.pdf")
    XCTAssertEqual(viewModel.shown, ["report.pdf"])
  }

  func test_hook() {
    let document = Document()
    let editor = Editor()
    document.close()
    XCTAssertTrue(document.isClosed)

    document.isClosed = false
    document.isEdited = true
    document.close()
    XCTAssertFalse(document.isClosed)

    let observations = ObservationController(observer: editor)
    observations.handle(document.shouldClose) { editor, document in
      editor.asksToDiscard(document)
    }
    document.close()
    XCTAssertTrue(document.isClosed)
    XCTAssertEqual(editor.questions, 1)
  }

  #if Foundation
    func test_notification() {
      let account = Account()
      let viewModel = AccountViewModel(account)
      NotificationCenter.default.post(
        name: .accountDidChange, object: account, userInfo: ["balance": 1])
      NotificationCenter.default.post(name: .accountDidChange, object: Account())
      XCTAssertEqual(viewModel.balances, [1])
    }
  #endif
}

private final class Button {
  let tapped = ObservableEvent<Void>()
}

private final class SettingsViewModel {
  private lazy var observations = ObservationController(observer: self)

  init(saveButton: Button) {
    observations.observe(saveButton.tapped, action: SettingsViewModel.save)
  }

  private func save() { saves += 1 }

  // Omitted in the example.
  private(set) var saves = 0
}

private final class Download {
  let finished = ObservableEvent<String>()
}

private final class DownloadViewModel {
  private(set) var shown: [String] = []
  private lazy var observations = ObservationController(observer: self)

  init(_ download: Download) {
    observations.observe(download.finished) { viewModel, file in
      viewModel.show(file)
    }
  }

  private func show(_ file: String) { shown.append(file) }
}

private final class Document {
  let shouldClose = ObservableHook<Document, Bool> { document in !document.isEdited }

  func close() {
    if shouldClose(self) { isClosed = true }
  }

  // Omitted in the example.
  var isEdited = false
  var isClosed = false
}

private final class Editor {
  private(set) var questions = 0

  func asksToDiscard(_ document: Document) -> Bool {
    questions += 1
    return true
  }
}

#if Foundation
  extension Notification.Name {
    fileprivate static let accountDidChange = Notification.Name("accountDidChange")
  }

  private final class AccountViewModel {
    private(set) var balances: [Int] = []
    private lazy var observations = ObservationController(observer: self)

    init(_ account: Account) {
      observations.observe(.accountDidChange, from: account) { viewModel, notification in
        viewModel.reload(notification.userInfo)
      }
    }

    private func reload(_ values: [AnyHashable: Any]?) {
      balances.append(values?["balance"] as? Int ?? 0)
    }
  }
#endif
