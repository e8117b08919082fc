/// Finds the form of lines with numbers among lines of text.
///
/// A form is found when lines agree: one line of Teleplot's; two JSON objects with the same names;
/// two lines of labels or pairs with the same names if all lines between them have that form too,
/// otherwise three; three lines with the same number of columns, among which a header counts. Only
/// the last lines are compared.
struct FormDetector {
  /// The forms that can be found, in order of preference.
  enum Kind: CaseIterable { case teleplot, json, labels, pairs, values }

  /// What the lines have in common.
  struct Found {
    let kind: Kind
    /// The separator and the number of columns, of values.
    let columns: (separator: ColumnSeparator, count: Int)?
    let header: LineFields.Header?
    /// The lines from the first one that agrees, with their times. Some may not fit.
    let lines: [(bytes: [UInt8], time: Double)]
  }

  private struct Kept {
    let bytes: [UInt8]
    let time: Double
    let candidates: [Candidate]
  }

  private struct Candidate: Equatable {
    let kind: Kind
    /// The names, each with a zero byte after it; or the separator and the number of columns.
    let signature: [UInt8]
  }

  /// The maximum number of lines that are kept, and of their bytes.
  private static let limits = (lines: 20, bytes: 65_536)

  private let kinds: [Kind]
  private var kept: [Kept] = []
  private var keptBytes = 0
  private var fields = LineFields()

  init(_ kinds: [Kind]) { self.kinds = kinds }

  mutating func clear() {
    guard !kept.isEmpty else { return }
    kept.removeAll(keepingCapacity: true)
    keptBytes = 0
  }

  /// Adds a line.
  ///
  /// - Returns: the form that is found by it.
  mutating func add(_ line: UnsafeRawBufferPointer, at time: Double) -> Found? {
    if kept.count == Self.limits.lines { removeFirst() }
    var candidates = kinds.compactMap { candidate($0, line) }
    // Without the last column, which is empty, it may agree with other lines.
    if fields.endsWithGap, let last = candidates.last, last.kind == .values, !isExpected(last) {
      candidates[candidates.count - 1] = columns(
        Self.columns(last).separator, count: fields.fields.count - 1)
    }
    kept.append(Kept(bytes: Array(line), time: time, candidates: candidates))
    keptBytes += line.count
    while keptBytes > Self.limits.bytes, kept.count > 1 { removeFirst() }
    for candidate in candidates {
      if let found = found(candidate) { return found }
    }
    return nil
  }

  /// The header in the last line, if it was a header.
  var header: LineFields.Header? {
    kept.last.flatMap { $0.bytes.withUnsafeBytes(LineFields.columnHeader) }
  }

  /// The numbers in the last line, if it is one of values: for a file that ends early.
  var endOfFile: Found? {
    guard let index = kept.lastIndex(where: { $0.candidates.contains { $0.kind == .values } }),
      let candidate = kept[index].candidates.last
    else { return nil }
    return values(candidate, need: 1)
  }

  private mutating func removeFirst() { keptBytes -= kept.removeFirst().bytes.count }

  // MARK: Candidates

  private mutating func candidate(_ kind: Kind, _ line: UnsafeRawBufferPointer) -> Candidate? {
    switch kind {
    case .teleplot:
      return fields.readTeleplot(line) ? Candidate(kind: kind, signature: []) : nil
    case .json: return fields.readObject(line) ? named(kind, line) : nil
    case .labels: return fields.readLabels(line) ? named(kind, line) : nil
    case .pairs: return fields.readPairs(line) ? named(kind, line) : nil
    case .values:
      let separator = ColumnSeparator(of: line).alternatives
        .first { fields.readValues(line, separatedBy: $0) }
      return separator.map { columns($0, count: fields.fields.count) }
    }
  }

  private func named(_ kind: Kind, _ line: UnsafeRawBufferPointer) -> Candidate {
    var signature: [UInt8] = []
    for field in fields.fields {
      if fields.hasNameText {
        signature += fields.nameText[field.name]
      } else {
        signature += line[field.name]
      }
      signature.append(0)
    }
    return Candidate(kind: kind, signature: signature)
  }

  private func columns(_ separator: ColumnSeparator, count: Int) -> Candidate {
    Candidate(
      kind: .values,
      signature: [
        separator.rawValue, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count),
      ])
  }

  // MARK: Agreement

  private func found(_ candidate: Candidate) -> Found? {
    switch candidate.kind {
    case .teleplot: return found(candidate, from: kept.count - 1)
    case .json, .labels, .pairs:
      let same = kept.indices.filter { kept[$0].candidates.contains(candidate) }
      guard same.count > 1 else { return nil }
      let isDense = kept[same[same.count - 2]...].allSatisfy {
        $0.candidates.contains { $0.kind == candidate.kind }
      }
      guard candidate.kind == .json || same.count > 2 || isDense else { return nil }
      return found(candidate, from: same[0])
    case .values: return values(candidate, need: 3)
    }
  }

  private func values(_ candidate: Candidate, need: Int) -> Found? {
    let columns = Self.columns(candidate)
    // The last lines of values, without the text between them.
    var lines: [Int] = []
    for index in kept.indices.reversed() {
      guard let other = kept[index].candidates.first(where: { $0.kind == .values }) else {
        continue
      }
      guard other == candidate else { break }
      lines.append(index)
    }
    guard let first = lines.last else { return nil }
    let header = header(before: first, columns)
    guard lines.count + (header == nil ? 0 : 1) >= need else { return nil }
    return found(candidate, from: first, header: header)
  }

  private func found(
    _ candidate: Candidate, from first: Int, header: LineFields.Header? = nil
  ) -> Found {
    Found(
      kind: candidate.kind,
      columns: candidate.kind == .values ? Self.columns(candidate) : nil, header: header,
      lines: kept[first...].map { ($0.bytes, $0.time) })
  }

  private static func columns(_ candidate: Candidate) -> (separator: ColumnSeparator, count: Int) {
    let signature = candidate.signature
    return (ColumnSeparator(rawValue: signature[0])!, Int(signature[1]) << 8 | Int(signature[2]))
  }

  /// The names of columns: those of CSV directly before them, or the last labels before them.
  private func header(
    before first: Int, _ columns: (separator: ColumnSeparator, count: Int)
  ) -> LineFields.Header? {
    for index in kept[..<first].indices.reversed() {
      let header = kept[index].bytes.withUnsafeBytes {
        LineFields.labelHeader($0) ?? (index == first - 1 ? LineFields.columnHeader($0) : nil)
      }
      guard let header, header.columns.count == columns.count else { continue }
      if header.separator == nil || columns.count == 1 || header.separator == columns.separator {
        return header
      }
    }
    return nil
  }

  /// Whether the lines before have the number of columns of a candidate, or a header that does.
  private func isExpected(_ candidate: Candidate) -> Bool {
    let last = kept.last { $0.candidates.contains { $0.kind == .values } }
    return last?.candidates.contains(candidate) ?? false
      || header(before: kept.count, Self.columns(candidate)) != nil
  }
}
