import Views

/// One entry of a log.
struct LogRecord {
  let moment: Moment
  let content: Content

  enum Content {
    /// The bytes of one read or write; valid only during the call that passes the record.
    case bytes(Direction, UnsafeRawBufferPointer)
    case event(LogEvent)
    /// The number of bytes that are missing here because the buffer was full.
    case gap(Int)
  }
}
