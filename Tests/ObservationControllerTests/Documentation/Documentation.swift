#if os(Linux) || os(macOS)
  import Foundation

  /// The documentation in the repository.
  enum Documentation {
    /// Code in a page or a comment.
    struct Example {
      /// The info string of the fence; `swift` in comments.
      let language: String
      let file: String
      let line: Int
      let code: String

      /// With its place, so that the compiler names it.
      var located: String { "#sourceLocation(file: \"\(file)\", line: \(line))\n\(code)\n" }
    }

    private static let sources = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/ObservationController")

    private static let catalogue = sources.appendingPathComponent("ObservationController.docc")

    /// The names of the pages; those that only sort the members of a type are in a folder of their
    /// own.
    static func pages() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: catalogue.path)
        .filter { $0.hasSuffix(".md") }.sorted()
    }

    /// Whether the examples in a page or a file observe notifications, which the package may be
    /// built without.
    static func needsNotifications(_ name: String) -> Bool {
      #if Foundation
        false
      #else
        ["EventsAndHooks.md", "ObservationController+Notifications.swift"].contains(name)
      #endif
    }

    static func text(ofPage page: String) throws -> String {
      try String(contentsOf: catalogue.appendingPathComponent(page), encoding: .utf8)
    }

    static func sourceFiles() -> [URL] {
      let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
      return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        .sorted { $0.path < $1.path }
    }

    /// Code between the fences of a page.
    static func examples(inPage page: String) throws -> [Example] {
      examples(in: try text(ofPage: page), of: page)
    }

    /// Code between the fences of a text in Markdown.
    static func examples(in text: String, of page: String) -> [Example] {
      var examples: [Example] = []
      var open: (language: String, line: Int, lines: [Substring])?
      for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      {
        let trimmed = line.drop { $0 == " " }
        guard trimmed.hasPrefix("```"), !trimmed.dropFirst(3).contains("`") else {
          open?.lines.append(line)
          continue
        }
        if let block = open {
          examples.append(
            Example(
              language: block.language, file: page, line: block.line,
              code: block.lines.joined(separator: "\n")))
          open = nil
        } else {
          open = (String(trimmed.dropFirst(3)), index + 2, [])
        }
      }
      return examples
    }

    /// The indented code in comments of public declarations.
    static func examples(inCommentsOf file: URL) throws -> [Example] {
      let lines = try String(contentsOf: file, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.drop { $0 == " " } }
      var examples: [Example] = []
      var comment: [(line: Int, text: Substring)] = []
      for (index, line) in lines.enumerated() {
        if line.hasPrefix("///") {
          comment.append((index + 1, line.dropFirst(3)))
        } else if !line.hasPrefix("@") {
          if line.contains("public ") {
            examples += code(in: comment, of: file.lastPathComponent)
          }
          comment = []
        }
      }
      return examples
    }

    /// Lines indented by four more than the text, after an empty line.
    private static func code(
      in comment: [(line: Int, text: Substring)], of file: String
    ) -> [Example] {
      var examples: [Example] = []
      var open: (line: Int, lines: [Substring])?
      func close() {
        guard let block = open else { return }
        examples.append(
          Example(
            language: "swift", file: file, line: block.line,
            code: block.lines.joined(separator: "\n")))
        open = nil
      }
      var isBehindEmptyLine = true
      for (line, text) in comment {
        if text.allSatisfy({ $0 == " " }) {
          open?.lines.append("")
          isBehindEmptyLine = true
        } else if text.hasPrefix("     "), open != nil || isBehindEmptyLine {
          if open == nil { open = (line, []) }
          open?.lines.append(text.dropFirst(5))
        } else {
          close()
          isBehindEmptyLine = false
        }
      }
      close()
      return examples
    }
  }
#endif
