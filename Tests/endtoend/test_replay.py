"""`serialterm replay`: a log is a board for the program that reads its port."""

import base64
import datetime
import json
import os
import re
import signal
import struct
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import LEAVING, processes, text, waits
from Tests.endtoend.harness import (
    Device, Pipes, Port, Terminal, serialterm, serialterm_binary, slow)

# Seconds from the opening of the port to the first byte.
SETTLING = 0.2
START = datetime.datetime(2026, 11, 21, 6, 31, tzinfo=datetime.timezone.utc)


def line(seconds, data, direction="from-device", **members):
    """A line of a log, so long after its start."""
    moment = START + datetime.timedelta(seconds=seconds)
    return json.dumps({
        "time": moment.isoformat().replace("+00:00", "Z"), **members, "direction": direction,
        "bytes": base64.b64encode(data).decode()}).encode() + b"\n"


def event(port):
    return json.dumps({"time": "x", "port": port, "event": "opened"}).encode() + b"\n"


def block(order, kind, body):
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def capture(order, *packets):
    """A pcapng file of another program: microseconds, no options, in either byte order."""
    data = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    data += block(order, 1, struct.pack(order + "HHI", 147, 0, 0))
    data += block(order, 0xBAD, b"what nobody knows...")
    for seconds, payload in packets:
        moment = 1_700_000_000_000_000 + int(seconds * 1e6)
        head = struct.pack(
            order + "5I", 0, moment >> 32, moment & 0xFFFFFFFF, len(payload), len(payload))
        data += block(order, 6, head + payload + bytes(-len(payload) % 4))
    return data


class ReplayTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self._waits = self.folder / "waits"
        self._waits.mkdir()
        self.log = self.folder / "log.jsonl"

    def waited(self, program):
        """The milliseconds for which a program has waited for nothing but time."""
        return waits.milliseconds(self._waits, program.pid)

    def assert_ends_by_a_signal(self, program):
        waited = self.waited(program)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assertLessEqual(self.waited(program) - waited, LEAVING)

    def replay(self, log, *options):
        """A replay of a log with these contents, and the path of its node."""
        self.log.write_bytes(log)
        program = self.enterContext(
            Pipes(serialterm_binary(), "replay", str(self.log), *options, variables=waits.counted(self._waits)))
        node = program.stdout.expect(re.compile(rb"(/\S+)\n")).group(1).decode()
        return program, node

    def read(self, node, count):
        port = self.enterContext(Port(node))
        return port, port.read_exactly(count)

    def test_what_was_received_is_played_and_nothing_else(self):
        program, node = self.replay(
            line(0, b"one \x00\xff") + b'{"time":"x","event":"lost","path":"/dev/ttyUSB0"}\n'
            + line(0.01, b"typed", "to-device") + b"\n" + line(0.02, b" two"))
        self.assertEqual(self.read(node, 10)[1], b"one \x00\xff two")
        self.assertEqual(program.wait(), 0)

    @slow
    def test_pace_is_that_of_the_log(self):
        log = line(0, b"a") + line(0.3, b"b") + line(0.6, b"c") + line(600, b"d")
        for speed, expected in (("1", 0.6), ("3", 0.2), ("0.5", 1.2)):
            with self.subTest(speed=speed):
                program, node = self.replay(log, "--speed", speed)
                started, waited = time.monotonic(), self.waited(program)
                self.assertEqual(self.read(node, 3)[1], b"abc")
                # At least so long, on a machine of any load. At most: what the program itself has waited.
                self.assertGreater(time.monotonic() - started, SETTLING + expected - 0.02)
                self.assertLess(self.waited(program) - waited, (SETTLING + expected + 0.1) * 1000)
                self.assert_ends_by_a_signal(program)

    def test_it_waits_for_a_reader_and_has_a_stable_link(self):
        link = self.folder / "board"
        program, node = self.replay(line(0, b"hello"), "--link", str(link))
        self.assertEqual(link.resolve(), Path(node))
        self.assertTrue(program.running)
        self.assertEqual(self.read(str(link), 5)[1], b"hello")
        self.assertEqual(program.wait(), 0)
        self.assertFalse(link.is_symlink())

    def test_it_ends_when_the_reader_leaves_behind_the_last_byte(self):
        program, node = self.replay(line(0, b"0123456789"))
        with Port(node) as port:
            port.read_exactly(3)
        self.assertEqual(program.wait(), 0)

    def test_slow_reader_loses_nothing(self):
        said = text(300_000)
        log = b"".join(line(0, said[start:start + 1_000]) for start in range(0, 300_000, 1_000))
        program, node = self.replay(log)
        port = self.enterContext(Port(node))
        self.assertEqual(port.read_exactly(300_000, rate=400_000), said)
        self.assertEqual(program.wait(), 0)

    def test_loop_begins_again_until_a_signal(self):
        program, node = self.replay(line(0, b"ab") + line(0.01, b"c"), "--loop")
        self.assertEqual(self.read(node, 12)[1], b"abc" * 4)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)

    def test_a_signal_ends_it_however_much_is_due(self):
        program, node = self.replay(line(0, b"x"), "--loop")
        reader = self.enterContext(Pipes("cat", node))
        reader.stdout.read_exactly(20_000)
        self.assert_ends_by_a_signal(program)

    def test_captures_of_either_byte_order_are_played(self):
        for order in "<>":
            with self.subTest(order=order):
                program, node = self.replay(capture(order, (0, b"first"), (0.2, b"second")))
                started = time.monotonic()
                self.assertEqual(self.read(node, 11)[1], b"firstsecond")
                self.assertGreater(time.monotonic() - started, SETTLING + 0.18)
                self.assertEqual(program.wait(), 0)

    def test_what_a_session_logged_comes_out_again(self):
        said = b"boot\r\n\x00\xff\xfe\x1b[31mred " + text(10_000)
        for name in ("log.jsonl", "log.pcapng"):
            with self.subTest(name), Device() as device:
                log = self.folder / f"session-{name}"
                with Terminal(
                        serialterm_binary(), "connect", device.path, "-L", str(log)) as terminal:
                    terminal.expect(b"ctrl-t q")
                    device.write(said)
                    terminal.send(b"\x14M")
                    terminal.expect(b"--- mark 1")
                    device.write(b"end")
                    terminal.expect(b"end")
                    self.assertEqual(terminal.leave()[0], 0)
                program, node = self.replay(log.read_bytes())
                self.assertEqual(self.read(node, len(said) + 3)[1], said + b"end")
                self.assertEqual(program.wait(), 0)

    def test_a_text_log_is_played_with_every_form_of_times(self):
        for stamps in (
                ("2026-11-21T07:31:00.000000+01:00", "2026-11-21T07:31:00.200000+01:00"), ("23:59:59.900", "00:00:00.100"),
                ("1795242660.123", "1795242660.323"), ("    0.123", "    0.323"), ("+    0.000", "+    0.200")):
            with self.subTest(stamps[0]):
                first, second = (f"[{stamp}] ".encode() for stamp in stamps)
                program, node = self.replay(
                    first + b"[opened /dev/ttyUSB0 at 115200 8N1]\n" + first + b"< \xc3\xa9\tone\n" + second
                    + b"> typed\n" + second + b"< [two]\n")
                started = time.monotonic()
                self.assertEqual(self.read(node, 15)[1], b"\xc3\xa9\tone\r\n[two]\r\n")
                self.assertGreater(time.monotonic() - started, SETTLING + 0.18)
                self.assertEqual(program.wait(), 0)

    def test_a_text_log_that_serialterm_wrote_is_played(self):
        with Device() as device:
            log = self.folder / "board.txt"
            with Pipes(serialterm_binary(), "connect", device.path, "--log", str(log), "--linger", "0.3") as program:
                device.write(b"> a prompt\r\nsecond\r\n")
                program.stdout.expect(b"second")
                program.close_stdin()
                program.wait()
            program, node = self.replay(log.read_bytes())
            self.assertEqual(self.read(node, 20)[1], b"> a prompt\r\nsecond\r\n")

    def test_bad_logs_are_told_with_the_place(self):
        header = capture("<")
        for log, words in (
                (b"hello\n", b": not a log with times. A log in JSON lines, pcapng or text can be played"),
                (b"{}\n", b":1: it has neither"),
                (b'{"bytes":"????","time":"x"}', b":1: 'bytes' is not base64"),
                (b'{"bytes":"","time":"x"}', b":1: 'time'"),
                (b'\n{"event":"lost"}\n{"event":', b":3: expected a JSON object"),
                (header + b"\x06\0\0\0", b": byte %d: the file ends" % len(header)),
                (header + struct.pack("<II", 6, 13), b": byte %d: a block of 13" % len(header)),
                (header[:8], b": byte 0: a section header without its byte order. A log in JSON lines, pcapng"),
                (b"[" * 100_000, b":1: it has no time at its beginning")):
            with self.subTest(log=log[:40]):
                self.log.write_bytes(log)
                result = serialterm("replay", str(self.log))
                self.assertEqual(result.status, 2)
                self.assertIn(words, result.stderr)

    def test_what_is_bad_further_on_ends_it_there(self):
        program, node = self.replay(line(0, b"good") + b"bad\n")
        self.assertEqual(self.read(node, 4)[1], b"good")
        self.assertEqual(program.wait(), 2)
        program.stderr.expect(b":2: expected a JSON object")

    def test_file_that_is_not_there_is_told(self):
        result = serialterm("replay", str(self.log))
        self.assertEqual(result.status, 2)
        self.assertIn(b"No such file", result.stderr)

    # Logs of several ports.

    def test_one_port_of_several_is_played(self):
        log = event("alpha") + event("beta") + b"".join(
            line(number / 1000, b"%d of %s " % (number, name), port=name.decode())
            for number in range(5) for name in (b"alpha", b"beta"))
        for name in (b"alpha", b"beta"):
            with self.subTest(name):
                program, node = self.replay(log, "--port", name.decode())
                said = b"".join(b"%d of %s " % (number, name) for number in range(5))
                self.assertEqual(self.read(node, len(said))[1], said)
                self.assertEqual(program.wait(), 0)

    def assert_refused(self, log, *options, words):
        self.log.write_bytes(log)
        result = serialterm("replay", str(self.log), *options)
        self.assertEqual((result.status, result.stdout), (2, b""))
        self.assertIn(words, result.stderr)

    def test_without_a_choice_the_ports_are_listed(self):
        self.assert_refused(
            event("alpha") + event("beta") + line(0, b"x", port="alpha") + event("gamma"),
            words=b"a log of several ports. Choose one with --port: alpha, beta, gamma.")

    def test_a_port_that_is_not_in_the_log_is_told_with_those_that_are(self):
        log = event("alpha") + line(0, b"x", port="alpha") * 100
        self.assert_refused(
            log, "--port", "bet\x1ba",
            words="no port 'bet\ufffda'. Choose one with --port: alpha.".encode())
        self.assert_refused(
            line(0, b"x"), "--port", "alpha", words=b"The log names no ports; leave --port out.")

    def test_a_log_with_the_name_of_one_port_needs_no_choice(self):
        program, node = self.replay(event("alpha") + line(0, b"x", port="alpha"))
        self.assertEqual(self.read(node, 1)[1], b"x")
        self.assertEqual(program.wait(), 0)

    def test_a_second_port_further_on_ends_it_there(self):
        program, node = self.replay(line(0, b"good", port="alpha") + line(0, b"x", port="beta"))
        self.assertEqual(self.read(node, 4)[1], b"good")
        self.assertEqual(program.wait(), 2)
        program.stderr.expect(b"--port: alpha, beta.")

    # A log that is a pipe.

    def replay_of(self, name):
        program = self.enterContext(
            Pipes(serialterm_binary(), "replay", name, variables=waits.counted(self._waits)))
        node = program.stdout.expect(re.compile(rb"(/\S+)\n")).group(1).decode()
        return program, node

    def named_pipe(self):
        path = self.folder / "pipe"
        os.mkfifo(path)
        return path

    def test_a_pipe_is_played_as_it_is_written(self):
        pipe = self.named_pipe()
        program, node = self.replay_of(str(pipe))
        port = self.enterContext(Port(node))
        with open(pipe, "wb", buffering=0) as log:
            log.write(line(0, b"one") + line(0.01, b" two")[:30])
            self.assertEqual(port.read_exactly(3), b"one")
            log.write(line(0.01, b" two")[30:])
            self.assertEqual(port.read_exactly(4), b" two")
        self.assertEqual(program.wait(), 0)

    def test_standard_input_is_played(self):
        program, node = self.replay_of("-")
        program.send(capture("<", (0, b"packets")), then_close=True)
        self.assertEqual(self.read(node, 7)[1], b"packets")
        self.assertEqual(program.wait(), 0)

    def test_a_signal_ends_the_wait_for_a_pipe(self):
        pipe = self.named_pipe()
        program, node = self.replay_of(str(pipe))
        self.assert_ends_by_a_signal(program)
        program, node = self.replay_of(str(pipe))
        with open(pipe, "wb", buffering=0) as log:
            log.write(line(0, b"one") + b'{"time":')
            port, said = self.read(node, 3)
            self.assertEqual(said, b"one")
            self.assert_ends_by_a_signal(program)

    def test_what_is_no_log_in_a_pipe_is_told(self):
        program, node = self.replay_of("-")
        program.send(b"hello\n", then_close=True)
        self.enterContext(Port(node))
        self.assertEqual(program.wait(), 2)
        program.stderr.expect(b": not a log with times")

    def test_devices_are_refused(self):
        for path in ("/dev/ptmx", "/dev/null", str(self.folder)):
            with self.subTest(path):
                result = serialterm("replay", path)
                self.assertEqual(result.status, 2)
                self.assertIn(b"neither a file nor a pipe", result.stderr)

    @slow
    def test_long_log_is_not_kept_in_memory(self):
        entry = line(0, text(1_000))
        program, node = self.replay(entry * 50_000)
        port = self.enterContext(Port(node))
        for _ in range(49):
            port.read_exactly(1_000_000)
        self.assertLess(processes.memory(program.pid)[1], 40)
        port.read_exactly(1_000_000)
        self.assertEqual(program.wait(), 0)
