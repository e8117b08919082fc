// swift-tools-version: 6.2
import PackageDescription

let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

// scripts/build links the archive, so that the program needs no further package.
let libyaml = Context.environment["SERIALTERM_LIBYAML"] ?? "yaml"

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
    .library(name: "Reconnecting", targets: ["Reconnecting"]),
    .library(name: "Loopback", targets: ["Loopback"]),
    // The types of system calls that a link or a simulated device of your own needs.
    .library(name: "Posix", targets: ["Posix"]),
    // The clocks: deadlines that nobody can set back.
    .library(name: "Time", targets: ["Time"]),
    // Lines and packets in received bytes, and the texts and regular expressions among them.
    .library(name: "Framing", targets: ["Framing"]),
    .library(name: "Patterns", targets: ["Patterns"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1")
  ],
  targets: [
    // MARK: Foundations: the system, and what everything else is built on.

    // libudev, and the few kernel interfaces that Glibc's Swift module lacks.
    .systemLibrary(
      name: "CUdev", path: "Sources/Foundations/CUdev", pkgConfig: "libudev",
      providers: [.apt(["libudev-dev"])]),
    // libyaml, for the configuration of ser2net. No library for other programs needs it.
    .systemLibrary(
      name: "CYaml", path: "Sources/Foundations/CYaml", providers: [.apt(["libyaml-dev"])]),
    .target(name: "CSerial", path: "Sources/Foundations/CSerial"),
    // Undoes what must not outlive the program, also when a signal ends it; written in C because Swift
    // code may not run in a signal handler.
    .target(name: "CExitGuard", path: "Sources/Foundations/CExitGuard"),
    // The arguments of main(), without /proc; in C because Swift's main() does not pass them on.
    .target(name: "CArguments", path: "Sources/Foundations/CArguments"),
    // Restores the user's terminal after a crash or SIGKILL; in C for the same reason, and because
    // Swift code may not run after fork(2).
    .target(
      name: "CTerminalGuard", dependencies: ["CExitGuard"],
      path: "Sources/Foundations/CTerminalGuard"),
    // Clocks, and times by them.
    .target(name: "Time", path: "Sources/Foundations/Time"),
    // System calls as Swift functions: errors, ownership of descriptors.
    .target(
      name: "Posix", dependencies: ["CExitGuard", "CSerial", "Time", system],
      path: "Sources/Foundations/Posix"),
    .target(
      name: "EventLoop", dependencies: ["CSerial", "Posix", "Time", system],
      path: "Sources/Foundations/EventLoop"),

    // MARK: Values: no clock, file or port; what comes in and what goes out are arguments.

    // Text from outside made harmless, numbers in words, JSON.
    .target(name: "TextTools", path: "Sources/Values/TextTools"),
    // Regular expressions, the one dialect of the program, and the search for what a device is
    // expected to send.
    .target(
      name: "Patterns", dependencies: ["TextTools"], path: "Sources/Values/Patterns"),
    // Telnet and serial ports on servers (RFC 2217).
    .target(name: "Telnet", path: "Sources/Values/Telnet"),
    // XMODEM, YMODEM and ZMODEM.
    .target(
      name: "TransferProtocols", dependencies: ["Framing", "TextTools"],
      path: "Sources/Values/TransferProtocols"),
    // Dialogues of scripts.
    .target(
      name: "Dialogues", dependencies: ["Patterns", "TextTools", "Time", "TransferProtocols"],
      path: "Sources/Values/Dialogues"),
    // The stages between a device's bytes and the screen, which can be fuzzed.
    .target(
      name: "TextStages", dependencies: ["Patterns", "TextTools", "Time"],
      path: "Sources/Values/TextStages"),
    // Lines and packets in received bytes, their checksums; frames as users see them: forms by name,
    // protocols of buses.
    .target(
      name: "Framing", dependencies: ["TextStages", "TextTools", "Time"],
      path: "Sources/Values/Framing"),
    // Addresses in text, the ELF files that explain them, and the answers of addr2line.
    .target(
      name: "Symbols", dependencies: ["TextTools"], path: "Sources/Values/Symbols"),
    // The messages of agents (MCP), and a device's bytes as text for them.
    .target(
      name: "ModelContext", dependencies: ["TextTools"], path: "Sources/Values/ModelContext"),
    // The lines of a program: which message is performed when, and what a cancel stops.
    .target(
      name: "ProgramCommands", dependencies: ["Framing", "TextTools"],
      path: "Sources/Values/ProgramCommands"),
    // Numbers in what a device sends, and curves of them.
    .target(
      name: "Plotting", dependencies: ["Patterns", "TextStages", "TextTools", "Time"],
      path: "Sources/Values/Plotting"),
    // The parameters of commands, declared once: reading words, help, completion.
    .target(
      name: "Options", dependencies: ["TextTools"], path: "Sources/Values/Options"),
    // Character encodings of devices, both ways.
    .target(
      name: "Encodings", dependencies: ["TextStages", "TextTools", "Time"],
      path: "Sources/Values/Encodings"),
    // Parsing of the configuration file.
    .target(
      name: "Configuration", dependencies: ["CYaml", "TextTools"],
      path: "Sources/Values/Configuration", linkerSettings: [.linkedLibrary(libyaml)]),

    // The model: it does not print, exit or parse arguments. SerialCore and DeviceWatch are independent
    // of each other.
    .target(name: "Observing"),
    .target(
      name: "SerialCore",
      dependencies: ["CSerial", "Observing", "Posix", "TextTools", "Time", system]),
    .target(
      name: "DeviceWatch", dependencies: ["CUdev", "Observing", "Posix", system]),

    // MARK: Sessions: what runs one on a loop, and what it needs besides its port.

    // Polling, reconnecting, draining.
    .target(
      name: "Reconnecting",
      dependencies: [
        "DeviceWatch", "EventLoop", "Observing", "Posix", "SerialCore", "Time", system,
      ],
      path: "Sources/Sessions/Reconnecting"),
    // Links over the network and over sockets.
    .target(
      name: "NetworkLinks",
      dependencies: [
        "CSerial", "EventLoop", "Observing", "Posix", "SerialCore", "Telnet", "TextTools", "Time",
        system,
      ],
      path: "Sources/Sessions/NetworkLinks"),
    // Pseudo-terminals with simulated devices.
    .target(
      name: "Loopback", dependencies: ["EventLoop", "Posix", "Time", system],
      path: "Sources/Sessions/Loopback"),
    // The formats of logs as pure values, and the thread that writes them.
    .target(
      name: "Logs",
      dependencies: [
        "Encodings", "Framing", "Plotting", "Posix", "TextStages", "TextTools", "Time", system,
      ],
      path: "Sources/Sessions/Logs"),
    // What a device sent last, in bounded memory, and searching it.
    .target(
      name: "Scrollback", dependencies: ["Logs", "Observing", "Patterns", "TextStages", "Time"],
      path: "Sources/Sessions/Scrollback"),
    // All of it for any front end: no terminal, no arguments, no exit statuses, no words for a user.
    .target(
      name: "Sessions",
      dependencies: [
        "DeviceWatch", "Dialogues", "Encodings", "EventLoop", "Framing", "Logs", "Loopback",
        "NetworkLinks", "Observing", "Patterns", "Posix", "Reconnecting", "Scrollback",
        "SerialCore", "Telnet", "TextStages", "TextTools", "Time", "TransferProtocols", system,
      ],
      path: "Sources/Sessions",
      exclude: ["Logs", "Loopback", "NetworkLinks", "Reconnecting", "Scrollback"]),

    // Serial ports for programs: an actor, and a port that blocks.
    .target(
      name: "SerialPorts",
      dependencies: [
        "DeviceWatch", "EventLoop", "Framing", "Observing", "Patterns", "Posix", "Reconnecting",
        "SerialCore", "Time", system,
      ]),

    // MARK: Terminal: what the user sees and types.

    // Keys, lists and lines of a terminal as values: no I/O, nothing specific to serialterm.
    .target(
      name: "TerminalWidgets", dependencies: ["TextTools"],
      path: "Sources/Terminal/TerminalWidgets"),
    // The user's terminal: screen, keyboard, dialogs. No sessions' fates, no arguments, no exit statuses.
    .target(
      name: "Terminal",
      dependencies: [
        "CTerminalGuard", "Encodings", "EventLoop", "Framing", "Observing", "Patterns", "Plotting",
        "Posix", "Scrollback", "SerialCore", "TerminalWidgets", "TextStages", "TextTools", "Time",
        system,
      ],
      path: "Sources/Terminal", exclude: ["TerminalWidgets"]),

    // The program.
    .executableTarget(
      name: "serialterm",
      dependencies: [
        "CArguments", "CTerminalGuard", "Configuration", "DeviceWatch", "Dialogues", "Encodings",
        "EventLoop",
        "Framing", "Logs", "Loopback", "ModelContext", "NetworkLinks", "Observing", "Options",
        "Patterns", "Plotting", "Posix", "ProgramCommands", "Reconnecting", "Scrollback",
        "SerialCore", "Sessions", "Symbols", "Telnet", "Terminal", "TerminalWidgets", "TextStages",
        "TextTools", "Time", "TransferProtocols", system,
      ]),

    // Shared by the tests of several modules.
    .target(
      name: "TestSupport",
      dependencies: [
        "DeviceWatch", "EventLoop", "Observing", "Posix", "Reconnecting", "SerialCore", "Sessions",
        "Terminal",
        "TerminalWidgets", "TextTools", "Time", system,
      ],
      path: "Tests/TestSupport"),

    // MARK: Tests: in the same layers.

    .testTarget(
      name: "TimeTests", dependencies: ["Time"], path: "Tests/Foundations/TimeTests"),
    .testTarget(
      name: "PosixTests", dependencies: ["Posix", "TestSupport", "Time", system],
      path: "Tests/Foundations/PosixTests"),
    .testTarget(
      name: "EventLoopTests", dependencies: ["CSerial", "EventLoop", "Posix", "Time", system],
      path: "Tests/Foundations/EventLoopTests"),
    .testTarget(
      name: "TextToolsTests", dependencies: ["TextTools"], path: "Tests/Values/TextToolsTests"),
    .testTarget(
      name: "PatternsTests", dependencies: ["Patterns", "TestSupport"],
      path: "Tests/Values/PatternsTests"),
    .testTarget(
      name: "FramingTests", dependencies: ["Framing", "TestSupport", "TextStages", "Time"],
      path: "Tests/Values/FramingTests"),
    .testTarget(
      name: "TelnetTests", dependencies: ["Telnet"], path: "Tests/Values/TelnetTests"),
    .testTarget(
      name: "SymbolsTests", dependencies: ["Symbols"], path: "Tests/Values/SymbolsTests"),
    .testTarget(
      name: "TransferProtocolsTests",
      dependencies: ["Framing", "TestSupport", "TransferProtocols"],
      path: "Tests/Values/TransferProtocolsTests"),
    .testTarget(
      name: "DialoguesTests", dependencies: ["Dialogues", "Patterns", "Time"],
      path: "Tests/Values/DialoguesTests"),
    .testTarget(
      name: "TextStagesTests",
      dependencies: [
        "TextStages", "Patterns", "TerminalWidgets", "TestSupport", "TextTools", "Time",
      ],
      path: "Tests/Values/TextStagesTests"),
    .testTarget(
      name: "ModelContextTests", dependencies: ["ModelContext", "TextTools"],
      path: "Tests/Values/ModelContextTests"),
    .testTarget(
      name: "ProgramCommandsTests", dependencies: ["Framing", "ProgramCommands", "TextTools"],
      path: "Tests/Values/ProgramCommandsTests"),
    .testTarget(
      name: "PlottingTests",
      dependencies: ["Plotting", "Patterns", "Posix", "TestSupport", "Time", system],
      path: "Tests/Values/PlottingTests"),
    .testTarget(
      name: "OptionsTests", dependencies: ["Options"], path: "Tests/Values/OptionsTests"),
    .testTarget(
      name: "EncodingsTests", dependencies: ["Encodings", "TestSupport", "TextStages", "Time"],
      path: "Tests/Values/EncodingsTests"),
    .testTarget(
      name: "ConfigurationTests", dependencies: ["Configuration"],
      path: "Tests/Values/ConfigurationTests"),
    .testTarget(
      name: "ObservingTests", dependencies: ["Observing", "TestSupport"]),
    .testTarget(
      name: "SerialCoreTests",
      dependencies: ["SerialCore", "CSerial", "Observing", "Posix", "TestSupport", "Time", system]),
    .testTarget(
      name: "DeviceWatchTests",
      dependencies: ["DeviceWatch", "Observing", "Posix", "TestSupport", "Time", system]),
    .testTarget(
      name: "ReconnectingTests",
      dependencies: [
        "Reconnecting", "DeviceWatch", "EventLoop", "Loopback", "Observing", "Posix", "SerialCore",
        "TestSupport", "Time", system,
      ],
      path: "Tests/Sessions/ReconnectingTests"),
    .testTarget(
      name: "NetworkLinksTests",
      dependencies: [
        "NetworkLinks", "EventLoop", "Observing", "Posix", "Reconnecting", "SerialCore", "Sessions",
        "Telnet", "TestSupport", "Time", system,
      ],
      path: "Tests/Sessions/NetworkLinksTests"),
    .testTarget(
      name: "LoopbackTests",
      dependencies: ["Loopback", "EventLoop", "Posix", "TestSupport", "Time", system],
      path: "Tests/Sessions/LoopbackTests"),
    .testTarget(
      name: "LogsTests",
      dependencies: [
        "Encodings", "Framing", "Logs", "Plotting", "Posix", "TestSupport", "TextStages", "Time",
        system,
      ],
      path: "Tests/Sessions/LogsTests"),
    .testTarget(
      name: "ScrollbackTests",
      dependencies: ["Scrollback", "Patterns", "TestSupport", "TextStages"],
      path: "Tests/Sessions/ScrollbackTests"),
    .testTarget(
      name: "SessionsTests",
      dependencies: [
        "DeviceWatch", "Dialogues", "Encodings", "EventLoop", "Framing", "Logs", "Loopback",
        "NetworkLinks", "Observing", "Patterns", "Posix", "Reconnecting", "SerialCore", "Sessions",
        "Telnet", "TestSupport", "TextStages", "TextTools", "Time", "TransferProtocols", system,
      ],
      path: "Tests/Sessions",
      exclude: [
        "LogsTests", "LoopbackTests", "NetworkLinksTests", "ReconnectingTests", "ScrollbackTests",
      ]),
    .testTarget(
      name: "SerialPortsTests",
      dependencies: [
        "Framing", "Patterns", "Posix", "SerialCore", "SerialPorts", "TestSupport", "Time", system,
      ]),
    // The products together with Foundation and Observation, as another program uses them.
    .testTarget(
      name: "LibraryClientTests",
      dependencies: [
        "DeviceWatch", "EventLoop", "Framing", "Loopback", "Observing", "Patterns", "Posix",
        "SerialCore", "SerialPorts", "Time", system,
      ]),
    .testTarget(
      name: "TerminalWidgetsTests",
      dependencies: ["TerminalWidgets", "TestSupport", "TextTools"],
      path: "Tests/Terminal/TerminalWidgetsTests"),
    .testTarget(
      name: "TerminalTests",
      dependencies: [
        "Terminal", "Encodings", "EventLoop", "Observing", "Plotting", "Posix", "Scrollback",
        "SerialCore", "TerminalWidgets", "TestSupport", "TextStages", "TextTools", "Time", system,
      ],
      path: "Tests/Terminal", exclude: ["TerminalWidgetsTests"]),
    .testTarget(
      name: "serialtermTests",
      dependencies: [
        "Configuration", "DeviceWatch", "Dialogues", "Encodings", "EventLoop", "Framing", "Logs",
        "NetworkLinks", "Observing", "Options", "Patterns", "Plotting", "Posix", "ProgramCommands",
        "Reconnecting", "Scrollback", "SerialCore", "Sessions", "Symbols", "Telnet", "Terminal",
        "TerminalWidgets", "TestSupport", "TextStages", "TextTools", "Time", "TransferProtocols",
        "serialterm", system,
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// All modules in Swift, besides the one that is compiled as another program is.
let exceptions = [
  "CArguments", "CExitGuard", "CSerial", "CTerminalGuard", "CUdev", "CYaml", "LibraryClientTests",
]
for target in package.targets where !exceptions.contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}
