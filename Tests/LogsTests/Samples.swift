import Glibc
import Posix
import SystemPackage
import TestSupport
import Views

@testable import Logs

/// 2026-11-21T06:31:00.123456789Z.
let sampleMoment = Moment(wallClock: 1_795_242_660_123_456_789, monotonic: 5)

/// What an encoder makes of records, one after the other.
func encoded(
  by encoder: any LogEncoder, _ contents: [SampleContent], at moment: Moment = sampleMoment
) -> [UInt8] {
  var encoder = encoder
  var output: [UInt8] = []
  for content in contents {
    switch content {
    case .bytes(let direction, let bytes):
      bytes.withUnsafeBytes {
        encoder.encode(LogRecord(moment: moment, content: .bytes(direction, $0)), into: &output)
      }
    case .event(let event):
      encoder.encode(LogRecord(moment: moment, content: .event(event)), into: &output)
    case .gap(let count):
      encoder.encode(LogRecord(moment: moment, content: .gap(count)), into: &output)
    }
  }
  encoder.end(into: &output)
  return output
}

/// A record's content that owns its bytes.
enum SampleContent {
  case bytes(Direction, [UInt8])
  case event(LogEvent)
  case gap(Int)

  static func received(_ text: String) -> SampleContent { .bytes(.fromDevice, Array(text.utf8)) }
  static func sent(_ text: String) -> SampleContent { .bytes(.toDevice, Array(text.utf8)) }
}

func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

extension TemporaryFolder {
  /// Writes a file and returns its path.
  func file(_ name: String, _ contents: [UInt8]) throws -> FilePath {
    let file = path.appending(name)
    let descriptor = try FileDescriptor.open(
      file, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try descriptor.closeAfter { _ = try descriptor.writeAll(contents) }
    return file
  }
}
