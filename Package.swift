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
    // The port for other programs: async, or blocking.
    .library(name: "SerialPorts", targets: ["SerialPorts"]),
    .library(name: "Observing", targets: ["Observing"]),
    .library(name: "SerialCore", targets: ["SerialCore"]),
    .library(name: "DeviceWatch", targets: ["DeviceWatch"]),
    // The event loop that sessions run on, and simulated devices to test with.
    .library(name: "EventLoop", targets: ["EventLoop"]),
    // Runs a session on the event loop.
    .library(name: "SessionRunning", targets: ["SessionRunning"]),
    .library(name: "Loopback", targets: ["Loopback"]),
    // The types of system calls that a link or a simulated device of your own needs.
    .library(name: "Posix", targets: ["Posix"]),
    // Lines and packets in received bytes, and what is expected among them.
    .library(name: "Framing", targets: ["Framing"]),
    .library(name: "Expectations", targets: ["Expectations"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1")
  ],
  targets: [
    // libudev, and the few kernel interfaces that Glibc's Swift module lacks.
    .systemLibrary(name: "CUdev", pkgConfig: "libudev", providers: [.apt(["libudev-dev"])]),
    .target(name: "CSerial"),
    // Restores the user's terminal after a crash or SIGKILL; written in C because Swift code may not
    // run in a signal handler or after fork(2).
    .target(name: "CTerminalGuard"),

    // System calls as Swift functions: errors, ownership of descriptors, the monotonic clock.
    .target(name: "Posix", dependencies: ["CSerial", system], swiftSettings: strict),

    // The model: it does not print, exit or parse arguments. SerialCore and DeviceWatch are independent
    // of each other.
    .target(name: "CObserving"),
    .target(name: "Observing", dependencies: ["CObserving"], swiftSettings: strict),
    .target(
      name: "EventLoop", dependencies: ["CSerial", "Posix", system], swiftSettings: strict),
    .target(
      name: "SerialCore", dependencies: ["CSerial", "Observing", "PlainText", "Posix", system],
      swiftSettings: strict),
    .target(
      name: "DeviceWatch", dependencies: ["CUdev", "Observing", "Posix", system],
      swiftSettings: strict),
    .target(
      name: "Loopback", dependencies: ["EventLoop", "Posix", system], swiftSettings: strict),

    // Text from outside made harmless, numbers in words, JSON.
    .target(name: "PlainText", swiftSettings: strict),
    // Keys, lists and lines of a terminal as values: no I/O, nothing specific to serialterm.
    .target(name: "TerminalUI", dependencies: ["PlainText"], swiftSettings: strict),
    // Regular expressions, the one dialect of the program, as values.
    .target(name: "Patterns", swiftSettings: strict),
    // The stages between a device's bytes and the screen: pure values, which can be fuzzed.
    .target(name: "Views", dependencies: ["Patterns"], swiftSettings: strict),

    // Numbers in what a device sends, and curves of them, as values.
    .target(
      name: "Plotting", dependencies: ["Patterns", "PlainText", "Views"], swiftSettings: strict),

    // Logs: the formats as pure values, and the thread that writes them.
    .target(
      name: "Logs", dependencies: ["PlainText", "Plotting", "Posix", "Views", system],
      swiftSettings: strict),
    // What a device sent last, in bounded memory, and searching it.
    .target(
      name: "Scrollback", dependencies: ["Logs", "Patterns", "Views"], swiftSettings: strict),
    // Searching received bytes for one of several texts or regular expressions, as values.
    .target(name: "Expectations", dependencies: ["Patterns"], swiftSettings: strict),
    // Dialogues of scripts, as values.
    .target(
      name: "Scripting", dependencies: ["Expectations", "PlainText"], swiftSettings: strict),
    // Lines and packets in received bytes, as values.
    .target(name: "Framing", swiftSettings: strict),
    // Telnet and serial ports on servers (RFC 2217), as values.
    .target(name: "Telnet", swiftSettings: strict),
    // XMODEM, YMODEM and ZMODEM, as values.
    .target(name: "TransferProtocols", swiftSettings: strict),
    // The parameters of commands, declared once: reading words, help, completion.
    .target(name: "Options", dependencies: ["PlainText"], swiftSettings: strict),
    // Parsing of the configuration file.
    .target(name: "Configuration", swiftSettings: strict),

    // Links over the network and over sockets.
    .target(
      name: "NetworkLinks",
      dependencies: ["CSerial", "EventLoop", "PlainText", "Posix", "SerialCore", "Telnet", system],
      swiftSettings: strict),

    // What runs a session on a loop: polling, reconnecting, draining.
    .target(
      name: "SessionRunning",
      dependencies: ["DeviceWatch", "EventLoop", "Observing", "Posix", "SerialCore", system],
      swiftSettings: strict),

    // Serial ports for programs: an actor, and a port that blocks.
    .target(
      name: "SerialPorts",
      dependencies: [
        "DeviceWatch", "EventLoop", "Expectations", "Framing", "Observing", "Posix", "SerialCore",
        "SessionRunning", system,
      ],
      swiftSettings: strict),

    // What a session needs besides its port, for any front end: no terminal, no arguments, no exit
    // statuses, no words for a user.
    .target(
      name: "SessionKit",
      dependencies: [
        "DeviceWatch", "EventLoop", "Expectations", "Framing", "Logs", "Loopback", "NetworkLinks",
        "Observing", "PlainText", "Posix", "Scripting", "SerialCore", "SessionRunning", "Telnet",
        "TransferProtocols", "Views", system,
      ],
      swiftSettings: strict),

    // The user's terminal: screen, keyboard, dialogs. No sessions' fates, no arguments, no exit statuses.
    .target(
      name: "TerminalFrontEnd",
      dependencies: [
        "CTerminalGuard", "EventLoop", "Logs", "Patterns", "PlainText", "Plotting", "Posix",
        "Scrollback", "SerialCore", "TerminalUI", "Views", system,
      ],
      swiftSettings: strict),

    // The program.
    .executableTarget(
      name: "serialterm",
      dependencies: [
        "CTerminalGuard", "Configuration", "DeviceWatch", "EventLoop", "Expectations", "Framing",
        "Logs", "Loopback", "NetworkLinks", "Observing", "Options", "Patterns", "PlainText",
        "Plotting", "Posix", "Scripting", "Scrollback", "SerialCore", "SessionKit",
        "SessionRunning", "Telnet",
        "TerminalFrontEnd", "TerminalUI", "TransferProtocols", "Views", system,
      ],
      swiftSettings: strict),

    // Shared by the tests of several modules.
    .target(
      name: "TestSupport",
      dependencies: [
        "DeviceWatch", "EventLoop", "Posix", "SerialCore", "SessionKit", "SessionRunning",
        "TerminalFrontEnd", "TerminalUI", system,
      ],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "PosixTests", dependencies: ["Posix", "TestSupport", system], swiftSettings: strict),
    .testTarget(
      name: "ObservingTests", dependencies: ["Observing", "TestSupport"], swiftSettings: strict),
    // The products together with Foundation and Observation, as another program uses them.
    .testTarget(
      name: "LibraryClientTests",
      dependencies: [
        "DeviceWatch", "EventLoop", "Expectations", "Framing", "Loopback", "Observing", "Posix",
        "SerialCore", "SerialPorts", system,
      ]),
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
    .testTarget(name: "PatternsTests", dependencies: ["Patterns"], swiftSettings: strict),
    .testTarget(
      name: "ViewsTests", dependencies: ["Patterns", "TerminalUI", "TestSupport", "Views"],
      swiftSettings: strict),
    .testTarget(
      name: "PlottingTests",
      dependencies: ["Patterns", "Plotting", "Posix", "TestSupport", "Views", system],
      swiftSettings: strict),
    .testTarget(
      name: "NetworkLinksTests",
      dependencies: [
        "EventLoop", "NetworkLinks", "Posix", "SerialCore", "SessionKit", "SessionRunning",
        "Telnet", "TestSupport",
        system,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "FramingTests", dependencies: ["Framing", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "TelnetTests", dependencies: ["Telnet"], swiftSettings: strict),
    .testTarget(
      name: "TransferProtocolsTests", dependencies: ["TransferProtocols"], swiftSettings: strict),
    .testTarget(
      name: "ScrollbackTests", dependencies: ["Patterns", "Scrollback"], swiftSettings: strict),
    .testTarget(
      name: "ExpectationsTests", dependencies: ["Expectations", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ScriptingTests", dependencies: ["Expectations", "Scripting"], swiftSettings: strict),
    .testTarget(
      name: "OptionsTests", dependencies: ["Options", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["Configuration"], swiftSettings: strict),
    .testTarget(
      name: "LogsTests",
      dependencies: ["Logs", "Plotting", "Posix", "TestSupport", "Views", system],
      swiftSettings: strict),
    .testTarget(
      name: "SerialPortsTests",
      dependencies: [
        "DeviceWatch", "EventLoop", "Expectations", "Framing", "Posix", "SerialCore", "SerialPorts",
        "TestSupport",
        system,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SessionRunningTests",
      dependencies: [
        "DeviceWatch", "EventLoop", "Loopback", "Observing", "Posix", "SerialCore",
        "SessionRunning", "TestSupport", system,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SessionKitTests",
      dependencies: [
        "DeviceWatch", "EventLoop", "Expectations", "Logs", "Loopback", "NetworkLinks",
        "Observing", "PlainText", "Posix", "Scripting", "SerialCore", "SessionKit",
        "SessionRunning", "Telnet", "TestSupport", "TransferProtocols", "Views", system,
      ],
      swiftSettings: strict),
    .testTarget(name: "PlainTextTests", dependencies: ["PlainText"], swiftSettings: strict),
    .testTarget(
      name: "TerminalFrontEndTests",
      dependencies: [
        "EventLoop", "Logs", "Loopback", "PlainText", "Plotting", "Posix", "Scrollback",
        "SerialCore",
        "TerminalFrontEnd", "TerminalUI", "TestSupport", "Views", system,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "serialtermTests",
      dependencies: [
        "serialterm", "Configuration", "DeviceWatch", "EventLoop", "Logs", "Loopback",
        "NetworkLinks", "Observing", "Options", "PlainText", "Plotting", "Posix", "SerialCore",
        "SessionKit", "SessionRunning", "Telnet",
        "TerminalFrontEnd", "TerminalUI", "TestSupport", "TransferProtocols", "Patterns",
        "Scripting",
        "Scrollback", "Views", system,
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
