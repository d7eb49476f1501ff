import ObservationController
import TestSupport
import XCTest

/// The formats of a graph.
final class GraphExportTests: TestCase {
  private let warden = Warden()
  private let otter = Otter()

  private func observe() -> UInt {
    warden.observations.observe(otter, \.call, options: []) { _, _, _ in }
    return #line - 1
  }

  func test_dot_smallGraph_isAllOfThis() {
    let line = observe()
    let text = ObservationGraph(observedBy: warden).dot
    XCTAssertTrue(text.hasPrefix("digraph observations {\n  rankdir=LR;\n"), text)
    XCTAssertTrue(text.hasSuffix("}\n"), text)
    let table =
      "shape=plain, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">"
    XCTAssertEqual(
      text.split(separator: "\n").filter { $0.hasPrefix("  n") && !$0.contains("sep=") }.dropFirst()
        .map(String.init),
      [
        "  n0 [\(table)<tr><td port=\"h\" bgcolor=\"#cfe3ff\"><b>Warden</b></td></tr></table>>];",
        "  n1 [shape=ellipse, style=filled, fillcolor=\"#fff4d6\", fontsize=9, label=\"controller, retains\"];",
        "  n2 [\(table)<tr><td port=\"h\" bgcolor=\"#e3f2df\"><b>Otter</b></td></tr>"
          + "<tr><td port=\"p3\" align=\"left\">call (derived)</td></tr>"
          + "<tr><td port=\"p4\" align=\"left\">name</td></tr></table>>];",
        "  n0:h -> n1 [style=solid, weight=4];",
        "  n1 -> n0:h [style=dashed, color=\"#999999\", constraint=false, arrowsize=0.6];",
        "  n1 -> n2:p3:w [style=solid, color=\"#1b5cb8\", label=\"block\\nGraphExportTests.swift:\(line)\"];",
        "  n2:p3:e -> n2:p4:e [style=dashed, color=\"#a0522d\", arrowhead=vee];",
      ])
  }

  func test_mermaid_smallGraph_isAllOfThis() {
    let line = observe()
    XCTAssertEqual(
      ObservationGraph(observedBy: warden).mermaid,
      """
      flowchart LR
        n0["Warden"]
        n1(["controller, retains"])
        subgraph n2["Otter"]
          n3["call (derived)"]
          n4["name"]
        end
        n0 --> n1
        n1 -.-> n0
        n1 -->|"block<br>GraphExportTests.swift:\(line)"| n3
        n3 -.->|"reads"| n4

      """)
  }

  func test_exports_anyLabel_isEscaped() {
    ObservationGraph.setLabel("a \"b\" <i>&amp;</i>\n\\n #1; `c`", for: otter)
    warden.observations.observe(otter, \.name, context: "x\"\\") { _, _, _ in }
    let graph = ObservationGraph(observedBy: warden)
    XCTAssertTrue(
      graph.dot.contains(
        "<b>Otter “a &quot;b&quot; &lt;i&gt;&amp;amp;&lt;/i&gt;<br/>\\n #1; `c`”</b>"), graph.dot)
    XCTAssertTrue(graph.dot.contains("context \\\"x\\\\\\\"\\\\\\\\\\\"\\nGraph"), graph.dot)
    XCTAssertTrue(
      graph.mermaid.contains(
        "[\"Otter “a #quot;b#quot; #lt;i#gt;#amp;amp;#lt;/i#gt;<br>\\n #35;1; #96;c#96;”\"]"),
      graph.mermaid)
  }

  func test_exports_syntaxWithAccents_isEscaped() {
    ObservationGraph.setLabel("\"\u{301} <\u{301} &\u{301} #\u{301}\r\n\u{1}x", for: otter)
    warden.observations.observe(otter, \.name) { _, _, _ in }
    let graph = ObservationGraph(observedBy: warden)
    XCTAssertTrue(
      graph.dot.contains(
        "“&quot;\u{301} &lt;\u{301} &amp;\u{301} #\u{301} <br/> x”</b>"), graph.dot)
    XCTAssertTrue(
      graph.mermaid.contains(
        "“#quot;\u{301} #lt;\u{301} #amp;\u{301} #35;\u{301} <br> x”\"]"), graph.mermaid)
  }

  func test_exports_names_haveNoAddresses() {
    otter.friend = Otter()
    warden.observations.observe(otter, \.friend?.pulse.rate) { _, _, _ in }
    warden.observations.bind(otter, \.name, to: Otter(), \.name)
    let graph = ObservationGraph(observedBy: warden)
    for text in [graph.dot, graph.mermaid] { XCTAssertFalse(text.contains("0x"), text) }
  }
}
