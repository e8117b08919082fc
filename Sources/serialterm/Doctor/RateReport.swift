import SerialCore
import Sessions
import TextTools

/// The result of the search for a baud rate, for people and programs.
struct RateReport {
  let endpoint: Endpoint
  let probe: RateProbe

  /// 0 if a rate was found.
  var status: ExitStatus {
    if case .likely = probe.result { .done } else { .otherFailure }
  }

  var text: String {
    let port = "\(endpoint)".harmless
    let lines: [String]
    switch probe.result {
    case .nothing:
      lines = [
        "\(port): nothing came in at \(probe.rate). Let the device send something, for example by a reset, "
          + "and try again."
      ]
    case .noText:
      lines =
        [
          "\(port): no usual rate gives text. The device may send binary data, or have another rate."
        ] + evidence(besides: nil)
    case .likely(let trial, let framing):
      lines =
        [
          "\(port): \(trial.rate) \(framing.rawValue) is likely: "
            + trial.words(textCount: trial.bestTextCount)
        ] + evidence(besides: trial)
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private func evidence(besides likely: RateProbe.Trial?) -> [String] {
    probe.trials.filter { $0 != likely }.map {
      "  \($0.rate): \($0.words(textCount: $0.textCount))"
    }
  }

  var json: JSON {
    var members: [(String, JSON)] = [("port", .string("\(endpoint)"))]
    switch probe.result {
    case .nothing, .noText:
      members += [("baud", .null), ("framing", .null)]
    case .likely(let trial, let framing):
      members += [
        ("baud", .integer(Int(trial.rate))), ("framing", .string(framing.rawValue)),
      ]
    }
    let trials = probe.trials.map { trial in
      JSON.object([
        ("baud", .integer(Int(trial.rate))), ("bytes", .integer(trial.byteCount)),
        ("text", .integer(trial.bestTextCount(orElse: trial.textCount))),
        ("framingErrors", trial.framingErrorCount.map { .integer($0) } ?? .null),
        ("breaks", trial.framingErrorCount == nil ? .null : .integer(trial.breakCount)),
      ])
    }
    return .object(members + [("trials", .array(trials))])
  }
}

extension RateProbe.Trial {
  fileprivate func bestTextCount(orElse count: Int) -> Int {
    framing == nil ? count : bestTextCount
  }

  /// The evidence as a sentence.
  fileprivate func words(textCount: Int) -> String {
    guard byteCount > 0 else { return "nothing came in." }
    let few = isConclusive ? "" : ", too few to tell"
    let text = "\(textCount.grouped) of \(byteCount.counted("byte")) are text\(few)"
    guard let framingErrorCount else { return "\(text)." }
    let errors =
      framingErrorCount == 0 ? "no framing errors" : framingErrorCount.counted("framing error")
    return breakCount == 0
      ? "\(text), \(errors)." : "\(text), \(errors), \(breakCount.counted("break"))."
  }
}
