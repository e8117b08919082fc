/// A revision of the Model Context Protocol, by its date.
package enum ProtocolRevision: String, CaseIterable, Hashable, Sendable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  case july2026 = "2026-07-28"

  /// Whether a client names the revision in each request, and there is no `initialize`.
  package var isPerRequest: Bool { self == .july2026 }

  /// Whether a line may be an array of messages, as JSON-RPC 2.0 has it. The revision 2025-06-18
  /// has removed that.
  package var hasBatches: Bool { self == .november2024 || self == .march2025 }

  /// The revision for a client that begins with `initialize`: the one that it asks for, or the
  /// latest for one that is not known.
  package init(askedFor requested: String) {
    let known = Self(rawValue: requested).flatMap { $0.isPerRequest ? nil : $0 }
    self = known ?? .lastWithHandshake
  }

  /// The latest revision that begins with `initialize`.
  package static let lastWithHandshake = november2025

  /// The revisions that each request may name.
  package static let perRequest = allCases.filter(\.isPerRequest)
}

/// How a request says which revision it belongs to.
package enum Era: Hashable, Sendable {
  /// The revision was agreed on by `initialize`, or is not known yet.
  case handshake
  /// The request names its revision, and the name of the client if it has one.
  case perRequest(ProtocolRevision, client: String?)
}
