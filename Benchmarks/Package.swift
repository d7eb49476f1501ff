// swift-tools-version: 6.1

import PackageDescription

// A package of its own, so that the library has no dependency. No flag makes anything here faster
// than it is in a package that uses the library with the default settings.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "ObservationController", path: ".."),
    // Without its traits: they would put counters of allocations and of retains into the process.
    .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    .target(name: "CSupport"),
    .target(
      name: "Workloads",
      dependencies: [
        "CSupport",
        "ObservationController",
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ]),
    .executableTarget(name: "Operation", dependencies: ["Workloads"]),
    .executableTarget(name: "Compare", dependencies: ["Workloads"]),
    .executableTarget(
      name: "Comparisons",
      dependencies: [
        "Workloads",
        .product(name: "Benchmark", package: "benchmark"),
      ],
      path: "Benchmarks/Comparisons",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)
