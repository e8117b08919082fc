"""One command, several senders: a key, the palette, JSON, a program at the socket and a signal get
the same answer, with the same reason when the command is off."""

import json
import re
import signal
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Pipes, run, serialterm_binary, wait_until
from Tests.endtoend.test_palette import PaletteTest

# Each command: its key, its name in the palette, and the same as JSON.
COMMANDS = {
    "break": (b"b", {"command": "break", "milliseconds": 1}),
    "toggle-line": (b"g", {"command": "set", "dtr": True}),
    "baud": (b"B", {"command": "set", "baud": 9600}),
    "data-bits": (b"D", {"command": "set", "data-bits": 8}),
    "parity": (b"P", {"command": "set", "parity": "none"}),
    "stop-bits": (b"S", {"command": "set", "stop-bits": 1}),
    "flow": (b"F", {"command": "set", "flow": "none"}),
    "send-file": (b"x", {"command": "send", "text": "x"}),
}
ALL = dict.fromkeys(COMMANDS)
# A pseudo-terminal has neither breaks nor modem lines.
OPEN = ALL | {"break": "this port has no break", "toggle-line": "this port has no modem lines"}
# Why each is off in a situation; None where it is on.
SITUATIONS = {
    "open": OPEN,
    "unplugged": dict.fromkeys(COMMANDS, "no device"),
    "read-only": OPEN | dict.fromkeys(("break", "toggle-line", "send-file"), "read-only"),
}


def asks(lines):
    """Whether a question is on the screen: it counts its choices."""
    return any(re.search(r"\d+/\d+$", line.rstrip()) for line in lines)


class SenderTests(PaletteTest):
    def begin(self, situation):
        options = ["--read-only"] if situation == "read-only" else []
        self.terminal, self.screen = self.start(*options)
        if situation == "unplugged":
            self.device.hang_up()
            self.screen.wait_for_text("is gone")

    def by_key(self, key):
        """The reason that a key's answer gives, or None if it asks its question."""
        before = self.screen.text.count("Not available")
        self.terminal.send(PREFIX + key)
        self.screen.wait_for(
            lambda lines: "\n".join(lines).count("Not available") > before
            or asks(lines), "an answer")
        if self.screen.text.count("Not available") > before:
            last = [line for line in self.screen.lines if "Not available" in line][-1]
            self.terminal.send(PREFIX + b"l")
            self.screen.wait_until_gone("Not available")
            return last.partition("Not available: ")[2].rstrip(".")
        self.terminal.send(b"\x1b")
        self.screen.wait_for(lambda lines: not asks(lines), "the question closes")
        return None

    def by_palette(self, name):
        """The reason beside a command in the palette, or None if there is none."""
        self.open_palette(self.terminal, self.screen, name.encode())
        row = self.screen.lines[self.screen.row_of(f"{name}:")]
        self.close_palette(self.terminal, self.screen)
        return row.partition("(off: ")[2].rstrip(")") or None

    def by_json(self, situation, commands):
        """The reasons that JSON gives, by command."""
        options = ["--read-only"] if situation == "read-only" else []
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", *options))
        program.stdout.expect(b'"state":"open"')
        if situation == "unplugged":
            self.device.hang_up()
            program.stdout.expect(b'"state":"waiting"')
        for name, command in commands.items():
            program.send(json.dumps({"id": name} | command).encode() + b"\n")
        program.send(b'{"command": "close"}\n')
        self.assertEqual(program.wait(), 0)
        events = [json.loads(line) for line in program.stdout.data.splitlines()]
        return {event["id"]: event.get("reason") for event in events if event.get("id")}

    def test_a_key_and_the_palette_agree(self):
        for situation, reasons in SITUATIONS.items():
            with self.subTest(situation):
                self.begin(situation)
                for name, reason in reasons.items():
                    key = COMMANDS[name][0]
                    self.assertEqual(self.by_palette(name), reason, name)
                    self.assertEqual(self.by_key(key), reason, name)
                self.terminal.leave()
                self.terminal.close()
                if situation == "unplugged":
                    self.device.plug()

    def test_json_gives_the_palette_s_reasons(self):
        commands = {name: command for name, (_, command) in COMMANDS.items()}
        for situation, reasons in SITUATIONS.items():
            with self.subTest(situation):
                self.assertEqual(self.by_json(situation, commands), reasons)
                if situation == "unplugged":
                    self.device.plug()

    def test_json_gives_them_for_the_names_of_commands_too(self):
        arguments = {"toggle-line": "dtr", "baud": 9600, "data-bits": 8, "parity": "none",
                     "stop-bits": 1, "flow": "none"}
        commands = {name: {"command": name, "argument": argument}
                    for name, argument in arguments.items()}
        for situation, reasons in SITUATIONS.items():
            with self.subTest(situation):
                expected = {name: reasons[name] for name in commands}
                self.assertEqual(self.by_json(situation, commands), expected)
                if situation == "unplugged":
                    self.device.plug()


class ReleaseSenderTests(PaletteTest):
    """`release` by a key, a signal and a program while a file is being sent, and by a program while
    a script has the port."""

    def setUp(self):
        super().setUp()
        self.runtime = Path(self.folder) / "runtime"
        self.runtime.mkdir()
        self.variables = {"XDG_RUNTIME_DIR": str(self.runtime)}

    def by_program(self, process):
        socket = self.runtime / "serialterm" / f"{process.pid}.sock"
        wait_until(socket.exists, "the session listens")
        result = run(serialterm_binary(), "release", self.device.path, "--", "true",
                     variables=self.variables)
        self.assertEqual(result.status, 5, result)
        return result.stderr.decode()

    def test_while_a_file_is_being_sent(self):
        image = Path(self.folder) / "image.bin"
        image.write_bytes(b"z" * 300_000)
        terminal, screen = self.start("--release-on", "USR1", variables=self.variables)
        terminal.send(PREFIX + b"x")
        screen.wait_for_text("file to send")
        terminal.send(str(image).encode() + b"\r")
        screen.wait_for_text("how to send")
        terminal.send(b"\r")
        screen.wait_for_text("ctrl-c stops")
        reason = "image.bin is being sent"
        said = f"Not available: {reason}."
        terminal.send(PREFIX + b"r")
        screen.wait_for(lambda lines: "\n".join(lines).count(said) == 1, "the answer to the key")
        terminal.signal(signal.SIGUSR1)
        screen.wait_for(lambda lines: "\n".join(lines).count(said) == 2, "that to the signal")
        self.open_palette(terminal, screen, b"release")
        self.assertIn(f"(off: {reason})", screen.text)
        self.close_palette(terminal, screen)
        self.assertIn(reason, self.by_program(terminal))

    def test_while_a_script_has_the_port(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", variables=self.variables))
        program.stdout.expect(b'"state":"open"')
        self.assertIn("in use by a script; released when it finishes", self.by_program(program))
