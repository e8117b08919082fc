package import EventLoop

/// Asks labgrid-client for all places. Release this object to give up.
package final class PlacesLookup {
  package typealias Answer = Result<LabgridListing, LabgridQuery.Failing>

  private var queries: [LabgridQuery] = []
  private var texts: [String?]
  private let done: (Answer) -> Void

  private static let questions = [["-v", "places"], ["resources"]]

  /// Starts to ask.
  ///
  /// - Parameter done: called once, in a turn of the loop.
  package init(on loop: IOLoop, done: @escaping (Answer) -> Void) {
    self.done = done
    texts = Self.questions.map { _ in nil }
    // Both at once: each takes a second to start.
    queries = Self.questions.enumerated().map { index, words in
      LabgridQuery(words, on: loop) { [unowned self] in received($0, to: index) }
    }
  }

  private func received(_ answer: LabgridQuery.Answer, to index: Int) {
    switch answer {
    case .failure(let failing):
      // The other one is not needed.
      queries = []
      done(.failure(failing))
    case .success(let text):
      texts[index] = text
      guard let places = texts[0], let resources = texts[1] else { return }
      done(.success(LabgridListing(places: places, resources: resources)))
    }
  }
}
