// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that the small examples stay light. With the trait `Mirror`, which needs
// the C library hiredis, several servers share a board: `swift run --traits Mirror Board --mirror
// redis://…`.
let package = Package(
  name: "Board",
  platforms: [.macOS(.v15)],
  traits: [.trait(name: "Mirror", description: "Shares a board by a stream of Redis or Valkey.")],
  dependencies: [
    .package(name: "ObservationController", path: "../.."),
    .package(name: "Inspector", path: "../Inspector"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .executableTarget(name: "Board", dependencies: ["BoardServer"]),
    .target(
      name: "BoardServer",
      dependencies: [
        "ObservationController",
        "Inspector",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .target(name: "CHiredis", condition: .when(traits: ["Mirror"])),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ],
      resources: [.copy("Page")]),
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .testTarget(
      name: "BoardServerTests",
      dependencies: [
        "BoardServer",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HummingbirdTesting", package: "hummingbird"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
