// swift-tools-version: 6.2
import PackageDescription

// A package of its own: who builds serialterm, or uses its libraries, builds none of what is below.
let package = Package(
  name: "serialterm-web",
  products: [.executable(name: "serialterm-web", targets: ["serialterm-web"])],
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.0", traits: []),
  ],
  targets: [
    // A link to that of serialterm: the arguments of main(), without /proc.
    .target(name: "CArguments"),
    .executableTarget(
      name: "serialterm-web",
      dependencies: [
        "CArguments",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOWebSocket", package: "swift-nio"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      resources: [
        .embedInCode("Page/page.html"), .embedInCode("Page/page.css"),
        .embedInCode("Page/icon.svg"), .embedInCode("Page/page.js"),
        .embedInCode("Page/elements.js"),
        .embedInCode("Page/drawers.js"), .embedInCode("Page/keyboard.js"),
        .embedInCode("Page/log.js"), .embedInCode("Page/palette.js"),
        .embedInCode("Page/received.js"),
        .embedInCode("Page/screen.js"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ]),
    .testTarget(
      name: "serialterm-webTests",
      dependencies: [
        "serialterm-web", .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
