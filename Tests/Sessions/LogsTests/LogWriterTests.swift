import SystemPackage
import TestSupport
import Testing
import TextStages
import Time

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct LogWriterTests {
  /// The files of a log with a maximum size, from the first one to the last.
  private func files(of pieces: [String], _ format: LogFormat, size: Int) throws -> [String] {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("log")
    var options = Log.Options()
    options.format = format
    options.rotation = LogRotation(size: size)
    let log = try Log(LogName(path.string, port: "x"), options: options)
    for piece in pieces {
      Array(piece.utf8).withUnsafeBytes { log.append($0, .fromDevice) }
    }
    log.close()
    #expect(log.finish(by: .now + .seconds(60)))
    var paths: [FilePath] = []
    while case let next = FilePath("\(path).\(paths.count + 1)"), (try? next.stat()) != nil {
      paths.append(next)
    }
    return try (paths + [path]).map { text(try contents(of: $0)) }
  }

  private func contents(of path: FilePath) throws -> [UInt8] {
    let file = try FileDescriptor.open(path, .readOnly)
    return try file.closeAfter {
      try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  @Test func aLineIsInOneFile() throws {
    let pieces = (10..<40).flatMap { ["piece \($0) ", "and the rest\r\n"] }
    let files = try files(of: pieces, .text, size: 100)
    #expect(files.count > 3)
    var said = ""
    for file in files {
      #expect(file.hasSuffix("\n"))
      for line in file.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
        // `[2026-11-21T07:31:00.123456+01:00] `
        #expect(line.hasPrefix("[2") && line.dropFirst(33).hasPrefix("] "), "\(file)")
        #expect(line.count { $0 == "[" } == 1, "\(file)")
        #expect(line.hasSuffix(" and the rest"))
        said += line.dropFirst(35)
      }
    }
    #expect(said == pieces.joined().replacing("\r\n", with: ""))
  }
}
