/// Frames of another form that begin with certain bytes, among bytes that belong to no frame.
///
/// After damage of a frame whose length is counted, the next place with these bytes is the start of
/// a frame: a wrong length costs one frame.
struct SyncFraming: Framing {
  private let sync: [UInt8]
  private let start: any Framing<DecodedFrame>
  private let isCounted: Bool
  private var format: any Framing<DecodedFrame>
  /// Whether the format has seen the bytes that were searched.
  private var hasBegun = false

  /// - Parameters:
  ///   - sync: the first bytes of each frame; not empty.
  ///   - format: the form of the frames, with these bytes.
  ///   - isCounted: whether the length of its frames is counted, so that nothing marks their end.
  init(_ sync: [UInt8], _ format: any Framing<DecodedFrame>, isCounted: Bool) {
    (self.sync, start, self.format, self.isCounted) = (sync, format, format, isCounted)
  }

  var silence: Duration? { format.silence }

  mutating func search(
    _ bytes: RawSpan, searched: Int, isEnd: Bool
  ) -> FrameSearch<DecodedFrame> {
    let place = bytes.withUnsafeBytes { firstSync(in: $0, from: 0, isEnd: isEnd) }
    if place > 0 { return .frame(.stray, length: place) }
    if bytes.byteCount < sync.count { return .incomplete }
    let found = format.search(bytes, searched: hasBegun ? searched : 0, isEnd: isEnd)
    hasBegun = false
    if case .incomplete = found { hasBegun = true }
    guard case .damaged(let damage, let length) = found else { return found }
    format = start
    guard isCounted else { return found }
    let next = bytes.withUnsafeBytes { firstSync(in: $0, from: 1, isEnd: isEnd) }
    return .damaged(damage, length: min(length, next))
  }

  /// The first place where these bytes stand, or where their start ends the bytes; the number of
  /// bytes if there is none.
  private func firstSync(
    in bytes: UnsafeRawBufferPointer, from start: Int, isEnd: Bool
  ) -> Int {
    let places = start..<bytes.count
    return places.first { place in
      let part = bytes[place...].prefix(sync.count)
      return part.first == sync[0] && (part.count == sync.count || !isEnd)
        && part.elementsEqual(sync.prefix(part.count))
    } ?? bytes.count
  }
}
