"""Several devices in one session: one view, one keyboard, and each port by itself."""

import base64
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import statistics
import struct
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes, record, waits
from Tests.endtoend.harness import (
    Device, Pipes, Port, Terminal, run, serialterm, serialterm_binary, unread, wait_until)
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_log_formats import STAMP, blocks, options

PREFIX = b"\x14"


class SeveralPortsTest(unittest.TestCase):
    """With devices that the test plays, at links with the names alpha, beta and gamma."""

    NAMES = ("alpha", "beta", "gamma")

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.devices = {
            name: self.enterContext(Device(link=self.folder / name)) for name in self.NAMES}

    def paths(self, *names):
        return [self.devices[name].path for name in names or self.NAMES]

    def start(self, *options, names=(), size=(24, 100), **how):
        terminal = self.enterContext(
            Terminal(
                serialterm_binary(), "connect", *self.paths(*names), *options, size=size, **how))
        screen = Screen(terminal, size)
        screen.wait_for_text("switches to the next one")
        return terminal, screen

    def rows(self, screen):
        """The rows of devices."""
        return [row for row in screen.everything if " | " in row or row.endswith(" |")]

    def wait_for_rows(self, screen, *rows):
        screen.wait_for(lambda _: self.rows(screen) == list(rows), f"the rows {rows}")


class ViewTests(SeveralPortsTest):
    def test_each_line_has_the_name_of_its_port(self):
        _, screen = self.start()
        for name in self.NAMES:
            self.devices[name].write(f"hello from {name}\r\n".encode())
            screen.wait_for_text(f"hello from {name}")
        self.wait_for_rows(
            screen, "alpha | hello from alpha", "beta  | hello from beta",
            "gamma | hello from gamma")

    def test_lines_stay_whole(self):
        _, screen = self.start()
        self.devices["beta"].write(b"the first half")
        self.devices["gamma"].write(b"a line\r\n")
        screen.wait_for_text("a line")
        self.devices["beta"].write(b" and the second\r\n")
        screen.wait_for_text("and the second")
        self.assertIn("beta  | the first half and the second", self.rows(screen))

    def test_the_prompt_stays_below_what_the_others_say(self):
        terminal, screen = self.start()
        self.devices["alpha"].write(b"> ")
        screen.wait_for(lambda _: self.rows(screen) == ["alpha | >"], "the prompt")
        terminal.send(b"stat")
        self.assertEqual(self.devices["alpha"].read_exactly(4), b"stat")
        self.devices["alpha"].write(b"stat")
        screen.wait_for_text("> stat")
        self.devices["beta"].write(b"boot 1\r\nboot 2\r\n")
        screen.wait_for_text("boot 2")
        self.wait_for_rows(screen, "beta  | boot 1", "beta  | boot 2", "alpha | > stat")

    def test_names_have_colours_unless_the_user_wants_none(self):
        terminal, screen = self.start()
        self.devices["beta"].write(b"x\r\n")
        screen.wait_for_text("| x")
        self.assertIn(b"\x1b[33mbeta  |\x1b[0m x", terminal.output)
        terminal.send(PREFIX + b"q")
        terminal.wait()
        terminal, screen = self.start(variables={"NO_COLOR": "1"})
        self.devices["beta"].write(b"\x1b[31mx\r\n")
        screen.wait_for_text("| x")
        self.assertIn(b"beta  | x\r\n", terminal.output)

    def test_a_device_cannot_move_the_cursor_into_the_lines_of_others(self):
        terminal, screen = self.start()
        self.devices["alpha"].write(b"mine\r\n")
        screen.wait_for_text("mine")
        self.devices["beta"].write(b"\x1b[2J\x1b[H\x1b[5Agone?\r\n")
        screen.wait_for_text("gone?")
        self.wait_for_rows(screen, "alpha | mine", "beta  | gone?")

    def test_timestamps_are_of_one_clock(self):
        _, screen = self.start("-t", "start")
        for number in range(5):
            self.devices[self.NAMES[number % 3]].write(b"line %d\r\n" % number)
            screen.wait_for_text(f"line {number}")
        times = [float(row.split("[")[1].split("]")[0]) for row in self.rows(screen)]
        self.assertEqual(times, sorted(times))

    def test_into_a_pipe_lines_have_names_and_nothing_else(self):
        with Pipes(
                serialterm_binary(), "connect", *self.paths("alpha", "beta"),
                "--read-only") as pipes:
            wait_until(lambda: self.devices["beta"].exclusive, "the port is open")
            self.devices["beta"].write(b"\x1b[31mred\x1b[0m\r\n")
            pipes.stdout.expect(b"beta  | \x1b[31mred\x1b[0m\n")
            pipes.signal(signal.SIGTERM)
            pipes.wait()


class KeyboardTests(SeveralPortsTest):
    def test_what_is_typed_goes_to_the_focused_port(self):
        terminal, screen = self.start()
        terminal.send(b"one")
        self.assertEqual(self.devices["alpha"].read_exactly(3), b"one")
        terminal.send(PREFIX + b"N")
        screen.wait_for_text("What you type goes to beta.")
        terminal.send(b"two")
        self.assertEqual(self.devices["beta"].read_exactly(3), b"two")
        terminal.send(PREFIX + b":port\r")
        screen.wait_for_text("port to type to:")
        terminal.send(b"gamma\r")
        screen.wait_for_text("What you type goes to gamma.")
        terminal.send(b"three")
        self.assertEqual(self.devices["gamma"].read_exactly(5), b"three")
        terminal.send(PREFIX + b"q")
        self.assertEqual(terminal.wait(), 0)
        for name in self.NAMES:
            self.assertEqual(self.devices[name].rest(), b"", name)

    def test_the_status_line_shows_the_focus(self):
        terminal, screen = self.start("--status")
        screen.wait_for(lambda lines: lines[-1].startswith(" alpha (1/3) "), "the first port")
        terminal.send(PREFIX + b"N")
        screen.wait_for(lambda lines: lines[-1].startswith(" beta (2/3) "), "the second port")

    def test_to_all_only_when_asked_for(self):
        terminal, screen = self.start("--status")
        terminal.send(PREFIX + b":send-to-all\r")
        screen.wait_for_text("What you type goes to all ports.")
        screen.wait_for(lambda lines: "typing to all" in lines[-1], "the mark in the status line")
        terminal.send(b"reset\r")
        for name in self.NAMES:
            self.assertEqual(self.devices[name].read_exactly(6), b"reset\r", name)
        terminal.send(PREFIX + b":send-to-all\r")
        screen.wait_for_text("What you type goes to alpha.")
        terminal.send(b"x")
        self.assertEqual(self.devices["alpha"].read_exactly(1), b"x")

    def test_commands_act_on_the_focused_port(self):
        terminal, screen = self.start()
        terminal.send(PREFIX + b"N")
        screen.wait_for_text("goes to beta.")
        terminal.send(PREFIX + b"B")
        screen.wait_for_text("baud rate:")
        terminal.send(b"9600\r")
        screen.wait_for_text("Now 9600 8N1.")
        self.assertEqual(self.devices["beta"].settings.output_baud, 9600)
        self.assertEqual(self.devices["alpha"].settings.output_baud, 115200)

    def test_a_pipe_cannot_say_which_device_it_is_for(self):
        result = serialterm("connect", *self.paths("alpha", "beta"), stdin=b"x")
        self.assertEqual(result.status, 2)
        self.assertIn(b"several devices are named: name one", result.stderr)

    def test_raw_is_for_one_device(self):
        result = serialterm("connect", *self.paths("alpha", "beta"), "--raw")
        self.assertEqual(result.status, 2)
        self.assertIn(b"--raw is for one device", result.stderr)


class LogTests(SeveralPortsTest):
    def test_each_device_has_a_log_of_its_own(self):
        terminal, screen = self.start("--log", str(self.folder / "log-%t.txt"))
        for name in self.NAMES:
            self.devices[name].write(f"hello from {name}\r\n".encode())
            screen.wait_for_text(f"hello from {name}")
        self.assertEqual(terminal.leave()[0], 0)
        for name in self.NAMES:
            text = (self.folder / f"log-{name}.txt").read_text()
            self.assertIn(f"hello from {name}", text)
            self.assertEqual(text.count("hello"), 1)

    def test_a_command_is_connected_to_one_device(self):
        result = serialterm("connect", *self.paths("alpha", "beta"), "--exec", "true")
        self.assertEqual(result.status, 2)
        self.assertIn(b"--exec is for one device", result.stderr)


class MergedLogTests(SeveralPortsTest):
    """One log for several devices, in which each entry has the name of its port."""

    def file(self, name):
        return self.folder / name

    def session(self, *files, more=(), **how):
        return self.start(
            *(word for name in files for word in ("--log", str(self.file(name)))), *more, **how)

    def say(self, screen, *texts):
        """Makes devices send lines, one after the other: `alpha: text`."""
        for text in texts:
            name, _, said = text.partition(": ")
            self.devices[name].write(said.encode() + b"\r\n")
            screen.wait_for_text(said)

    def entries(self, name):
        return [json.loads(line) for line in self.file(name).read_bytes().splitlines()]

    def said(self, entries):
        """The text of each port: {name: bytes}."""
        said = {name: b"" for name in self.NAMES}
        for entry in entries:
            said[entry["port"]] += base64.b64decode(entry.get("bytes", ""))
        return said

    def texts(self, name):
        return [STAMP.sub("", line) for line in self.file(name).read_text().splitlines()]

    def opened(self, name):
        return {"event": "opened", "port": name, "path": self.devices[name].path,
                "settings": "115200 8N1"}

    def test_each_line_of_json_names_its_port(self):
        terminal, screen = self.session("all.jsonl")
        self.say(screen, "beta: first", "alpha: second", "gamma: third", "beta: fourth")
        self.assertEqual(terminal.leave()[0], 0)
        entries = self.entries("all.jsonl")
        times = [entry.pop("time") for entry in entries]
        self.assertEqual(times, sorted(times))
        self.assertEqual(entries[:3], [self.opened(name) for name in self.NAMES])
        order = [entry["port"] for entry in entries[3:]]
        self.assertEqual(
            [name for index, name in enumerate(order) if order[:index][-1:] != [name]],
            ["beta", "alpha", "gamma", "beta"])
        self.assertEqual(
            self.said(entries),
            {"alpha": b"second\r\n", "beta": b"first\r\nfourth\r\n", "gamma": b"third\r\n"})

    def test_each_line_of_text_names_its_port_and_is_whole(self):
        terminal, screen = self.session("all.txt", more=["--log-sent"])
        self.devices["beta"].write(b"the first half")
        self.say(screen, "alpha: a line")
        self.devices["beta"].write(b" and the second\r\n")
        screen.wait_for_text("and the second")
        terminal.send(b"typed")
        self.devices["alpha"].read_exactly(5)
        self.assertEqual(terminal.leave()[0], 0)
        for line in self.file("all.txt").read_text().splitlines():
            self.assertRegex(line, STAMP)
        texts = self.texts("all.txt")
        for name in self.NAMES:
            self.assertIn(
                f"{name:5} | [opened {self.devices[name].path} at 115200 8N1]", texts[:3])
        self.assertIn("alpha | < a line", texts)
        self.assertIn("alpha | > typed", texts)
        # A busy machine makes a port silent in the middle of a line, which cuts the line.
        self.assertEqual(
            "".join(text.removeprefix("beta  | ") for text in texts[3:] if text[:4] == "beta"),
            "< the first half and the second")

    def test_each_port_is_an_interface_of_a_capture(self):
        terminal, screen = self.session("all.pcapng")
        self.say(screen, "beta: first", "alpha: second", "beta: third")
        self.assertEqual(terminal.leave()[0], 0)
        names, said, comments = [], {}, []
        for kind, body in list(blocks(self.file("all.pcapng").read_bytes()))[1:]:
            if kind == 1:
                about = options(body[8:])
                names.append(about[2].decode())
                self.assertEqual(about[3].decode(), self.devices[names[-1]].path)
                self.assertEqual(about[9], b"\x09")
                continue
            interface, _, _, captured, _ = struct.unpack_from("<5I", body)
            said.setdefault(names[interface], b"")
            said[names[interface]] += body[20:20 + captured]
            about = options(body[20 + (captured + 3) // 4 * 4:])
            if 1 in about:
                comments.append((names[interface], about[1].decode()))
        self.assertEqual(names, list(self.NAMES))
        self.assertEqual(
            said, {"alpha": b"second\r\n", "beta": b"first\r\nthird\r\n", "gamma": b""})
        self.assertEqual(comments, [
            (name, f"opened {self.devices[name].path} at 115200 8N1") for name in self.NAMES])

    @unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
    def test_wireshark_tells_the_ports_apart(self):
        terminal, screen = self.session("all.pcapng")
        self.say(screen, "beta: first", "alpha: second", "beta: third")
        self.assertEqual(terminal.leave()[0], 0)
        path = str(self.file("all.pcapng"))
        result = run(
            "tshark", "-r", path, "-T", "fields", "-e", "frame.interface_name",
            "-e", "frame.interface_description", "-e", "data.data")
        self.assertEqual(result.status, 0, result.stderr)
        said = {}
        for line in result.stdout.decode().splitlines():
            name, description, data = line.split("\t")
            self.assertEqual(description, self.devices[name].path)
            said[name] = said.get(name, b"") + bytes.fromhex(data)
        self.assertEqual(
            said, {"alpha": b"second\r\n", "beta": b"first\r\nthird\r\n", "gamma": b""})
        result = run("capinfos", path)
        self.assertEqual(result.status, 0, result.stderr)
        self.assertRegex(result.stdout, rb"Number of interfaces in file:\s+3\b")
        for name in self.NAMES:
            self.assertIn(b"Name = " + name.encode(), result.stdout)

    def test_a_raw_log_cannot_tell_ports_apart_and_nothing_is_opened(self):
        for log, more in (("x.log", ()), ("x.txt", ("--log-format", "raw"))):
            result = serialterm(
                "connect", *self.paths("alpha", "beta"), "--log", str(self.file(log)), *more,
                "--read-only")
            self.assertEqual(result.status, 2)
            self.assertIn(b"a raw log cannot distinguish devices", result.stderr)
            self.assertIn(b"log-%t.log", result.stderr)
            self.assertFalse(self.file(log).exists())

    def test_one_for_all_and_one_for_each_at_once(self):
        terminal, screen = self.session("all.jsonl", "%t.log", names=("alpha", "beta"))
        self.say(screen, "alpha: one", "beta: two")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(self.file("alpha.log").read_bytes(), b"one\r\n")
        self.assertEqual(self.file("beta.log").read_bytes(), b"two\r\n")
        self.assertEqual(
            self.said(self.entries("all.jsonl")),
            {"alpha": b"one\r\n", "beta": b"two\r\n", "gamma": b""})

    def test_any_port_switches_it_off_and_on(self):
        terminal, screen = self.session("all.jsonl", more=["--status"])
        self.say(screen, "alpha: logged")
        terminal.send(PREFIX + b"N")
        screen.wait_for_text("goes to beta.")
        terminal.send(PREFIX + b"f")
        screen.wait_for_text("all.jsonl is off for all 3 ports.")
        self.say(screen, "alpha: not this", "gamma: nor that")
        terminal.send(PREFIX + b"N")
        screen.wait_for_text("goes to gamma.")
        terminal.send(PREFIX + b"f")
        screen.wait_for_text("logging 3 ports to")
        screen.wait_for(lambda lines: "log all.jsonl" in lines[-1], "the log in the status line")
        self.say(screen, "alpha: again")
        self.assertEqual(terminal.leave()[0], 0)
        entries = self.entries("all.jsonl")
        self.assertEqual(self.said(entries)["alpha"], b"logged\r\nagain\r\n")
        self.assertEqual(self.said(entries)["gamma"], b"")
        self.assertEqual(sum(entry.get("event") == "opened" for entry in entries), 6)

    def test_without_a_shared_log_a_port_switches_its_own(self):
        terminal, screen = self.session("%t.txt", names=("alpha", "beta"))
        terminal.send(PREFIX + b"f")
        screen.wait_for_text("alpha.txt is off.")
        self.say(screen, "alpha: not this", "beta: but this")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertNotIn("not this", self.file("alpha.txt").read_text())
        self.assertIn("but this", self.file("beta.txt").read_text())

    def test_it_is_appended_to_and_rotated_without_loss(self):
        lines = {name: b"" for name in self.NAMES}
        for run_number in range(2):
            terminal, screen = self.session(
                "all.jsonl", more=["--log-append", "--log-rotate", "2k"])
            for number in range(20):
                name = self.NAMES[number % 3]
                text = f"run {run_number} line {number}"
                self.say(screen, f"{name}: {text}")
                lines[name] += text.encode() + b"\r\n"
            self.assertEqual(terminal.leave()[0], 0)
        files = [f"all.jsonl.{number}" for number in range(1, 100)]
        files = [name for name in files if self.file(name).exists()] + ["all.jsonl"]
        self.assertGreater(len(files), 3)
        for name in files:
            self.assertLessEqual(self.file(name).stat().st_size, 2_048)
        self.assertEqual(
            self.said(entry for name in files for entry in self.entries(name)), lines)

    def test_a_port_is_lost_and_found_and_another_ends(self):
        terminal, screen = self.session("all.jsonl", names=("alpha", "beta"))
        self.devices["beta"].hang_up()
        screen.wait_for_text("beta is gone")
        self.say(screen, "alpha: meanwhile")
        self.devices["beta"].plug(says=b"again\r\n")
        screen.wait_for_text("again")
        self.assertEqual(terminal.leave()[0], 0)
        events = [(entry["port"], entry["event"])
                  for entry in self.entries("all.jsonl") if "event" in entry]
        self.assertEqual(events, [
            ("alpha", "opened"), ("beta", "opened"), ("beta", "lost"), ("beta", "back")])
        terminal, screen = self.session("end.jsonl", names=("alpha", "beta"), more=["-n"])
        self.devices["alpha"].hang_up()
        screen.wait_for_text("what you type goes to beta.")
        self.say(screen, "beta: still here")
        self.assertEqual(terminal.leave()[0], 0)
        entries = self.entries("end.jsonl")
        self.assertEqual([entry["port"] for entry in entries if entry.get("event") == "lost"],
                         ["alpha"])
        self.assertEqual(self.said(entries)["beta"], b"still here\r\n")

    def test_a_failed_attempt_leaves_no_file(self):
        result = run(
            serialterm_binary(), "connect", self.devices["alpha"].path,
            str(self.folder / "missing"), "--read-only", "--log", str(self.file("all.jsonl")))
        self.assertEqual(result.status, 3)
        self.assertFalse(self.file("all.jsonl").exists())

    def test_a_log_that_cannot_be_made_is_an_error(self):
        self.file("all.jsonl").write_text("mine")
        result = serialterm(
            "connect", *self.paths("alpha", "beta"), "--log", str(self.file("all.jsonl")),
            "--read-only")
        self.assertEqual(result.status, 7)
        self.assertIn(b"exists already; --log-append appends to it", result.stderr)
        self.assertEqual(self.file("all.jsonl").read_text(), "mine")

    def test_what_is_missing_is_counted_once_and_the_status_is_7(self):
        for name in ("all.jsonl", "all.txt"):
            with self.subTest(name):
                terminal, screen = self.session(name, names=("alpha", "beta"))
                self.say(screen, "alpha: logged")
                path = self.file(name)
                wait_until(lambda: b"logged" in path.read_bytes(), "the line is logged")
                resource.prlimit(
                    terminal.pid, resource.RLIMIT_FSIZE,
                    (path.stat().st_size, resource.RLIM_INFINITY))
                # A text log keeps the part of a line until its port is silent.
                self.devices["beta"].write(b"not logged")
                screen.wait_for_text("cannot be written (File too large)")
                self.say(screen, "alpha: nor this")
                terminal.send(PREFIX + b"q")
                self.assertEqual(terminal.wait(), 7)
                missing = len("not logged") + len("nor this\r\n")
                self.assertEqual(
                    re.findall(rb": ([\d,]+) bytes not logged", terminal.output),
                    [b"%d" % missing])

    def test_one_port_of_it_can_be_replayed(self):
        for log in ("all.jsonl", "all.pcapng"):
            with self.subTest(log):
                terminal, screen = self.session(log)
                ends = {name: b"end of " + name.encode() for name in self.NAMES}
                said = {name: bytes(range(256)) * 20 + ends[name] for name in self.NAMES}
                for start in range(0, 6_000, 500):
                    for name in self.NAMES:
                        self.devices[name].write(said[name][start:start + 500])
                wait_until(
                    lambda: all(end in terminal.output for end in ends.values()), "all is shown")
                self.assertEqual(terminal.leave()[0], 0)
                for name in self.NAMES:
                    with Pipes(
                            serialterm_binary(), "replay", str(self.file(log)), "--port", name,
                            "--speed", "100") as program:
                        node = program.stdout.expect(re.compile(rb"(/\S+)\n")).group(1).decode()
                        with Port(node) as port:
                            self.assertEqual(port.read_exactly(len(said[name])), said[name])
                        self.assertEqual(program.wait(), 0)
                result = serialterm("replay", str(self.file(log)))
                self.assertEqual(result.status, 2)
                self.assertIn(b"Choose one with --port: alpha, beta, gamma.", result.stderr)

    def test_a_program_that_drives_several_ports_has_it_too(self):
        with Pipes(
                serialterm_binary(), "connect", *self.paths("alpha", "beta"), "--json", "--log",
                str(self.file("all.jsonl"))) as pipes:
            wait_until(lambda: self.devices["beta"].exclusive, "the port is open")
            for name in ("alpha", "beta"):
                self.devices[name].write(b"from %s" % name.encode())
                pipes.stdout.expect(b'"text":"from %s"' % name.encode())
            pipes.send(b'{"command":"close"}\n')
            pipes.wait()
        self.assertEqual(
            self.said(self.entries("all.jsonl")),
            {"alpha": b"from alpha", "beta": b"from beta", "gamma": b""})


class JSONTests(SeveralPortsTest):
    """A program that drives several ports, which events and commands name."""

    def begin(self, *options):
        self.pipes = self.enterContext(
            Pipes(serialterm_binary(), "connect", *self.paths("alpha", "beta"), "--json", *options))
        self.seen = []
        self.assertEqual(self.next("hello")["ports"], ["alpha", "beta"])
        for name in ("alpha", "beta"):
            self.assertEqual(self.next("state")["port"], name)

    def next(self, event):
        """The next event of a kind."""
        while True:
            line = self.pipes.stdout.expect(re.compile(rb"[^\n]*\n")).group()
            found = json.loads(line)
            if found["event"] == event:
                return found

    def tell(self, **command):
        self.pipes.send(json.dumps(command).encode() + b"\n")

    def test_commands_and_events_name_their_port(self):
        self.begin()
        self.tell(id=1, command="send", text="to beta", port="beta")
        self.assertEqual(self.devices["beta"].read_exactly(7), b"to beta")
        self.assertEqual(self.next("done"), {"event": "done", "port": "beta", "id": 1})
        self.devices["alpha"].write(b"from alpha")
        received = self.next("received")
        self.assertEqual((received["port"], received["text"]), ("alpha", "from alpha"))
        self.tell(id=2, command="set", baud=9600, port="alpha")
        self.assertEqual(self.next("done")["id"], 2)
        self.assertEqual(self.devices["alpha"].settings.output_baud, 9600)
        self.assertEqual(self.devices["beta"].settings.output_baud, 115200)

    def test_an_expectation_is_of_one_port(self):
        self.begin()
        self.tell(id=1, command="expect", regex="ready", port="beta", timeout=60)
        self.devices["alpha"].write(b"ready")
        self.assertEqual(self.next("received")["port"], "alpha")
        self.devices["beta"].write(b"ready")
        self.assertEqual(
            self.next("done"), {"event": "done", "port": "beta", "id": 1, "match": ["ready"]})

    def test_a_command_without_its_port_is_answered_with_the_names(self):
        self.begin()
        for port in ({}, {"port": "gamma"}, {"port": 1}):
            self.tell(id=3, command="send", text="x", **port)
            self.assertEqual(
                self.next("failed"),
                {"event": "failed", "id": 3, "reason": "port: expected one of alpha, beta"})
        self.tell(command="close")
        self.pipes.wait()
        self.assertEqual(self.devices["alpha"].rest(), b"")

    def test_the_others_go_on_when_a_device_is_gone(self):
        self.begin("-n")
        self.devices["alpha"].hang_up()
        state = self.next("state")
        self.assertEqual((state["port"], state["state"]), ("alpha", "closed"))
        self.tell(id=4, command="send", text="x", port="beta")
        self.assertEqual(self.next("done")["id"], 4)
        self.devices["beta"].hang_up()
        self.assertEqual(self.pipes.wait(), 6)

    def test_one_port_has_no_name(self):
        result = serialterm(
            "connect", self.devices["alpha"].path, "--json",
            stdin=b'{"id":1,"command":"send","text":"x"}\n')
        self.assertNotIn(b'"port', result.stdout)


class LossTests(SeveralPortsTest):
    def test_each_port_reconnects_by_itself(self):
        terminal, screen = self.start()
        self.devices["beta"].hang_up()
        screen.wait_for_text("beta is gone, waiting for it")
        self.devices["alpha"].write(b"still here\r\n")
        screen.wait_for_text("alpha | still here")
        self.devices["beta"].plug(says=b"again\r\n")
        screen.wait_for_text("beta is back")
        screen.wait_for_text("beta  | again")
        self.assertEqual(terminal.leave()[0], 0)

    def test_without_reconnecting_the_others_go_on(self):
        terminal, screen = self.start("-n", names=("alpha", "beta"))
        self.devices["alpha"].hang_up()
        screen.wait_for_text("what you type goes to beta.")
        terminal.send(b"x")
        self.assertEqual(self.devices["beta"].read_exactly(1), b"x")
        self.devices["beta"].hang_up()
        self.assertEqual(terminal.wait(), 6)

    def test_a_port_that_is_missing_at_the_start_is_an_error(self):
        result = run(
            serialterm_binary(), "connect", self.devices["alpha"].path,
            str(self.folder / "missing"), "--read-only")
        self.assertEqual(result.status, 3)
        self.assertIn(b"missing: no such device", result.stderr)

    def test_what_was_not_sent_is_counted_with_the_name_of_the_port(self):
        terminal, screen = self.start(names=("alpha", "beta"))
        terminal.send(PREFIX + b"N")
        screen.wait_for_text("goes to beta.")
        # More bytes than a pseudo-terminal holds while it is not read.
        terminal.send(b"x" * 30_000)
        terminal.send(PREFIX + b"q")
        self.assertEqual(terminal.wait(), 1)
        self.assertRegex(terminal.output, rb"beta: [\d,]+ bytes were not sent")


class ProfileTests(SeveralPortsTest):
    def configure(self, text):
        path = self.folder / "config.toml"
        path.write_text(text)
        return str(path)

    def test_a_profile_can_have_several_devices(self):
        alpha, beta = self.paths("alpha", "beta")
        file = self.configure(f'[profile.lab]\ntarget = ["{alpha}", "{beta}"]\nbaud = 9600\n')
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", "lab", "--config", file, size=(24, 100)))
        screen = Screen(terminal, (24, 100))
        screen.wait_for_text("2 ports.")
        self.devices["beta"].write(b"x\r\n")
        screen.wait_for_text("beta  | x")
        self.assertEqual(self.devices["beta"].settings.output_baud, 9600)

    def test_each_device_has_the_settings_of_its_own_profile(self):
        alpha, beta = self.paths("alpha", "beta")
        file = self.configure(
            f'[profile.slow]\ntarget = "{alpha}"\nbaud = 300\n'
            f'[profile.fast]\ntarget = "{beta}"\nbaud = 57600\n')
        terminal = self.enterContext(
            Terminal(
                serialterm_binary(), "connect", "slow", "fast", "-p", "even", "--config", file,
                size=(24, 100)))
        screen = Screen(terminal, (24, 100))
        screen.wait_for_text("2 ports. You type to slow")
        self.assertEqual(self.devices["alpha"].settings.output_baud, 300)
        self.assertEqual(self.devices["beta"].settings.output_baud, 57600)

    def test_a_command_for_one_device_refuses_such_a_profile(self):
        alpha, beta = self.paths("alpha", "beta")
        file = self.configure(f'[profile.lab]\ntarget = ["{alpha}", "{beta}"]\n')
        result = serialterm("send", "lab", "x", "--config", file)
        self.assertEqual(result.status, 2)
        self.assertIn(b"the profile 'lab' has several targets", result.stderr)


class ManyPortsTests(unittest.TestCase):
    COUNT, LINES = 64, 100

    def test_64_ports_in_one_program_lose_nothing(self):
        with contextlib.ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            devices = {
                f"port{number:02}": stack.enter_context(Device(link=folder / f"port{number:02}"))
                for number in range(self.COUNT)}
            pipes = stack.enter_context(
                Pipes(
                    serialterm_binary(), "connect", *(device.path for device in devices.values()),
                    "--read-only"))
            wait_until(lambda: devices["port63"].exclusive, "the last port is open")
            for line in range(self.LINES):
                for name, device in devices.items():
                    # In two pieces, so that other ports speak in the middle of the line.
                    text = b"%s line %d\r\n" % (name.encode(), line)
                    device.write(text[:4] if line % 2 else text)
                if line % 2:
                    for name, device in devices.items():
                        device.write((b"%s line %d\r\n" % (name.encode(), line))[4:])
            end = f" {self.LINES - 1}\n".encode()
            wait_until(lambda: pipes.stdout.data.count(end) >= self.COUNT, "the last lines")
            pipes.signal(signal.SIGTERM)
            pipes.wait()
            lines = {name: [] for name in devices}
            for row in pipes.stdout.data.decode().splitlines():
                name, _, text = row.partition(" | ")
                lines[name].append(text)
            for name in devices:
                # A slow machine makes a port silent in the middle of a line, which cuts the line.
                self.assertEqual(
                    "".join(lines[name]),
                    "".join(f"{name} line {line}" for line in range(self.LINES)))


class Row58FloodTests(SeveralPortsTest):
    """One port that floods delays neither the keys nor the bytes of the others."""

    ROUNDS = 30

    def delays(self, terminal, flood):
        """The times in ms from a key to the device, and back from the device to the screen."""
        delays = []
        for number in range(self.ROUNDS):
            if flood:
                flood()
            started = time.monotonic()
            terminal.send(b"k")
            self.assertEqual(self.devices["alpha"].read_exactly(1), b"k")
            self.devices["alpha"].write(b"#%d#\r\n" % number)
            terminal.expect(b"#%d#" % number)
            delays.append((time.monotonic() - started) * 1000)
        return delays

    def test_a_flood_does_not_delay_the_others(self):
        self._waits = self.enterContext(tempfile.TemporaryDirectory())
        terminal, _ = self.start(variables=waits.counted(self._waits))
        waited = waits.milliseconds(self._waits, terminal.pid)
        alone = self.delays(terminal, None)

        def flood():
            try:
                os.write(self.devices["beta"].descriptor, b"flood " * 500 + b"\r\n")
            except BlockingIOError:
                pass

        os.set_blocking(self.devices["beta"].descriptor, False)

        flooded = self.delays(terminal, flood)
        record(58, "a key and its answer, alone", alone, "ms")
        # The promise is twice the delay alone.
        record(58, "a key and its answer, beside a flood", flooded, "ms", typical=2 * statistics.median(alone))
        # An event ends every wait: the keys and answers wait for no time. A look at something else may be due, and each
        # takes half a second.
        self.assertLess(waits.milliseconds(self._waits, terminal.pid) - waited, 1_500)

    def test_what_others_say_is_not_behind_a_flood(self):
        """Whatever one port has to say: the others have their turn after a piece of it."""
        terminal, _ = self.start()
        alpha, beta = self.devices["alpha"], self.devices["beta"]
        os.set_blocking(beta.descriptor, False)
        with processes.stopped(terminal.pid):
            count = 0
            with contextlib.suppress(BlockingIOError):
                while os.write(beta.descriptor, b"flood\r\n") == 7:
                    count += 1
            alpha.write(b"#alpha#\r\n")
            wait_until(lambda: min(unread(alpha._port), unread(beta._port)) > 0, "the driver has bytes of both")
        terminal.expect(b"#alpha#")
        shown = terminal.output.partition(b"#alpha#")[0].count(b"flood")
        self.assertLess(shown, count // 2)


if __name__ == "__main__":
    unittest.main()
