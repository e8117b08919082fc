"""docs/serving.md: the unit for systemd, access, messages to clients, comparison with conserver and ser2net."""

import contextlib
import gzip
import json
import os
import re
import select
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, Program, PublicCopy, Terminal, serialterm, serialterm_binary, slow,
    wait_until, wrapped)
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.harness.unit import Unit
from Tests.endtoend.servers import conserver, free_port
from Tests.endtoend.servers.ssh import SSHD, SSHServer

PAGE = (REPOSITORY / "docs/serving.md").read_text()
UNIT = Unit("serialterm-serve@.service")
PROFILES_UNIT = Unit("serialterm-serve-profiles.service")

# Of RFC 2217: IAC WILL COM-PORT; IAC SB COM-PORT SET-LINESTATE-MASK overrun IAC SE.
OFFER = bytes([255, 251, 44, 255, 250, 44, 10, 2, 255, 240])
# IAC SB COM-PORT NOTIFY-LINESTATE overrun IAC SE
OVERRUN = bytes([255, 250, 44, 106, 2, 255, 240])

# Connects to a socket, and passes a word each way.
CLIENT = """import socket, sys
client = socket.socket(socket.AF_UNIX)
client.connect(sys.argv[1])
client.sendall(b"hello")
while b"there" not in client.recv(4096): pass
print("talked")
"""


class ServingTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())
        self.port = free_port()
        self.path = self.folder / "board.sock"

    def serve(self, *options, target=None, **how):
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", target or self.device.path, *options, **how))
        for _ in range(sum(option in ("--listen", "--unix") for option in options)):
            program.stderr.expect(b"serving at")
        return program

    def client(self, port=None, source="127.0.0.1"):
        return self.enterContext(socket.create_connection(
            ("127.0.0.1", port or self.port), TIMEOUT, (source, 0)))

    def receive(self, client, data):
        """Waits until a client has received some bytes; returns all that came."""
        received = b""
        while data not in received:
            piece = client.recv(65_536)
            self.assertTrue(piece, f"the connection has ended after {received[-200:]!r}")
            received += piece
        return received


def missing_rights():
    """Why programs cannot be run as other users; empty if they can."""
    if os.geteuid() != 0:
        return "needs root, to be other users"
    return "" if shutil.which("setpriv") else "setpriv is not installed"


class UnitTests(ServingTest):
    def test_systemd_finds_nothing_wrong_with_it(self):
        self.assertEqual(UNIT.faults(), "")
        self.assertNotEqual(UNIT.faults(lambda text: text.replace("Type=", "Tpye=")), "")

    def test_the_documentation_shows_it_as_it_is(self):
        self.assertIn(f"ExecStart={UNIT.settings['ExecStart']}\n", PAGE)

    def test_the_unit_for_all_profiles_serves_them(self):
        self.assertEqual(PROFILES_UNIT.faults(), "")
        self.assertIn(f"ExecStart={PROFILES_UNIT.settings['ExecStart']}\n", PAGE)
        rights = {
            unit: {key: value for key, value in unit.settings.items()
                   if key not in ("Description", "Environment", "ExecStart", "Wants", "After", "IPAddressDeny")}
            for unit in (UNIT, PROFILES_UNIT)}
        rights[UNIT]["RestrictAddressFamilies"] += " AF_INET AF_INET6"
        self.assertEqual(rights[UNIT], rights[PROFILES_UNIT])
        (self.folder / "serialterm").mkdir()
        (self.folder / "serialterm/config.toml").write_text(
            f'[profile.board]\ntarget = "{self.device.path}"\nlisten = "{self.port},raw"\n')
        service = self.enterContext(Pipes(
            *PROFILES_UNIT.command(""), variables={"XDG_CONFIG_HOME": str(self.folder)}))
        service.stderr.expect(b"board: serving at")
        client = self.client()
        client.sendall(b"hello")
        self.assertEqual(self.device.read_exactly(5), b"hello")
        service.signal(signal.SIGTERM)
        self.assertEqual(service.wait(), int(PROFILES_UNIT.settings["SuccessExitStatus"]))

    @contextlib.contextmanager
    def running(self, name):
        """The service of a profile, as systemd runs it: as root without capabilities, in the unit's groups."""
        command = UNIT.command(name, t=self.folder / "run", L=self.folder / "log")
        self.assertEqual(UNIT.settings["CapabilityBoundingSet"], "")
        rights = [
            "setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs",
            f"--regid={UNIT.settings['Group']}", f"--groups={UNIT.settings['SupplementaryGroups']}"]
        group = UNIT.settings["Group"]
        # As systemd makes its folders.
        for kind, folder in (("Runtime", "run"), ("Logs", "log")):
            path = self.folder / folder / UNIT.settings[f"{kind}Directory"]
            path.mkdir(parents=True, exist_ok=True)
            shutil.chown(path, "root", group)
            path.chmod(int(UNIT.settings[f"{kind}DirectoryMode"], 8))
        for path in (self.folder, self.folder / "run"):
            path.chmod(0o755)
        configuration = self.folder / "serialterm/config.toml"
        if not configuration.exists():
            configuration.parent.mkdir()
            configuration.write_text(f'[profile.{name}]\ntarget = "{self.device.path}"\n')
        variables = {"XDG_CONFIG_HOME": str(self.folder), "XDG_RUNTIME_DIR": None}
        with Pipes(*rights, *command, variables=variables) as service:
            service.stderr.expect(b"serving at")
            service.stderr.expect(b"serving at")
            yield service

    def visit(self, name, *rights):
        """A client of another user, and its exit status; the device answers."""
        path = self.folder / "run/serialterm" / name
        visitor = self.enterContext(Pipes(
            "setpriv", "--reuid=nobody", "--regid=nogroup", *rights, "/usr/bin/python3", "-c",
            CLIENT, str(path)))
        if "--clear-groups" not in rights:
            self.assertEqual(self.device.read_exactly(5), b"hello")
            self.device.write(b"there")
        status = visitor.wait()
        return status, visitor.stdout.data + visitor.stderr.data

    @unittest.skipIf(missing_rights(), missing_rights())
    def test_members_of_the_group_connect_and_others_do_not(self):
        with self.running("board") as service:
            for name in ("board.sock", "board.rfc2217"):
                with self.subTest(name):
                    status, said = self.visit(name, "--clear-groups")
                    self.assertEqual(status, 1)
                    self.assertIn(b"PermissionError", said)
                    status, said = self.visit(name, "--groups=dialout")
                    self.assertEqual((status, said), (0, b"talked\n"))
                    service.stderr.expect(re.compile(rb"nobody \(pid \d+\) has the pen\."))
                    service.stderr.expect(b"has left.")
            modes = {
                path.relative_to(self.folder).as_posix(): self.described(path)
                for path in self.folder.glob("*/serialterm/*")}
            self.assertEqual(modes, {
                "run/serialterm/board.sock": "0660 root:dialout",
                "run/serialterm/board.rfc2217": "0660 root:dialout",
                "log/serialterm/board.jsonl": "0600 root:adm"})
            for line in ("`/run/serialterm/ttyUSB0.sock` | 0660 root:dialout",
                         "`/run/serialterm/ttyUSB0.rfc2217` | 0660 root:dialout",
                         "`/var/log/serialterm/ttyUSB0.jsonl` | 0600 root"):
                self.assertIn(line, PAGE)
            service.signal(signal.SIGTERM)
            self.assertEqual(service.wait(), int(UNIT.settings["SuccessExitStatus"]))
        self.assertEqual(list((self.folder / "run/serialterm").iterdir()), [])
        events = [
            json.loads(line)
            for line in (self.folder / "log/serialterm/board.jsonl").read_text().splitlines()]
        self.assertIn("there", [event.get("text") for event in events])
        self.assertLessEqual({"joined", "pen", "left"}, {event.get("event") for event in events})

    @staticmethod
    def described(path):
        return f"{stat.S_IMODE(path.stat().st_mode):04o} {path.owner()}:{path.group()}"

    @unittest.skipIf(missing_rights(), missing_rights())
    def test_two_members_of_the_group_hand_over_the_pen(self):
        rights = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--groups=dialout"]
        with self.running("board"), PublicCopy() as binary:
            target = f"rfc2217://{self.folder}/run/serialterm/board.rfc2217"
            first = self.enterContext(Terminal(*rights, binary, target, "-b", "9600"))
            first.expect(wrapped(re.compile(rb" at 9600 8N1")))
            self.assertEqual(self.device.settings.output_baud, 9600)
            second = self.enterContext(Terminal(*rights, binary, target))
            second.expect(b"has the pen: you watch.")
            second.send(PREFIX + b"w")
            first.expect(b"asks for the pen")
            first.send(PREFIX + b"w")
            first.expect(b"give it to")
            first.send(b"\r")
            second.expect(b"you have the pen")
            second.send(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")

    @unittest.skipIf(missing_rights(), missing_rights())
    def test_the_administrator_joins_the_service(self):
        with self.running("board"):
            variables = {"XDG_RUNTIME_DIR": None}
            wait_until(
                lambda: self.device.path.encode() in serialterm(
                    "attach", "--list", variables=variables).stdout, "the service is listed")
            found = json.loads(serialterm("attach", "--list", "--json", variables=variables).stdout)
            self.assertIn(self.device.path, json.dumps(found))
            self.device.write(b"shown before\r\n")
            with Terminal(
                    serialterm_binary(), "attach", self.device.path,
                    variables=variables) as terminal:
                terminal.expect(b"shown before")
                terminal.send(PREFIX + b"w")
                terminal.expect(b"you have the pen")
                terminal.send(b"key")
                self.assertEqual(self.device.read_exactly(3), b"key")

    @unittest.skipIf(missing_rights(), missing_rights())
    def test_instances_of_profiles_share_the_folders(self):
        """The rack of the page, with ports that are here."""
        rack = re.search(r"(?s)```toml\n(.*?)```", PAGE).group(1)
        other = self.enterContext(Device())
        (self.folder / "serialterm").mkdir()
        (self.folder / "serialterm/config.toml").write_text(
            rack.replace("usb:0403:6001:A50285BI", self.device.path)
            .replace("port:pci-0000:00:14.0-usb-0:2:1.0", other.path))
        with self.running("switch1"), self.running("switch2") as second:
            wait_until(lambda: other.settings.output_baud == 9600, "the rate of the profile is set")
            sockets = [
                str(self.folder / f"run/serialterm/switch{number}.rfc2217") for number in (1, 2)]
            with Terminal(
                    serialterm_binary(), *[f"rfc2217://{path}" for path in sockets],
                    "-b", "9600") as terminal:
                for _ in sockets:
                    terminal.expect(wrapped(re.compile(rb" at 9600 8N1")))
                self.device.write(b"of the first\r\n")
                other.write(b"of the second\r\n")
                wait_until(
                    lambda: {b"of the first", b"of the second"} <= set(
                        re.findall(rb"of the \w+", terminal.output)), "both are shown")
            second.signal(signal.SIGTERM)
            self.assertEqual(second.wait(), 128 + signal.SIGTERM)
            # The end of one leaves the others their folder.
            self.assertTrue(Path(sockets[0]).exists())
        self.assertEqual(UNIT.settings["RuntimeDirectoryPreserve"], "yes")


class AccessTests(ServingTest):
    def test_a_socket_is_its_owners_alone_without_a_group(self):
        self.serve("--unix", f"{self.path},raw")
        self.assertEqual(stat.S_IMODE(self.path.stat().st_mode), 0o600)

    def test_other_addresses_are_refused(self):
        server = self.serve("--listen", f"{self.port},raw", "--allow", "127.0.0.2/31")
        refused = self.client()
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(refused.recv(1), b"")
        server.stderr.expect(b"was not let in: --allow does not name its address.")
        allowed = self.client(source="127.0.0.3")
        allowed.sendall(b"key")
        self.assertEqual(self.device.read_exactly(3), b"key")
        server.stderr.expect(re.compile(rb"127\.0\.0\.3:\d+ has the pen\."))

    def test_an_ipv4_address_within_ipv6_is_the_ipv4_address(self):
        self.serve("--listen", f"{self.port},raw", "--allow", "::ffff:127.0.0.1")
        self.client().sendall(b"key")
        self.assertEqual(self.device.read_exactly(3), b"key")

    @unittest.skipIf(missing_rights(), missing_rights())
    def test_a_socket_of_another_user_says_whose_it_is(self):
        self.serve("--unix", str(self.path))
        os.chmod(self.folder, 0o755)
        with PublicCopy() as binary:
            for target in (f"unix:{self.path}", f"rfc2217://{self.path}"):
                result = subprocess.run(
                    ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", binary,
                     "connect", target], stdin=subprocess.DEVNULL, capture_output=True,
                    timeout=TIMEOUT, check=False)
                self.assertEqual(result.returncode, 4)
                self.assertIn(
                    b"permission denied: only root may use this socket (mode 0600). "
                    b"Start serve with --group.", result.stderr)

    def test_the_next_one_that_writes_has_the_pen_after_the_first(self):
        server = self.serve("--listen", f"{self.port},raw")
        first, second = self.client(), self.client()
        first.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        second.sendall(b"dropped")
        server.stderr.expect(b"sends something, but may not: it is dropped.")
        first.close()
        server.stderr.expect(b"has left.")
        second.sendall(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")

    def test_who_is_known_may_take_the_pen_and_others_wait_for_it(self):
        other = free_port()
        self.serve(
            "--listen", f"{self.port},raw", "--listen", str(other), "--unix", str(self.path))
        holder = self.client()
        holder.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        with Terminal(serialterm_binary(), f"rfc2217://127.0.0.1:{other}") as far:
            far.expect(wrapped(b"has the pen: you watch."))
            far.send(PREFIX + b"w")
            far.expect(wrapped(b"is a program and cannot be asked. Wait until it has gone."))
        with Terminal(serialterm_binary(), f"rfc2217://{self.path}") as near:
            near.expect(wrapped(b"has the pen: you watch."))
            near.send(PREFIX + b"w")
            near.expect(wrapped(b"is a program and cannot be asked. 'take-pen' in the palette"))
            near.send(PREFIX + b":")
            near.send(b"take-pen\r")
            near.expect(wrapped(b"you have taken the pen from"))
            near.send(b"2")
            self.assertEqual(self.device.read_exactly(1), b"2")

    def test_nobody_or_everybody_writes_if_it_is_said(self):
        server = self.serve("--listen", f"{self.port},raw", "--writers", "none")
        self.client().sendall(b"dropped")
        server.stderr.expect(b"sends something, but may not")
        server.close()
        self.port = free_port()
        self.serve("--listen", f"{self.port},raw", "--writers", "all")
        first, second = self.client(), self.client()
        for client in (first, second, first):
            client.sendall(b"line\r")
            self.assertEqual(self.device.read_exactly(5), b"line\r")

    @slow
    def test_the_number_of_clients_is_limited(self):
        server = self.serve("--listen", f"{self.port},raw", "--unix", f"{self.path},raw")
        clients = [self.client() for _ in range(256)]
        clients[0].sendall(b"key")
        self.assertEqual(self.device.read_exactly(3), b"key")
        with contextlib.suppress(ConnectionResetError):
            self.assertEqual(self.client().recv(1), b"")
        self.device.write(b"for all of them")
        for client in clients:
            self.receive(client, b"for all of them")
        self.assertTrue(server.running)
        # Clients of Unix sockets, whose user the kernel knows, have places of their own.
        with socket.socket(socket.AF_UNIX) as known:
            known.settimeout(TIMEOUT)
            known.connect(str(self.path))

            def hears():
                self.device.write(b"!")
                return bool(select.select([known], [], [], 0.1)[0])
            # What the device said before that is not for it.
            wait_until(hears, "it is let in")
            self.assertEqual(known.recv(1), b"!")
        with Terminal(serialterm_binary(), "attach", self.device.path) as viewer:
            viewer.expect(b"has the pen: you watch.")
        self.assertIn("**Limits**: 256 clients,", PAGE)

    def test_a_client_with_the_pen_sets_the_line_and_others_do_not(self):
        raw = free_port()
        server = self.serve(
            "--listen", str(self.port), "--listen", f"{raw},raw", "-b", "9600")
        target = f"rfc2217://127.0.0.1:{self.port}"
        with self.client(raw) as holder:
            holder.sendall(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")
            for words in (["attach", self.device.path], ["connect", target]):
                with Terminal(serialterm_binary(), *words) as viewer:
                    viewer.expect(b"has the pen: you watch.")
            self.assertEqual(self.device.settings.output_baud, 9600)
        server.stderr.expect(b"Nobody has the pen now.")
        for options, rate in (([], 115200), (["-b", "57600"], 57600)):
            with Terminal(serialterm_binary(), target, *options) as terminal:
                terminal.expect(b"at %d 8N1" % rate)
                self.assertEqual(self.device.settings.output_baud, rate)
            server.stderr.expect(b"Nobody has the pen now.")
            self.assertEqual(self.device.settings.output_baud, rate)

    def test_a_borrower_has_the_port_and_clients_stay(self):
        server = self.serve("--listen", f"{self.port},telnet")
        client = self.client()
        client.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        result = serialterm("release", self.device.path, "--", "sh", "-c", "echo borrowed > {}")
        self.assertEqual((result.status, result.stderr), (0, b""))
        self.assertEqual(self.device.read_exactly(9), b"borrowed\n")
        self.receive(client, b"the port is released for another program")
        server.stderr.expect(b"is back")
        client.sendall(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")


class HalfClosedTests(ServingTest):
    """A client that ends its stream still gets the answer: `printf … | nc -N`."""

    def answer(self, client, question):
        """Sends a question, ends the stream, and returns everything until the server ends it."""
        client.sendall(question)
        client.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: client.recv(65_536), b""))

    def test_it_gets_everything_that_the_device_says(self):
        self.serve("--listen", f"{self.port},raw", "--unix", f"{self.path},raw", "--log",
                   str(self.folder / "log"))
        size = 300_000
        for family, address in ((socket.AF_INET, ("127.0.0.1", self.port)),
                                (socket.AF_UNIX, str(self.path))):
            question = os.urandom(size)

            def echo():
                self.device.write(self.device.read_exactly(size))
            with socket.socket(family) as client, self.subTest(family):
                client.settimeout(TIMEOUT)
                client.connect(address)
                thread = threading.Thread(target=echo)
                thread.start()
                answer = self.answer(client, question)
                thread.join()
                self.assertEqual(len(answer), size)
                self.assertEqual(answer, question)

    def test_a_board_answers(self):
        self.serve("--listen", f"{self.port},raw", target="loopback:board")
        with self.client() as client:
            first = self.answer(client, b"help\r")
        self.assertIn(b"help", first)
        with self.client() as client:
            self.assertEqual(self.answer(client, b"help\r")[-200:], first[-200:])

    def test_another_one_writes_meanwhile(self):
        server = self.serve("--listen", f"{self.port},raw")
        first = self.client()
        first.sendall(b"1")
        first.shutdown(socket.SHUT_WR)
        self.assertEqual(self.device.read_exactly(1), b"1")
        server.stderr.expect(b"Nobody has the pen now.")
        second = self.client()
        second.sendall(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")
        self.device.write(b"for both")
        self.receive(first, b"for both")
        self.receive(second, b"for both")


@unittest.skipUnless(SSHD, "sshd is not installed")
@unittest.skipUnless(shutil.which("ssh"), "ssh is not installed")
class SSHTests(ServingTest):
    def setUp(self):
        super().setUp()
        self.there = self.enterContext(SSHServer())
        self.variables = {"PATH": self.there.path}
        self.rfc2217 = self.folder / "board.rfc2217"
        self.serve("--unix", f"{self.path},raw", "--unix", str(self.rfc2217))

    def test_a_socket_of_another_computer(self):
        with Terminal(
                serialterm_binary(), f"ssh://board.test/rfc2217://{self.rfc2217}", "-b", "9600",
                variables=self.variables) as terminal:
            terminal.expect(wrapped(re.compile(rb"at 9600 8N1")), 3 * TIMEOUT)
            self.assertEqual(self.device.settings.output_baud, 9600)
            terminal.send(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")
            self.device.write(b"answer")
            terminal.expect(b"answer")

    def test_a_forwarded_socket_has_settings(self):
        self.enterContext(Program(
            [shutil.which("ssh", path=self.there.path), "-N", "-L", f"{self.port}:{self.rfc2217}",
             "board.test"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

        def connects():
            with contextlib.suppress(OSError), socket.create_connection(
                    ("127.0.0.1", self.port), 1):
                return True
        wait_until(connects, "ssh forwards the port", 3 * TIMEOUT)
        with Terminal(
                serialterm_binary(), f"rfc2217://127.0.0.1:{self.port}", "-b", "9600") as terminal:
            terminal.expect(b"at 9600 8N1")
            terminal.send(b"key")
            self.assertEqual(self.device.read_exactly(3), b"key")
            self.assertEqual(self.device.settings.output_baud, 9600)


class ToldTests(ServingTest):
    """The messages for clients, for each protocol."""

    def setUp(self):
        super().setUp()
        self.link = self.folder / "ttyBOARD"
        self.device = self.enterContext(Device(self.link))

    def stalled(self, protocol):
        """A client that takes nothing while another one, which has the pen, takes megabytes."""
        # A Unix socket: a connection of TCP whose client takes nothing for 14 seconds is reset.
        place = self.folder / "stalled.sock"
        server = self.serve(
            "--listen", f"{self.port},raw", "--unix", str(place), "--protocol", protocol, target=str(self.link))
        holder = self.client()
        holder.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        stalled = self.enterContext(socket.socket(socket.AF_UNIX))
        stalled.settimeout(TIMEOUT)
        stalled.connect(str(place))
        server.stderr.expect(b"is here.")
        stalled.sendall(OFFER if protocol == "rfc2217" else b"dropped")
        if protocol != "rfc2217":
            server.stderr.expect(b"sends something, but may not")
        # Only until its buffers are full: the rest would be the same.
        for _ in range(40):
            self.device.write(b"x" * 65_535 + b"\n")
            received = 0
            while received < 65_536:
                received += len(holder.recv(65_536))
        return server, stalled

    @slow
    def test_a_stalled_telnet_client_is_told_what_it_missed(self):
        server, stalled = self.stalled("telnet")
        self.receive(stalled, b" bytes of the device not shown]")
        server.stderr.expect(re.compile(rb"takes nothing: it missed [\d,]+ bytes"))

    @slow
    def test_a_stalled_client_of_rfc2217_is_told_of_an_overrun(self):
        _, stalled = self.stalled("rfc2217")
        self.receive(stalled, OVERRUN)

    @slow
    def test_a_stalled_raw_client_is_disconnected(self):
        server, stalled = self.stalled("raw")
        with contextlib.suppress(ConnectionResetError):
            while stalled.recv(1 << 20):
                pass
        server.stderr.expect(b"was disconnected: bytes alone cannot tell of a gap.")

    def test_a_telnet_client_is_told_of_an_unplugged_device(self):
        self.serve("--listen", f"{self.port},telnet", target=str(self.link))
        client = self.client()
        client.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        self.device.hang_up()
        self.receive(client, b"[serialterm: the device is gone; waiting for it]")
        self.device.plug()
        self.receive(client, b"[serialterm: the device is back]")

    def test_clients_are_disconnected_if_it_is_said(self):
        server = self.serve(
            "--listen", f"{self.port},raw", "--on-lost", "close", target=str(self.link))
        client = self.client()
        client.sendall(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        self.device.hang_up()
        self.assertEqual(client.recv(1), b"")
        self.device.plug()
        server.stderr.expect(b"is back")
        client = self.client()
        client.sendall(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")


def table(heading):
    """The rows of the table whose first heading is this."""
    rows = PAGE.partition(f"\n| {heading} | serialterm |\n|---|---|\n")[2].partition("\n\n")[0]
    return [row.strip("| ").split(" | ", 1) for row in rows.splitlines()]


def quoted(text):
    """The texts in backticks."""
    return re.findall(r"`([^`]+)`", text)


def manual(page, section):
    """The source of a manual page, without escapes of fonts and sizes."""
    path = Path(f"/usr/share/man/man{section}/{page}.{section}.gz")
    if not path.exists():
        raise unittest.SkipTest(f"{path} is missing")
    with gzip.open(path, "rt") as file:
        return re.sub(r"\\f.|\\s[-+]?\d|\\", "", file.read())


class TableTests(ServingTest):
    """The tables for users of conserver and ser2net."""

    def assert_has(self, text, word, what):
        self.assertRegex(text, rf"(?<![\w-]){re.escape(word)}(?![\w-])", what)

    def test_conserver_has_these_settings(self):
        page = manual("conserver.cf", 5)
        rows = table("conserver.cf")
        self.assertGreater(len(rows), 12)
        for left, _ in rows:
            for word in " ".join(quoted(left)).split():
                if word != "NAME":
                    self.assert_has(page, word, left)

    def test_console_has_these_options_and_keys(self):
        page = manual("console", 1)
        rows = table("console")
        self.assertGreater(len(rows), 10)
        keys = page.partition("ESCAPE SEQUENCES")[2]
        for left, _ in rows:
            for word in quoted(left):
                if word.startswith("^Ec"):
                    self.assertRegex(keys, rf'(?m)^\.BI? "?{re.escape(word[3:])}("|\s|$)', left)
                elif word.startswith("-"):
                    self.assertRegex(page, rf"{word}(?![\w])", left)

    def test_ser2net_has_these_settings(self):
        # The settings of the line and the kinds of accepters are gensio's.
        page = manual("ser2net.yaml", 5) + manual("gensio", 5)
        rows = table("ser2net.yaml")
        self.assertGreater(len(rows), 10)
        for left, _ in rows:
            for word in quoted(left):
                self.assert_has(page, re.match(r"[\w-]+", word).group(), left)

    def test_serialterm_has_what_the_tables_name(self):
        helps = {
            command: serialterm("help", command, "all").stdout.decode()
            for command in ("serve", "attach", "connect", "release")}
        commands = serialterm("session-commands").stdout.decode()
        for name in ("conserver.cf", "console", "ser2net.yaml"):
            for _, right in table(name):
                for words in map(str.split, quoted(right)):
                    command = next((word for word in words if word in helps), None)
                    for word in words:
                        if word.startswith("--"):
                            said = helps[command] if command else "".join(helps.values())
                            self.assert_has(said, word, right)
                    if len(words) == 1 and re.fullmatch("[a-z]+(-[a-z]+)*", words[0]):
                        known = "".join(helps.values()).replace("--", " ") + commands + "target"
                        self.assert_has(known, words[0], right)
                    if words[0] == "ctrl-t":
                        self.assertRegex(commands, rf"(?m)^{re.escape(words[1])}\t")

    def test_the_settings_are_those_of_a_profile(self):
        rights = " ".join(right for _, right in table("conserver.cf"))
        settings = re.findall(r"`([a-z-]+ = [^`]+)`", rights)
        self.assertIn('flow = "soft"', settings)
        for setting in settings:
            with self.subTest(setting):
                if setting.startswith("target"):
                    continue
                (self.folder / "config.toml").write_text(
                    f'[profile.board]\ntarget = "{self.device.path}"\n{setting}\n')
                program = self.serve(
                    "--unix", f"{self.path},raw", "--config", str(self.folder / "config.toml"),
                    target="board")
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(self.path))
                    client.sendall(b"key")
                    self.assertEqual(self.device.read_exactly(3), b"key")
                program.close()

    @unittest.skipIf(conserver.missing(), conserver.missing())
    def test_conserver_stays_in_front(self):
        """With the consoles of the page: its users and those of serialterm see the same port."""
        first, second = re.findall(r"(?m)^console switch\d \{ (.*) \}$", PAGE)
        server = self.serve("--unix", f"{self.path},raw", "--listen", f"{self.port},telnet")
        for console in (first.replace("/run/serialterm/switch1.sock", str(self.path)),
                        second.replace("port 4002", f"port {self.port}")):
            with self.subTest(console):
                kept = console.replace("master localhost;", "").replace("rw *;", "")
                for options in ("", "options ondemand;"):
                    with conserver.Conserver(kept + options) as front:
                        if not options:
                            server.stderr.expect(b" has the pen.")
                        person = front.console()
                        with Terminal(
                                serialterm_binary(), "attach", self.device.path) as other:
                            other.expect(b"ctrl-t q")
                            person.send(b"version\r")
                            self.assertEqual(self.device.read_exactly(8), b"version\r")
                            self.device.write(b"2.0\r\n")
                            person.expect(b"2.0")
                            other.expect(b"2.0")
                    server.stderr.expect(b" has left.")


if __name__ == "__main__":
    unittest.main()
