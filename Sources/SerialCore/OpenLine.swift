/// The open port of a session, and its state while it is open.
final class OpenLine {
  let link: any Link
  /// The features of the port, and the last readings of its lines and counters.
  var probe: LineProbe
  /// The number of breaks of ``Session/beginBreak()`` that have not ended.
  var breakCount = 0
  /// Whether settings that this session has applied come into effect now.
  var appliesSettings = false
  private var settingsAnswers: [SettingsAnswer] = []

  /// Called with the settings that are in effect after a change, or with the reason why there was
  /// none.
  typealias SettingsAnswer = (Result<LineSettings, SerialError>) -> Void

  init(_ link: any Link, _ probe: LineProbe) { (self.link, self.probe) = (link, probe) }

  /// Adds a caller that waits for settings. Links answer in the order of the requests.
  func expectSettings(_ answer: @escaping SettingsAnswer) { settingsAnswers.append(answer) }

  /// Removes and returns the oldest waiting caller.
  func takeSettingsAnswer() -> SettingsAnswer { settingsAnswers.removeFirst() }

  /// Answers the callers that wait for settings, because the port was closed.
  func refuseSettings() {
    let answers = settingsAnswers
    settingsAnswers = []
    for answer in answers { answer(.failure(SerialError(.lost, in: "apply", at: link.endpoint))) }
  }
}
