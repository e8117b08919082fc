// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "serialterm-benchmarks",
  dependencies: [
    .package(name: "serialterm", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "AsyncBenchmark",
      dependencies: [
        "CAllocations",
        .product(name: "EventLoop", package: "serialterm"),
        .product(name: "Framing", package: "serialterm"),
        .product(name: "Loopback", package: "serialterm"),
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "SerialPorts", package: "serialterm"),
        .product(name: "Reconnecting", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "ObserverBenchmark",
      dependencies: [
        "CAllocations", "OpenCombine", .product(name: "Observing", package: "serialterm"),
      ]),
    .executableTarget(
      name: "PortsBenchmark",
      dependencies: [
        .product(name: "EventLoop", package: "serialterm"),
        .product(name: "Loopback", package: "serialterm"),
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
