"""`serialterm serve A B C`: several ports in one program, each at its own address."""

import signal
import socket
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary
from Tests.endtoend.harness.deadline import TIMEOUT, wait_until
from Tests.endtoend.servers import free_port


class SeveralTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def plug(self, count):
        """Devices, and a configuration with a profile for each."""
        self.devices = [
            self.enterContext(Device(self.folder / f"board{number}")) for number in range(count)]
        self.names = [f"p{number}" for number in range(count)]
        self.config = self.folder / "config.toml"
        self.config.write_text("".join(
            f'[profile.p{number}]\ntarget = "{device.path}"\nunix = "{self.folder}/{number}.sock,raw"\n'
            f'log = "{self.folder}/{number}.log"\n'
            for number, device in enumerate(self.devices)))

    def serve(self, *options):
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", *self.names, "--config", str(self.config), *options))
        for name in self.names:
            program.stderr.expect(b"serialterm: %s: serving at" % name.encode())
        return program

    def client(self, number):
        client = self.enterContext(socket.socket(socket.AF_UNIX))
        client.settimeout(TIMEOUT)
        client.connect(str(self.folder / f"{number}.sock"))
        return client

    def read(self, client, count):
        data = b""
        while len(data) < count:
            piece = client.recv(count - len(data))
            self.assertTrue(piece, f"the connection has ended after {len(data)} bytes")
            data += piece
        return data


class SeveralTests(SeveralTest):
    def test_a_busy_port_names_the_way_into_its_own_session(self):
        self.plug(2)
        program = self.serve()
        path = self.devices[1].path
        refused = serialterm("connect", path)
        self.assertEqual(refused.status, 5)
        self.assertIn(
            f"held by pid {program.pid} ({program.name}), which has other ports too. "
            f"'serialterm attach {path}' joins that session. Or lend its port".encode(), refused.stderr)
        found = serialterm("doctor", path)
        self.assertIn(f"serialterm attach {path}   # joins its session".encode(), found.stdout)
        self.assertNotIn(f"kill {program.pid}".encode(), found.stdout)
        joined = self.enterContext(Pipes(serialterm_binary(), "attach", path, "--json"))
        joined.stdout.expect(b'"state":"open"')

    def test_each_port_has_its_clients_its_log_and_its_name_in_messages(self):
        self.plug(3)
        program = self.serve()
        clients = [self.client(number) for number in range(3)]
        for number, client in enumerate(clients):
            client.sendall(b"to %d" % number)
            self.assertEqual(self.devices[number].read_exactly(4), b"to %d" % number)
            self.devices[number].write(b"from %d" % number)
            self.assertEqual(self.read(client, 6), b"from %d" % number)
        program.stderr.expect(b"serialterm: p2: ")
        listed = serialterm("attach", "--list", "--json")
        for number in range(3):
            self.assertIn(f"board{number}".encode(), listed.stdout)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        for number in range(3):
            self.assertEqual((self.folder / f"{number}.log").read_bytes(), b"from %d" % number)

    def test_one_is_unplugged_and_comes_back_and_the_others_do_not_notice(self):
        self.plug(3)
        program = self.serve()
        clients = [self.client(number) for number in range(3)]
        self.devices[1].hang_up()
        program.stderr.expect(b"serialterm: p1: ")
        for number in (0, 2):
            clients[number].sendall(b"x")
            self.assertEqual(self.devices[number].read_exactly(1), b"x")
        self.devices[1].plug(says=b"boot")
        self.assertEqual(self.read(clients[1], 4), b"boot")

    def test_one_that_is_absent_at_the_start_is_awaited(self):
        self.plug(2)
        self.devices[1].hang_up()
        self.serve()
        client = self.client(0)
        client.sendall(b"x")
        self.assertEqual(self.devices[0].read_exactly(1), b"x")
        self.devices[1].plug(says=b"late")
        wait_until(lambda: (self.folder / "1.log").exists()
                   and (self.folder / "1.log").read_bytes() == b"late", "the late port is logged")

    def test_one_is_closed_and_opened_again_without_the_others(self):
        self.plug(2)
        self.serve()
        ended = serialterm("release", self.devices[1].path, "--", "true")
        self.assertEqual((ended.status, ended.stdout), (0, b""))
        for number in range(2):
            client = self.client(number)
            client.sendall(b"x")
            self.assertEqual(self.devices[number].read_exactly(1), b"x")

    def test_64_ports_one_floods_one_client_is_stalled_and_nothing_is_lost(self):
        self.plug(64)
        self.serve()
        clients = [self.client(number) for number in range(64)]
        block = bytes(range(256)) * 64
        flood = block * 32
        # The pen makes the device wait for the client.
        clients[0].sendall(b"!")
        self.devices[0].read_exactly(1)
        received = []
        threads = [
            threading.Thread(target=lambda: [self.devices[0].write(block) for _ in range(32)]),
            threading.Thread(target=lambda: received.append(self.read(clients[0], len(flood))))]
        # It reads nothing: it has no pen, so it is left behind, and the log goes on.
        stalled = b"y" * 400_000
        threads.append(threading.Thread(target=self.devices[1].write, args=(stalled,)))
        for thread in threads:
            thread.start()
        for turn in range(4):
            for number in range(2, 64):
                self.devices[number].write(b"%d-%d;" % (number, turn))
        for number in range(2, 64):
            expected = b"".join(b"%d-%d;" % (number, turn) for turn in range(4))
            self.assertEqual(self.read(clients[number], len(expected)), expected)
        for thread in threads:
            thread.join()
        self.assertTrue(received == [flood], "the flood is exact")
        for number, sent in ((0, flood), (1, stalled)):
            log = self.folder / f"{number}.log"
            wait_until(lambda: log.stat().st_size == len(sent), "the log is complete")
            self.assertTrue(log.read_bytes() == sent)


class ProfilesTests(SeveralTest):
    """`serve --profiles`."""

    def test_each_profile_with_an_address_is_served_and_named(self):
        self.plug(2)
        self.config.write_text(
            self.config.read_text() + f'[profile.desk]\ntarget = "{self.folder}/none"\n'
            f'[profile.off]\ntarget = "{self.folder}/none"\nlisten = false\n')
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", "--profiles", "--config", str(self.config)))
        for name in self.names:
            program.stderr.expect(b"serialterm: %s: serving at" % name.encode())
        for number in range(2):
            client = self.client(number)
            self.devices[number].write(b"%d" % number)
            self.assertEqual(self.read(client, 1), b"%d" % number)
        # One is closed and opened again by the name of its profile.
        self.assertEqual(
            serialterm("release", "p1", "--config", str(self.config), "--", "true").status, 0)
        self.assertNotIn(b"desk", program.stderr.data)
        self.assertNotIn(b"off", program.stderr.data)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)

    def test_one_that_cannot_be_served_does_not_keep_the_others_from_it(self):
        self.plug(1)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            self.config.write_text(
                f'[profile.taken]\ntarget = "{self.devices[0].path}2"\nlisten = "{port},raw"\n'
                '[profile.nowhere]\nlisten = "1"\n'
                f'[profile.log]\ntarget = "loopback:"\nunix = "{self.folder}/log.sock"\n'
                f'log = "{self.folder}/none/a.log"\n'
                f'[profile.group]\ntarget = "loopback:"\nunix = "{self.folder}/g.sock"\n'
                'group = "no-such-group"\n'
                f'[profile.same]\ntarget = "loopback:"\nlisten = "{port}"\n'
                + self.config.read_text())
            program = self.enterContext(Pipes(
                serialterm_binary(), "serve", "--profiles", "--config", str(self.config)))
            program.stderr.expect(b"serialterm: nowhere is not served: it has no 'target'.")
            program.stderr.expect(b"serialterm: group is not served: --group: there is no group")
            program.stderr.expect(
                b"serialterm: same is not served: 127.0.0.1:%d leads to taken." % port)
            program.stderr.expect(
                b"serialterm: taken: cannot listen at 127.0.0.1:%d: another program uses this port. "
                b"It is tried every 5 s." % port)
            program.stderr.expect(b"serialterm: log: ")
            program.stderr.expect(b"serialterm: p0: serving at")
            client = self.client(0)
            self.devices[0].write(b"x")
            self.assertEqual(self.read(client, 1), b"x")
            self.assertFalse((self.folder / "log.sock").exists())
        # The other program has ended.
        program.stderr.expect(b"serialterm: taken: serving at 127.0.0.1:%d" % port)
        socket.create_connection(("127.0.0.1", port), TIMEOUT).close()

    def test_nothing_to_serve_and_contradictions_are_said(self):
        self.plug(1)
        config = ["--config", str(self.config)]
        for words, text in (
            (["p0"], b"--profiles names the devices: leave out TARGET"),
            (["--listen", "4000"], b"--profiles and --listen exclude each other"),
            (["--stdio"], b"--profiles and --stdio exclude each other"),
            (["--profile", "p0"], b"--profiles and --profile exclude each other"),
        ):
            result = serialterm("serve", "--profiles", *words, *config)
            self.assertEqual((result.status, result.stdout), (2, b""), words)
            self.assertIn(text, result.stderr)
        for contents, text in (
            ("[profile.a]\ntarget = 'loopback:'\n", b"no profile has 'listen' or 'unix' in "),
            ("[profile.a]\nlisten = '1'\n", b"no profile can be served."),
        ):
            self.config.write_text(contents)
            result = serialterm("serve", "--profiles", *config)
            self.assertEqual((result.status, result.stdout), (2, b""), contents)
            self.assertIn(text, result.stderr)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            self.config.write_text(
                f"[profile.a]\ntarget = 'loopback:'\nlisten = '{taken.getsockname()[1]}'\n")
            result = serialterm("serve", "--profiles", *config)
            self.assertEqual(result.status, 1)
            self.assertIn(b"another program uses this port.", result.stderr)


class PairedTests(SeveralTest):
    def test_ports_and_addresses_are_paired_in_their_order(self):
        self.plug(3)
        # The command line replaces the address of a profile.
        targets = [self.devices[2].path, "p0", self.devices[1].path]
        sockets = [str(self.folder / f"paired{number}.sock") for number in range(3)]
        ports = [free_port() for _ in targets]
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", *targets, "--config", str(self.config),
            *(word for path in sockets for word in ("--unix", path + ",raw")),
            *(word for port in ports for word in ("--listen", f"{port},raw"))))
        for name, port, path in zip(("board2", "p0", "board1"), ports, sockets):
            program.stderr.expect(b"serialterm: %s: serving at 127.0.0.1:%d: raw." % (name.encode(), port))
            program.stderr.expect(b"serialterm: %s: serving at %s: raw." % (name.encode(), path.encode()))
        for device, port, path in zip((2, 0, 1), ports, sockets):
            with socket.socket(socket.AF_UNIX) as here, socket.create_connection(("127.0.0.1", port), TIMEOUT) as there:
                here.settimeout(TIMEOUT)
                here.connect(path)
                for client in (here, there):
                    client.settimeout(TIMEOUT)
                # It has connected first, and has the pen.
                there.sendall(b"%d" % device)
                self.assertEqual(self.devices[device].read_exactly(1), b"%d" % device)
                self.devices[device].write(b"!")
                self.assertEqual((self.read(here, 1), self.read(there, 1)), (b"!", b"!"))
        self.assertFalse((self.folder / "0.sock").exists())


class UsageTests(SeveralTest):
    def test_each_port_needs_an_address_of_its_own(self):
        self.plug(2)
        config = ["--config", str(self.config)]
        for words, text in (
            (["p0", "p1", "--unix", str(self.folder / "same")],
             b"--unix: 1 address for 2 ports; p1 has none. Give --unix once for each port, in their order"),
            (["p0", "p1", "--listen", "4001", "--listen", "4002", "--listen", "4003"],
             b"--listen: 3 addresses for 2 ports; 127.0.0.1:4003 has no port."),
            (["p0", "p1", "--listen", "4001", "--listen", "4001"], b":4001 leads to one port"),
            (["p0", "p1", "--listen", "4001", "--listen", "4002", "--unix", str(self.folder / "one")],
             b"--unix: 1 address for 2 ports; p1 has none."),
            (["p0", "p1", "--stdio"], b"--stdio is for one device"),
            (["p0", self.devices[1].path], b"say where clients connect: 'listen' or 'unix' of its profile"),
        ):
            result = serialterm("serve", *words, *config)
            self.assertEqual((result.status, result.stdout), (2, b""))
            self.assertIn(text, result.stderr)


if __name__ == "__main__":
    unittest.main()
