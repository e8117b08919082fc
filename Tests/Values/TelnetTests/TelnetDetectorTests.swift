import Telnet
import Testing

@Suite struct TelnetDetectorTests {
  private func verdict(of pieces: [[UInt8]]) -> StreamProtocol? {
    var detector = TelnetDetector()
    for piece in pieces { piece.withUnsafeBytes { detector.add($0) } }
    return detector.verdict
  }

  @Test(arguments: [251, 252, 253, 254] as [UInt8])
  func aNegotiationAtTheStart_isTelnet_inAnyPieces(verb: UInt8) {
    #expect(verdict(of: [[255, verb, 1, 255, 251, 3]]) == .telnet)
    #expect(verdict(of: [[255], [verb], [44]]) == .rfc2217)
    #expect(verdict(of: [[255, verb], []]) == nil)
  }

  @Test func `RFC 2217 is among the first commands, before any text`() {
    #expect(verdict(of: [[255, 251, 1], [255, 253], [44, 65]]) == .rfc2217)
    #expect(verdict(of: [[255, 251, 1, 65, 255, 253, 44]]) == .telnet)
    var detector = TelnetDetector()
    for _ in 0..<32 { ([255, 251, 1] as [UInt8]).withUnsafeBytes { detector.add($0) } }
    #expect(detector.isOver && detector.verdict == .telnet)
  }

  @Test(arguments: [
    Array("login: ".utf8), [255, 255, 251, 1], [255, 251, 200], [0, 255, 251, 1], [255, 240, 1],
  ])
  func otherBytes_areNot(bytes: [UInt8]) {
    #expect(verdict(of: [bytes]) == .raw)
    // What comes later does not matter.
    #expect(verdict(of: [bytes, [255, 251, 1]]) == .raw)
  }
}
