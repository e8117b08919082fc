import Options
import Posix
import Symbols
import SystemPackage
import TextTools

/// The parameters for addresses in received text.
enum SymbolParameters {
  static let elf = Parameter<[String]>.list(
    "elf", "FILE",
    "Below a line with addresses of code, show function, file and line, from an ELF file with debug "
      + "information, or from a build folder. Can be repeated.",
    completion: .files,
    parse: { text in
      guard !text.isEmpty else { throw ValueError(text, expected: "an ELF file or a build folder") }
      return text
    })

  static let addr2line = Parameter<String?>.option(
    "addr2line", "PROGRAM",
    "The addr2line of the toolchain, or llvm-symbolizer's llvm-addr2line; by default found by the "
      + "machine of the ELF file.",
    completion: .command,
    parse: { text in
      guard !text.isEmpty else { throw ValueError(text, expected: "a program") }
      return text
    })

  static let decode = Parameter<Decoding?>.choice(
    "decode", "FORMAT",
    "Show binary logging as text: defmt, by defmt-print, with the file of --elf.")

  /// A kind of binary logging.
  enum Decoding: String, CaseIterable, Sendable {
    case defmt
  }

  static let section = ParameterSection("ADDRESSES", [elf, addr2line])
  static let sectionWithDecoding = ParameterSection("ADDRESSES", [elf, addr2line, decode])
}

extension Values {
  /// The ELF files whose addresses are explained, each with its program.
  ///
  /// - Throws: ``Failure`` with ``ExitStatus/usage`` if one cannot be used.
  var symbolFiles: [SymbolFile] {
    get throws(Failure) {
      var files: [SymbolFile] = []
      for text in self[SymbolParameters.elf] {
        let file = try SymbolFile(named: text, program: self[SymbolParameters.addr2line])
        if !files.contains(where: { $0.path == file.path }) { files.append(file) }
      }
      return files
    }
  }

  /// The command that makes text of the device's bytes: that of `--filter`, or of `--decode`.
  ///
  /// - Throws: ``Failure`` with ``ExitStatus/usage`` if it cannot be run.
  var filterCommand: String? {
    get throws(Failure) {
      guard let decoding = self[SymbolParameters.decode] else { return self[ViewParameters.filter] }
      let option = "--decode \(decoding.rawValue)"
      guard self[ViewParameters.filter] == nil else {
        throw Failure(.usage, "--filter and \(option) exclude each other.")
      }
      guard let file = try symbolFiles.first else {
        throw Failure(.usage, "\(option) needs the ELF file of the firmware: --elf FILE.")
      }
      let program = "defmt-print"
      guard ProgramSearch.file(of: program) != nil else {
        throw Failure(
          .usage, "\(option) needs \(program), which is not installed: cargo install \(program).")
      }
      return "exec \(program) -e \(file.path.string.shellWord)"
    }
  }
}

extension SymbolFile {
  /// Finds and checks what a user has named: an ELF file, or a build folder.
  ///
  /// - Parameter program: the program that the user has named; nil to find one.
  /// - Throws: ``Failure`` with ``ExitStatus/usage``.
  init(named text: String, program: String?) throws(Failure) {
    var (path, system, candidates) = (FilePath(text), String?.none, [String]())
    let name = text.harmless
    if (try? path.stat().type) == .directory {
      let found = try Self.find(in: path)
      path = found.path.hasPrefix("/") ? FilePath(found.path) : path.appending(found.path)
      system = found.system
      candidates = found.program.map { [$0] } ?? []
    }
    let shown = path.string.harmless
    let elf: ELFFile
    do throws(ELFError) {
      elf = try ELFReading.headers(of: path)
    } catch {
      let reason = (try? path.stat()) == nil && system == nil ? "there is no such file" : "\(error)"
      throw Failure(.usage, "--elf \(shown): \(reason).")
    }
    guard elf.hasLines || elf.hasSymbols else {
      throw Failure(
        .usage,
        "--elf \(shown): it is stripped, so it has no functions and no source lines. Name the file that "
          + "the linker has written.")
    }
    guard let program = try Self.program(for: elf, named: program, candidates) else {
      let tried = elf.machine.programs.joined(separator: ", ")
      throw Failure(
        .usage,
        "--elf \(name): no program reads its source lines; tried \(tried). Install "
          + "\(elf.machine.package), or name the one of your toolchain with --addr2line.")
    }
    self.init(path: path, elf: elf, program: program, buildSystem: system)
  }

  private static func program(
    for elf: ELFFile, named: String?, _ candidates: [String]
  ) throws(Failure) -> String? {
    if let named {
      guard let file = ProgramSearch.file(of: named) else {
        throw Failure(.usage, "--addr2line \(named.harmless): there is no such program.")
      }
      return file
    }
    for name in candidates + elf.machine.programs {
      if let file = ProgramSearch.file(of: name) { return file }
    }
    return nil
  }

  private static func find(in folder: FilePath) throws(Failure) -> BuildFolder.Found {
    let found = BuildFolder(
      list: { FolderContents(of: folder.appending($0)).entries.map(\.name) },
      read: { try? InputFile.read(found: folder.appending($0), atMost: 16 << 20) }
    ).find()
    let name = folder.string.harmless
    switch found.count {
    case 1: return found[0]
    case 0:
      throw Failure(
        .usage,
        "--elf \(name): no ELF file of ESP-IDF, Zephyr, PlatformIO or Arduino in this folder. Build the "
          + "project first, or name the file.")
    default:
      let names = found.map { "  --elf \(folder.appending($0.path).string.shellWord)" }
      throw Failure(
        .usage, "--elf \(name): several ELF files. Name one:\n" + names.joined(separator: "\n"))
    }
  }
}
