import TextTools

/// Finds the ELF file in the build folder of a build system.
///
/// Files in the folder come from outside: only names of files are taken from them.
public struct BuildFolder {
  /// Returns the names in a folder, given by its path in the build folder; empty for the build
  /// folder itself. None if it is no folder.
  public typealias Lister = (_ folder: String) -> [String]
  /// Returns the beginning of a file, at most a few megabytes; nil if it cannot be read.
  public typealias Reader = (_ file: String) -> [UInt8]?

  /// An ELF file.
  public struct Found: Hashable, Sendable {
    /// Its path in the build folder, or an absolute path.
    public let path: String
    /// The build system; empty if the folder is of none.
    public let system: String
    /// The name of addr2line in its toolchain, without a folder; nil if it is not known.
    public let program: String?

    init(_ path: String, _ system: String, program: String? = nil) {
      (self.path, self.system) = (path, system)
      self.program = program.flatMap { $0.contains("/") || $0.isEmpty ? nil : $0 }
    }
  }

  private let list: Lister
  private let read: Reader

  /// Creates the view of a folder.
  public init(list: @escaping Lister, read: @escaping Reader) {
    (self.list, self.read) = (list, read)
  }

  /// The ELF files: one, none, or several among which only the user can choose.
  public func find() -> [Found] {
    for place in ["", "build"] {
      if let found = espIDF(in: place) ?? zephyr(in: place) { return [found] }
    }
    for files in [zephyrImages, platformIO, arduino, plain] {
      let found = files()
      if !found.isEmpty { return found }
    }
    return []
  }

  private static func path(_ folder: String, _ name: String) -> String {
    folder.isEmpty ? name : "\(folder)/\(name)"
  }

  private func has(_ folder: String, _ name: String) -> Bool { list(folder).contains(name) }

  /// `project_description.json` of ESP-IDF.
  private func espIDF(in folder: String) -> Found? {
    guard let text = read(Self.path(folder, "project_description.json")),
      let object = try? JSON(parsing: text[...]), let name = object["app_elf"]?.string,
      !name.isEmpty
    else { return nil }
    let path = name.hasPrefix("/") ? name : Self.path(folder, name)
    return Found(
      path, "ESP-IDF", program: object["monitor_toolprefix"]?.string.map { "\($0)addr2line" })
  }

  /// The CMake cache of Zephyr. The folder may have been moved since the build.
  private func zephyr(in folder: String) -> Found? {
    let inside = Self.path(folder, "zephyr")
    guard let cache = read(Self.path(folder, "CMakeCache.txt")).map(Self.cache),
      let elf = cache["BYPRODUCT_KERNEL_ELF_NAME"],
      let name = elf.split(separator: "/").last.map(String.init), has(inside, name)
    else { return nil }
    let program = cache["CMAKE_ADDR2LINE"]?.split(separator: "/").last.map(String.init)
    return Found(Self.path(inside, name), "Zephyr", program: program)
  }

  /// The images of a build of Zephyr with sysbuild: the default one of `domains.yaml`, or all.
  private func zephyrImages() -> [Found] {
    for place in ["", "build"] {
      guard has(place, "build_info.yml") || has(place, "domains.yaml") else { continue }
      if has(Self.path(place, "zephyr"), "zephyr.elf") {
        return [Found(Self.path(place, "zephyr/zephyr.elf"), "Zephyr")]
      }
      let text = read(Self.path(place, "domains.yaml")).map { String(decoding: $0, as: UTF8.self) }
      let prefix = "default:"
      let standard = text?.split(separator: "\n").first { $0.hasPrefix(prefix) }
        .map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
      if let standard, !standard.contains("/"), let found = zephyr(in: Self.path(place, standard)) {
        return [found]
      }
      let found = list(place).sorted().compactMap { zephyr(in: Self.path(place, $0)) }
      if !found.isEmpty { return found }
    }
    return []
  }

  /// The entries `NAME:TYPE=VALUE` of a CMake cache that matter here.
  private static func cache(_ text: [UInt8]) -> [String: String] {
    var entries: [String: String] = [:]
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let line = String(decoding: line, as: UTF8.self)
      guard line.hasPrefix("BYPRODUCT_KERNEL_ELF_NAME:") || line.hasPrefix("CMAKE_ADDR2LINE:"),
        let equals = line.firstIndex(of: "="), let colon = line.firstIndex(of: ":")
      else { continue }
      entries[String(line[..<colon])] = String(line[line.index(after: equals)...])
    }
    return entries
  }

  /// `.pio/build/ENVIRONMENT/firmware.elf` of PlatformIO.
  private func platformIO() -> [Found] {
    for place in [".pio/build", "build", ""] {
      let found = list(place).sorted().filter { has(Self.path(place, $0), "firmware.elf") }
      if !found.isEmpty {
        return found.map { Found(Self.path(place, "\($0)/firmware.elf"), "PlatformIO") }
      }
    }
    return has("", "firmware.elf") ? [Found("firmware.elf", "PlatformIO")] : []
  }

  /// `SKETCH.ino.elf` of Arduino, which may be below a folder for each board.
  private func arduino() -> [Found] {
    let folders = ["", "build"] + list("build").sorted().map { "build/\($0)" }
    for folder in folders.prefix(100) {
      let found = list(folder).filter { $0.hasSuffix(".ino.elf") }.sorted()
      if !found.isEmpty { return found.map { Found(Self.path(folder, $0), "Arduino") } }
    }
    return []
  }

  /// Any `.elf` in the folder itself.
  private func plain() -> [Found] {
    list("").filter { $0.hasSuffix(".elf") }.sorted().map { Found($0, "") }
  }
}
