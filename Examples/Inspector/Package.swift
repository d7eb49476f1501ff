// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that neither the library nor the other examples depend on a server.
let package = Package(
  name: "Inspector",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Inspector", targets: ["Inspector"])],
  dependencies: [
    .package(name: "ObservationController", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.60.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.19.0"),
  ],
  targets: [
    .target(
      name: "Inspector",
      dependencies: [
        "ObservationController", .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        // Its locks are known to ThreadSanitizer, as those of Synchronization are not on Linux.
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ],
      resources: [.copy("Page")]),
    .executableTarget(
      name: "InspectorExample", dependencies: ["Inspector", "ObservationController"]),
    .testTarget(
      name: "InspectorTests",
      dependencies: [
        "Inspector", "ObservationController",
        .product(name: "HummingbirdTesting", package: "hummingbird"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
