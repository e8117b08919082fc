import SerialCore
import Testing

@testable import NetworkLinks

/// What labgrid-client 26.0 prints about a place.
private func shown(
  acquired: String = "lab/ana", allowed: String? = nil, kind: String = "Acquired",
  resources: [(name: String, params: String)] = [
    ("console", "'host': 'lab', 'port': 4001, 'speed': 115200")
  ]
) -> String {
  """
  Place 'board':
    matches:
      e1/g1/*
    acquired: \(acquired)
    acquired resources:
      e1/g1/NetworkSerialPort/console
  \(allowed.map { "  allowed: \($0)\n" } ?? "")  created: 2026-11-25 21:47:37.313381
    changed: 2026-11-25 21:47:41.336937
  Acquired resource 'power' (e1/g1/NetworkPowerPort/power):
    {'acquired': 'board',
     'cls': 'NetworkPowerPort',
     'params': {'host': 'http://power', 'index': 1, 'model': 'netio', 'port': 99}}

  """
    + resources.map {
      """
      \(kind) resource '\($0.name)' (e1/g1/NetworkSerialPort/\($0.name)):
        {'acquired': 'board',
         'avail': True,
         'cls': 'NetworkSerialPort',
         'params': {'extra': {'path': '/dev/pts/0',
                              'proxy': 'localhost',
                              'proxy_required': False},
                    \($0.params)}}

      """
    }.joined()
}

@Suite(.timeLimit(.minutes(30))) struct LabgridPlaceTests {
  private let place = LabgridPlace(parsing: "board")!

  private func problem(_ output: String, of place: LabgridPlace? = nil) -> LabgridPlace.Problem? {
    #expect(throws: LabgridPlace.Problem.self) {
      try (place ?? self.place).port(in: output, for: "lab/ana")
    }
  }

  @Test func place_hasAName_andPerhapsAResource() {
    #expect(place.name == "board" && place.resource == nil)
    #expect(LabgridPlace(parsing: "a.b-1/main")?.resource == "main")
    #expect(place.arguments == ["-p", "board", "show"])
    for text in ["", "-p", "*", "a b", "a/", "/a", "a/-b", "a/b/c", "a\n", "'a'"] {
      #expect(LabgridPlace(parsing: text) == nil, "\(text)")
    }
  }

  @Test func port_ofAnAcquiredPlace_isFound() throws {
    let port = try place.port(in: shown(), for: "lab/ana")
    #expect(port.address == HostAddress(host: "lab", port: 4001))
    #expect(!port.isRaw && port.speed == 115_200)
    let raw = "'host': 'fd00::7',\n 'port': 4002,\n 'protocol': 'raw', 'speed': None"
    let other = try place.port(in: shown(resources: [("x", raw)]), for: "lab/ana")
    #expect(other.address == HostAddress(host: "fd00::7", port: 4002))
    #expect(other.isRaw && other.speed == nil)
  }

  @Test func place_isForItsHolder_andThoseThatTheHolderAllows() throws {
    #expect(problem(shown(acquired: "None"))?.code == .permissionDenied)
    #expect(problem(shown(acquired: "None"))?.words.contains("-p board acquire") == true)
    let others = problem(shown(acquired: "pc/max", allowed: "pc/max"))
    #expect(others?.code == .busy)
    #expect(others?.words.contains("allow lab/ana") == true)
    let allowed = shown(acquired: "pc/max", allowed: "pc/max, lab/ana")
    #expect(throws: Never.self) { try place.port(in: allowed, for: "lab/ana") }
  }

  @Test func severalPorts_areToldApartByTheirNames() throws {
    let two = shown(resources: [
      ("a", "'host': 'lab', 'port': 1"), ("b", "'host': 'lab', 'port': 2"),
    ])
    #expect(problem(two)?.words.contains("labgrid:board/a, labgrid:board/b") == true)
    let b = try #require(LabgridPlace(parsing: "board/b"))
    #expect(try b.port(in: two, for: "lab/ana").address.port == 2)
    #expect(problem(two, of: LabgridPlace(parsing: "board/c"))?.code == .notFound)
    #expect(problem(shown(resources: []))?.code == .notFound)
  }

  @Test func port_withoutItsExporter_isAwaited() {
    #expect(problem(shown(resources: [("x", "'host': 'lab', 'port': None")]))?.code == .unreachable)
    #expect(
      problem(
        shown(kind: "Orphaned", resources: [])
          + "Orphaned resource 'x' (e1/g1/NetworkSerialPort/x)\n"
      )?.code == .unreachable)
  }

  @Test func port_behindAProxy_isExplained() {
    let text = shown().split(separator: "'proxy_required': False").joined(
      separator: "'proxy_required': True")
    #expect(problem(text)?.words.contains("labgrid-client -p board console") == true)
  }

  @Test func anyOutput_hasAnAnswer() {
    for text in [
      "", "\n", "  acquired: ", "  acquired: lab/ana", "Acquired resource ''' (/NetworkSerialPort/",
      "  acquired: lab/ana\nAcquired resource 'x' (a/NetworkSerialPort/x):\n {{{:::,,,}}}\n  'host':",
    ] {
      #expect(problem(text) != nil)
    }
    // Any part of an output.
    let bytes = Array(shown().utf8)
    for end in stride(from: 0, to: bytes.count, by: 7) {
      let port = try? place.port(in: String(decoding: bytes[..<end], as: UTF8.self), for: "lab/ana")
      #expect(port == nil || port?.address.host == "lab")
    }
  }

  @Test func failuresOfLabgridClient_areExplained() {
    for (line, code) in [
      ("labgrid-client: Error: place pattern nope matches nothing", SerialError.Code.notFound),
      ("Server error: Error: Could not connect to coordinator", .unreachable),
      ("something else", .refusedByServer),
    ] { #expect(LabgridPlace.problem(line, of: "x").code == code) }
    #expect(LabgridPlace.problem(nil, of: "x").words == "labgrid-client has failed")
  }
}
