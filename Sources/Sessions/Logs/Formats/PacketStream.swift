package import Framing
import TextStages
package import Time

/// What one port receives, as a pcapng stream for a program that reads it as it is made, such as
/// Wireshark: a packet for each read or each frame, and packets without bytes for events and gaps.
///
/// It appends to the array that a caller writes; see ``LogEncoder`` for held-back frames.
package struct PacketStream {
  private var encoder: any LogEncoder

  /// The link types for private formats, LINKTYPE_USER0 to USER15;
  /// see <https://www.tcpdump.org/linktypes.html>.
  package static let linkTypes = Pcapng.linkType...Pcapng.linkType + 15

  /// Creates a stream without packets, and appends its header.
  ///
  /// - Parameters:
  ///   - linkType: one of ``linkTypes``, which selects the dissector.
  ///   - form: the form of frames; nil for a packet for each read.
  package init(
    of port: LogPort, linkType: UInt16, frames form: ChosenFrameForm?, into output: inout [UInt8]
  ) {
    precondition(Self.linkTypes.contains(linkType))
    encoder = PcapngEncoder(namesPorts: true, linkType: linkType)
    if let form { encoder = FramedEncoder(encoder, form, knowsDirection: false, asLines: false) }
    encoder.begin(into: &output)
    encoder.encode(LogRecord(moment: .now, content: .port(port)), into: &output)
  }

  /// Appends received bytes. A frame that is not complete is held back.
  package mutating func append(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) {
    encoder.encode(
      LogRecord(moment: moment, content: .bytes(.fromDevice, bytes, by: nil)), into: &output)
  }

  /// Appends an event.
  package mutating func append(_ event: LogEvent, at moment: Moment, into output: inout [UInt8]) {
    encoder.encode(LogRecord(moment: moment, content: .event(event)), into: &output)
  }

  /// Appends a note that this number of bytes is missing.
  package mutating func append(gap count: Int, at moment: Moment, into output: inout [UInt8]) {
    encoder.encode(LogRecord(moment: moment, content: .gap(count)), into: &output)
  }

  /// The time at which ``tick(at:into:)`` is due; nil if nothing is held back.
  package var deadline: MonotonicTime? { encoder.deadline }

  /// Appends frames that a silence has ended.
  package mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    encoder.tick(at: now, into: &output)
  }

  /// Appends what is held back, because nothing will follow.
  package mutating func finish(into output: inout [UInt8]) { encoder.flush(into: &output) }
}
