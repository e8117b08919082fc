"""The rules of `serialterm serve`: access to a port, the pen, and the messages when the device is lost."""

import contextlib
import grp
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from Tests.endtoend.faults import preload, record, waits
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, serialterm, serialterm_binary, slow, soak, unread, wait_until)
from Tests.endtoend.servers import free_port
from Tests.endtoend.servers.clients import Client, stand_still, subnegotiation
from Tests.endtoend.test_serve import ServeTest

CONNECT = """import socket, sys
try:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(sys.argv[1])
        client.sendall(b"key")
except OSError as error:
    sys.exit(error.strerror)
"""


# Puts a link in place of everything that appears in a folder.
SWAPPER = """import os, sys
folder, victim = sys.argv[1:]
number = 0
print("ready", flush=True)
while True:
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.startswith("old"):
            continue
        try:
            if os.path.islink(path):
                os.unlink(path)
                continue
            os.rename(path, os.path.join(folder, f"old{number}"))
            number += 1
            os.symlink(os.path.dirname(victim) if name.startswith(".") else victim, path)
        except OSError:
            pass
"""


class RuleCase(ServeTest):
    def setUp(self):
        super().setUp()
        self._waits = self.enterContext(tempfile.TemporaryDirectory())
        self.variables = waits.counted(self._waits)

    def waited(self, program):
        """The milliseconds for which a program has waited for nothing but time."""
        return waits.milliseconds(self._waits, program.pid)

    def client(self, address=None, speech="raw"):
        return self.enterContext(Client(address or self.port, speech))


    def appear(self, client, device=None):
        """Waits until a client has received the bytes of the device."""
        def gets():
            (device or self.device).write(b"?")
            return client.read(0.02) and b"?" in client.data
        wait_until(gets, "the client gets what the device sends")


class SocketTests(RuleCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "board.sock"

    def refused(self, path):
        result = serialterm("serve", self.device.path, "--unix", str(path))
        self.assertEqual(result.status, 1)
        self.assertRegex(result.stderr, b"cannot listen at .*: there is a file of that name")

    def test_a_link_or_a_file_in_its_place_is_not_touched(self):
        target = self.folder / "victim"
        target.write_text("precious")
        file = self.folder / "file"
        file.write_text("precious")
        self.path.symlink_to(target)
        dangling = self.folder / "dangling"
        dangling.symlink_to(self.folder / "nowhere")
        for path in (self.path, file, dangling):
            with self.subTest(path.name):
                self.refused(path)
        self.assertEqual((target.read_text(), file.read_text()), ("precious", "precious"))
        self.assertTrue(self.path.is_symlink() and dangling.is_symlink())
        self.assertFalse((self.folder / "nowhere").exists())

    def test_the_socket_of_a_running_server_is_not_taken_and_that_of_a_killed_one_is(self):
        program = self.serve("--unix", str(self.path), "--protocol", "raw")
        with Device() as other:
            self.assertEqual(serialterm("serve", other.path, "--unix", str(self.path)).status, 1)
        client = self.client(self.path)
        client.send(b"1")
        self.assertEqual(self.device.read_exactly(1), b"1")
        program.process.kill()
        program.wait()
        self.assertTrue(self.path.exists())
        self.serve("--unix", str(self.path), "--protocol", "raw")
        client = self.client(self.path)
        client.send(b"2")
        self.assertEqual(self.device.read_exactly(1), b"2")

    def connect_as(self, user, group):
        return subprocess.run(
            [sys.executable, "-c", CONNECT, str(self.path)], user=user, group=group, extra_groups=[],
            capture_output=True, text=True, check=False)

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_only_its_owner_connects_or_the_group_that_is_named(self):
        self.folder.chmod(0o755)
        group = grp.getgrnam("dialout")
        nobodys = grp.getgrnam("nogroup").gr_gid
        # The umask of the user who starts it has no effect.
        old = os.umask(0)
        try:
            program = self.serve("--unix", str(self.path), "--protocol", "raw")
        finally:
            os.umask(old)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.connect_as("nobody", group.gr_gid).stderr, "Permission denied\n")
        program.signal(signal.SIGTERM)
        program.wait()
        program = self.serve(
            "--unix", str(self.path), "--protocol", "raw", "--group", group.gr_name)
        state = self.path.stat()
        self.assertEqual((state.st_mode & 0o777, state.st_gid), (0o660, group.gr_gid))
        self.assertEqual(self.connect_as("nobody", nobodys).stderr, "Permission denied\n")
        self.assertEqual(self.connect_as("nobody", group.gr_gid).returncode, 0)
        # The identity of the client, as the kernel reports it.
        program.stderr.expect(re.compile(rb"nobody \(pid \d+\) has the pen"))
        self.assertEqual(self.device.read_exactly(3), b"key")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to become somebody else")
    def test_row_66_a_user_who_swaps_the_path_gets_no_file(self):
        self.folder.chmod(0o755)
        place, victims = self.folder / "place", self.folder / "victims"
        place.mkdir()
        shutil.chown(place, "nobody")
        victims.mkdir(mode=0o700)
        victim = victims / "board.sock"
        victim.write_text("precious")
        victim.chmod(0o600)
        before = victim.stat()
        swapper = subprocess.Popen(
            [sys.executable, "-c", SWAPPER, str(place), str(victim)], user="nobody", group="nogroup",
            extra_groups=[], stdout=subprocess.PIPE)
        self.addCleanup(swapper.wait)
        self.addCleanup(swapper.kill)
        self.addCleanup(swapper.stdout.close)
        swapper.stdout.readline()
        served = 0
        for _ in range(20):
            with Pipes(
                    serialterm_binary(), "serve", self.device.path, "--group", "dialout", f"--unix={place / 'board.sock'},raw") as program:
                found = program.stderr.expect(re.compile(rb"serving at|cannot listen at"))
                served += found.group(0) == b"serving at"
                program.signal(signal.SIGTERM)
                program.wait()
        self.assertGreater(served, 0)
        after = victim.stat()
        self.assertEqual(
            (before.st_mode, before.st_gid, before.st_ctime_ns), (after.st_mode, after.st_gid, after.st_ctime_ns))
        self.assertEqual(victim.read_text(), "precious")
        self.assertEqual(os.listdir(victims), ["board.sock"])
        record(66, "paths followed of 20 sockets", 0, "")

    @slow
    def test_of_two_servers_at_an_abandoned_socket_one_serves(self):
        self.race(2)

    @soak
    def test_of_two_servers_one_serves_again_and_again(self):
        self.race(50)

    def race(self, count):
        for _ in range(count):
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(str(self.path))
            devices = [self.enterContext(Device()) for _ in range(2)]
            servers = [self.enterContext(Pipes(
                serialterm_binary(), "serve", device.path, "--unix", f"{self.path},raw")) for device in devices]
            found = [server.stderr.expect(re.compile(b"serving at|another program listens")).group(0)
                     for server in servers]
            self.assertEqual(sorted(found), [b"another program listens", b"serving at"])
            winner = found.index(b"serving at")
            client = self.client(self.path)
            client.send(b"k")
            self.assertEqual(devices[winner].read_exactly(1), b"k")
            servers[winner].signal(signal.SIGTERM)
            servers[winner].wait()
            self.assertFalse(self.path.exists())

    def test_only_its_own_socket_is_removed(self):
        program = self.serve("--unix", str(self.path))
        self.path.unlink()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(str(self.path))
            program.signal(signal.SIGTERM)
            program.wait()
            self.assertTrue(self.path.exists())

    def test_a_group_that_does_not_exist_is_said(self):
        result = serialterm(
            "serve", self.device.path, "--unix", str(self.path), "--group", "nosuchgroup")
        self.assertEqual(result.status, 2)
        self.assertIn(b"there is no group nosuchgroup", result.stderr)


class AddressTests(RuleCase):
    def test_who_can_reach_it_is_said_aloud_if_it_is_not_this_computer_alone(self):
        warning = b"warning: every computer that reaches this one can use the device at port %d. There is no password"
        program = self.serve("--listen", f"0.0.0.0:{self.port}")
        program.stderr.expect(warning % self.port)
        quiet = self.serve("--listen", f"127.0.0.1:{free_port()}", target=self.enterContext(Device()).path)
        self.assertNotIn(b"warning", quiet.stderr.data)

    def test_quiet_prints_no_warning(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--listen", f"0.0.0.0:{self.port}", "-q"))
        wait_until(lambda: self.listens(), "it serves")
        program.signal(signal.SIGTERM)
        program.wait()
        self.assertEqual(program.stderr.expect_end(), b"")

    def listens(self):
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.port), 10).close()
            return True
        return False

    def test_only_computers_that_are_allowed_connect(self):
        program = self.serve(
            "--listen", f"0.0.0.0:{self.port}", "--protocol", "raw", "--allow", "127.0.0.2",
            "--allow", "127.1.0.0/16")
        program.stderr.expect(b"the computers that --allow names can use the device")

        def connect(source):
            client = self.enterContext(socket.create_connection(
                ("127.0.0.1", self.port), TIMEOUT, source_address=(source, 0)))
            try:
                client.sendall(b"!")
                return client, client.recv(1)
            except ConnectionError:
                return client, b""
            except TimeoutError:
                return client, None

        for source in ("127.0.0.1", "127.2.0.1"):
            self.assertEqual(connect(source)[1], b"", "the connection is closed")
            program.stderr.expect(
                re.compile(rb"%s:\d+ was not let in: --allow does not name its address" % source.encode()))
        self.assertEqual(unread(self.device.descriptor), 0)
        for source in ("127.0.0.2", "127.1.2.3"):
            client = self.enterContext(socket.create_connection(
                ("127.0.0.1", self.port), TIMEOUT, source_address=(source, 0)))
            client.sendall(b"k")
            self.assertEqual(self.device.read_exactly(1), b"k")
            client.close()
            program.stderr.expect(b"Nobody has the pen now")


class WriterTests(RuleCase):
    def test_lines_of_many_writers_stay_whole_however_they_are_divided(self):
        self.serve("--listen", str(self.port), "--protocol", "raw", "--writers", "all")
        clients = [self.client() for _ in range(8)]
        lines = {
            client: [b"%d:%d:%s\n" % (number, line, b"x" * (7 * line % 60)) for line in range(30)]
            for number, client in enumerate(clients)}
        rest = {client: b"".join(said) for client, said in lines.items()}
        total = sum(map(len, rest.values()))
        size = 1
        received = b""
        while any(rest.values()):
            # Pieces of different sizes, of one after the other.
            for client in clients:
                size = size % 23 + 3
                piece, rest[client] = rest[client][:size], rest[client][size:]
                if piece:
                    client.socket.sendall(piece)
            received += self.device.read_available(0)
        received += self.device.read_exactly(total - len(received))
        found = received.splitlines(keepends=True)
        for number, client in enumerate(clients):
            self.assertEqual(
                [line for line in found if line.startswith(b"%d:" % number)], lines[client])
        self.assertEqual(len(found), 240, "no line has two writers")

    def test_one_that_stops_in_mid_line_keeps_the_others_waiting_for_five_seconds(self):
        program = self.serve("--listen", str(self.port), "--protocol", "raw", "--writers", "all")
        slow, other = self.client(), self.client()
        slow.send(b"half a li")
        self.assertEqual(self.device.read_exactly(9), b"half a li")
        waited, sent = self.waited(program), time.monotonic()
        other.send(b"whole line\n")
        self.assertEqual(self.device.read_exactly(11), b"whole line\n")
        seconds = time.monotonic() - sent
        record("sharing", "a writer stops in mid-line to the next one's line", seconds, "s", at_most=5.5)
        # At least so long, however busy the machine is. At most: what the program itself has waited.
        self.assertGreater(seconds, 4.9)
        self.assertLess(self.waited(program) - waited, 6_000)
        slow.send(b"ne\n")
        self.assertEqual(self.device.read_exactly(3), b"ne\n")

    def test_one_that_leaves_in_mid_line_lets_the_others_go_on(self):
        program = self.serve("--listen", str(self.port), "--protocol", "raw", "--writers", "all")
        leaving, other = self.client(), self.client()
        leaving.send(b"half")
        self.assertEqual(self.device.read_exactly(4), b"half")
        other.send(b"line\n")
        waited = self.waited(program)
        leaving.close()
        self.assertEqual(self.device.read_exactly(5), b"line\n")
        self.assertLess(self.waited(program) - waited, 1_000)

    def test_with_no_writers_nothing_reaches_the_device(self):
        program = self.serve(
            "--listen", f"{self.port},raw", "--listen", f"{free_port()},telnet", "--writers", "none")
        client = self.client()
        client.send(b"x" * 5000)
        program.stderr.expect(b"sends something, but may not")
        self.device.write(b"seen")
        client.expect(b"seen")
        stand_still(program.pid)
        self.assertEqual(unread(self.device.descriptor), 0)


class SeveralTests(RuleCase):
    def test_several_listeners_and_protocols_and_the_standard_streams_at_once(self):
        ports = {speech: free_port() for speech in ("raw", "telnet", "rfc2217")}
        path = self.folder / "board.sock"
        words = [f"--listen={port},{speech}" for speech, port in ports.items()]
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--stdio", "--protocol", "raw",
            f"--unix={path},raw", *words))
        # The first one that comes has the pen.
        def gets():
            self.device.write(b"?")
            return b"?" in program.stdout.data
        wait_until(gets, "the streams get what the device sends")
        clients = []
        for speech, address in (*ports.items(), ("raw", path)):
            wait_until(lambda a=address: self.reaches(a), f"{speech} is served")
            clients.append(self.client(address, speech))
        for client in clients:
            self.appear(client)
        self.device.write(b"to all")
        for client in clients:
            client.expect(b"to all")
        program.stdout.expect(b"to all")
        program.send(b"from the streams")
        self.assertEqual(self.device.read_exactly(16), b"from the streams")
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        for client in clients:
            client.expect_end()
        self.assertFalse(path.exists())

    @staticmethod
    def reaches(address):
        try:
            with Client(address):
                return True
        except OSError:
            return False


class LossTests(RuleCase):
    def plugged(self):
        return self.enterContext(Device(self.folder / "ttyBOARD"))

    def test_clients_are_disconnected_if_that_is_asked_for(self):
        device = self.plugged()
        program = self.serve(
            "--listen", str(self.port), "--protocol", "raw", "--on-lost", "close",
            target=device.path)
        clients = [self.client() for _ in range(3)]
        for client in clients:
            self.appear(client, device)
        waited = self.waited(program)
        device.hang_up()
        for client in clients:
            client.expect_end()
        self.assertLess(self.waited(program) - waited, 1_000)
        device.plug()
        program.stderr.expect(b"is back")
        client = self.client()
        client.send(b"1")
        self.assertEqual(device.read_exactly(1), b"1")

    def test_a_telnet_client_reads_that_the_device_is_gone_and_back(self):
        device = self.plugged()
        self.serve("--listen", f"{self.port},telnet", target=device.path)
        client = self.client(speech="telnet")
        self.appear(client, device)
        device.hang_up()
        client.expect(b"[serialterm: the device is gone; waiting for it]")
        device.plug()
        client.expect(b"[serialterm: the device is back]")

    @unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler for the simulated driver")
    def test_a_client_of_rfc_2217_gets_the_change_of_the_modem_lines(self):
        device = self.plugged()
        driver = Driver(device.path, self.folder)
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", device.path, "--listen", f"{self.port},rfc2217",
            variables=driver.variables))
        program.stderr.expect(b"serving at")
        client = self.client(speech="rfc2217")

        def states():
            client.read(0.05)
            return [text[2] for text in client.telnet.messages if text[:2] == b"\x2c\x6b"]

        wait_until(lambda: 0x10 in states(), "CTS is on")
        client.say(subnegotiation(11, b"\xff"))
        device.hang_up()
        # CTS is off, and has changed.
        wait_until(lambda: states()[-1:] == [0x01], "the change of CTS")


if __name__ == "__main__":
    unittest.main()
