import Telnet
import Testing

@Suite struct TelnetDetectorTests {
  private func verdict(of pieces: [[UInt8]]) -> Bool? {
    var detector = TelnetDetector()
    for piece in pieces { piece.withUnsafeBytes { detector.add($0) } }
    return detector.verdict
  }

  @Test(arguments: [251, 252, 253, 254] as [UInt8])
  func aNegotiationAtTheStart_isTelnet_inAnyPieces(verb: UInt8) {
    #expect(verdict(of: [[255, verb, 1, 255, 251, 3]]) == true)
    #expect(verdict(of: [[255], [verb], [44]]) == true)
    #expect(verdict(of: [[255, verb], []]) == nil)
  }

  @Test(arguments: [
    Array("login: ".utf8), [255, 255, 251, 1], [255, 251, 200], [0, 255, 251, 1], [255, 240, 1],
  ])
  func otherBytes_areNot(bytes: [UInt8]) {
    #expect(verdict(of: [bytes]) == false)
    // What comes later does not matter.
    #expect(verdict(of: [bytes, [255, 251, 1]]) == false)
  }
}
