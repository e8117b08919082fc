"""Frames: every received byte is in exactly one of them, and a pause in a frame costs nothing."""

import base64
import json
import os
import random
import re
import signal
import threading
import time
import unittest

from Tests.endtoend.faults import SessionTest
from Tests.endtoend.harness import Device, Pipes, Terminal, contents, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.pace import pace
from Tests.endtoend.test_frames import ANSWER, REQUEST

FORMS = ["lines", "delimiter:0d0a", "fixed:7", "length:u8", "length:u16be@2", "length:u32be", "silence:30", "slip",
         "cobs", "modbus-rtu", "modbus-ascii", "nmea", "sync:94c3,length:u16be@2"]

# What devices send: text, delimiters without frames, lengths that are impossible, cut frames.
PIECES = [b"boot: ok\r\n", b"\r\n", b"\xc0\xc0", b"\0\0\0", b"\x94\xc3\0\x02ok", b"\x94\xc3\xff\xff", b"\xff\xff\xff\xff",
          REQUEST, ANSWER[:5], b":0103", b"$GPGGA,1", b"\n\r", b"\r\r\n", bytes(range(256)), b"\xc0\xdb\x01\xc0"]


class EveryByteTests(SessionTest):
    """The frames of a session together are what was received: as events, in its log, and on the screen."""

    def stream(self, seed):
        chance = random.Random(seed)
        return b"".join(chance.choice(PIECES) for _ in range(40)) + b"the end"

    def send(self, data, seed):
        chance = random.Random(seed)
        while data:
            count = chance.randrange(1, 200)
            self.device.write(data[:count])
            data = data[count:]

    def test_as_events_and_in_the_log(self):
        for form in FORMS:
            with self.subTest(form=form):
                log, data = self.folder / f"{FORMS.index(form)}.jsonl", self.stream(form)
                with Pipes(serialterm_binary(), "connect", self.device.path, "--json", "--frames", form,
                           "--log", str(log)) as program:
                    program.stdout.expect(b'"state":"open"')
                    self.send(data, form)
                    wait_until(lambda: self.received(program) == data, "the program has all bytes")
                    program.close_stdin()
                    self.assertEqual(program.wait(), 0)
                    events = [json.loads(line) for line in program.stdout.data.splitlines()]
                frames = [bytes.fromhex(event["hex"]) for event in events if event.get("event") == "frame"]
                self.assertEqual(b"".join(frames), data)
                records = [json.loads(line) for line in contents(log).splitlines()]
                self.assertEqual(b"".join(base64.b64decode(record.get("bytes", "")) for record in records), data)
                listed = serialterm("replay", str(log), "--frames", form)
                self.assertEqual(self.lengths(listed.stdout, rb"\] "), len(data), listed.stdout)

    def test_on_the_screen(self):
        for form in FORMS:
            with self.subTest(form=form):
                data = self.stream(form)
                log = self.folder / f"{FORMS.index(form)}.raw"
                with Terminal(
                        serialterm_binary(), "connect", self.device.path, "--frames", form, "--log", str(log),
                        size=(24, 120)) as terminal:
                    terminal.expect(b"ctrl-t q")
                    self.send(data, form)
                    wait_until(lambda: contents(log) == data, "the program has all bytes")
                    # What waits for its end is shown when the session ends.
                    terminal.send(b"\x14q")
                    terminal.wait()
                    self.assertEqual(self.lengths(terminal.output, rb"\d\] "), len(data))

    def received(self, program):
        """What the events of a program say that was received."""
        lines = program.stdout.data.split(b"\n")[:-1]
        events = [event for event in map(json.loads, lines) if event["event"] == "received"]
        return b"".join(
            bytes.fromhex(event["hex"]) if "hex" in event else event["text"].encode() for event in events)

    def lengths(self, rows, before):
        """The sum of the lengths that rows of frames begin with."""
        return sum(int(length) for length in re.findall(before + rb"(?:\x1b\[[0-9;]*m)*(?:\xe2\x86. )? *(\d+)  ", rows))


class PauseTests(unittest.TestCase):
    """The parts of a frame come apart: by the network, or because the program did not run."""

    def setUp(self):
        self.device = self.enterContext(Device())

    def test_the_parts_of_an_answer_are_waited_for(self):
        def answer():
            self.device.read_exactly(8)
            begun = time.monotonic()
            for number, part in enumerate((ANSWER[:1], ANSWER[1:5], ANSWER[5:])):
                pace(begun, number, 16)
                self.device.write(part)
        threading.Thread(target=answer, daemon=True).start()
        result = serialterm("send", self.device.path, "--hex", "0103006b0003", "--checksum", "crc16-modbus",
                            "--expect-frame")
        self.assertEqual((result.status, b"022b" in result.stdout), (0, True), result)

    def test_a_program_that_was_stopped_in_a_frame_reads_it(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", "--frames", "modbus-rtu"))
        program.stdout.expect(b'"state":"open"')
        # The rest of a frame is waited for 1 s. It may be this test that does not run.
        for attempt in range(20):
            begun = time.monotonic()
            self.device.write(ANSWER[:5])
            program.stdout.expect(b'"received"')
            os.kill(program.pid, signal.SIGSTOP)
            isInTime = time.monotonic() - begun < 0.5
            self.device.write(ANSWER[5:])
            time.sleep(1.2)
            os.kill(program.pid, signal.SIGCONT)
            frame = json.loads(program.stdout.expect(re.compile(rb'\{"event":"frame".*\n')).group())
            if isInTime:
                break
        self.assertEqual((frame["check"], frame["hex"]), ("good", ANSWER.hex()), attempt)

    def test_an_empty_frame_is_no_answer(self):
        def answer():
            self.device.read_exactly(2)
            self.device.write(b"\x7e\x7eok\x7e")
        threading.Thread(target=answer, daemon=True).start()
        result = serialterm("send", self.device.path, "x", "--frames", "delimiter:7e", "--expect-frame")
        self.assertEqual((result.status, result.stdout.decode()), (0, "←     3  6f 6b\n"), result)


class TextTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def events(self, *options):
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", *options))
        program.stdout.expect(b'"state":"open"')
        self.device.write(b"caf\xc3\xa9 \xff\xfe.\n")
        program.stdout.expect(re.compile(rb'"(hex|text)":"[^"]*(0a|\\n)"'))
        program.close_stdin()
        program.wait()
        return [json.loads(line) for line in program.stdout.data.splitlines()]

    def test_with_an_encoding_there_is_always_a_text(self):
        received = [event for event in self.events("--encoding", "UTF-8") if event["event"] == "received"]
        self.assertEqual("".join(event["text"] for event in received), "café \\xff\\xfe.\n")

    def test_the_content_of_a_line_that_is_no_text_is_exact(self):
        frame = next(event for event in self.events("--frames", "lines") if event["event"] == "frame")
        self.assertEqual((frame["hex"], frame["content"]), ("636166c3a920fffe2e0a", "636166c3a920fffe2e"))


if __name__ == "__main__":
    unittest.main()
