import Testing

@testable import Encodings

@Suite(.timeLimit(.minutes(30))) struct CharacterConverterTests {
  private func converted(
    _ bytes: [UInt8], from source: String, to destination: String
  ) throws -> (output: [UInt8], count: Int, stop: CharacterConverter.Stop) {
    let converter = try CharacterConverter(from: source, to: destination)
    var output: [UInt8] = []
    let (count, stop) = bytes.withUnsafeBytes { converter.convert($0, into: &output) }
    return (output, count, stop)
  }

  @Test func textIsConverted_behindThePresentContents() throws {
    let converter = try CharacterConverter(from: "KOI8-R", to: "UTF-8")
    var output = Array("> ".utf8)
    let bytes: [UInt8] = [0xF0, 0xD2]
    let result = bytes.withUnsafeBytes { converter.convert($0, into: &output) }
    #expect(result == (2, .end))
    #expect(output == Array("> Пр".utf8))
  }

  @Test func incompleteCharacterRemains() throws {
    let result = try converted([0x61, 0xC4], from: "GBK", to: "UTF-8")
    #expect(result == ([0x61], 1, .incomplete))
  }

  @Test func invalidByteRemains() throws {
    let result = try converted([0x61, 0xFF, 0x62], from: "GBK", to: "UTF-8")
    #expect(result == ([0x61], 1, .invalid))
  }

  @Test func characterThatDoesNotExist_remains() throws {
    let result = try converted(Array("ž".utf8), from: "UTF-8", to: "CP437")
    #expect(result == ([], 0, .invalid))
  }

  @Test func longText_isConvertedCompletely_whateverItsLength() throws {
    // One byte becomes three, and characters of two bytes lie across the ends of inner pieces.
    for (name, bytes, text) in [("CP437", [0xCD as UInt8], "═"), ("GBK", [0xC4, 0xE3], "你")] {
      for prefix in ["", "a"] {
        let count = 50_000
        let result = try converted(
          Array(prefix.utf8) + repeatElement(bytes, count: count).joined(), from: name, to: "UTF-8")
        #expect(result.stop == .end)
        #expect(result.output == Array((prefix + String(repeating: text, count: count)).utf8))
      }
    }
  }

  @Test func longText_thatEndsInACharacter_saysSo() throws {
    let character: [UInt8] = [0xC4, 0xE3]
    let text = Array(repeatElement(character, count: 4_096).joined()) + [0xC4]
    let result = try converted(text, from: "GBK", to: "UTF-8")
    #expect(result.count == 8_192)
    #expect(result.stop == .incomplete)
  }

  @Test func reset_writesTheSequenceOfTheInitialState() throws {
    let converter = try CharacterConverter(from: "UTF-8", to: "ISO-2022-JP")
    var output: [UInt8] = []
    _ = Array("日".utf8).withUnsafeBytes { converter.convert($0, into: &output) }
    #expect(output == [0x1B, 0x24, 0x42, 0x46, 0x7C])
    converter.reset(into: &output)
    #expect(output.suffix(3) == [0x1B, 0x28, 0x42])
  }

  @Test func resetWithoutOutput_dropsTheState() throws {
    let converter = try CharacterConverter(from: "ISO-2022-JP", to: "UTF-8")
    var output: [UInt8] = []
    _ = [0x1B, 0x24, 0x42 as UInt8].withUnsafeBytes { converter.convert($0, into: &output) }
    converter.reset()
    _ = [0x46, 0x7C as UInt8].withUnsafeBytes { converter.convert($0, into: &output) }
    #expect(output == Array("F|".utf8))
  }

  @Test func unknownName_isAnError() {
    #expect(throws: ConverterError.unknown) { try CharacterConverter(from: "no-such", to: "UTF-8") }
  }
}
