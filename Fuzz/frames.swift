import Checksums
import Glibc
import TextStages
import Time

/// Received bytes as frames of every form that a user can choose: the frames do not depend on how the stream is cut,
/// no byte is in two of them, and their text has no control character.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  var stream = Array(bytes.dropFirst())
  let form = onlyForm ?? forms[Int(first) % forms.count]
  // The CRC of random bytes is never right: one message in two gets it.
  if form == "modbus-rtu" && first >= 128 { stream += Checksum.crc16Modbus.bytes(for: stream) }
  let pieceLength = Int(first >> 4) + 1
  guard let chosen = try? ChosenFrameForm(parsing: form) else { preconditionFailure(form) }
  let direction: Direction? = first & 1 == 0 ? nil : first & 2 == 0 ? .fromDevice : .toDevice
  let whole = frames(of: stream + stream, chosen.reader(direction), inPiecesOf: max(1, 2 * stream.count))
  let pieces = frames(of: stream + stream, chosen.reader(direction), inPiecesOf: pieceLength)
  precondition(whole.map(\.decoded) == pieces.map(\.decoded), "\(form): what is decoded depends on the cuts")
  precondition(whole.map(\.bytes) == pieces.map(\.bytes), "\(form): the frames depend on the cuts")
  let found = whole.flatMap(\.bytes)
  precondition(found.count <= 2 * stream.count, "\(form): bytes were made up")
  precondition(skipping.contains(form) || found == stream + stream, "\(form): bytes are missing")
  for frame in whole {
    let text = frame.text(isText: chosen.form.isText)
    precondition(!text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }, text)
  }
  return 0
}

/// The form that all cases have; nil for one that the first byte of the case names.
private let onlyForm = getenv("FRAMES_FORM").map { String(cString: $0) }

private let forms = [
  "lines", "delimiter:0d0d0a", "fixed:3", "length:u8", "length:u16le+2@1", "length:u32be-4", "silence:5", "slip", "cobs",
  "modbus-rtu", "modbus-ascii", "nmea", "modbus-rtu", "nmea",
]

/// Forms that skip delimiters, or the rest of a frame that is too long.
private let skipping = ["lines", "length:u8", "length:u16le+2@1", "length:u32be-4", "slip", "cobs"]

private func frames(of stream: [UInt8], _ reader: FrameReader, inPiecesOf length: Int) -> [Frame] {
  var (reader, frames) = (reader, [Frame]())
  for start in stride(from: 0, to: stream.count, by: length) {
    reader.receive(
      stream[start..<min(start + length, stream.count)], at: Moment(wallClock: 0, monotonic: 0), into: &frames)
  }
  reader.end(into: &frames)
  return frames
}
