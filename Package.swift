// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "serialterm",
  products: [
    .executable(name: "serialterm", targets: ["serialterm"]),
    .library(name: "Observing", targets: ["Observing"]),
    .library(name: "SerialCore", targets: ["SerialCore"]),
    .library(name: "DeviceWatch", targets: ["DeviceWatch"]),
    // What sessions run on and can be tried with, for who wants no loop and no device of their own.
    .library(name: "EventLoop", targets: ["EventLoop"]),
    .library(name: "Loopback", targets: ["Loopback"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // The C library of udev, and the few kernel interfaces that Glibc's Swift module leaves out.
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .target(name: "CSerial"),
    // Restores the user's terminal after a crash or SIGKILL; no Swift may run in it.
    .target(name: "CTerminalGuard"),

    // System calls in Swift's terms: errno, ownership of descriptors, the monotonic clock.
    .target(name: "Posix", dependencies: [system], swiftSettings: strict),

    // The model: no printing, no exiting, no argument parsing. SerialCore and DeviceWatch do not
    // know each other.
    .target(name: "CObserving"),
    .target(name: "Observing", dependencies: ["CObserving"], swiftSettings: strict),
    .target(
      name: "EventLoop", dependencies: ["CSerial", "Posix", system], swiftSettings: strict),
    .target(
      name: "SerialCore", dependencies: ["CSerial", "Observing", "Posix", system],
      swiftSettings: strict),
    .target(
      name: "DeviceWatch", dependencies: ["CUdev", "Observing", "Posix", system],
      swiftSettings: strict),
    .target(
      name: "Loopback", dependencies: ["EventLoop", "Posix", system], swiftSettings: strict),

    // What is shown and typed at a terminal, as values: no I/O, nothing of ours.
    .target(name: "TerminalUI", swiftSettings: strict),
    // What a device's bytes go through before they are shown: pure values, fit to be fuzzed.
    .target(name: "Views", swiftSettings: strict),

    // Logs: their formats as pure values, and the thread that writes them.
    .target(name: "Logs", dependencies: ["Posix", "Views", system], swiftSettings: strict),
    // What commands that talk to a device by themselves decide: expectations and dialogues, as
    // values.
    .target(name: "Scripting", swiftSettings: strict),
    // The configuration file, read into values.
    .target(name: "Configuration", swiftSettings: strict),

    // The program.
    .executableTarget(
      name: "serialterm",
      dependencies: [
        "CTerminalGuard", "Configuration", "DeviceWatch", "EventLoop", "Logs", "Loopback",
        "Observing", "Posix", "Scripting", "SerialCore", "TerminalUI", "Views", system,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),

    // What the tests of several modules need.
    .target(
      name: "TestSupport", dependencies: ["Posix", system], path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(name: "PosixTests", dependencies: ["Posix", system], swiftSettings: strict),
    .testTarget(name: "ObservingTests", dependencies: ["Observing"], swiftSettings: strict),
    .testTarget(
      name: "EventLoopTests", dependencies: ["EventLoop", "Posix", system], swiftSettings: strict),
    .testTarget(
      name: "SerialCoreTests",
      dependencies: ["SerialCore", "CSerial", "Observing", "Posix", "TestSupport", system],
      swiftSettings: strict),
    .testTarget(
      name: "DeviceWatchTests",
      dependencies: ["DeviceWatch", "Observing", "Posix", "TestSupport", system],
      swiftSettings: strict),
    .testTarget(
      name: "LoopbackTests",
      dependencies: ["Loopback", "EventLoop", "Posix", "TestSupport", system],
      swiftSettings: strict),
    .testTarget(
      name: "TerminalUITests", dependencies: ["TerminalUI", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "ViewsTests", dependencies: ["TestSupport", "Views"], swiftSettings: strict),
    .testTarget(name: "ScriptingTests", dependencies: ["Scripting"], swiftSettings: strict),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["Configuration"], swiftSettings: strict),
    .testTarget(
      name: "LogsTests", dependencies: ["Logs", "Posix", "TestSupport", "Views", system],
      swiftSettings: strict),
    .testTarget(
      name: "serialtermTests",
      dependencies: [
        "serialterm", "Configuration", "DeviceWatch", "EventLoop", "Loopback", "Observing", "Posix",
        "SerialCore", "TerminalUI", "TestSupport", "Views", system,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
