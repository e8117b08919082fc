import Views

/// One entry of a log.
struct LogRecord {
  let moment: Moment
  let content: Content

  enum Content {
    /// What one read brought, or one write took; valid as long as the record is looked at.
    case bytes(Direction, UnsafeRawBufferPointer)
    case event(LogEvent)
    /// So many bytes are missing here: there was no room to keep them until they could be written.
    case gap(Int)
  }
}
