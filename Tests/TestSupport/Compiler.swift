#if os(Linux) || os(macOS)
  import Foundation
  import XCTest

  /// The Swift compiler that built the tests, with checks of code that it refuses or accepts.
  package struct Compiler: Sendable {
    private let command: URL
    private let arguments: [String]

    /// Arguments by which the driver type-checks, without files. Through the driver each check
    /// takes three times as long.
    private let typeChecking: [String]

    /// Folder of the tests' own products.
    private let products: URL

    /// Finds compiler and module; skips the test where there is none, as in an Xcode project.
    package init() throws {
      let bundle = Bundle(for: Anchor.self).bundleURL
      let products = bundle.pathExtension == "xctest" ? bundle.deletingLastPathComponent() : bundle
      self.products = products
      let candidates = [products.appendingPathComponent("Modules"), products]
      let modules = candidates.first {
        FileManager.default.fileExists(
          atPath: $0.appendingPathComponent("ObservationController.swiftmodule").path)
      }
      guard let modules else {
        throw XCTSkip("no module ObservationController in \(products.path)")
      }
      let options = ["-swift-version", "6", "-I", modules.path]
      if let own = Self.besideTheStandardLibrary {
        (command, arguments) = (own, options)
      } else {
        (command, arguments) = (URL(fileURLWithPath: "/usr/bin/env"), ["swiftc"] + options)
      }
      typeChecking = try Self.typeChecking(by: command, arguments)
    }

    /// The driver is asked once, for the options that it adds on this platform.
    private static func typeChecking(by command: URL, _ arguments: [String]) throws -> [String] {
      if let known = knownTypeChecking.withLock({ $0 }) { return known }
      let request = arguments + ["-typecheck", "-wmo", "-###", "file.swift"]
      let answer = try Subprocess.run(command, request).output
      var words = answer.split(whereSeparator: \.isWhitespace).map(String.init)
      guard !answer.contains("\""), !answer.contains("\\"), words.count > 2,
        words.removeFirst().hasSuffix("swift-frontend"), words.first == "-frontend"
      else { return arguments + ["-typecheck", "-wmo"] }
      let prefix = arguments.first == "swiftc" ? ["swiftc"] : []
      let result = prefix + words.filter { $0 != "file.swift" }
      knownTypeChecking.withLock { $0 = result }
      return result
    }

    private static let knownTypeChecking = Guarded<[String]?>(nil)

    /// Type-checks all sources as one module.
    ///
    /// - Parameters:
    ///   - sources: By name; declarations of the same name in two of them are `private`.
    ///   - options: Of the compiler, beside those of the project.
    /// - Returns: The errors in each source, without their places.
    package func errors(
      in sources: [String: String], options: [String] = []
    ) throws -> [String: [String]] {
      let output = try output(of: sources, typeChecking + ["-parse-as-library"] + options)
      return sources.mapValues { _ in [] }.merging(Self.parse(output)) { _, new in new }
    }

    /// Type-checks scripts, whose statements may be at their top level; warnings are errors.
    ///
    /// - Returns: The errors, each after file and line.
    package func errors(inEachOf scripts: [String]) throws -> [String] {
      try each(scripts) { script in
        try output(of: ["script": script], typeChecking + ["-warnings-as-errors"])
          .split(separator: "\n")
          .filter { $0.contains(": error: ") && !$0.hasPrefix(" ") }
          .map(String.init)
      }.flatMap { $0 }
    }

    /// Builds each script with the objects that the tests consist of, and runs it; warnings are
    /// errors.
    ///
    /// - Returns: The output of each script; if it can't be built or fails, the error in its place.
    package func outputs(ofEachOf scripts: [String]) throws -> [String] {
      try withLinker { build in
        try scripts.map { script in
          let (program, messages) = try build(script, [])
          return try program.map { try Self.output(of: $0, []) } ?? messages
        }
      }
    }

    /// Builds a script as a release build does, and runs it once with each argument.
    ///
    /// - Returns: The outputs as those of `outputs(ofEachOf:)`.
    package func outputs(
      ofOptimized script: String, withEach arguments: [String]
    ) throws -> [String] {
      try withLinker { build in
        let (program, messages) = try build(script, ["-O"])
        return try arguments.map { argument in
          try program.map { try Self.output(of: $0, [argument]) } ?? messages
        }
      }
    }

    private static func output(of program: URL, _ arguments: [String]) throws -> String {
      let (status, output) = try Subprocess.run(
        program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"])
      return status == 0 ? output : "status \(status)\n\(output)"
    }

    /// Passes a function that builds a script, and returns the program, or `nil` and the messages.
    private func withLinker<Result>(
      _ body: (
        _ build: (_ script: String, _ options: [String]) throws -> (URL?, messages: String)
      ) throws -> Result
    ) throws -> Result {
      let folder = products.appendingPathComponent("ObservationController.build")
      let objects = try Self.objects(in: folder)
      guard let object = objects.first else { throw XCTSkip("no objects in \(folder.path)") }
      let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: place) }
      // A library first, since linking all objects with each script takes three times as long. One
      // after the other: drivers that link at once sometimes leave libraries out.
      let common = try arguments + ["-warnings-as-errors"] + Self.instrumentation(of: object)
      let library = place.appendingPathComponent("libTested.\(Self.libraryExtension)").path
      let link = ["-emit-library", "-o", library] + objects.map(\.path)
      let (status, messages) = try Subprocess.run(command, common + link)
      guard status == 0 else { return try body { _, _ in (nil, messages) } }
      let program = place.appendingPathComponent("program")
      let options = [
        "-L", place.path, "-lTested", "-Xlinker", "-rpath", "-Xlinker", place.path,
        "-o", program.path,
      ]
      return try body { script, more in
        try? FileManager.default.removeItem(at: program)
        let messages = try output(of: ["script": script], common + options + more)
        let isBuilt = FileManager.default.isExecutableFile(atPath: program.path)
        return (isBuilt ? program : nil, messages)
      }
    }

    #if os(macOS)
      private static let libraryExtension = "dylib"
    #else
      private static let libraryExtension = "so"
    #endif

    /// Runs the compiler on each script, as many at a time as there are processors.
    private func each<Answer: Sendable>(
      _ scripts: [String], _ ask: @Sendable (String) throws -> Answer
    ) throws -> [Answer] {
      let answers = Guarded<[Int: Result<Answer, any Error>]>([:])
      DispatchQueue.concurrentPerform(iterations: scripts.count) { index in
        let answer = Result { try ask(scripts[index]) }
        answers.withLock { $0[index] = answer }
      }
      return try scripts.indices.map { index in try answers.withLock { $0[index]! }.get() }
    }

    /// The objects of the last build. A folder keeps those of sources that have been removed since.
    private static func objects(in folder: URL) throws -> [URL] {
      struct Products: Decodable { let object: String? }
      let map = folder.appendingPathComponent("output-file-map.json")
      guard let data = try? Data(contentsOf: map) else { return [] }
      let products = try JSONDecoder().decode([String: Products].self, from: data)
      return products.values.compactMap(\.object).sorted().map { URL(fileURLWithPath: $0) }
    }

    /// The options that link what an object was instrumented for.
    private static func instrumentation(of object: URL) throws -> [String] {
      let code = try Data(contentsOf: object)
      return [
        ("__tsan_", "-sanitize=thread"), ("__asan_", "-sanitize=address"),
        ("__llvm_profile_", "-profile-generate"),
      ].filter { code.range(of: Data($0.0.utf8)) != nil }.map(\.1)
    }

    private func output(of sources: [String: String], _ arguments: [String]) throws -> String {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      let files = try sources.map { name, source in
        let file = folder.appendingPathComponent("\(name).swift")
        try Data(source.utf8).write(to: file)
        return file.path
      }
      let output = try Subprocess.run(command, arguments + files).output
      if output.contains("cannot be imported by") || output.contains("module compiled with") {
        throw XCTSkip("another compiler built the module: \(output)")
      }
      return output
    }

    /// Asserts that each source is refused with its error, and that `control` compiles, so that
    /// none is refused for another reason.
    package func assertRefuses(
      _ refusals: [String: (source: String, error: String)], control: String,
      file: StaticString = #filePath, line: UInt = #line
    ) throws {
      var sources = refusals.mapValues { "import ObservationController\n\($0.source)\n" }
      sources["control"] = "import ObservationController\n\(control)\n"
      let errors = try errors(in: sources)
      XCTAssertEqual(errors["control"], [], file: file, line: line)
      for (name, refusal) in refusals.sorted(by: { $0.key < $1.key }) {
        let found = errors[name] ?? []
        XCTAssertTrue(
          found.contains { $0.contains(refusal.error) }, "\(name): \(found)", file: file, line: line
        )
      }
      XCTAssertEqual(Set(errors.keys), Set(sources.keys), file: file, line: line)
    }

    /// Reads lines like `folder/name.swift:1:2: error: text`.
    private static func parse(_ output: String) -> [String: [String]] {
      var errors: [String: [String]] = [:]
      for line in output.split(separator: "\n") {
        guard let marker = line.range(of: ": error: "),
          let file = line[..<marker.lowerBound].split(separator: ":").first
        else { continue }
        let name = URL(fileURLWithPath: String(file)).deletingPathExtension().lastPathComponent
        let text = String(line[marker.upperBound...])
        if errors[name]?.contains(text) != true { errors[name, default: []].append(text) }
      }
      return errors
    }

    /// The compiler of the toolchain whose standard library this process has loaded, so that the
    /// search path does not matter. On macOS the system has that library, and no compiler by it.
    private static var besideTheStandardLibrary: URL? {
      // Not `String(contentsOfFile:)`, which ends after the first page of a file without a size.
      guard let file = FileHandle(forReadingAtPath: "/proc/self/maps"),
        let line = String(decoding: file.readDataToEndOfFile(), as: UTF8.self).split(
          separator: "\n"
        ).first(where: { $0.hasSuffix("/libswiftCore.so") }),
        let path = line.firstIndex(of: "/")
      else { return nil }
      // usr/lib/swift/linux/libswiftCore.so
      var folder = URL(fileURLWithPath: String(line[path...]))
      for _ in 1...4 { folder.deleteLastPathComponent() }
      let compiler = folder.appendingPathComponent("bin/swiftc")
      return FileManager.default.isExecutableFile(atPath: compiler.path) ? compiler : nil
    }

    /// Leads to the bundle of the tests.
    private final class Anchor {}
  }
#endif
