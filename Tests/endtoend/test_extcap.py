"""`serialterm extcap`: a port in Wireshark."""

import os
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import SessionTest
from Tests.endtoend.harness import (
    TIMEOUT, Deadline, Pipes, Terminal, pace, run, serialterm, serialterm_binary, soak, wait_until)
from Tests.endtoend.isolation import command_in_own_mounts

REQUEST = bytes.fromhex("0103006b00037417")
TSHARK = shutil.which("tshark")


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value.to_bytes(2, "little")


def frame(number):
    """A message of Modbus that no other number has: write a register."""
    data = bytes([1 + number // 65536, 6]) + struct.pack(">HH", number % 65536, number * 7919 % 65536)
    return data + crc(data)


class Capture:
    """A pcapng stream as it comes: link types, interface names, and packets with their comments."""

    def __init__(self, data):
        self.link_types, self.names, self.packets = [], [], []
        while len(data) >= 12:
            kind, length = struct.unpack_from("<II", data)
            if len(data) < length:
                break
            body, data = data[8:length - 4], data[length:]
            if kind == 1:
                self.link_types.append(struct.unpack_from("<H", body)[0])
                self.names.append(self.options(body[8:]).get(2))
            elif kind == 6:
                size = struct.unpack_from("<I", body, 12)[0]
                comment = self.options(body[20 + size + -size % 4:]).get(1, b"").decode()
                self.packets.append((body[20:20 + size], comment))
        self.rest = data

    @staticmethod
    def options(data):
        found = {}
        while len(data) >= 4:
            code, size = struct.unpack_from("<HH", data)
            if code == 0:
                break
            found[code] = data[4:4 + size]
            data = data[4 + size + -size % 4:]
        return found

    @property
    def payloads(self):
        return [payload for payload, _ in self.packets if payload]

    @property
    def comments(self):
        return [comment for payload, comment in self.packets if not payload]


class AnswerTests(unittest.TestCase):
    """What Wireshark asks before a capture."""

    def answer(self, *words):
        result = serialterm("extcap", *words)
        self.assertEqual((result.status, result.stderr), (0, b""), result)
        return result.stdout.decode()

    def test_the_ports_are_listed(self):
        lines = self.answer("--extcap-interfaces", "--extcap-version=4.0").splitlines()
        self.assertRegex(lines[0], r"^extcap \{version=[^}]+\}\{display=serialterm\}$")
        self.assertIn("interface {value=serialterm}{display=Serial port by name}", lines)

    def test_the_link_called_serialterm_extcap_is_this_command(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "serialterm-extcap"
            link.symlink_to(Path(serialterm_binary()).absolute())
            said = subprocess.run(
                [link, "--extcap-interfaces"], capture_output=True, text=True, timeout=TIMEOUT, check=True)
        self.assertEqual(said.stdout, self.answer("--extcap-interfaces"))

    def test_the_link_type_is_user0(self):
        self.assertEqual(
            self.answer("--extcap-interface", "serialterm", "--extcap-dlts"),
            "dlt {number=147}{name=USER0}{display=Bytes of a serial line}\n")

    def test_each_kind_of_port_has_its_options(self):
        expected = {
            "serialterm": ["target", "baud", "data-bits", "parity", "stop-bits", "flow", "dtr", "rts"],
            "serialterm-ttyUSB0": ["baud", "data-bits", "parity", "stop-bits", "flow", "dtr", "rts"],
            "serialterm-session-ttyUSB0": [],
        }
        for name, line in expected.items():
            with self.subTest(name):
                text = self.answer("--extcap-interface", name, "--extcap-config")
                self.assertEqual(
                    re.findall(r"^arg \{number=\d+\}\{call=--([\w-]+)\}", text, re.M),
                    line + ["frames", "other-frames", "dlt"])
                for form in ("reads", "modbus-rtu", "nmea"):
                    self.assertRegex(text, rf"(?m)^value \{{arg=\d+\}}\{{value={form}\}}")
                self.assertIn("{value=162}{display=USER15 (162)}", text)

    def test_options_of_later_versions_are_ignored(self):
        self.assertEqual(
            self.answer("--extcap-later", "-x", "value", "--extcap-interface", "serialterm",
                        "--extcap-dlts", "--other=-1"),
            self.answer("--extcap-interface", "serialterm", "--extcap-dlts"))

    def test_what_cannot_be_is_refused(self):
        for words in ([], ["--extcap-interface", "eth0", "--extcap-dlts"],
                      ["--extcap-interface", "serialterm", "--capture"],
                      ["--extcap-interface", "serialterm", "--capture", "--fifo", "/nowhere/fifo"],
                      ["--extcap-interface", "serialterm", "--capture", "--fifo", "/tmp/x", "--dlt", "1"]):
            with self.subTest(words):
                result = serialterm("extcap", *words)
                self.assertEqual((result.status, result.stdout), (2, b""), result)


class PipeTests(SessionTest):
    """The test plays Wireshark, at the named pipe."""

    def setUp(self):
        super().setUp()
        self.fifo = self.folder / "fifo"
        os.mkfifo(self.fifo)
        self.data = b""

    def capture(self, *options, interface="serialterm"):
        if interface == "serialterm":
            options = ("--target", self.device.path, *options)
        program = self.enterContext(Pipes(
            serialterm_binary(), "extcap", "--capture", "--extcap-interface", interface,
            "--fifo", str(self.fifo), "--extcap-capture-filter", "", *options))
        self.reader = os.open(self.fifo, os.O_RDONLY)
        self.addCleanup(self.close)
        self.read_until(lambda capture: any("opened" in comment for comment in capture.comments))
        return program

    def close(self):
        if self.reader is not None:
            os.close(self.reader)
            self.reader = None

    def read_until(self, condition, timeout=None):
        """Reads packets until a condition is true; without one, until the end."""
        deadline = Deadline(timeout)
        while True:
            capture = Capture(self.data)
            if condition and condition(capture):
                return capture
            if not select.select([self.reader], [], [], deadline.left)[0]:
                raise AssertionError(f"only {capture.packets[-5:]} within {deadline.seconds} s")
            piece = os.read(self.reader, 1 << 20)
            if not piece:
                if condition:
                    raise AssertionError(f"only {capture.packets[-5:]} before the end")
                self.assertEqual(capture.rest, b"")
                return capture
            self.data += piece

    def test_each_frame_is_a_packet_and_the_end_of_the_reader_is_the_end(self):
        program = self.capture("--frames", "modbus-rtu", "--dlt", "150")
        self.device.write(REQUEST + REQUEST + REQUEST[:3])
        self.device.write(REQUEST[3:] + b"\0" + REQUEST)
        capture = self.read_until(lambda capture: len(capture.payloads) == 5)
        self.assertEqual((capture.link_types, capture.names), ([150], [b"serialterm"]))
        self.assertEqual(
            [packet for packet in capture.packets if packet[0]],
            [(REQUEST, "")] * 3 + [(b"\0", "stray"), (REQUEST, "")])
        self.close()
        self.assertEqual((program.wait(), program.stderr.data), (0, b""))
        # Nothing was sent to the device.
        self.assertEqual(self.device.rest(), b"")

    def test_a_signal_ends_it_and_what_was_received_is_there(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                self.data = b""
                program = self.capture("--other-frames", "fixed:4")
                self.device.write(b"abcdefghij")
                self.read_until(lambda capture: len(capture.payloads) == 2)
                program.signal(number)
                # The frame that is not complete comes, too.
                self.assertEqual(self.read_until(None).payloads, [b"abcd", b"efgh", b"ij"])
                self.assertEqual((program.wait(), program.stderr.data), (0, b""))
                self.close()

    def test_a_signal_ends_the_wait_for_a_reader(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "extcap", "--capture", "--extcap-interface", "serialterm",
            "--fifo", str(self.fifo), "--target", self.device.path))
        # The signals are blocked when it waits.
        blocked = 1 << signal.SIGTERM - 1
        wait_until(
            lambda: int(re.search(r"SigBlk:\s+(\w+)", Path(f"/proc/{program.pid}/status").read_text())[1], 16) & blocked,
            "it waits")
        program.signal(signal.SIGTERM)
        self.assertEqual((program.wait(), program.stderr.data), (0, b""))
        # The port was not opened: that may reset a board.
        self.assertEqual(self.device.settings, self.port_settings)

    def test_a_device_that_is_lost_comes_back_in_the_same_capture(self):
        program = self.capture()
        self.device.write(b"before")
        self.read_until(lambda capture: b"".join(capture.payloads) == b"before")
        self.device.hang_up()
        self.read_until(lambda capture: any("lost" in comment for comment in capture.comments))
        self.device.plug()
        self.read_until(lambda capture: any("back" in comment for comment in capture.comments))
        self.device.write(b"after")
        self.read_until(lambda capture: b"".join(capture.payloads) == b"beforeafter")
        self.close()
        self.assertEqual(program.wait(), 0)

    def test_a_reader_that_is_slow_holds_the_device_and_nothing_is_missing(self):
        program = self.capture("--other-frames", "fixed:100")
        sent = bytes(range(256)) * 1_600
        feeder = threading.Thread(target=lambda: self.device.write(sent), daemon=True)
        feeder.start()
        # The pipe takes no more before anything is read. How much that is depends on how its pages were filled.
        other = os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK)
        try:
            wait_until(lambda: not select.select([], [other], [], 0)[1], "the pipe is full")
        finally:
            os.close(other)
        self.read_until(lambda capture: sum(map(len, capture.payloads)) == len(sent) // 100 * 100)
        feeder.join()
        program.signal(signal.SIGTERM)
        self.assertEqual(b"".join(self.read_until(None).payloads), sent)
        self.assertEqual((program.wait(), program.stderr.data), (0, b""))

    def test_a_port_that_cannot_be_opened_is_reported(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "extcap", "--capture", "--extcap-interface", "serialterm",
            "--fifo", str(self.fifo), "--target", "/dev/ttyNOBODY"))
        self.reader = os.open(self.fifo, os.O_RDONLY)
        self.addCleanup(self.close)
        self.assertEqual(self.read_until(None).payloads, [])
        self.assertEqual(program.wait(), 3)
        self.assertIn(b"/dev/ttyNOBODY", program.stderr.data)

    # Beside a session.

    def join(self, *options):
        terminal = self.session()
        name = self.interface()
        return terminal, self.capture(*options, interface=name)

    def interface(self):
        listed = serialterm("extcap", "--extcap-interfaces").stdout.decode()
        return re.search(r"interface \{value=(serialterm-session-port)\}\{display=session at ", listed)[1]

    def test_a_session_is_captured_while_its_user_goes_on(self):
        terminal, program = self.join("--frames", "modbus-rtu")
        self.device.write(REQUEST * 3)
        self.read_until(lambda capture: len(capture.payloads) == 3)
        terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        self.close()
        self.assertEqual((program.wait(), program.stderr.data), (0, b""))
        terminal.send(b"y")
        self.assertEqual(self.device.read_exactly(1), b"y")

    def test_the_end_of_the_session_is_the_end_of_the_capture(self):
        terminal, program = self.join()
        self.device.write(b"last")
        self.read_until(lambda capture: capture.payloads == [b"last"])
        terminal.send(b"\x14q")
        self.read_until(None)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(terminal.wait(), 0)

    def test_the_capture_of_a_device_can_be_watched_and_sends_nothing(self):
        program = self.capture()
        listed = f'"pid":{program.pid},'.encode()
        wait_until(
            lambda: listed in serialterm("attach", "--list", "--json").stdout, "the session can be joined")
        viewer = self.enterContext(Terminal(serialterm_binary(), "attach", str(program.pid)))
        self.device.write(b"seen by both")
        viewer.expect(b"seen by both")
        viewer.send(b"\x14w")
        viewer.expect(b"read-only")
        viewer.send(b"typed")
        viewer.send(b"\x14q")
        viewer.wait()
        self.close()
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.device.rest(), b"")


@unittest.skipUnless(TSHARK, "needs tshark")
class WiresharkTests(SessionTest):
    """With tshark, which finds the command as Wireshark does."""

    def setUp(self):
        super().setUp()
        links = self.folder / "extcap"
        links.mkdir()
        (links / "serialterm-extcap").symlink_to(Path(serialterm_binary()).absolute())
        self.tshark = [TSHARK]
        self.variables = {"WIRESHARK_EXTCAP_DIR": str(links)}
        if os.geteuid() == 0:
            # For root, tshark looks only in its own folder.
            folders = subprocess.run([TSHARK, "-G", "folders"], capture_output=True, text=True, check=True)
            system = re.search(r"^(?:Global )?Extcap path:\s+(.+)$", folders.stdout, re.M)[1]
            place = [*command_in_own_mounts(), "sh", "-c", 'mount --bind "$0" "$1" && shift && exec "$@"', str(links), system]
            if subprocess.run([*place, "true"], stderr=subprocess.DEVNULL).returncode:
                self.skipTest("nothing can be mounted in root's folder of tshark")
            self.tshark = [*place, TSHARK]

    def run_tshark(self, *options):
        return run(*self.tshark, *options, variables=self.variables)

    def read(self, file, *fields):
        said = self.run_tshark(
            "-r", str(file), "-Y", "frame.len > 0", "-T", "fields", *(w for f in fields for w in ("-e", f)))
        self.assertEqual(said.status, 0, said.stderr)
        return [line.split("\t") for line in said.stdout.decode().splitlines()]

    def test_it_lists_the_ports_and_the_sessions(self):
        self.session()
        listed = self.run_tshark("-D").stdout.decode()
        self.assertIn("serialterm (Serial port by name)", listed)
        self.assertRegex(listed, r"serialterm-session-port \(session at \S+ \(connect, process \d+\)\)")

    def capture(self, interface, count, *options):
        """A live capture of frames; tshark ends it."""
        file = self.folder / "live.pcapng"
        program = self.enterContext(Pipes(
            *self.tshark, "-i", interface, *options, "-o", f"extcap.{interface.replace('-', '_')}.frames:modbus-rtu",
            "-w", str(file), "-c", str(count + 1), variables=self.variables))
        # Its first packet is the event that the port was opened.
        wait_until(lambda: file.exists() and b"opened" in file.read_bytes(), "the capture runs")
        stream = b"".join(map(frame, range(count)))
        # As a line of 921,600 baud: a session does not wait for those who watch.
        started = time.monotonic()
        for start in range(0, len(stream), 1_024):
            self.device.write(stream[start:start + 1_024])
            pace(started, start, 92_160)
        self.assertEqual(program.wait(), 0)
        found = self.read(file, "data.data")
        self.assertEqual(len(found), count)
        self.assertEqual(b"".join(bytes.fromhex(row[0]) for row in found), stream)
        self.assertEqual({len(row[0]) for row in found}, {16})

    def capture_device(self, count):
        self.capture("serialterm", count, "-o", f"extcap.serialterm.target:{self.device.path}")
        # The program that tshark called has ended with it.
        wait_until(lambda: self.device.settings and not self.device.exclusive, "the port is closed")
        self.assertEqual(self.device.rest(), b"")

    def capture_session(self, count):
        terminal = self.session("--hex")
        self.capture("serialterm-session-port", count)
        terminal.send(b"\x14q")
        self.assertEqual(terminal.wait(), 0)

    def test_a_live_capture_at_a_device_misses_no_frame(self):
        self.capture_device(2_000)

    def test_a_live_capture_beside_a_session_misses_no_frame(self):
        self.capture_session(2_000)

    @soak
    def test_a_hundred_thousand_frames_at_a_device(self):
        self.capture_device(100_000)

    @soak
    def test_a_hundred_thousand_frames_beside_a_session(self):
        self.capture_session(100_000)

    def test_the_dissector_of_modbus_reads_the_packets_live(self):
        program = self.enterContext(Pipes(
            *self.tshark, "-l", "-i", "serialterm", "-o", f"extcap.serialterm.target:{self.device.path}",
            "-o", "extcap.serialterm.frames:modbus-rtu", "-o", 'uat:user_dlts:"User 0 (DLT=147)","mbrtu","0","","0",""',
            "-Y", "mbrtu", "-T", "fields", "-e", "mbrtu.unit_id", "-e", "modbus.func_code", variables=self.variables))
        program.stderr.expect(b"Capturing on")
        wait_until(lambda: self.device.settings != self.port_settings, "the port is open")
        self.device.write(REQUEST)
        program.stdout.expect(b"1\t3\n")
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)
        wait_until(lambda: not self.device.exclusive, "the port is closed")


if __name__ == "__main__":
    unittest.main()
