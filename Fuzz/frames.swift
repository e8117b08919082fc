import Glibc
import TextStages
import Time

/// Received bytes as frames of every form that a user can choose: each byte is in exactly one frame, whatever the reads
/// and the silences between them are. Without silences the frames do not depend on how the stream is cut. The text of a
/// frame has no control character.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = bytes.first else { return 0 }
  var stream = Array(bytes.dropFirst())
  let form = onlyForm ?? forms[Int(first) % forms.count]
  // The CRC of random bytes is never right: one message in two gets it.
  if form == "modbus-rtu" && first >= 128 { stream += Checksum.crc16Modbus.bytes(for: stream) }
  stream += stream
  guard let chosen = try? ChosenFrameForm(parsing: form) else { preconditionFailure(form) }
  let direction: Direction? = first & 1 == 0 ? nil : first & 2 == 0 ? .fromDevice : .toDevice

  let whole = frames(of: stream, chosen.reader(direction)) { _ in (max(1, stream.count), 0) }
  let pieces = frames(of: stream, chosen.reader(direction)) { _ in (Int(first >> 4) + 1, 0) }
  precondition(
    whole.map(\.decoded) == pieces.map(\.decoded), "\(form): what is decoded depends on the cuts")
  precondition(whole.map(\.bytes) == pieces.map(\.bytes), "\(form): the frames depend on the cuts")
  // The stream itself decides about the reads and the silences.
  let apart = frames(of: stream, chosen.reader(direction)) { place in
    (Int(stream[place] & 7) + 1, silences[Int(stream[place] >> 3) % silences.count])
  }
  for found in [whole, apart] {
    precondition(found.flatMap(\.bytes) == stream, "\(form): bytes are missing, or made up")
    for frame in found {
      let text = frame.text(isText: chosen.isText)
      precondition(
        !text.unicodeScalars.contains { $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) }, text)
    }
  }
  return 0
}

/// The form that all cases have; nil for one that the first byte of the case names.
private let onlyForm = getenv("FRAMES_FORM").map { String(cString: $0) }

private let forms = [
  "lines", "delimiter:0d0d0a", "fixed:3", "length:u8", "length:u16le+2@1", "length:u32be-4",
  "silence:5", "slip", "cobs",
  "modbus-rtu", "modbus-ascii", "nmea", "modbus-rtu", "nmea", "sync:24,lines",
  "sync:0001,length:u8@2",
  "sync:c001,slip", "sync:0003,cobs", "sync:0a24,lines",
]

/// Milliseconds before a read; below 0, the timer runs before it.
private let silences = [0, 0, 0, 0, 2, 20, 60, 110, 600, 1_200, -60, -1_200]

/// - Parameter read: the length of the read at a place of the stream, and the silence before it in milliseconds.
private func frames(
  of stream: [UInt8], _ reader: FrameReader, _ read: (_ place: Int) -> (length: Int, silence: Int)
) -> [Frame] {
  var (reader, frames, place, now) = (reader, [Frame](), 0, 0 as UInt64)
  while place < stream.count {
    let (length, silence) = read(place)
    now += UInt64(abs(silence)) * 1_000_000
    if silence < 0, let deadline = reader.deadline, deadline.nanoseconds <= Int64(now) {
      reader.end(into: &frames)
    }
    reader.receive(
      stream[place..<min(place + length, stream.count)], at: Moment(wallClock: now, monotonic: now),
      into: &frames)
    place += length
  }
  reader.end(into: &frames)
  return frames
}
