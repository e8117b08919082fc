import Glibc
import SystemPackage
import TestSupport
import TextStages
import Time

@testable import Logs

/// 2026-11-21T06:31:00.123456789Z.
let sampleMoment = Moment(wallClock: 1_795_242_660_123_456_789, monotonic: 5)

/// The encoding of records of one port.
func encoded(
  by encoder: any LogEncoder, _ contents: [SampleContent], at moment: Moment = sampleMoment
) -> [UInt8] {
  var encoder = encoder
  var output: [UInt8] = []
  for content in contents { encode(content, by: &encoder, at: moment, into: &output) }
  encoder.flush(into: &output)
  encoder.end(into: &output)
  return output
}

/// Encodes a record of a port.
func encode(
  _ content: SampleContent, of port: Int = 0, by encoder: inout any LogEncoder,
  at moment: Moment = sampleMoment, into output: inout [UInt8]
) {
  let take = { (content: LogRecord.Content, encoder: inout any LogEncoder, output: inout [UInt8]) in
    encoder.encode(LogRecord(moment: moment, port: port, content: content), into: &output)
  }
  switch content {
  case .bytes(let direction, let bytes, let client):
    bytes.withUnsafeBytes { take(.bytes(direction, $0, by: client), &encoder, &output) }
  case .event(let event): take(.event(event), &encoder, &output)
  case .gap(let count): take(.gap(count), &encoder, &output)
  case .port(let port): take(.port(port), &encoder, &output)
  }
}

/// A file of a log of several ports.
func mergedLog(_ format: LogFormat, _ contents: [(port: Int, SampleContent)]) -> [UInt8] {
  var encoder = format.encoder(marksDirection: false, namesPorts: true)
  var output: [UInt8] = []
  encoder.begin(into: &output)
  for (port, content) in contents { encode(content, of: port, by: &encoder, into: &output) }
  encoder.flush(into: &output)
  encoder.flush(into: &output)
  encoder.end(into: &output)
  return output
}

/// The content of a record, with its own copy of the bytes.
enum SampleContent {
  case bytes(Direction, [UInt8], by: String? = nil)
  case event(LogEvent)
  case gap(Int)
  case port(LogPort)

  static func received(_ text: String) -> SampleContent { .bytes(.fromDevice, Array(text.utf8)) }
  static func sent(_ text: String, by client: String? = nil) -> SampleContent {
    .bytes(.toDevice, Array(text.utf8), by: client)
  }
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
