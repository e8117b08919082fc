import Configuration
import SerialCore
import Testing

@testable import serialterm

@Suite("Named sequences", .timeLimit(.minutes(30))) struct NamedSequenceTests {
  private func entries(_ text: String) throws(ConfigurationError) -> [Entry] {
    let contents = try ConfigurationFile(parsing: Array(text.utf8), check: ProfileFile.check)
    return ProfileChoice.merge(
      contents.defaults, contents.profile(named: "a")?.entries ?? [])
  }

  @Test("steps, and the names of ready sequences, in the order of the file")
  func reading() throws {
    let read = NamedSequence.sequences(
      of: try entries(
        "[default.sequences]\nreset = 'dtr=off,wait=100,dtr=on'\nboot = 'avr-reset'\n"
          + "[profile.a.sequences]\nboot = 'esp32-bootloader'\n"))
    #expect(read.map(\.name) == ["reset", "boot"])
    #expect("\(read[0].sequence)" == "dtr=off,wait=100,dtr=on")
    #expect(read[1].sequence == ReadySequence.esp32Bootloader.sequence)
  }

  @Test(
    "a mistake is named with its line",
    arguments: [
      (
        "x = 1",
        "'x' is a whole number: expected steps, such as \"dtr=off,wait=100,dtr=on\", or the name of a ready sequence"
      ),
      (
        "x = 'dtr=off,dsr=on'",
        "'x': item 2, 'dsr=on': expected dtr=on|off, rts=on|off, break=on|off, wait=MS or baud=RATE"
      ),
      (
        "x = 'baud=fast'",
        "'x': item 1, 'baud=fast': expected baud=RATE, a whole number from 1 to 2147483647"
      ),
      ("'' = 'dtr=off'", "a name is 1 to 24 printable characters: ''"),
    ])
  func mistakes(_ text: String, _ expected: String) {
    #expect(throws: ConfigurationError(line: 3, expected)) {
      try entries("[profile.a]\n[profile.a.sequences]\n\(text)\n")
    }
  }

  @Test("an unknown name is answered with all ready sequences")
  func unknownName() {
    let error = #expect(throws: ConfigurationError.self) {
      try entries("[default.sequences]\nx = 'esp32'\n")
    }
    #expect(error?.line == 2)
    #expect(
      error?.what.hasPrefix(
        "'x': 'esp32' is not a ready sequence: expected one of esp32-bootloader, ") == true)
  }

  /// The steps in docs/line-control.md, which names the source of each.
  @Test(arguments: [
    ("esp32-bootloader", "dtr=off,rts=on,wait=100,dtr=on,rts=off,wait=50,dtr=off"),
    ("esp32-run", "dtr=off,rts=on,wait=100,rts=off"),
    (
      "esp32-usb-bootloader",
      "rts=off,dtr=off,wait=100,dtr=on,rts=off,wait=100,rts=on,dtr=off,rts=on,wait=100,dtr=off,rts=off"
    ),
    ("esp32-usb-run", "dtr=off,rts=on,wait=200,rts=off,wait=200"),
    ("rp2040-bootloader", "baud=1200,dtr=off,wait=500,dtr=on"),
    ("32u4-bootloader", "baud=1200,dtr=off,wait=500,dtr=on"),
    ("avr-reset", "dtr=off,rts=off,wait=250,dtr=on,rts=on,dtr=off,rts=off,wait=100"),
    ("stm32-bootloader", "rts=off,dtr=on,wait=100,dtr=off,wait=500"),
    ("stm32-run", "rts=on,dtr=on,wait=100,dtr=off,wait=500"),
    ("stm32-inv-bootloader", "rts=off,wait=100,dtr=off,wait=100,dtr=on"),
    ("stm32-inv-run", "rts=on,wait=100,dtr=off,wait=100,dtr=on"),
  ])
  func readySequences_areTheseSteps(name: String, steps: String) throws {
    #expect("\(try #require(ReadySequence(rawValue: name)).sequence)" == steps)
    #expect(ReadySequence.allCases.count == 11)
  }
}
