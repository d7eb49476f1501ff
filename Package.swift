// swift-tools-version: 6.1

import PackageDescription

let package = Package(
  name: "ObservationController",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "ObservationController", targets: ["ObservationController"]),
    .executable(name: "Demo", targets: ["Demo"]),
  ],
  traits: [
    .trait(
      name: "Foundation",
      description:
        "Observes notifications, and names threads in messages. Without it the library needs the "
        + "standard library and Dispatch alone, and a static program is some fifty megabytes smaller."
    ),
    .default(enabledTraits: ["Foundation"]),
  ],
  targets: [
    .target(name: "ObservationController"),
    .executableTarget(name: "Demo", dependencies: ["ObservationController"]),
    .target(
      name: "TestSupport", dependencies: ["ObservationController"], path: "Tests/TestSupport"),
    .testTarget(
      name: "ObservationControllerTests",
      dependencies: ["ObservationController", "TestSupport"]),
    .testTarget(name: "ModelTests", dependencies: ["ObservationController", "TestSupport"]),
    .testTarget(
      name: "DemoTests",
      dependencies: ["Demo", "ObservationController", "TestSupport"],
      resources: [.copy("Fixtures")]),
  ],
  swiftLanguageModes: [.v6]
)
