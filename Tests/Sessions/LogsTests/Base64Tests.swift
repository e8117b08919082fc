import Testing

@testable import Logs

@Suite(.timeLimit(.minutes(30))) struct Base64Tests {
  private func letters(_ bytes: [UInt8]) -> String {
    var output: [UInt8] = []
    bytes.withUnsafeBytes { Base64.append($0, to: &output) }
    return text(output)
  }

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func theExamplesOfRFC4648HoldBothWays(bytes: String, expected: String) {
    #expect(letters(Array(bytes.utf8)) == expected)
    #expect(Base64.bytes(parsing: expected.utf8) == Array(bytes.utf8))
  }

  @Test func everyByteComesBack() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Base64.bytes(parsing: letters(bytes).utf8) == bytes)
  }

  @Test(arguments: ["Z", "Zg", "Zg=", "Zg=a", "====", "Z===", "Zm9v!", "Zg==Zg", "Zm 9v"])
  func invalidBase64IsRefused(text: String) {
    #expect(Base64.bytes(parsing: text.utf8) == nil)
  }
}
