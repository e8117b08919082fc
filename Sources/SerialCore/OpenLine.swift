/// The open port of a session, and what is known of it only while it is open.
final class OpenLine {
  let link: any Link
  /// The features of the port, and the last readings of its lines and counters.
  var probe: LineProbe
  /// The number of breaks of ``Session/beginBreak()`` that have not ended.
  var breakCount = 0
  private var settingsAnswers: [SettingsAnswer] = []

  /// Called with the settings that are in effect after a change, or with the reason why there was
  /// none.
  typealias SettingsAnswer = (Result<LineSettings, SerialError>) -> Void

  init(_ link: any Link, _ probe: LineProbe) { (self.link, self.probe) = (link, probe) }

  /// Notes who waits for settings to be applied. Links answer in the order of the requests.
  func expectSettings(_ answer: @escaping SettingsAnswer) { settingsAnswers.append(answer) }

  /// Removes who has waited longest.
  func takeSettingsAnswer() -> SettingsAnswer { settingsAnswers.removeFirst() }

  /// Answers those who wait for settings to be applied, because the port was closed.
  func refuseSettings() {
    let answers = settingsAnswers
    settingsAnswers = []
    for answer in answers { answer(.failure(SerialError(.lost, in: "apply", at: link.endpoint))) }
  }
}
