extension ExitStatus {
  /// How a command ended, as a phrase: `ended with status 3`.
  var ofCommand: String {
    switch self {
    case .signal(let number): "was ended by signal \(number)"
    default: "ended with status \(code)"
    }
  }
}
