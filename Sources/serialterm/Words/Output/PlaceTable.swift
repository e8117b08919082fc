import EventLoop
import NetworkLinks
import TextTools

/// The places of labgrid, for people and for programs.
struct PlaceTable {
  private let places: [LabgridListing.Place]
  /// The user as labgrid names them.
  private let user: String

  /// Asks labgrid-client, which has a time limit.
  ///
  /// - Throws: ``Failure`` if it cannot answer, and the errors of epoll_create1(2) and
  ///   epoll_wait(2).
  init() throws {
    let loop = try IOLoop()
    var answer: PlacesLookup.Answer?
    let lookup = PlacesLookup(on: loop) { answer = $0 }
    func listing() throws -> LabgridListing {
      while true {
        if let answer { return try answer.get() }
        try loop.turn()
      }
    }
    do {
      self.init(try withExtendedLifetime(lookup, listing), user: LabgridQuery.user)
    } catch let failing as LabgridQuery.Failing {
      throw Failure(
        failing.isUnreachable ? .deviceNotFound : .otherFailure, "\(failing.words.harmless).")
    }
  }

  init(_ listing: LabgridListing, user: String) {
    (places, self.user) = (listing.places, user)
  }

  /// Whether the user may open the console of a place.
  private func isUsable(_ place: LabgridListing.Place) -> Bool {
    place.holder == user || place.allowed.contains(user)
  }

  /// The table.
  var lines: [String] {
    Table(
      header: ["TARGET", "ACQUIRED BY", "CONSOLE", "COMMENT"],
      rows: places.map { place in
        let holder = place.holder.map { $0 == user ? "you" : $0 } ?? "-"
        return [
          "labgrid:\(place.name)", holder, place.hasConsole ? "available" : "-",
          place.comment ?? "",
        ]
      }
    ).lines
  }

  /// The TARGETs, one a line.
  var names: [String] { places.map { "labgrid:\($0.name)".harmless } }

  /// The places in JSON.
  var json: JSON {
    .array(
      places.map { place in
        .object([
          ("target", .string("labgrid:\(place.name)")), ("place", .string(place.name)),
          ("acquiredBy", JSON(place.holder)), ("allowed", .array(place.allowed.map(JSON.string))),
          ("usable", .bool(isUsable(place))), ("console", .bool(place.hasConsole)),
          ("comment", JSON(place.comment)),
        ])
      })
  }

  var isEmpty: Bool { places.isEmpty }
}
