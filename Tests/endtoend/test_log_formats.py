"""The contents of logs, read by parsers that share no code with the program."""

import base64
import datetime
import json
import re
import shutil
import struct
import time
import unittest

from Tests.endtoend.faults import SessionTest
from Tests.endtoend.harness import run

STAMP = re.compile(r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d\d:\d\d\] ")


def blocks(data):
    """The blocks of a pcapng file, as type and body. Any deviation from the format fails."""
    offset = 0
    while offset < len(data):
        kind, length = struct.unpack_from("<II", data, offset)
        assert length % 4 == 0 and length >= 12, f"block of {length} bytes at {offset}"
        assert struct.unpack_from("<I", data, offset + length - 4) == (length,), f"at {offset}"
        yield kind, data[offset + 8:offset + length - 4]
        offset += length


def options(data):
    """The options at the end of a block: {code: value}."""
    found, offset = {}, 0
    while offset < len(data):
        code, length = struct.unpack_from("<HH", data, offset)
        if code == 0:
            assert length == 0 and offset + 4 == len(data), "after the end of the options"
            return found
        found[code] = data[offset + 4:offset + 4 + length]
        offset += 4 + (length + 3) // 4 * 4
    raise AssertionError("options without an end")


class FormatTests(SessionTest):
    def logged(self, name, *options):
        """The log of a session in which `hello`, bytes that are no text, and sequences came, `typed`
        was sent, and the device was unplugged and plugged in again; and when it began and ended."""
        started = time.time()
        path = self.folder / name
        terminal = self.session("-L", str(path), *options)
        for said, seen in ((b"hello\r\n", b"hello"), (b"\xff\x00\x80 raw\n", b"raw"),
                           (b"\x1b[31mred\x1b[0m \x1b]0;title\x07done", b"done")):
            self.device.write(said)
            terminal.expect(seen)
        terminal.send(b"typed")
        self.device.read_exactly(5)
        self.device.hang_up()
        terminal.expect(b"is gone")
        self.device.plug()
        terminal.expect(b"is back")
        self.device.write(b"again")
        terminal.expect(b"again")
        self.assertEqual(terminal.leave()[0], 0)
        return path.read_bytes(), started, time.time()

    received = (b"hello\r\n\xff\x00\x80 raw\n\x1b[31mred\x1b[0m \x1b]0;title\x07doneagain")

    def test_raw_is_what_was_received_and_nothing_else(self):
        self.assertEqual(self.logged("log.log")[0], self.received)

    def test_text_has_times_and_events_and_no_sequence(self):
        text = self.logged("log.txt")[0].decode()
        lines = text.splitlines()
        for line in lines:
            self.assertRegex(line, STAMP)
        port = self.device.path
        self.assertEqual([STAMP.sub("", line) for line in lines], [
            f"[opened {port} at 115200 8N1]", "hello", "\ufffd\ufffd raw", "red done",
            f"[lost {port}]", f"[back {port} at 115200 8N1]", "again"])

    def test_a_read_has_one_time_in_every_log_of_a_session(self):
        logs = [self.folder / name for name in ("a.jsonl", "b.jsonl", "c.txt")]
        terminal = self.session(*(f"--log={path}" for path in logs), "--timestamps", "iso:us")
        for index in range(30):
            self.device.write(f"line {index}.\r\n".encode())
            terminal.expect(f"line {index}.".encode())
        self.assertEqual(terminal.leave()[0], 0)
        first, second = (
            [(entry["time"], entry["bytes"]) for entry in map(json.loads, path.read_text().splitlines())
             if "bytes" in entry] for path in logs[:2])
        self.assertEqual(first, second)
        self.assertEqual(len(first), 30)
        # The text log and the screen have local time: the same fraction of the second.
        for lines in (logs[2].read_text(), terminal.output.decode()):
            fractions = re.findall(r"\.(\d{6})[+-]\d\d:\d\d\] line", lines)
            self.assertEqual(fractions, [time[20:26] for time, _ in first])

    def test_text_marks_the_direction_where_both_are_logged(self):
        text = self.logged("log.txt", "--log-sent")[0].decode()
        lines = [STAMP.sub("", line) for line in text.splitlines()]
        self.assertEqual(lines[1:5], ["< hello", "< \ufffd\ufffd raw", "< red done", "> typed"])

    def test_lines_of_json_hold_every_read_and_event(self):
        log, started, ended = self.logged("log.jsonl", "--log-sent")
        entries = [json.loads(line) for line in log.splitlines()]
        last = started - 0.001
        for entry in entries:
            self.assertRegex(entry["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
            moment = datetime.datetime.fromisoformat(entry["time"]).timestamp()
            self.assertLessEqual(last, moment)
            self.assertLessEqual(moment, ended)
            last = moment
            if "bytes" in entry:
                data = base64.b64decode(entry["bytes"], validate=True)
                try:
                    self.assertEqual(entry.get("text"), data.decode())
                except UnicodeDecodeError:
                    self.assertNotIn("text", entry)
        for direction, expected in (("from-device", self.received), ("to-device", b"typed")):
            self.assertEqual(expected, b"".join(
                base64.b64decode(entry["bytes"]) for entry in entries
                if entry.get("direction") == direction))
        port = self.device.path
        self.assertEqual(
            [(entry["event"], entry["path"], entry.get("settings"))
             for entry in entries if "event" in entry],
            [("opened", port, "115200 8N1"), ("lost", port, None), ("back", port, "115200 8N1")])

    def test_a_mark_is_on_the_screen_and_in_every_log_but_a_raw_one(self):
        logs = [self.folder / name for name in ("a.log", "a.txt", "a.jsonl", "a.pcapng")]
        terminal = self.session(*(word for log in logs for word in ("-L", str(log))))
        self.device.write(b"half")
        terminal.expect(b"half")
        terminal.send(b"\x14M")
        # Dimmed, in a separate row.
        terminal.expect(re.compile(
            rb"\r\n\x1b\[2m--- mark 1 at \d\d:\d\d:\d\d\.\d{3} ---\x1b\[0m\r\n"))
        terminal.expect(b"mark 1 is not in")
        self.device.write(b"whole\r\n")
        terminal.expect(b"whole")
        self.assertEqual(terminal.leave()[0], 0)
        raw, text, lines, packets = (log.read_bytes() for log in logs)
        self.assertEqual(raw, b"halfwhole\r\n")
        self.assertEqual(
            [STAMP.sub("", line) for line in text.decode().splitlines()][1:],
            ["half", "[mark 1]", "whole"])
        entries = [json.loads(line) for line in lines.splitlines()]
        self.assertEqual(
            [entry.get("event", entry.get("text")) for entry in entries],
            ["opened", "half", "mark", "whole\r\n"])
        self.assertEqual(entries[2]["number"], 1)
        comments = [options(body[20 + (struct.unpack_from("<I", body, 12)[0] + 3) // 4 * 4:]).get(1)
                    for kind, body in blocks(packets) if kind == 6]
        self.assertEqual(comments[1:], [None, b"mark 1", None])

    def test_changed_settings_and_a_release_are_events(self):
        path = self.folder / "log.jsonl"
        terminal = self.session("-L", str(path))
        terminal.send(b"\x14D")
        terminal.expect(b"data bits")
        terminal.send(b"7\r")
        terminal.expect(b"the driver set")
        terminal.send(b"\x14r")
        terminal.expect(b"release")
        self.assertEqual(terminal.leave()[0], 0)
        events = [json.loads(line)["event"] for line in path.read_bytes().splitlines()]
        self.assertEqual(events[0], "opened")
        self.assertIn("released", events)

    def test_pcapng_is_as_the_format_has_it(self):
        log, started, ended = self.logged("log.pcapng", "--log-sent")
        first, second, *packets = blocks(log)
        self.assertEqual(first[0], 0x0A0D0D0A)
        self.assertEqual(struct.unpack_from("<IHHq", first[1]), (0x1A2B3C4D, 1, 0, -1))
        self.assertEqual(options(first[1][16:]), {4: b"serialterm"})
        self.assertEqual(second[0], 1)
        self.assertEqual(struct.unpack_from("<HHI", second[1]), (147, 0, 0))
        self.assertEqual(options(second[1][8:]), {9: b"\x09"})
        said = {b"\x01\0\0\0": b"", b"\x02\0\0\0": b""}
        comments = []
        for kind, body in packets:
            self.assertEqual(kind, 6)
            interface, high, low, captured, original = struct.unpack_from("<5I", body)
            self.assertEqual((interface, captured), (0, original))
            moment = (high << 32 | low) / 1e9
            self.assertTrue(started - 0.001 <= moment < started + 30, moment)
            data, rest = body[20:20 + captured], body[20 + (captured + 3) // 4 * 4:]
            about = options(rest)
            if 2 in about:
                said[about[2]] += data
            else:
                comments.append(about[1].decode())
                self.assertEqual(data, b"")
        self.assertEqual(list(said.values()), [self.received, b"typed"])
        port = self.device.path
        self.assertEqual(comments, [
            f"opened {port} at 115200 8N1", f"lost {port}", f"back {port} at 115200 8N1"])

    @unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
    def test_wireshark_reads_pcapng(self):
        self.logged("log.pcapng", "--log-sent")
        result = run(
            "tshark", "-r", str(self.folder / "log.pcapng"), "-T", "fields",
            "-e", "frame.packet_flags_direction", "-e", "frame.comment", "-e", "data.data")
        self.assertEqual(result.status, 0, result.stderr)
        said, comments = {"0x00000001": "", "0x00000002": ""}, []
        for line in result.stdout.decode().splitlines():
            direction, comment, data = line.split("\t")
            if comment:
                comments.append(comment.partition(" ")[0])
            else:
                said[direction] += data
        self.assertEqual(list(said.values()), [self.received.hex(), b"typed".hex()])
        self.assertEqual(comments, ["opened", "lost", "back"])

    def test_several_formats_at_once(self):
        paths = [self.folder / name for name in ("a.log", "a.txt", "a.jsonl", "a.pcapng")]
        terminal = self.session(*(word for path in paths for word in ("-L", str(path))))
        self.device.write(b"four times")
        terminal.expect(b"four times")
        self.assertEqual(terminal.leave()[0], 0)
        for path in paths:
            self.assertEqual(path.read_bytes().count(b"four times"), 1, path)

    def test_format_can_be_named(self):
        terminal = self.session("-L", str(self.log), "--log-format", "text")
        self.device.write(b"line\r\n")
        terminal.expect(b"line")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertRegex(self.log.read_bytes().decode(), r"\] line\n$")
