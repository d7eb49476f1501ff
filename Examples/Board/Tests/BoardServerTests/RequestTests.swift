import Hummingbird
import XCTest

@testable import BoardServer

/// What bad requests are answered, and that they change nothing.
@MainActor
final class RequestTests: XCTestCase {
  func test_badEdits_areRefusedWithASentence() async throws {
    try await BoardClient.run { client, board in
      let card = try await client.add("Call Grace")
      let long = String(repeating: "x", count: 201)
      let before = board.contents
      for (edit, status, sentence) in [
        (#""kind":"add","title":"A""#, 400, #"A card is added with a \"title\" to a \"column\"."#),
        (#""kind":"add","column":"Nowhere","title":"A""#, 400, "has a value that there is not."),
        (#""kind":"add","column":"Done","title":"""#, 400, "A title has 1 to 200 characters."),
        (#""kind":"add","column":"Done","title":"\#(long)""#, 400, "A title has 1 to 200"),
        (#""kind":"paint""#, 400, "has a value that there is not."),
        (#""kind":"remove""#, 400, "is not said."),
        (#""kind":"remove","card":"0""#, 404, "This card is gone."),
        (#""kind":"change","card":"\#(card)","estimate":1000"#, 400, "from 0 to 999."),
        (#""kind":"change","card":"\#(card)","estimate":"1""#, 400, "is of another type."),
        (#""kind":"move","card":"\#(card)""#, 400, "A card is moved to a"),
        (#""kind":"move","card":"\#(card)","column":"Done","before":"0""#, 404, "is gone."),
        (#""kind":"move","card":"\#(card)","column":"Done","before":"\#(card)""#, 409, "another"),
      ] {
        let answer = try await client.edit(edit)
        XCTAssertEqual(answer.status, status, edit)
        XCTAssertTrue(answer.text.hasPrefix(#"{"error":""#), answer.text)
        XCTAssertTrue(answer.text.contains(sentence), "\(edit): \(answer.text)")
      }
      let after = board.contents
      XCTAssertEqual(after, before)
    }
  }

  func test_badBodies_areRefusedWithASentence() async throws {
    try await BoardClient.run { client, _ in
      let large = #"{"client":"\#(String(repeating: "x", count: 20_000))"}"#
      for (path, body, status) in [
        ("/edits", "", 400), ("/edits", "[1", 400), ("/edits", "[]", 400), ("/edits", "{}", 400),
        ("/edits", large, 413), ("/undo", #"{"client":"nobody"}"#, 404),
        ("/redo", #"{"client":"\#(client.browser.id)"}"#, 409),
        ("/view", #"{"client":"nobody","search":""}"#, 404),
        ("/view", self.window(client, from: -1, to: 5), 400),
        ("/view", self.window(client, from: 5, to: 4), 400),
        ("/view", self.window(client, from: 0, to: .max), 400),
        ("/nowhere", "{}", 404),
      ] {
        let answer = try await client.post(path, body)
        XCTAssertEqual(answer.status, status, "\(path) \(body.prefix(80)): \(answer.text)")
        XCTAssertTrue(answer.text.hasPrefix(#"{"error":""#), answer.text)
      }
    }
  }

  func test_anotherSite_hasNoAccess() async throws {
    try await BoardClient.run { client, _ in
      let undo = #"{"client":"\#(client.browser.id)"}"#
      let form = try await client.post("/undo", undo, type: "text/plain")
      XCTAssertEqual(form.status, 415)
      let script = try await client.post("/undo", undo, [.origin: "http://example.com"])
      XCTAssertEqual(script.status, 403)
    }
  }

  func test_markupInATitle_staysText() async throws {
    try await BoardClient.run { client, board in
      _ = try await client.add(#"<img src=x onerror=\"alert(1)\">\u2028</script>"#)
      let title = board.board.cards.first?.title
      XCTAssertEqual(title, "<img src=x onerror=\"alert(1)\">\u{2028}</script>")
      var page = ShownPage()
      try page.apply(await client.browser.nextEvents() ?? "")
      XCTAssertEqual(page.columns["To do"]?.first?.title, title)
    }
  }

  private func window(_ client: BoardClient, from: Int, to: Int) -> String {
    #"{"client":"\#(client.browser.id)","window":{"column":"Done","from":\#(from),"to":\#(to)}}"#
  }
}
