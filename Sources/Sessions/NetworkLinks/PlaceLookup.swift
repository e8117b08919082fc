import EventLoop
import SerialCore

/// Asks labgrid-client where the port of a place is. Release this object to give up.
final class PlaceLookup {
  typealias Answer = Result<LabgridPlace.Port, LabgridPlace.Problem>

  private let query: LabgridQuery

  /// Starts to ask.
  ///
  /// - Parameter done: called once, in a turn of the loop.
  init(_ place: LabgridPlace, on loop: IOLoop, done: @escaping (Answer) -> Void) {
    query = LabgridQuery(place.arguments, on: loop) { answer in
      switch answer {
      case .success(let text):
        done(
          Answer { () throws(LabgridPlace.Problem) in
            try place.port(in: text, for: LabgridQuery.user)
          })
      case .failure(.failed(let lastLine)):
        done(.failure(LabgridPlace.problem(lastLine, of: place.name)))
      case .failure(let failing):
        done(
          .failure(
            LabgridPlace.Problem(
              failing.isUnreachable ? .unreachable : .refusedByServer, failing.words)))
      }
    }
  }
}
