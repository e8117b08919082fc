// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "serialterm-benchmarks",
  dependencies: [.package(name: "serialterm", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "ObservingBenchmark",
      dependencies: ["CAllocations", .product(name: "Observing", package: "serialterm")]),
  ],
  swiftLanguageModes: [.v6]
)
