extension TransferProtocol {
  /// The bytes unchanged.
  package static let raw = TransferProtocol(
    "raw", "as it is", detail: "no protocol", isPlain: true, needsEightBits: false,
    sendsSeveralFiles: true, sendsNames: false, sender: { _ in PlainSender() })

  /// Text with the line ends that the device expects.
  package static let ascii = TransferProtocol(
    "ascii", "as text", detail: "line ends as Enter sends them", isPlain: true,
    needsEightBits: false, sendsSeveralFiles: true, sendsNames: false,
    sender: { PlainSender(lineEnd: $0.lineEnd) })
}
