import Sessions
import Telnet
import Testing

@Suite struct MemberNameTests {
  private func name(
    _ own: String, kind: SharingMessage.Introduction.Kind = .person, at place: String? = nil
  ) -> String {
    MemberName(SharingMessage.Introduction(name: own, kind: kind), at: place).text
  }

  @Test(arguments: ["Max", "[lab]", "max on pts/3", "Ana-María O'Neill", "李雷", "ann 2", "a {b}"])
  func aNameIsShownAsItWasTyped(_ own: String) { #expect(name(own) == own) }

  @Test func whatThisProgramAddsIsInParentheses() {
    #expect(name("coder", kind: .agent) == "coder (agent)")
    #expect(name("", kind: .agent) == "unnamed (agent)")
    #expect(name("max", kind: .browser) == "max (browser)")
    #expect(name("", kind: .browser) == "browser")
    #expect(name("max", at: "10.0.0.5:4711") == "max (10.0.0.5:4711)")
    #expect(name("x", kind: .agent, at: "[::1]:5") == "x (agent) ([::1]:5)")
    var second = MemberName(SharingMessage.Introduction(name: "max"), at: "10.0.0.5:4711")
    second.number = 2
    #expect(second.text == "max (10.0.0.5:4711) (2)")
    #expect(MemberName(given: "max (pid 4711)").text == "max (pid 4711)")
  }

  @Test(arguments: [
    (MemberName(.init(name: "max", kind: .agent)), "Max (agent)"),
    (MemberName(.init(name: "", kind: .browser)), "Max (browser)"),
    (MemberName(.init(name: "max"), at: "10.0.0.5:4711"), "Max (10.0.0.5:4711)"),
    (MemberName(given: "max on pts/3"), "Max"), (MemberName(given: "max (pid 4711)"), "Max"),
  ]) func whatThisProgramAddsStaysWithAnotherName(_ old: MemberName, _ shown: String) {
    var old = old
    old.number = 2
    #expect(old.renamed("Max").text == shown)
    #expect(old.renamed("M (2)").text == shown.replacing("Max", with: "M [2]"))
  }

  @Test(arguments: [
    ("ann (agent)", "ann [agent]"), ("ann（ａｇｅｎｔ）", "ann[ａｇｅｎｔ]"), ("ann (аgent)", "ann [аgent]"),
    ("ann (agent", "ann [agent"), ("ann ⎛agent⎞", "ann [agent]"), ("ann (pid 1)", "ann [pid 1]"),
    ("ann (2)", "ann [2]"), ("ann ❨10.0.0.1:22❩", "ann [10.0.0.1:22]"), ("Max (Lab)", "Max [Lab]"),
  ]) func nobodyCanTypeIt(_ own: String, _ shown: String) {
    #expect(name(own) == shown)
    #expect(name(own, at: "10.0.0.5:1") == "\(shown) (10.0.0.5:1)")
  }

  @Test(arguments: [
    ("ann\0", "ann\u{FFFD}"), ("ann\u{1B}[2J", "ann\u{FFFD}[2J"), (" ann ", "ann"),
    ("ann\u{3164}", "ann"), ("a  \u{3000} b", "a b"), ("\u{202E}nna", "nna"), ("ann\n", "ann"),
    ("an\u{AD}n\u{200B}", "ann"), ("", "unnamed"), (" \u{115F}", "unnamed"),
    ("\u{200B}", "unnamed"),
  ]) func whatCannotBeSeenIsNotLeftAsItIs(_ own: String, _ shown: String) {
    #expect(name(own) == shown)
  }

  @Test func aNameHasALimit() {
    let long = String(repeating: "x", count: 59)
    #expect(name(long + "yz") == long + "y")
    #expect(name(long + " z") == long)
    #expect(name(long + "(agent)") == long + "[")
  }
}
