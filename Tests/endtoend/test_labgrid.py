"""The console of labgrid-client: serialterm in the place of microcom."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import (
    Pipes, Terminal, contents, run, serialterm, serialterm_binary, shell_status, slow, wait_until)
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.servers import Serve, free_port
from Tests.endtoend.servers.documented import DocumentedClient
from Tests.endtoend.servers.labgrid import Labgrid, local_port, missing

# Starts a console as labgrid-client does, whose command line it has.
LIKE_LABGRID = "import subprocess, sys; sys.exit(subprocess.call([sys.argv[1], '-t', 'lab:4001']))"
MICROCOM = str(REPOSITORY / "labgrid/microcom")
READY = b"at 115200 8N1"
# Neither it nor its child ends by a request.
STUBBORN = """\
#!/bin/sh
trap '' TERM HUP INT
sleep 1000 &
echo $$ $! > "$PIDS/new.$$"
mv "$PIDS/new.$$" "$PIDS/$$.pids"
wait
"""


class StubbornClientTests(unittest.TestCase):
    """A labgrid-client that does not answer, and ignores that it is not needed any more."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = self.folder / "labgrid-client"
        self.program.write_text(STUBBORN)
        self.program.chmod(0o755)
        self.variables = {
            "PATH": f"{self.folder}:{os.environ['PATH']}", "PIDS": str(self.folder),
            "LG_COORDINATOR": "127.0.0.1:1"}
        self.addCleanup(self.kill)

    def pids(self):
        return [int(pid) for file in self.folder.glob("*.pids") for pid in file.read_text().split()]

    def kill(self):
        for pid in self.pids():
            if self.runs(pid):
                os.kill(pid, signal.SIGKILL)

    @staticmethod
    def runs(pid):
        try:
            return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
        except (FileNotFoundError, ProcessLookupError):
            return False

    def check(self, *words, number, clients):
        program = self.enterContext(Pipes(serialterm_binary(), *words, variables=self.variables))
        wait_until(lambda: len(self.pids()) == 2 * clients, "labgrid-client runs")
        os.kill(program.pid, number)
        self.assertEqual(shell_status(program.wait()), 128 + number)
        wait_until(lambda: not any(map(self.runs, self.pids())), "its processes have ended")

    def test_it_ends_with_a_list(self):
        self.check("list", "--labgrid", number=signal.SIGTERM, clients=2)

    def test_it_ends_with_an_interrupted_list(self):
        self.check("list", "--labgrid", number=signal.SIGINT, clients=2)

    def test_it_ends_with_a_session(self):
        self.check("connect", "labgrid:board", number=signal.SIGTERM, clients=1)

    def test_it_ends_when_another_one_has_failed(self):
        self.program.write_text('#!/bin/sh\n[ "$1" = resources ] || { until [ -e "$PIDS"/*.pids ]; do :; done; exit 1; }\n'
                                + STUBBORN.partition("\n")[2])
        result = serialterm("list", "--labgrid", variables=self.variables)
        self.assertEqual(result.status, 1)
        self.assertEqual(len(self.pids()), 2)
        wait_until(lambda: not any(map(self.runs, self.pids())), "its processes have ended")


class MicrocomTests(unittest.TestCase):
    """The options of microcom, in the words of serialterm."""

    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.program = folder / "program"
        self.program.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
        self.program.chmod(0o755)

    def microcom(self, *options, **variables):
        return run(MICROCOM, *options, variables={"SERIALTERM": str(self.program), **variables})

    def test_options_become_those_of_serialterm(self):
        server = ["rfc2217://lab:4001", "--no-reconnect"]
        for options, expected in (
                ("-s 115200 -t lab:4001", [*server, "--baud", "115200"]),
                ("--telnet=lab:4001 --speed=9600", [*server, "--baud", "9600"]),
                ("-t lab", ["rfc2217://lab:23", "--no-reconnect"]),
                ("-t [2001:db8::7]:4001", ["rfc2217://[2001:db8::7]:4001", "--no-reconnect"]),
                ("-t [::1]", ["rfc2217://[::1]:23", "--no-reconnect"]),
                ("-t 2001:db8::7:4001", ["rfc2217://[2001:db8::7]:4001", "--no-reconnect"]),
                ("-t lab:4001 --listenonly", [*server, "--read-only"]),
                ("-t lab:4001 -o", [*server, "--read-only"]),
                ("-t lab:4001 --logfile=a%b", [
                    *server, "--log=a%%b", "--log-format", "raw", "--log-append"]),
                ("-t lab:4001 -e a", [*server, "--prefix", "ctrl-a"]),
                ("-f -t lab:4001", server),
                ("-p /dev/ttyUSB0 -f", ["/dev/ttyUSB0", "--shared"])):
            with self.subTest(options):
                ended = self.microcom(*options.split())
                self.assertEqual((ended.status, ended.stderr), (0, b""))
                self.assertEqual(ended.stdout.decode().splitlines(), ["connect", *expected])

    def test_variables_have_more_options_and_the_protocol(self):
        for protocol in ("tcp", "telnet"):
            ended = self.microcom(
                "-s", "9600", "-t", "lab:4001", SERIALTERM_LABGRID_PROTOCOL=protocol,
                SERIALTERM_LABGRID_OPTIONS="-t iso --on-match *")
            self.assertEqual(
                ended.stdout.decode().splitlines(),
                ["connect", f"{protocol}://lab:4001", "--no-reconnect", "-t", "iso", "--on-match", "*"])

    def test_what_serialterm_has_not_is_named(self):
        for options, message in (
                (["-c", "can0"], b"-c: serialterm has no CAN."),
                (["-t", "lab:1", "--answerback", "x"], b"--answerback: serialterm does not answer"),
                (["-d", "-t", "lab:1"], b"-d: serialterm has no such output."),
                ([], b"expected -t HOST:PORT or -p DEVICE"),
                (["-t", "lab:1", "-p", "ttyS0"], b"expected -t HOST:PORT or -p DEVICE"),
                (["-t", "lab:1", "ttyS0"], b"'ttyS0': expected options only"),
                (["--frob"], b"unrecognized option '--frob'")):
            with self.subTest(options):
                ended = self.microcom(*options)
                self.assertEqual((ended.status, ended.stdout), (2, b""))
                self.assertIn(message, ended.stderr)

    def test_a_missing_program_is_named(self):
        ended = self.microcom("-t", "lab:1", SERIALTERM="/nowhere/serialterm")
        self.assertEqual(ended.status, 2)
        self.assertIn(b"no program '/nowhere/serialterm'", ended.stderr)

    def like_labgrid(self, *options):
        return [sys.executable, "-c", LIKE_LABGRID, MICROCOM, "-p", "place", *options]

    def test_the_exit_status_ends_a_loop_if_the_user_has_quit(self):
        variables = {"SERIALTERM": str(self.program)}
        for options, status, expected in (
                (["console"], 0, 0), (["console"], 6, 6), (["console", "--logfile", "loop"], 0, 0),
                (["console", "--loop"], 0, 255), (["con", "-l"], 0, 255), (["con", "-l"], 1, 255),
                (["console", "--logfile", "x", "--loop"], 6, 6), (["console", "-l"], 3, 3),
                (["console", "-ol"], 0, 255)):
            with self.subTest(options=options, status=status):
                self.program.write_text(f"#!/bin/sh\nexit {status}\n")
                ended = run(*self.like_labgrid(*options), variables=variables)
                self.assertEqual((ended.status, ended.stderr), (expected, b""))

    def test_a_signal_reaches_the_program(self):
        for options in ([], ["--loop"]):
            with self.subTest(options):
                self.program.write_text("#!/bin/sh\necho $$ $PPID\nexec sleep 60\n")
                labgrid = self.enterContext(Pipes(
                    *self.like_labgrid("console", *options),
                    variables={"SERIALTERM": str(self.program)}))
                program, parent = map(
                    int, labgrid.stdout.expect(re.compile(rb"(\d+) (\d+)\n")).groups())
                # Without a loop, the program has taken the place of the script.
                os.kill(program if parent == labgrid.pid else parent, signal.SIGTERM)
                self.assertIn(labgrid.wait(), (128 + signal.SIGTERM, 256 - signal.SIGTERM))
                self.assertFalse(Path(f"/proc/{program}").exists())

    def test_it_finds_the_program_beside_itself(self):
        beside = self.program.with_name("microcom")
        beside.write_bytes(Path(MICROCOM).read_bytes())
        beside.chmod(0o755)
        self.program.rename(self.program.with_name("serialterm"))
        ended = run(str(beside), "-v", variables={"SERIALTERM": None})
        self.assertEqual(ended.stdout, b"--version\n")


class ConsoleTest(unittest.TestCase):
    """Consoles of `labgrid`, which a subclass starts."""

    labgrid = None

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def console(self, *options, **streams):
        terminal = Terminal(
            "labgrid-client", "console", *options, variables=self.labgrid.variables, **streams)
        return self.enterContext(terminal)

    def ready(self, *options):
        """A console that is connected."""
        terminal = self.console(*options)
        terminal.expect(READY)
        return terminal

    def ask(self, terminal, command, answer):
        """Types a command of the board."""
        terminal.send(command + b"\r")
        terminal.expect(answer)

    def leave(self, terminal, status=0):
        terminal.send(PREFIX + b"q")
        self.assertEqual(terminal.wait(), status)
        self.assertEqual(terminal.settings, terminal.original_settings)


@slow
@unittest.skipIf(missing(), missing())
class LabgridTests(ConsoleTest):
    @classmethod
    def setUpClass(cls):
        board = cls.enterClassContext(Loopback("--board"))
        cls.labgrid = cls.enterClassContext(Labgrid(local_port(board.node)))

    def test_a_typed_line_is_answered_and_the_quit_key_quits(self):
        terminal = self.ready()
        self.ask(terminal, b"echo one two", b"\r\none two\r\n")
        self.leave(terminal)

    def test_the_quit_key_also_ends_a_loop(self):
        terminal = self.ready("--loop")
        self.ask(terminal, b"version", b"firmware")
        self.leave(terminal)
        self.assertEqual(terminal.output.count(READY), 1)

    def test_a_loop_opens_a_lost_console_again(self):
        log = self.folder / "console.log"
        terminal = self.ready("-l", "--logfile", str(log))
        self.ask(terminal, b"echo before", b"\r\nbefore\r\n")
        self.labgrid.restart_ser2net()
        terminal.expect(b"the connection is lost")
        terminal.expect(READY)
        self.ask(terminal, b"echo after", b"\r\nafter\r\n")
        self.leave(terminal)
        for word in (b"before", b"after"):
            self.assertIn(b"\r\n%s\r\n" % word, log.read_bytes())

    def test_a_log_has_what_the_board_sent_and_keeps_what_it_had(self):
        log = self.folder / "100%.log"
        log.write_bytes(b"earlier\n")
        terminal = self.ready("--logfile", str(log))
        self.ask(terminal, b"echo logged", b"\r\nlogged\r\n")
        self.leave(terminal)
        logged = log.read_bytes()
        self.assertTrue(logged.startswith(b"earlier\n"))
        self.assertIn(b"echo logged\r\nlogged\r\n", logged)
        self.assertNotIn(b"serialterm:", logged)

    def test_a_listener_hears_and_sends_nothing(self):
        log = self.folder / "heard.log"
        background = self.console(
            "--listenonly", "--logfile", str(log), stdin=subprocess.DEVNULL)
        listener = self.console("--listenonly")
        writer = self.ready()
        self.ask(writer, b"led off", b"led")
        # Both are connected when they hear the writer.
        for step in range(1000):
            self.ask(writer, b"echo step %d" % step, b"\r\nstep %d\r\n" % step)
            if b"step " in contents(log) and b"step " in listener.output:
                break
        listener.send(b"led on\r")
        self.assertEqual(listener.settings, listener.original_settings)
        self.ask(writer, b"echo still here", b"\r\nstill here\r\n")
        self.ask(writer, b"led", b"led is off")
        listener.expect(b"\nstill here\r")
        wait_until(lambda: b"still here" in contents(log), "the listener in the background logs")
        listener.send(b"\x03")
        self.assertNotEqual(listener.wait(), 0)
        self.assertTrue(background.running)
        self.leave(writer)

    def test_a_loop_of_the_shell_survives_the_end_of_the_exporter(self):
        """The documentation has this loop. labgrid's own ends while there is no exporter."""
        terminal = self.enterContext(Terminal(
            "sh", "-c", "until labgrid-client console; do echo status=$?; sleep 1; done",
            variables=self.labgrid.variables))
        terminal.expect(READY)
        self.ask(terminal, b"version", b"firmware")
        self.labgrid.kill_exporter()
        terminal.expect(b"the connection is lost")
        terminal.expect(b"status=6\r\n")
        self.labgrid.start_exporter()
        terminal.expect(READY)
        self.ask(terminal, b"echo again", b"\r\nagain\r\n")
        self.leave(terminal)

    def test_a_release_ends_the_console(self):
        for options in ((), ("--loop",)):
            with self.subTest(options):
                terminal = self.ready(*options)
                self.labgrid.client("release")
                try:
                    terminal.wait()
                    self.assertEqual(terminal.settings, terminal.original_settings)
                finally:
                    self.labgrid.client("acquire")


@slow
@unittest.skipIf(missing(), missing())
class PlaceTests(ConsoleTest):
    """`labgrid:PLACE` as a TARGET."""

    @classmethod
    def setUpClass(cls):
        board = cls.enterClassContext(Loopback("--board"))
        cls.labgrid = cls.enterClassContext(Labgrid(local_port(board.node)))

    def console(self, *options, **streams):
        terminal = Terminal(
            serialterm_binary(), *(options or ("labgrid:board",)), variables=self.labgrid.variables,
            **streams)
        return self.enterContext(terminal)

    def failure(self, *words, **variables):
        ended = serialterm(
            *words, variables={**self.labgrid.variables, **variables})
        self.assertEqual(ended.stdout, b"")
        return ended.status, ended.stderr

    def test_the_console_of_an_acquired_place_is_opened(self):
        terminal = self.ready()
        self.ask(terminal, b"echo one two", b"\r\none two\r\n")
        self.leave(terminal)
        ended = serialterm(
            "send", "labgrid:board/RawSerialPort", "version", "--expect", "firmware .*\r",
            variables=self.labgrid.variables)
        self.assertEqual((ended.status, ended.stderr), (0, b""))
        self.assertIn(b"firmware", ended.stdout)

    def test_the_places_are_listed_with_their_holder_and_their_console(self):
        self.labgrid.client("-p", "spare", "create")
        self.addCleanup(self.labgrid.client, "-p", "spare", "delete")

        def listed(*words, **variables):
            ended = serialterm(
                "list", "--labgrid", *words, variables={**self.labgrid.variables, **variables})
            self.assertEqual((ended.status, ended.stderr), (0, b""))
            return ended.stdout

        self.assertEqual(listed("--names"), b"labgrid:board\nlabgrid:spare\n")
        self.assertRegex(
            listed(), rb"^TARGET +ACQUIRED BY +CONSOLE +COMMENT\n"
            rb"labgrid:board +you +available *\nlabgrid:spare +- +-\n$")
        board, spare = json.loads(listed("--json"))
        self.assertEqual(
            {**board, "acquiredBy": board["acquiredBy"].split("/")[0]},
            {"target": "labgrid:board", "place": "board", "acquiredBy": socket.gethostname(),
             "allowed": [], "usable": True, "console": True, "comment": None})
        self.assertEqual((spare["acquiredBy"], spare["usable"], spare["console"]), (None, False, False))
        other = json.loads(listed("--json", LG_USERNAME="somebody"))[0]
        self.assertEqual((other["acquiredBy"], other["usable"]), (board["acquiredBy"], False))

    def test_without_a_target_an_acquired_place_is_offered(self):
        self.labgrid.client("-p", "spare", "create")
        self.addCleanup(self.labgrid.client, "-p", "spare", "delete")
        terminal = self.enterContext(
            Terminal(serialterm_binary(), size=(24, 80), variables=self.labgrid.variables))
        screen = Screen(terminal)
        screen.wait_for_text("  labgrid:board  your place of labgrid")
        self.assertIsNone(screen.row_of("labgrid:spare"), screen.text)
        self.assertIsNone(screen.row_of("not offered"), screen.text)
        terminal.send(b"labgrid:board\r")
        screen.wait_for_text("labgrid:board at 115200 8N1")
        terminal.send(b"echo one two\r")
        screen.wait_for(lambda lines: "one two" in lines, "the board has answered")
        self.leave(terminal)

    def test_enter_waits_for_the_place_that_was_typed(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), variables={**self.labgrid.variables, "TERM": "dumb"}))
        terminal.expect(b"Enter alone cancels.")
        terminal.send(b"labgrid:board\r")
        terminal.expect(READY)
        self.ask(terminal, b"echo one two", b"\r\none two\r\n")
        self.leave(terminal)

    def test_places_that_cannot_be_listed_are_said(self):
        status, words = self.failure("list", "--labgrid", LG_COORDINATOR="127.0.0.1:1")
        self.assertEqual(status, 3)
        self.assertIn(b"coordinator cannot be reached. $LG_COORDINATOR has its address", words)
        status, words = self.failure("list", "--labgrid", PATH="/usr/bin:/bin")
        self.assertEqual(status, 1)
        self.assertIn(b"labgrid-client is not installed: 'pip install labgrid'.", words)
        status, words = self.failure("list", "--labgrid", "--all")
        self.assertEqual(status, 2)

    def test_the_session_follows_the_place_when_its_exporter_comes_back(self):
        terminal = self.ready()
        self.labgrid.kill_exporter()
        try:
            terminal.expect(b"labgrid:board is gone")
        finally:
            self.labgrid.start_exporter()
        terminal.expect(b"labgrid:board is back")
        self.ask(terminal, b"echo again", b"\r\nagain\r\n")
        self.leave(terminal)

    def test_what_is_in_the_way_is_said_with_the_command_that_helps(self):
        status, words = self.failure("labgrid:nowhere")
        self.assertEqual(status, 3)
        self.assertIn(b"there is no such place. 'labgrid-client places' lists the places.", words)
        status, words = self.failure("labgrid:board/other")
        self.assertEqual(status, 3)
        self.assertIn(b"no serial port with the name other", words)
        status, words = self.failure("labgrid:board", LG_COORDINATOR="127.0.0.1:1")
        self.assertEqual(status, 3)
        self.assertIn(b"coordinator cannot be reached", words)
        status, words = self.failure("labgrid:board", LG_USERNAME="somebody")
        self.assertEqual(status, 5)
        self.assertRegex(words, rb"acquired by .*/.*'labgrid-client -p board allow .*/somebody'")
        status, words = self.failure("labgrid:board", PATH="/nowhere")
        self.assertEqual(status, 1)
        self.assertIn(b"labgrid-client is not installed", words)
        self.labgrid.client("release")
        try:
            status, words = self.failure("labgrid:board")
            self.assertEqual(status, 4)
            self.assertIn(b"not acquired. Acquire it: 'labgrid-client -p board acquire'.", words)
        finally:
            self.labgrid.client("acquire")


@slow
@unittest.skipIf(missing(), missing())
class ServedPortTests(DocumentedClient, ConsoleTest):
    """`serialterm serve` instead of the exporter's ser2net, with the exports in the documentation."""

    name, speaks = "labgrid-exporter 26.0.1", "`NetworkSerialPort`"
    alone = "`console`: a line each way; it stays when the exporter restarts"
    watches = "yes, and it asks for the pen with `ctrl-t w`"

    @classmethod
    def setUpClass(cls):
        port = free_port()
        board = cls.enterClassContext(Loopback("--board"))
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.enterClassContext(Serve.running(board.node, port, folder))
        exports = re.search(r"(?s)```yaml\n(.*?)```", (REPOSITORY / "docs/labgrid.md").read_text())
        cls.labgrid = cls.enterClassContext(Labgrid(
            exports.group(1).replace("192.0.2.1", "127.0.0.1").replace("4001", str(port))
            .replace("lab:", "g1:")))

    def test_it_is_alone(self):
        terminal = self.ready()
        self.ask(terminal, b"echo one two", b"\r\none two\r\n")
        self.labgrid.kill_exporter()
        self.ask(terminal, b"echo without", b"\r\nwithout\r\n")
        self.labgrid.start_exporter()
        self.ask(terminal, b"echo with", b"\r\nwith\r\n")
        self.leave(terminal)

    def test_a_second_console_watches_and_is_given_the_pen(self):
        first, second = self.ready(), self.ready()
        self.ask(first, b"echo of the first", b"\r\nof the first\r\n")
        second.expect(b"\nof the first\r")
        second.send(PREFIX + b"w")
        first.expect(b"asks for the pen")
        first.send(PREFIX + b"w")
        first.expect(b"give it to")
        first.send(b"\r")
        second.expect(b"you have the pen")
        self.ask(second, b"echo of the second", b"\r\nof the second\r\n")
        first.expect(b"\nof the second\r")
        self.leave(second)
        self.leave(first)


if __name__ == "__main__":
    unittest.main()
