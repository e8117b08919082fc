// swift-tools-version: 6.2
import PackageDescription

/// A serial port as a channel of SwiftNIO. A package of its own, because building
/// SwiftNIO takes time.
let package = Package(
  name: "serialterm-nio-example",
  dependencies: [
    .package(name: "serialterm", path: "../.."),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "ReadWithNIO",
      dependencies: [
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "SystemPackage", package: "swift-system"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
