// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that the library has no dependency.
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [
    .package(name: "ObservationController", path: ".."),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
  ],
  targets: [
    .executableTarget(name: "FormExample", dependencies: ["ObservationController"]),
    .executableTarget(name: "ToDoExample", dependencies: ["ObservationController"]),
    .executableTarget(name: "DownloadsExample", dependencies: ["ObservationController"]),
    .executableTarget(
      name: "AsyncAlgorithmsExample",
      dependencies: [
        "ObservationController",
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
