import Testing

@testable import serialterm_web

struct AdmissionTests {
  private let token = Token.random()

  @Test func withoutOpenAllNeedTheToken() {
    let admission = Admission(token: token, isOpen: false)
    for isOwn in [true, false] {
      #expect(admission.admits(token: token.text, isOwn: isOwn))
      #expect(!admission.admits(token: "", isOwn: isOwn))
    }
  }

  @Test func openIsForPagesOfTheServerOnly() {
    let admission = Admission(token: token, isOpen: true)
    #expect(admission.admits(token: "", isOwn: true))
    #expect(!admission.admits(token: "", isOwn: false))
    #expect(admission.admits(token: token.text, isOwn: false))
  }

  @Test func nobodyHasATokenThatDoesNotExist() {
    #expect(!Admission(token: nil, isOpen: true).admits(token: "", isOwn: false))
    #expect(!Admission(token: nil, isOpen: false).admits(token: "", isOwn: true))
  }
}
