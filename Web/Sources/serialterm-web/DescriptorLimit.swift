import Glibc

/// How many connections and pages the limit of open files has room for. A value.
struct DescriptorLimit: Equatable {
  /// The number of descriptors that the process may have.
  let count: Int

  /// What the server needs besides its connections: three for each event loop, and those of the
  /// question for sessions.
  private let base: Int

  /// What a page needs: its connection, the pipes of its process while it starts, its file.
  private static let ofPage = 8
  private static let mostGuests = 128
  private static let mostPages = 100

  /// - Parameters:
  ///   - count: the number of descriptors that the process may have.
  ///   - loops: the number of event loops.
  init(count: Int, loops: Int) { (self.count, base) = (count, 24 + 3 * loops) }

  /// What as many connections as there may be need.
  private var wanted: Int { base + Self.mostGuests + Self.mostPages * Self.ofPage }

  /// The number of connections without the token at one time.
  var guests: Int { min(Self.mostGuests, max(4, (count - base) / 4)) }

  /// The number of pages at one time.
  var pages: Int { min(Self.mostPages, max(1, (count - base - guests) / Self.ofPage)) }

  /// The numbers for files that other processes open by them. Most other descriptors are below:
  /// they get the lowest number that is free.
  var ofUploads: Range<CInt> {
    let end = CInt(min(count, wanted))
    return end / 2..<end
  }

  /// Whether there is room for as many as there may be.
  var isEnough: Bool { count >= wanted }

  /// Raises the limit of this process to what the server needs, or as far as it may. Programs
  /// that are started inherit it, and some close every number below it: so it is not raised
  /// further.
  ///
  /// The corresponding C function is `setrlimit`.
  static func raised(loops: Int) -> DescriptorLimit {
    var limit = rlimit()
    guard getrlimit(files, &limit) == 0 else { return DescriptorLimit(count: 1_024, loops: loops) }
    let wanted = DescriptorLimit(count: 0, loops: loops).wanted
    if limit.rlim_cur < rlim_t(wanted) {
      var higher = limit
      higher.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
      if setrlimit(files, &higher) == 0 { limit = higher }
    }
    return DescriptorLimit(count: Int(min(limit.rlim_cur, rlim_t(Int32.max))), loops: loops)
  }

  private static let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
