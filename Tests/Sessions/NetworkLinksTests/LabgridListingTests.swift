import Testing

@testable import NetworkLinks

@Suite("The places that labgrid-client lists", .timeLimit(.minutes(30)))
struct LabgridListingTests {
  /// As labgrid-client 26.0.1 prints it.
  private static let places = """
    Place 'board':
      aliases: rack, test:b
      comment: rack 3: left
      tags: arch=arm
      matches:
        e1/g1/*
      acquired: lab-pc/ana
      acquired resources:
        e1/g1/NetworkPowerPort/power
        e1/g1/NetworkSerialPort/RawSerialPort -> console
      allowed: max-pc/max, ci/bot
      created: 2026-11-25 10:00:00
      changed: 2026-11-25 10:00:01
    Place 'spare':
      matches:
        */g?/NetworkSerialPort/uart
      acquired: None
      acquired resources:
      created: 2026-11-25 10:00:00
      changed: 2026-11-25 10:00:01
      reservation: ABC
    Place 'empty':
      matches:
      acquired: None
      acquired resources:
    """

  private func listing(_ resources: String) -> LabgridListing {
    LabgridListing(places: Self.places, resources: resources)
  }

  @Test("each place has its name, its holder, and who may use it")
  func places() {
    let places = listing("").places
    #expect(places.map(\.name) == ["board", "spare", "empty"])
    #expect(places.map(\.holder) == ["lab-pc/ana", nil, nil])
    #expect(listing("").places(acquiredBy: "lab-pc/ana").map(\.name) == ["board"])
    #expect(listing("").places(acquiredBy: "max-pc/max").isEmpty, "they only may use it")
    #expect(places.map(\.comment) == ["rack 3: left", nil, nil])
    #expect(places.map(\.allowed) == [["max-pc/max", "ci/bot"], [], []])
  }

  @Test(
    "a console is there if an exporter offers a serial port of the place",
    arguments: [
      ("", [false, false]),
      ("e1/g1/NetworkSerialPort\n", [true, true]),
      ("e1/g1/NetworkPowerPort\n", [false, false]),
      ("e1/g2/NetworkSerialPort\n", [false, true]),
      ("other/g2/NetworkSerialPort\ne1/g1/NetworkPowerPort\n", [false, true]),
      ("other/group/NetworkSerialPort\n", [false, false]),
      ("NetworkSerialPort\n/NetworkSerialPort\na/b/c/NetworkSerialPort", [false, false]),
    ])
  func consoles(_ resources: String, _ expected: [Bool]) {
    #expect(listing(resources).places.map(\.hasConsole) == expected + [false])
  }

  @Test("an acquired serial port is a target, by its name if the place has several")
  func targets() {
    #expect(listing("").places.map(\.targets) == [["labgrid:board"], [], []])
    let text = """
      Place 'two':
        acquired: lab-pc/ana
        acquired resources:
          e1/g1/NetworkSerialPort/uart
          e1/g1/NetworkUSBPowerPort/hub
          e1/g2/NetworkSerialPort/uart -> debug
          e1/NetworkSerialPort/uart
      """
    let place = LabgridListing(places: text, resources: "").places.first
    #expect(place?.consoles == ["uart", "debug"])
    #expect(place?.targets == ["labgrid:two/uart", "labgrid:two/debug"])
  }

  @Test("any text is read")
  func anything() {
    let pieces = [
      "Place '", "':", "\n", "  ", "    ", "acquired", ": ", "None", "matches:", "a/b/c", "*", "?",
      "Place 'x':\n", "  allowed: ,,\n", "    \n", "é",
    ]
    for seed in 0..<2_000 {
      var number = UInt64(seed) &* 6_364_136_223_846_793_005 &+ 1
      let text = (0..<12).map { _ in
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return pieces[Int(number >> 33) % pieces.count]
      }.joined()
      let places = LabgridListing(places: text, resources: text).places
      #expect(places.count <= text.split(separator: "\n").count)
    }
    let stars = "Place 'x':\n  matches:\n    \(String(repeating: "*a", count: 2_000))b/b/*\n"
    let long = "\(String(repeating: "a", count: 2_000))/b/NetworkSerialPort"
    #expect(LabgridListing(places: stars, resources: long).places[0].hasConsole == false)
  }
}
