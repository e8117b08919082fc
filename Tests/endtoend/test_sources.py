"""The form of the sources: comments have one width, and the parts of the user interface are small. Tests do not judge
by the clock.

It needs no binary."""

import re
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
INTERACTIVE = REPOSITORY / "Sources/serialterm/Interactive"
WIDTH = 100
MOST_LINES = 300
MOST_PROPERTIES = 12
# Types that have more, and how many: a number may only get smaller. The first are records, whose properties are
# independent of each other.
LARGE = {
    "Declaration": 14, "Device": 17, "TerminalState": 44, "TransferProtocol": 15,
    "AgentRead": 17, "AgentServer": 13, "AgentSession": 19, "App": 13, "BlockReceiver": 20, "BlockSender": 26,
    "BrowserPage": 13, "ClientFeed": 13, "ClientMember": 15, "ComPortClient": 14, "Console": 16, "DeviceView": 13,
    "ExchangeRunner": 15, "HeadlessInterface": 14, "JSONPort": 27, "LineEditor": 13,
    "LineNumbers": 15, "OutputChannel": 14, "PatternMatcher": 13, "PlotController": 16, "Port": 15, "PortEngine": 22,
    "PortJunction": 17, "PortLender": 13, "PortProgram": 14, "PortServer": 16, "PublishedState": 15,
    "Reconnector": 16, "RemoteSharing": 16, "RepeatedRequest": 15, "Replayer": 22, "RunController": 15, "Screen": 30,
    "ScreenCells": 16, "ScriptPlayer": 21, "SearchPanel": 14, "SendAndExpect": 17, "SequencePlayer": 14,
    "ServedClient": 20, "Session": 16, "SessionController": 20, "SessionLogger": 18, "SharingController": 27,
    "SymbolSource": 16, "SymbolWatch": 17, "TapTerminal": 15, "TextLines": 13,
    "TransferExchange": 16, "TransferPlayer": 16, "ZmodemDecoder": 21, "ZmodemReceiver": 24, "ZmodemSender": 19,
}

# The beginning of a type or an extension: its indent, kind and name.
TYPE = re.compile(
    r"^(\s*)(?:@\S+ )*(?:(?:public|package|internal|fileprivate|private|final|indirect) )*"
    r"(class|struct|enum|protocol|extension|actor) (\w+)")
# A property of an instance: its indent, kind and names, and what follows them.
PROPERTY = re.compile(
    r"^(\s*)(?:@\w+(?:\([^)]*\))? )*"
    r"(?:(?:public|package|internal|fileprivate|private|unowned|weak|lazy)(?:\([^)]*\))? )*"
    r"(let|var) (\w+|\([^)]*\))(.*)$")
# A line of a test that sleeps, or judges by how long something took.
# That something took at least a time holds on any machine.
CLOCK = re.compile(
    r"time\.sleep\(|\busleep\(|\bnanosleep\(|Task\.sleep|asyncio\.sleep\(|ContinuousClock"
    r"|assertLess(?:Equal)?\((?:max\(|min\(|sorted\(|abs\(|statistics\.\w+\()?(?:self\.|result\.)?"
    r"(?:\w*(?:duration|second|delay|elapsed|took)\w*|ages\b|times\b|time\.(?:monotonic|time)\(\))"
    r"|#expect\((?:duration|elapsed|MonotonicTime\.now - \w+) <")
# Where a test may: a part of the line, and why its verdict is the same on any machine.
CLOCK_EXCEPTIONS = {
    ("endtoend/harness/deadline.py", "time.sleep(0.005)"): "the pause between two looks",
    ("endtoend/harness/pace.py", "time.sleep("): "the speed of a peer",
    ("endtoend/faults/scenarios.py", "time.sleep("): "intervals of a comparison; the tests do not judge the times",
    ("endtoend/test_faults_plugged.py", "time.sleep(2)"): "idle processor time; repeated until it rests",
    ("endtoend/test_faults_shared.py", "time.sleep(self.HELD)"): "the time that is counted, at least as long",
    ("endtoend/test_faults_unplug.py", "time.sleep(1)"): "idle processor time; repeated until it rests",
    ("endtoend/test_frame_bytes.py", "time.sleep(1.2)"): "the stop itself, at least as long",
    ("endtoend/test_reconnect.py", "time.sleep(1)"): "idle processor time; repeated until it rests",
    ("endtoend/test_status.py", "time.sleep(1.2)"): "a second without a wake-up; repeated until one passes",
    ("stage/mock_thousands.py", "time.sleep(2)"): "idle processor time; repeated until it rests",
    ("stage/ftdi_model.py", "time.sleep(LATENCY_TIMER)"): "the timer of the simulated chip",
    ("stage/guest_watch.py", "time.sleep(INTERVAL"): "a measurement that nothing judges",
    ("SerialPortsTests/SerialPortTests.swift", "Task.sleep(for: gap * 2)"): "the silence itself, at least as long",
    ("Sessions/LogsTests/CSVEncoderTests.swift", "usleep(1_000)"): "the pause between two looks",
    ("SerialCoreTests/PortHolderTests.swift", "usleep(1_000)"): "the pause between two looks",
    ("SerialCoreTests/SessionUnsentTests.swift", "usleep(200)"): "the speed of a peer",
}

# A line that looks for ESC, BEL, SO, CSI, CR or LF among bytes or characters.
READING = re.compile(
    r"(?:[!=]= ?|case |of: |contains\(|split\([^)]*separator: )"
    r"(?:0x(?:1B|07|0E|9B|0A|0D)\b|\.(?:escape|bell|lineFeed|carriageReturn)(?: [{|&?]|,? ?where|$|\))"
    r"|(?:UInt8\(ascii: )?\"(?:\\[rn]|\\u\{(?:1B|7|E|9B)\})\")"
    r"|\"[^\"\n]*\\[rn][^\"\n]*\"\.utf8\.contains\(|elementsEqual\(\"[^\"\n]*\\[rn]", re.MULTILINE)
# Who may, in Sources: all others read what a device sends by TextStages.
READERS = {
    "Values/TextStages/Stream/": "the one reading of a device's text",
    "Values/TextStages/Filter/": "what a terminal may get",
    "Values/TextStages/Map/": "bytes become other bytes",
    "Values/TextStages/Echo/TypedText.swift": "keys",
    "Values/TextStages/ScreenText.swift": "keys",
    "Values/ModelContext/DeviceText.swift": "agents get every byte, with offsets",
    "Terminal/Input/": "keys",
    "Terminal/TerminalWidgets/": "keys, and texts of people",
    "Terminal/Search/SearchPanel.swift": "keys",
    "Terminal/Output/Console.swift": "whether a message begins a line",
    "serialterm/Interactive/Ports/PortText.swift": "whether a note begins a line",
    "serialterm/Interactive/Ports/AddressNotes.swift": "notes below lines that are shown",
    "serialterm/Interactive/Ports/DeviceQuestions.swift": "a hint below a line that is shown",
    "serialterm/Interactive/Views/FilterController.swift": "another program",
    "Sessions/Sharing/DeviceScreen.swift": "where a program began to draw",
    "Sessions/Sharing/SharingController.swift": "lines that are sent",
    "Sessions/Exchanges/EchoSearch.swift": "text that is sent",
    "serialterm/Start/Profiles/Snippet.swift": "text that is sent",
    "serialterm/Subcommands/SendCommand.swift": "text that is sent",
    "serialterm/Words/Output/EscapedText+Writing.swift": "bytes in the form of scripts",
    "Sessions/Loopback/": "a device",
    "Sessions/Watching/RateProbe.swift": "whether bytes can be text",
    "Values/Framing/": "frames",
    "Values/TransferProtocols/": "protocols", "Values/TextTools/JSON.swift": "JSON",
    "Values/TextTools/HarmlessText.swift": "text of other programs",
    "Values/Configuration/": "files of people", "Values/Dialogues/": "scripts",
    "Values/Options/": "help", "serialterm/Start/Help/": "help",
    "Values/Symbols/": "files of a build", "serialterm/Programs/Symbols/AddressProgram.swift": "another program",
    "serialterm/Programs/Symbols/SymbolListing.swift": "where addresses are explained in a file",
    "serialterm/Interactive/Plot/": "files of measurements", "serialterm/Programs/Web/BrowserPage.swift": "another program",
    "Sessions/Logs/Reading/": "logs that are read",
    "SerialCore/LineProbe+Requests.swift": "files of the kernel", "SerialCore/PortHolder.swift": "files of the kernel",
    "SerialCore/TerminalDriver.swift": "files of the kernel",
    "SerialCore/UUCPLock.swift": "lock files", "Sessions/Session/Binding/KernelConsoles.swift": "files of the kernel",
    "Sessions/Exchanges/Transfers/IncomingFolder.swift": "files of the kernel",
    "serialterm/Doctor/": "files of the kernel and of udev",
    "DeviceWatch/Udev/UdevSource.swift": "files of the kernel",
}


def readers(path, text):
    """The lines of a source file that look for line ends or sequences, without the exceptions."""
    if any(path.startswith(each) for each in READERS):
        return []
    return [
        f"{path}:{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1)
        if READING.search(line) and "part.kind" not in line and not line.lstrip().startswith("//")]


def lines_by_the_clock(path, text):
    """The lines of a test that sleep or judge by the clock, without the exceptions."""
    allowed = [part for file, part in CLOCK_EXCEPTIONS if file == path]
    return [
        f"{path}:{number}: {line.strip()}" for number, line in enumerate(text.splitlines(), 1)
        if CLOCK.search(line) and not any(part in line for part in allowed)]


def long_comments(text, is_swift=True):
    """The numbers of the lines that are too wide: of comments in Swift, all in C."""
    return [
        number for number, line in enumerate(text.splitlines(), 1)
        if len(line) > WIDTH and (not is_swift or line.lstrip().startswith("//"))]


def stored_properties(text):
    """The stored properties of each type in a source file."""
    lines, types, found = text.splitlines(), [], {}
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not line.lstrip().startswith(")"):
            types = [each for each in types if each[0] < indent]
        if begun := TYPE.match(line):
            types.append((indent, begun[2], begun[3]))
            continue
        declared = PROPERTY.match(line)
        if not (declared and types and indent == types[-1][0] + 2 and types[-1][1] in ("class", "struct", "actor")):
            continue
        before, brace, _ = declared[4].partition("{")
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        is_computed = (
            declared[2] == "var" and brace and "=" not in before and not following.startswith(("didSet", "willSet")))
        if not is_computed:
            found.setdefault(types[-1][2], []).extend(re.findall(r"\w+", declared[3]))
    return found


class SourceTests(unittest.TestCase):
    def test_comments_have_one_width(self):
        for path in sorted((REPOSITORY / "Sources").rglob("*")):
            if path.suffix in (".swift", ".c", ".h"):
                with self.subTest(path.relative_to(REPOSITORY)):
                    self.assertEqual(long_comments(path.read_text(), path.suffix == ".swift"), [])

    def test_files_of_the_user_interface_are_short(self):
        for path in sorted(INTERACTIVE.rglob("*.swift")):
            with self.subTest(path.name):
                self.assertLessEqual(len(path.read_text().splitlines()), MOST_LINES)

    def test_types_have_few_properties(self):
        """State that must agree is one value: a struct, or a case of an enum."""
        large = {}
        for path in sorted((REPOSITORY / "Sources").rglob("*.swift")):
            for name, properties in stored_properties(path.read_text()).items():
                if len(properties) > MOST_PROPERTIES:
                    large[name] = len(properties)
        self.assertEqual(large, LARGE)

    def test_no_test_sleeps_or_judges_by_the_clock(self):
        """A test waits for an event, with a deadline that only a hang can reach. A promised time is measured by
        scripts/bench promises."""
        found = []
        used = set()
        for path in sorted((REPOSITORY / "Tests").rglob("*")):
            if path.suffix in (".py", ".swift") and path.name != "test_sources.py":
                name, text = str(path.relative_to(REPOSITORY / "Tests")), path.read_text()
                found += lines_by_the_clock(name, text)
                used |= {(file, part) for file, part in CLOCK_EXCEPTIONS if file == name and part in text}
        self.assertEqual(found, [])
        self.assertEqual(CLOCK_EXCEPTIONS.keys() - used, set(), "no longer needed")

    def test_a_device_is_read_in_one_place(self):
        """What a sequence is, and where a line ends, is decided in TextStages/Stream."""
        found, used = [], set()
        for path in sorted((REPOSITORY / "Sources").rglob("*.swift")):
            name, text = str(path.relative_to(REPOSITORY / "Sources")), path.read_text()
            found += readers(name, text)
            used |= {each for each in READERS if name.startswith(each) and READING.search(text)}
        self.assertEqual(found, [])
        self.assertEqual(READERS.keys() - used, set(), "no longer needed")

    def test_readers_are_found(self):
        self.assertEqual(len(readers("Sessions/x.swift", (
            "if byte == 0x1B {\n"
            "while let end = rest.firstIndex(of: .lineFeed) {\n"
            "case .carriageReturn where isEmpty: break\n"
            "text.split(separator: \"\\n\")\n"
            "guard bytes.contains(.escape) else { return }\n"
            "if byte == UInt8(ascii: \"\\n\") {\n"
            "let end = bytes.lastIndex { \"\\r\\n\".utf8.contains($0) }\n"
            "if \"\\r\\n\\t\".utf8.contains(byte) {\n"
            "if end.elementsEqual(\"\\r\\n\".utf8) {\n"))), 9)
        self.assertEqual(readers("Sessions/x.swift", (
            "// It ends at == 0x0A.\noutput.append(.lineFeed)\nif part.kind == .lineFeed { feed() }\n")), [])

    def test_lines_by_the_clock_are_found(self):
        self.assertEqual(len(lines_by_the_clock("x.py", (
            "time.sleep(0.1)\n"
            "self.assertLess(seconds, 1)\n"
            "self.assertLess(max(durations), 500)\n"
            "self.assertLessEqual(statistics.median(self.delays), 100)\n"
            "self.assertLess(time.monotonic() - started, 1)\n"
            "#expect(duration < .seconds(1))\n"))), 6)
        self.assertEqual(lines_by_the_clock("x.py", (
            "self.assertLess(count, 3)\nself.assertLessEqual(count, seconds * 10 + 1)\npace(started, 3, 10)\n")), [])

    def test_long_comments_are_found(self):
        wide = "x" * WIDTH
        self.assertEqual(long_comments(f'/// {wide}\nlet a = "{wide}"\n// short\n  // {wide}\n'), [1, 4])
        self.assertEqual(long_comments(f'int a;\nprintf("{wide}");\n', is_swift=False), [2])

    def test_stored_properties_are_found(self):
        self.assertEqual(stored_properties(
            "final class Pump: Machine {\n"
            "  /// What it moves.\n"
            "  let events = Observable<Event>()\n"
            "  @Observed private(set) var state = State.idle\n"
            "  private(set) lazy var report = Report(on: loop) { [app] in app.warn($0) }\n"
            "  private weak var owner: Owner?\n"
            "  var isOn = false {\n"
            "    didSet { update() }\n"
            "  }\n"
            "  var isLoud: Bool {\n"
            "    didSet { update() }\n"
            "  }\n"
            "  private let (width, height): (Int, Int)\n"
            "  static let patience = 3\n"
            "  private static let limit = 3\n"
            "  var count: Int { events.count }\n"
            "  var name: String {\n"
            "    let text = state.text\n"
            "    return text\n"
            "  }\n"
            "\n"
            "  private struct End {\n"
            "    var timer: Timer?\n"
            "    let closure: () -> Void\n"
            "  }\n"
            "\n"
            "  init(\n"
            "    of state: State\n"
            "  ) {\n"
            "    let local = 1\n"
            "  }\n"
            "}\n"
            "\n"
            "enum Limits {\n"
            "  static let most = 1\n"
            "}\n"),
            {"Pump": ["events", "state", "report", "owner", "isOn", "isLoud", "width", "height"],
             "End": ["timer", "closure"]})


if __name__ == "__main__":
    unittest.main()
