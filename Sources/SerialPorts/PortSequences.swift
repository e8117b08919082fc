public import Framing
public import SerialCore

/// The frames that a port receives, one after the other.
///
/// Each call of `next()` takes the next frame, so that frames are not lost when a loop is left:
/// another sequence goes on where it ended. Bytes that are no frame are removed, and reported
/// by ``SerialPort/events``. The sequence ends when the port is closed by its program, or the
/// task is cancelled.
public struct FrameSequence<Format: Framing>: AsyncSequence, Sendable {
  /// A frame.
  public typealias Element = Format.Frame
  /// `serial` if the device is lost, and the port does not wait for it.
  public typealias Failure = PortError

  let port: SerialPort
  let framing: Format

  /// An iterator over the frames.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let port: SerialPort
    var reading: Reading<Format>

    /// Waits for the next frame.
    public mutating func next() async throws(PortError) -> Format.Frame? {
      try await port.next(&reading)
    }

    /// Waits for the next frame.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PortError) -> Format.Frame? {
      try await port.next(&reading)
    }
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(port: port, reading: Reading(framing))
  }
}

/// The bytes that a port receives, in pieces as they arrive.
///
/// A piece has at most 64 KiB. As for ``FrameSequence``, nothing is lost when a loop is left.
public struct ByteSequence: AsyncSequence, Sendable {
  /// At least one byte.
  public typealias Element = [UInt8]
  /// `serial` if the device is lost, and the port does not wait for it.
  public typealias Failure = PortError

  let port: SerialPort

  /// An iterator over the pieces.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let port: SerialPort
    var reading = Reading(AvailableBytes())

    /// Waits for the next piece.
    public mutating func next() async throws(PortError) -> [UInt8]? {
      try await port.next(&reading)
    }

    /// Waits for the next piece.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PortError) -> [UInt8]? {
      try await port.next(&reading)
    }
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(port: port) }
}

/// The modem lines of a port after each change: see ``SerialPort/modemLineChanges(every:)``.
public struct ModemLineSequence: AsyncSequence, Sendable {
  /// The lines that are asserted.
  public typealias Element = ModemLines
  /// `serial` if the port has no modem lines, or is lost.
  public typealias Failure = PortError

  let port: SerialPort
  let interval: Duration

  /// An iterator over the changes.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let port: SerialPort
    let interval: Duration
    var known: ModemLines?

    /// Waits for the next change.
    public mutating func next() async throws(PortError) -> ModemLines? {
      known = try await port.nextModemLines(after: known, every: interval)
      return known
    }

    /// Waits for the next change.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(PortError) -> ModemLines? {
      known = try await port.nextModemLines(after: known, every: interval)
      return known
    }
  }

  /// Creates an iterator.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(port: port, interval: interval) }
}

extension SerialPort {
  /// The bytes that are received, in pieces as they arrive.
  public nonisolated var bytes: ByteSequence { ByteSequence(port: self) }

  /// The frames that are received: `port.frames(by: .cobs())`.
  public nonisolated func frames<Format: Framing>(by framing: Format) -> FrameSequence<Format> {
    FrameSequence(port: self, framing: framing)
  }

  /// The lines of text that are received, without their ends.
  ///
  /// - Parameters:
  ///   - end: what ends a line.
  ///   - limit: the most bytes of a line; a longer one is reported as damaged, and left out.
  public nonisolated func lines(
    endingWith end: LineFraming.End = .lf, limit: Int = 65_536
  ) -> FrameSequence<LineFraming> {
    frames(by: .lines(end, limit: limit))
  }
}
