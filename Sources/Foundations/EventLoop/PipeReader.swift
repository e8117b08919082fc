package import Posix
package import SystemPackage

/// Reads a pipe from a program, at most one piece in a turn of the loop: a program that never stops
/// does not delay other events.
package final class PipeReader {
  enum Event {
    /// Valid during the call.
    case bytes(UnsafeRawBufferPointer)
    /// Nothing more comes. This is the last event.
    case end
  }

  private enum Stage {
    case watching(DescriptorWatch)
    /// The program has exited. What it left is read without waiting for more: a child of the
    /// program may keep the pipe open, so there may be no end of file.
    case emptying(LoopTimer?)
    case ended
  }

  private let pipe: SharedDescriptor
  private let loop: IOLoop
  private let room: () -> Int
  private let onEvent: (Event) -> Void
  private var stage = Stage.ended

  /// The number of bytes in a full pipe. See pipe(7).
  package static let capacity = 65_536
  /// The size of a piece, unless something else is said: a few screens.
  package static let piece = 4_096

  /// Starts to read.
  ///
  /// - Parameters:
  ///   - pipe: its read end, non-blocking.
  ///   - room: returns the number of bytes that may be read in this turn; with 0, reading waits for
  ///     ``resume()``.
  /// - Throws: the errors of epoll_ctl(2).
  init(
    _ pipe: SharedDescriptor, on loop: IOLoop, room: @escaping () -> Int,
    onEvent: @escaping (Event) -> Void
  ) throws(Errno) {
    (self.pipe, self.loop, self.room, self.onEvent) = (pipe, loop, room, onEvent)
    stage = .watching(
      try loop.watch(pipe.borrowed, for: .reading) { [unowned self] _ in read() })
  }

  deinit { stop() }

  /// The read end.
  package var descriptor: FileDescriptor { pipe.borrowed }

  /// Whether everything was read.
  var hasEnded: Bool {
    if case .ended = stage { true } else { false }
  }

  /// Goes on reading, if there is room now.
  package func resume() {
    switch stage {
    case .watching(let watch):
      watch.setInterest(room() > 0 ? .reading : [])
    case .emptying(nil) where room() > 0:
      stage = .emptying(
        loop.schedule(after: .zero) { [unowned self] in
          stage = .emptying(nil)
          read()
        })
    case .emptying, .ended: break
    }
  }

  /// Reads what the program left when it exited, and then ends.
  func finish() {
    guard case .watching(let watch) = stage else { return }
    watch.cancel()
    stage = .emptying(nil)
    resume()
  }

  /// Ends without an event.
  func stop() {
    if case .watching(let watch) = stage { watch.cancel() }
    stage = .ended
  }

  private func read() {
    let room = room()
    guard room > 0 else { return resume() }
    switch (readPiece(atMost: room), stage) {
    case (.bytes, _): resume()
    case (.wouldBlock, .emptying), (.endOfFile, _): end()
    case (.wouldBlock, _): break
    }
  }

  private func end() {
    stop()
    onEvent(.end)
  }

  /// Reads a piece now, whether there is room or not, and passes it on.
  package func readPiece(atMost size: Int = PipeReader.piece) -> ReadOutcome {
    withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { buffer in
      let outcome = (try? pipe.borrowed.readAvailable(into: buffer)) ?? .endOfFile
      if case .bytes(let count) = outcome {
        onEvent(.bytes(UnsafeRawBufferPointer(rebasing: buffer[..<count])))
      }
      return outcome
    }
  }

  /// Reads what a program has left, now, and passes it on. Its children may go on writing, so there
  /// is a limit: after that number of bytes, no further piece is read.
  package func readRest(atMost limit: Int = PipeReader.capacity) {
    var count = 0
    while count < limit, case .bytes(let number) = readPiece() { count += number }
  }
}
