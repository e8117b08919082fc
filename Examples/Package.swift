// swift-tools-version: 6.2
import PackageDescription

/// Small programs that use serialterm's libraries. docs/library.md explains them.
let package = Package(
  name: "serialterm-examples",
  dependencies: [
    .package(name: "serialterm", path: ".."),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "WatchDevices",
      dependencies: [
        .product(name: "DeviceWatch", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "AskDevice",
      dependencies: [
        .product(name: "Posix", package: "serialterm"),
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "FollowDevice",
      dependencies: [
        .product(name: "DeviceWatch", package: "serialterm"),
        .product(name: "Posix", package: "serialterm"),
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    .executableTarget(
      name: "AskPort",
      dependencies: [
        .product(name: "SerialPorts", package: "serialterm")
      ]),
    .executableTarget(
      name: "ReadWithActor",
      dependencies: [
        .product(name: "SerialPorts", package: "serialterm")
      ]),
    .executableTarget(
      name: "ReadWithDispatch",
      dependencies: [
        .product(name: "Posix", package: "serialterm"),
        .product(name: "SerialCore", package: "serialterm"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    // The program of the article in Sources/SerialPorts/SerialPorts.docc.
    .executableTarget(
      name: "PortLogger",
      dependencies: [
        .product(name: "SerialPorts", package: "serialterm")
      ]),
  ],
  swiftLanguageModes: [.v6]
)
