/// Names that options, keys of the configuration and arguments of agents had before the waits got
/// their three names: `timeout` for what is expected, `linger` for the quiet after the end,
/// `deadline` for the whole run.
///
/// A former name is answered with the present one, and never accepted.
enum FormerNames {
  /// The present name for each former one, by the command that had it.
  private static let options = [
    "plot": ["for": "deadline"], "send": ["start-timeout": "timeout"],
    "receive": ["start-timeout": "timeout"],
  ]
  private static let keys = ["start-timeout": "timeout"]
  private static let arguments = ["silence": "linger"]

  /// The present name of an option; nil if the word is no former name of the command.
  ///
  /// - Parameter word: the option as the user wrote it, with its dashes.
  static func presentName(ofOption word: String, of command: String) -> String? {
    word.hasPrefix("--") ? options[command]?[String(word.dropFirst(2))] : nil
  }

  /// The present name of a key of the configuration; nil if the word is no former name.
  static func presentName(ofKey word: String) -> String? { keys[word] }

  /// The present name of an argument of an agent's tool; nil if the word is no former name.
  static func presentName(ofArgument word: String) -> String? { arguments[word] }
}
