import Framing
import Glibc
import Posix
import Symbols
import SystemPackage
import TextTools

/// An ELF file that explains addresses, and the program that reads its source lines.
struct SymbolFile: Hashable, Sendable {
  /// The path. A rebuild may replace the file.
  let path: FilePath
  /// What its headers said when it was read.
  let elf: ELFFile
  /// The file of addr2line, or of a program with the same options and output.
  let program: String
  /// Whose build folder it was found in, if a folder was given: `Zephyr`; empty for another folder.
  var buildSystem: String?

  /// The name for messages.
  var name: String { path.lastComponent?.string.harmless ?? path.string.harmless }

  /// The message about a file that was found in a folder.
  var finding: String {
    let place = buildSystem.flatMap { $0.isEmpty ? nil : "the folder of \($0)" } ?? "this folder"
    return "addresses: \(path.string.harmless), found in \(place)."
  }
}

/// The bytes of an ELF file.
enum ELFReading {
  /// Reads the headers of a file.
  ///
  /// - Throws: ``ELFError``.
  static func headers(of path: FilePath) throws(ELFError) -> ELFFile {
    let file = try open(path)
    return try ELFFile { (offset, count) throws(ELFError) in
      guard offset <= UInt64(Int64.max) else { return [] }
      do throws(Errno) {
        return try file.borrowed.bytes(at: Int(offset), count: count)
      } catch {
        throw .unreadable("\(error)")
      }
    }
  }

  /// The SHA-256 of a file; nil if it cannot be read. It takes a second for some 100 MB.
  static func sha256(of path: FilePath) -> [UInt8]? {
    guard let file = try? open(path) else { return nil }
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      guard
        let count = try? systemCall({
          read(file.borrowed.rawValue, buffer.baseAddress, buffer.count)
        })
      else { return nil }
      guard count > 0 else { return hash.finished() }
      hash.add(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// An open file. A class, because a closure cannot own a descriptor.
  private final class File {
    let owned: OwnedDescriptor
    var borrowed: FileDescriptor { owned.borrowed }
    init(_ owned: consuming OwnedDescriptor) { self.owned = owned }
  }

  private static func open(_ path: FilePath) throws(ELFError) -> File {
    do throws(Errno) {
      // Without O_NONBLOCK, opening a named pipe would block.
      let owned = try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
      guard try owned.borrowed.stat().type == .regular else { throw Errno.invalidArgument }
      return File(owned)
    } catch .invalidArgument {
      throw .unreadable("not a file")
    } catch {
      throw .unreadable("\(error)")
    }
  }
}
