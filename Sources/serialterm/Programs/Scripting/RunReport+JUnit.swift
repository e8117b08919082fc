import TextTools

extension RunReport {
  /// The report as JUnit XML for continuous integration: a test suite for the script, with a test
  /// case for each step.
  var junit: String {
    let isExpectation = steps.lazy.compactMap(\.failure).first?.isExpectation
    let counts = XML.attributes([
      ("tests", "\(steps.count)"), ("failures", isExpectation == true ? "1" : "0"),
      ("errors", isExpectation == false ? "1" : "0"), ("skipped", "0"),
      ("time", duration.inSeconds),
    ])
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites\(counts)>\n"
    text += "<testsuite\(XML.attributes([("name", script), ("timestamp", timestamp)]))\(counts)>\n"
    if omittedCount > 0 {
      let property = [("name", "omitted-steps"), ("value", "\(omittedCount)")]
      text += "<properties><property\(XML.attributes(property))/></properties>\n"
    }
    for step in steps { text += step.junit(of: script) }
    return text + "</testsuite>\n</testsuites>\n"
  }
}

extension RunReport.Step {
  fileprivate func junit(of script: String) -> String {
    let place = line == 0 ? name : "line \(line): \(name)"
    let attributes = XML.attributes([
      ("classname", script), ("name", place), ("time", duration.inSeconds),
    ])
    let content = failureElement + outputElement
    return content.isEmpty
      ? "<testcase\(attributes)/>\n" : "<testcase\(attributes)>\(content)</testcase>\n"
  }

  private var failureElement: String {
    guard let failure else { return "" }
    let element = failure.isExpectation ? "failure" : "error"
    let reason = XML.attributes([
      ("message", failure.message), ("type", "status \(failure.status)"),
    ])
    let received = failure.received.map { "\n  | \($0)" }.joined()
    let details =
      failure.received.isEmpty
      ? failure.message : "\(failure.message)\nReceived last:\(received)"
    return "<\(element)\(reason)>\(XML.escaped(details))</\(element)>"
  }

  /// The timeout that the script has handled, and the number of rounds.
  private var outputElement: String {
    let lines = [timeout, rounds?.words].compactMap { $0 }
    if lines.isEmpty { return "" }
    return "<system-out>\(XML.escaped(lines.joined(separator: "\n")))</system-out>"
  }
}

extension RunReport.Rounds {
  fileprivate var words: String {
    isMatched ? "matched in round \(count) of \(limit)" : "\(count) of \(limit.counted("round"))"
  }
}

/// Text for XML 1.0.
enum XML {
  /// Attributes, each with a space before it.
  static func attributes(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\(escaped($1))\"" }.joined()
  }

  /// A text with the escapes for an element or attribute. A character that XML cannot contain, such
  /// as a control character, becomes U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      // A parser replaces these by spaces in an attribute unless they are escaped.
      case "\t", "\n", "\r": result += "&#\(scalar.value);"
      case "\u{20}"..."\u{7E}", "\u{A0}"..."\u{D7FF}", "\u{E000}"..."\u{FFFD}",
        "\u{10000}"..."\u{10FFFF}":
        result.unicodeScalars.append(scalar)
      default: result += "\u{FFFD}"
      }
    }
    return result
  }
}
