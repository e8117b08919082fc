"""Addresses become functions and source lines: `--elf`, and `symbolize`."""

import base64
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX, record
from Tests.endtoend.harness import Device, Program, Terminal, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_palette import PaletteTest

SOURCE = """\
volatile int sink;

static inline __attribute__((always_inline)) int inner(int x) {
  sink = x;
  return sink + 1;
}

__attribute__((noinline)) int outer(int x) {
  return inner(x) * 2;
}

__attribute__((noinline)) int plain(int x) {
  sink = x;
  return x;
}

int main(void) {
  return outer(sink) + plain(sink);
}
"""

# The compiler, its options, and the toolchain's prefix.
MACHINES = {
    "x86-64": ("gcc", ["-static", "-no-pie"], ""),
    "ARM": ("arm-none-eabi-gcc", ["-mcpu=cortex-m4", "-mthumb", "-nostdlib", "-Wl,-emain", "-Wl,-Ttext=0x8000100"],
            "arm-none-eabi-"),
    "RISC-V": ("riscv64-unknown-elf-gcc",
               ["-march=rv32imc", "-mabi=ilp32", "-nostdlib", "-Wl,-emain", "-Wl,-Ttext=0x42000000"],
               "riscv64-unknown-elf-"),
    "Xtensa": ("xtensa-lx106-elf-gcc", ["-nostdlib", "-Wl,-emain", "-Wl,-Ttext=0x40201000"], "xtensa-lx106-elf-"),
}


class Firmware:
    """An ELF file that is made from SOURCE, and the addresses of its functions."""

    def __init__(self, folder, machine="x86-64", source=SOURCE, name="app.elf"):
        compiler, options, prefix = MACHINES[machine]
        if not shutil.which(compiler):
            raise unittest.SkipTest(f"no {compiler}")
        self.folder = Path(folder)
        self.machine = machine
        (self.folder / "main.c").write_text(source)
        self.path = self.folder / name
        made = self.folder / (name + ".new")
        subprocess.run(
            [compiler, "-g", "-O2", *options, "main.c", "-o", made.name], cwd=self.folder, check=True,
            capture_output=True)
        made.rename(self.path)
        self.symbols = {}
        listing = subprocess.run([prefix + "nm", str(self.path)], check=True, capture_output=True, text=True).stdout
        for line in listing.splitlines():
            words = line.split()
            if len(words) == 3:
                self.symbols[words[2]] = int(words[0], 16)

    def address(self, function):
        """An address as the firmware prints it."""
        bits = self.symbols[function] | (1 if self.machine == "ARM" else 0)
        return f"0x{bits:08x}" if self.machine != "x86-64" else f"0x{bits:x}"

    def notes(self, function):
        """The lines below a line with an address, with what addr2line of the toolchain says."""
        address = self.address(function)
        first, *others = self.frames(self.symbols[function])
        return f"    {address}: {first}\n" + "".join(
            f"    {' ' * len(address)} inlined into {frame}\n" for frame in others)

    def frames(self, address):
        """The frames of an address as text, the innermost one first."""
        prefix = MACHINES[self.machine][2]
        answer = subprocess.run(
            [prefix + "addr2line", "-f", "-i", "-e", str(self.path), hex(address)], check=True,
            capture_output=True, text=True).stdout.splitlines()
        places = [place.split(" (")[0] for place in answer[1::2]]
        return [f"{function} at {place}" for function, place in zip(answer[::2], places)]

    def inlined(self):
        """The text of an address in inner(), which is a part of outer()."""
        for address in range(self.symbols["outer"], self.symbols["outer"] + 64):
            frames = self.frames(address)
            if len(frames) == 2 and frames[0].startswith("inner at"):
                return f"0x{address:x}"
        raise AssertionError("nothing was inlined")


def answered(*arguments, stdin="", **how):
    """Runs a command; returns its status, output and messages, as text."""
    result = serialterm(*arguments, stdin=stdin.encode(), **how)
    return result.status, result.stdout.decode(), result.stderr.decode()


class SymbolTest(PaletteTest):
    machine = "x86-64"

    def setUp(self):
        super().setUp()
        self.sources = self.folder / "src"
        self.sources.mkdir()
        self.firmware = Firmware(self.sources, self.machine)

    def begin(self, *options, **how):
        how.setdefault("size", (24, 150))
        self.terminal, self.screen = self.start("--elf", str(self.firmware.path), *options, **how)

    def inlined_notes(self, address):
        """The notes of an address with two frames."""
        inner, outer = self.firmware.frames(int(address, 16))
        return f"    {address}: {inner}", f"    {' ' * len(address)} inlined into {outer}"

    def note(self, function="plain", line=13):
        return f"    {self.firmware.address(function)}: {function} at {self.sources}/main.c:{line}"

    def write(self, *lines):
        self.device.write("".join(line + "\r\n" for line in lines).encode())

    def wait_for_rows(self, *rows):
        """Waits for rows that follow each other."""
        def has(lines):
            return any(tuple(lines[i:i + len(rows)]) == rows for i in range(len(lines)))
        self.screen.wait_for(has, f"the rows {rows}")

    def start_program(self):
        """Has the session start its addr2line, and returns the process."""
        self.write(self.firmware.address("plain"))
        self.screen.wait_for_text(self.note())
        return self.program_of(self.terminal)

    def program_of(self, terminal):
        """The process ID of addr2line, which leads a session of its own; nil if there is none."""
        found = [
            int(entry.name) for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and parent_of(entry) == terminal.pid and "addr2line" in name_of(entry)]
        return found[0] if found else None

    def made_program(self, text, name="addr2line"):
        """A program that behaves as a test needs it."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return str(path)


def parent_of(entry):
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def name_of(entry):
    try:
        return (entry / "cmdline").read_text()
    except OSError:
        return ""


class SessionTests(SymbolTest):
    def test_function_and_line_are_below_the_line_with_the_address(self):
        self.begin()
        line = f"PC: {self.firmware.address('plain')} oops"
        self.write("first", line)
        self.wait_for_rows("first", line, self.note())
        self.assertTrue(self.screen.is_dimmed(self.screen.row_of("plain at")))

    def test_known_addresses_are_below_their_lines_even_if_all_arrive_at_once(self):
        self.begin()
        self.start_program()
        self.write(self.firmware.address("main"))
        self.screen.wait_for_text("main at")
        plain, main = self.firmware.address("plain"), self.firmware.address("main")
        main_note = next(line for line in self.screen.lines if ": main at" in line)
        self.write(f"a {plain} b {main} c {plain}", "between", f"MEPC : {main}", "end")
        self.wait_for_rows(
            f"a {plain} b {main} c {plain}", self.note(), main_note, "between", f"MEPC : {main}", main_note, "end")

    def test_inlined_functions_follow(self):
        self.begin()
        address = self.firmware.inlined()
        self.write(f"at {address}")
        self.wait_for_rows(
            f"at {address}", *self.inlined_notes(address))

    def test_addresses_outside_the_code_are_not_explained(self):
        self.begin()
        self.write(f"sink is at 0x{self.firmware.symbols['sink']:x}, 0x3ffb0000, 0xdeadbeef", "end")
        self.start_program()
        self.wait_for_rows("end", self.firmware.address("plain"), self.note())

    def test_an_address_that_is_divided_by_reads_is_found_once(self):
        self.begin()
        line = f"pc={self.firmware.address('plain')}"
        for byte in line.encode() + b"\r\n":
            self.device.write(bytes([byte]))
        self.wait_for_rows(line, self.note())
        self.write("end")
        self.wait_for_rows(self.note(), "end")
        self.assertEqual(self.screen.text.count("plain at"), 1)

    def test_a_stack_dump_that_is_divided_by_reads_and_pauses_and_has_no_end(self):
        self.begin()
        self.start_program()
        address = f"{self.firmware.symbols['plain']:08x}"
        row = f"3fffff70:  00000000 {address}"
        before = self.screen.text.count("plain at")
        self.write("", ">>>stack>>>", "", "ctx: cont")
        for byte in row[:19].encode():
            self.device.write(bytes([byte]))
        self.screen.wait_for_text(row[:19])
        self.write(row[19:])
        self.wait_for_rows(row, self.note())
        self.write("reset", "one", "two", "three", row, "end")
        self.screen.wait_for_text("end")
        self.start_program()
        self.wait_for_rows("three", row, "end", self.firmware.address("plain"), self.note())
        self.assertEqual(self.screen.text.count("plain at"), before + 2)

    def test_a_line_of_many_addresses_has_a_limit(self):
        self.begin("--log", str(self.log) + ".jsonl")
        self.write(" ".join(f"0x{self.firmware.symbols['plain'] + offset:x}" for offset in range(3)) * 3333, "end")
        self.screen.wait_for_text("end")
        self.start_program()
        events = self.events()
        self.assertLessEqual(len(events), 64 + 1)

    def events(self):
        lines = Path(str(self.log) + ".jsonl").read_text().splitlines()
        return [entry for entry in map(json.loads, lines) if entry.get("event") == "symbols"]

    def test_a_note_waits_for_the_end_of_an_open_line(self):
        gate = self.folder / "gate"
        program = self.made_program(f"while [ ! -e {gate} ]; do sleep 0.05; done; exec addr2line \"$@\"")
        self.begin("--addr2line", program)
        line = self.firmware.address("plain")
        self.device.write(f"{line}\r\nhalf a li".encode())
        self.screen.wait_for_text("half a li")
        gate.touch()
        # The answer is there when the log has it; the line is open until then.
        self.device.write(b"ne\r\nnext\r\n")
        self.screen.wait_for_text("plain at")
        rows = [row for row in self.screen.lines if row]
        self.assertIn("half a line", rows)
        self.assertIn("next", rows)

    def test_a_silent_prompt_does_not_hold_a_note_back(self):
        self.begin()
        address = self.firmware.address("plain")
        self.device.write(f"{address}\r\nshell> ".encode())
        self.screen.wait_for_text("shell>")
        self.screen.wait_for_text(self.note())

    def test_the_hex_view_has_notes_below_its_rows(self):
        self.begin("--hex")
        self.write(self.firmware.address("plain"))
        self.screen.wait_for_text(self.note())
        row = next(i for i, line in enumerate(self.screen.lines) if "plain at" in line)
        self.assertRegex(self.screen.lines[row - 1], r"^0000.*0x")

    def test_the_filter_does_not_disturb_notes(self):
        self.begin("--filter", "sed -u s/oops/filtered/")
        self.write(f"oops {self.firmware.address('plain')}")
        self.screen.wait_for_text("filtered")
        self.screen.wait_for_text(self.note())

    def test_notes_of_a_standing_screen_come_later(self):
        self.begin()
        self.start_program()
        self.open_palette(self.terminal, self.screen, b"pause")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("pause is on")
        before = self.screen.text.count("plain at")
        self.write(f"again {self.firmware.address('plain')}")
        self.open_palette(self.terminal, self.screen, b"pause")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("again")
        self.screen.wait_for(lambda _: self.screen.text.count("plain at") > before, "the note")

    def test_two_ports_have_notes_with_their_names(self):
        other = self.enterContext(Device(link=self.folder / "other"))
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, other.path, "--elf", str(self.firmware.path),
            size=(24, 150)))
        screen = Screen(terminal, (24, 150))
        screen.wait_for_text("ctrl-t q")
        address = self.firmware.address("plain")
        other.write(f"crash {address}\r\n".encode())
        screen.wait_for(
            lambda lines: any(line.startswith("other") and line.endswith(self.note().strip()) for line in lines),
            "a note with the name of the port")

    def test_the_search_finds_notes(self):
        self.begin()
        self.start_program()
        self.terminal.send(PREFIX + b"/")
        self.screen.wait_for_text("search:")
        self.terminal.send(b"plain at")
        self.screen.wait_for_text("1 match")


class AttachedTests(SymbolTest):
    def test_who_joins_has_notes_of_its_own_also_of_what_was_before(self):
        address = self.firmware.address("plain")
        first = self.session()
        self.device.write(f"before {address}\r\n".encode())
        first.expect(b"before")
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "attach", str(self.device.path), "--elf", str(self.firmware.path), size=(24, 150)))
        screen = Screen(terminal, (24, 150))
        screen.wait_for_text("before")
        screen.wait_for_text(self.note())
        self.device.write(f"after {address}\r\n".encode())
        screen.wait_for(
            lambda lines: any(
                lines[row] == f"after {address}" and lines[row + 1] == self.note() for row in range(len(lines) - 1)),
            "the note of a new line")
        self.assertNotIn(b"plain at", first.output)

    def test_pipes_keep_their_bytes(self):
        program = self.pipes("--elf", str(self.firmware.path))
        line = f"pc {self.firmware.address('plain')}\r\n".encode()
        self.device.write(line)
        program.stdout.expect(line)
        wait_until(lambda: b"plain at" in program.stderr.data, "the note in the messages")
        self.assertNotIn(b"plain at", program.stdout.data)

    def test_a_program_gets_an_event(self):
        program = self.pipes("--json", "--elf", str(self.firmware.path))
        self.write(self.firmware.address("plain"))
        event = program.stdout.expect(re.compile(rb'{"event":"symbols".*\n')).group()
        place = self.note().split(" at ")[1]
        self.assertEqual(json.loads(event), {
            "event": "symbols", "address": self.firmware.address("plain"),
            "frames": [{"function": "plain", "place": place}]})

    def test_a_profile_names_the_file(self):
        configuration = self.folder / "config.toml"
        configuration.write_text(
            f'[profile.board]\ntarget = "{self.device.path}"\nelf = ["{self.firmware.path}"]\n')
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", "board", "--config", str(configuration), size=(24, 150)))
        screen = Screen(terminal, (24, 150))
        screen.wait_for_text("ctrl-t q")
        self.write(self.firmware.address("plain"))
        screen.wait_for_text(self.note())


class DecodingTests(SymbolTest):
    def test_defmt_needs_its_program_and_a_file(self):
        for options, reason in (
                (["--elf", str(self.firmware.path)], "--decode defmt needs defmt-print, which is not installed"),
                ([], "--decode defmt needs the ELF file of the firmware: --elf FILE."),
                (["--elf", str(self.firmware.path), "--filter", "cat"], "--filter and --decode defmt exclude each other.")):
            with self.subTest(reason):
                status, _, said = answered("connect", self.device.path, "--decode", "defmt", *options)
                self.assertIn(reason, said)
                self.assertEqual(status, 2)

    def test_the_program_gets_the_bytes_and_the_file(self):
        self.made_program('printf "decoding %s %s\\n" "$1" "$2"; exec sed -u s/^/text:/', "defmt-print")
        self.begin("--decode", "defmt", variables={"PATH": f"{self.folder}:{os.environ['PATH']}"})
        self.screen.wait_for_text(f"decoding -e {self.firmware.path}")
        self.write("frame")
        self.screen.wait_for_text("text:frame")


class LogTests(SymbolTest):
    def test_logs_have_notes_and_a_raw_log_has_only_bytes(self):
        raw, text_log, lines = (str(self.folder / name) for name in ("a.log", "a.txt", "a.jsonl"))
        self.begin("--log", raw, "--log", text_log, "--log", lines)
        address = self.firmware.inlined()
        self.device.write(f"at {address}\r\nopen ".encode())
        self.screen.wait_for_text("inlined into outer")
        self.device.write(b"line\r\n")
        self.screen.wait_for_text("line")
        self.quit(self.terminal)
        self.assertEqual(Path(raw).read_bytes(), f"at {address}\r\nopen line\r\n".encode())
        rows = [line.split("] ", 1)[1] for line in Path(text_log).read_text().splitlines()]
        inner, outer = self.firmware.frames(int(address, 16))
        note = f"[symbols {address}: {inner}, inlined into {outer}]"
        self.assertEqual([row for row in rows if "opened" not in row], [f"at {address}", "open line", note])
        events = [json.loads(line) for line in Path(lines).read_text().splitlines()]
        found = [event for event in events if event.get("event") == "symbols"]
        self.assertEqual(len(found), 1)
        self.assertEqual(found[0]["address"], address)
        self.assertEqual(found[0]["path"], str(self.device.path))
        self.assertEqual(found[0]["frames"], [
            {"function": "inner", "place": inner.split(" at ")[1]},
            {"function": "outer", "place": outer.split(" at ")[1]}])
        # The log can be played as before: events are not bytes.
        _, played, _ = answered("replay", lines, "--elf", str(self.firmware.path))
        self.assertEqual(
            played,
            "".join([f"at {address}\r\n", *(line + "\n" for line in self.inlined_notes(address)), "open line\r\n"]))

    def test_an_unattended_log_has_them(self):
        path = self.folder / "b.jsonl"
        with Program(
                [serialterm_binary(), "log", self.device.path, str(path), "--elf", str(self.firmware.path)],
                stderr=subprocess.PIPE) as program:
            wait_until(lambda: self.device.settings != self.port_settings, "the port is set up")
            self.write(self.firmware.address("plain"))
            wait_until(lambda: path.exists() and '"event":"symbols"' in path.read_text(), "the note in the log")
            program.signal(signal.SIGTERM)
            program.wait()


class ProgramTests(SymbolTest):
    def test_it_starts_at_the_first_address(self):
        self.begin()
        self.write("no address")
        self.screen.wait_for_text("no address")
        self.assertIsNone(self.program_of(self.terminal))
        self.assertIsNotNone(self.start_program())

    def test_one_that_is_killed_is_started_again(self):
        self.begin()
        program = self.start_program()
        os.kill(program, signal.SIGKILL)
        self.screen.wait_for_text("no source lines from app.elf for now")
        self.write(f"next {self.firmware.address('main')}")
        self.screen.wait_for_text("main at")
        self.assertNotEqual(self.program_of(self.terminal), program)

    def test_one_that_is_stopped_harms_nothing(self):
        self.begin()
        program = self.start_program()
        os.kill(program, signal.SIGSTOP)
        self.write(f"next {self.firmware.address('main')}", *(f"line {number}" for number in range(100)))
        self.screen.wait_for_text("line 99")
        os.kill(program, signal.SIGCONT)
        self.screen.wait_for_text("main at")
        status, _ = self.quit(self.terminal)
        self.assertEqual(status, 0)
        wait_until(lambda: not Path(f"/proc/{program}").exists(), "the program has ended")

    def test_one_that_is_stopped_does_not_delay_the_end(self):
        self.begin()
        program = self.start_program()
        os.kill(program, signal.SIGSTOP)
        self.write(f"next {self.firmware.address('main')}")
        self.screen.wait_for_text("next")
        status, seconds = self.quit(self.terminal)
        record("symbols", "quit key to the end, their program is stopped", seconds * 1000, "ms", at_most=500)
        self.assertEqual(status, 0)
        wait_until(lambda: not Path(f"/proc/{program}").exists(), "the program has ended")

    def test_its_text_cannot_control_the_terminal(self):
        program = self.made_program(
            "while read a; do read m; printf '%s\\n\\033[2Jevil\\033]0;title\\007\\nx.c:1\\n%s\\n??\\n??:0\\n' $a $m; done")
        self.begin("--addr2line", program)
        self.write(f"before {self.firmware.address('plain')}")
        self.screen.wait_for_text("evil")
        self.screen.wait_for_text("before")
        self.assertNotIn(b"\x1b[2Jevil", self.terminal.output)
        self.assertNotIn(b"\x1b]0;", self.terminal.output)

    def test_one_that_lies_or_prints_without_end_is_given_up(self):
        for text, reason in (
                ("while read a; do read m; printf '0x1\\nf\\nx.c:1\\n%s\\n' $m; done", "it answers what was not asked"),
                ("yes", "it prints no answers"), ("exit 3", "it ended with status 3")):
            with self.subTest(reason):
                self.begin("--addr2line", self.made_program(text))
                self.write(f"crash {self.firmware.address('plain')}", "end")
                self.screen.wait_for_text("end")
                self.screen.wait_for_text(reason)
                self.assertEqual(self.quit(self.terminal)[0], 0)


class FileTests(SymbolTest):
    def test_a_new_build_is_used_and_said(self):
        self.begin()
        self.start_program()
        self.firmware = Firmware(self.sources, source="\n\n" + SOURCE)
        self.screen.wait_for_text("app.elf was rebuilt: the new file is used for addresses.")
        self.write(f"again {self.firmware.address('plain')}")
        self.screen.wait_for_text(self.note(line=15))

    def test_a_file_that_is_written_in_place_is_noticed(self):
        self.begin()
        self.start_program()
        other = self.folder / "other"
        other.mkdir()
        new = Firmware(other, source="\n\n" + SOURCE)
        with open(self.firmware.path, "r+b") as file:
            data = new.path.read_bytes()
            file.write(data[:1000])
            file.flush()
            file.write(data[1000:])
            file.truncate()
        self.screen.wait_for_text("app.elf was rebuilt")
        self.write(f"again {new.address('plain')}")
        self.screen.wait_for_text(f"plain at {other}/main.c:15")

    def test_a_file_that_is_deleted_is_used_until_there_is_a_new_one(self):
        self.begin()
        self.start_program()
        self.firmware.path.unlink()
        self.write(f"next {self.firmware.address('main')}")
        self.screen.wait_for_text("main at")

    def test_a_firmware_of_another_build_is_a_warning_once(self):
        self.begin()
        digest = hashlib.sha256(self.firmware.path.read_bytes()).hexdigest()
        self.write(f"I (123) cpu_start: ELF file SHA256:  {digest[:9]}", "same")
        self.screen.wait_for_text("same")
        for _ in range(2):
            self.write("ELF file SHA256: 0123456789abcdef", "other")
        self.screen.wait_for_text(
            "the firmware was not made of app.elf: it reports the SHA-256 0123456789abcdef. Source lines may be wrong.")
        self.write("end")
        self.screen.wait_for_text("end")
        self.assertEqual(self.screen.text.count("was not made of"), 1)

    def test_what_cannot_be_used_is_refused_at_the_start(self):
        stripped = self.sources / "stripped.elf"
        subprocess.run(["strip", "-o", str(stripped), str(self.firmware.path)], check=True)
        words = self.sources / "words.elf"
        words.write_text("words")
        for elf, reason in (
                (self.sources / "no.elf", "there is no such file"), (stripped, "it is stripped"),
                (words, "not an ELF file"), ("/dev/null", "not a file"),
                (self.sources, None)):
            with self.subTest(elf):
                status, _, said = answered("connect", self.device.path, "--elf", str(elf), "--wait")
                if reason is None:
                    # The folder has several.
                    reason = "several ELF files. Name one:"
                self.assertIn(reason, said)
                self.assertEqual(status, 2)

    def test_a_missing_program_is_named_with_the_package(self):
        status, _, said = answered(
            "symbolize", "--elf", str(self.firmware.path), "/dev/null", variables={"PATH": "/nowhere"})
        self.assertIn("tried addr2line, llvm-addr2line. Install binutils", said)
        self.assertEqual(status, 2)
        status, _, said = answered(
            "symbolize", "--elf", str(self.firmware.path), "--addr2line", "no-such", "/dev/null")
        self.assertIn("--addr2line no-such: there is no such program.", said)
        self.assertEqual(status, 2)


class BuildFolderTests(SymbolTest):
    def symbolize(self, folder):
        _, shown, said = answered(
            "symbolize", "--elf", str(folder), stdin=f"{self.firmware.address('plain')}\n")
        self.assertIn("plain at", shown, said)
        return said

    def test_each_build_system_has_its_file(self):
        for system, files in (
                ("ESP-IDF", {"project_description.json": '{"app_elf":"out.elf","monitor_toolprefix":"no-"}',
                             "out.elf": None, "bootloader.elf": ""}),
                ("Zephyr", {"CMakeCache.txt": "BYPRODUCT_KERNEL_ELF_NAME:FILEPATH=/gone/zephyr/zephyr.elf\n",
                            "zephyr/zephyr.elf": None}),
                ("PlatformIO", {".pio/build/esp32dev/firmware.elf": None, "src/main.c": ""}),
                ("Arduino", {"build/esp32.esp32.esp32/blink.ino.elf": None})):
            with self.subTest(system):
                folder = self.folder / system
                for name, content in files.items():
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    if content is None:
                        shutil.copy(self.firmware.path, folder / name)
                        elf = name
                    else:
                        (folder / name).write_text(content)
                said = self.symbolize(folder)
                self.assertIn(f"addresses: {folder}/{elf}, found in the folder of {system}.", said)
        with self.subTest("a folder of no build system"):
            folder = self.folder / "plain"
            folder.mkdir()
            shutil.copy(self.firmware.path, folder / "fw.elf")
            self.assertIn(f"addresses: {folder}/fw.elf, found in this folder.", self.symbolize(folder))


    def test_a_pipe_in_a_folder_is_not_opened(self):
        folder = self.folder / "pipes"
        (folder / "zephyr").mkdir(parents=True)
        (folder / "zephyr/zephyr.elf").touch()
        for name in ("project_description.json", "CMakeCache.txt", "domains.yaml", "app.elf"):
            os.mkfifo(folder / name)
        (folder / "domains.yaml").touch()
        for name, said in (("domains.yaml", "zephyr.elf: "), ("zephyr/zephyr.elf", "app.elf: not a file.")):
            status, shown, message = answered("symbolize", "--elf", str(folder), "/dev/null")
            self.assertEqual((status, shown), (2, ""))
            self.assertIn(said, message)
            (folder / name).unlink()


class SymbolizeTests(SymbolTest):
    def test_nothing_reorders_a_line_on_a_terminal(self):
        program = self.folder / "addr2line"
        program.write_text(
            f"#!{sys.executable}\nimport sys\nfor line in sys.stdin:\n"
            "    print(line.strip(), 'f\\u202e\\u2066\\u200f\\u061c', '/s\\u2069\\u2028/x.c:3', sep='\\n', flush=True)\n")
        program.chmod(0o755)
        text = self.folder / "crash.txt"
        text.write_text(f"a\u202eb\u2066c\u200fd\u061ce\u200bf {self.firmware.address('plain')}\u202e\nend\u2067")
        log = self.folder / "log.jsonl"
        log.write_text(json.dumps({
            "time": "2026-01-01T00:00:00.000000Z", "direction": "from-device",
            "bytes": base64.b64encode(text.read_bytes()).decode()}) + "\n")
        for words in (["symbolize", str(text)], ["symbolize", str(log)], ["replay", str(log)]):
            with self.subTest(words):
                terminal = self.enterContext(Terminal(
                    serialterm_binary(), *words, "--elf", str(self.firmware.path), "--addr2line", str(program)))
                self.assertEqual(terminal.wait(), 0)
                shown = terminal.output.decode()
                self.assertIn("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf 0x", shown)
                self.assertIn("f\ufffd\ufffd\ufffd\ufffd at /s\ufffd\ufffd/x.c:3", shown)
                self.assertIn("end\ufffd", shown)
                for hidden in "\u202e\u2066\u2067\u2069\u200f\u061c\u200b\u2028":
                    self.assertNotIn(hidden, shown)

    def test_text_keeps_its_bytes(self):
        address = self.firmware.address("plain")
        crash = f"\x1b[31mcrash\x1b[0m at {address}\r\nno address\r\n{address}"
        path = self.folder / "crash.txt"
        path.write_text(crash)
        status, shown, said = answered("symbolize", "--elf", str(self.firmware.path), str(path))
        self.assertEqual((status, said), (0, ""))
        note = self.note() + "\n"
        first, second, third = crash.split("\n")
        self.assertEqual(shown, f"{first}\n{note}{second}\n{third}\n{note}")
        piped = answered("symbolize", "--elf", str(self.firmware.path), stdin=crash)
        self.assertEqual(piped, (0, shown, ""))

    def test_a_file_without_a_line_is_no_place(self):
        """The compiler's own code has no lines: addr2line says crtstuff.c:? or ??:?."""
        text, expected = "", ""
        for name in ("frame_dummy", "_start"):
            address = f"0x{self.firmware.symbols[name]:x}"
            self.assertRegex(self.firmware.frames(int(address, 16))[0], r":\?$")
            text += address + "\n"
            expected += f"{address}\n    {address}: {name}\n"
        self.assertEqual(answered("symbolize", "--elf", str(self.firmware.path), stdin=text), (0, expected, ""))

    def test_a_pipe_is_answered_line_by_line(self):
        with Program(
                [serialterm_binary(), "symbolize", "--elf", str(self.firmware.path)], stdin=subprocess.PIPE,
                stdout=subprocess.PIPE) as program:
            program.process.stdin.write(f"{self.firmware.address('plain')}\n".encode())
            self.assertEqual(program.process.stdout.readline().decode().strip(), self.firmware.address("plain"))
            self.assertEqual(program.process.stdout.readline().decode(), self.note() + "\n")


class MachineTests(unittest.TestCase):
    """Real files of other machines: the same functions and lines as addr2line of their toolchain."""

    # Lines as firmware prints them, with the names of functions in place of addresses.
    PANICS = {
        "ARM": ["E: r15/pc:  {plain} lr: {outer:bare}", "PC={plain:bare}", "*** HardFault at {main}"],
        "RISC-V": ["MEPC    : {plain}  RA      : {outer}", "    mepc: {plain:bare}", "ra: {main:bare}"],
        "Xtensa": ["Backtrace: {plain}:0x3ffb1230 {outer}:0x3ffb1250", "PC      : {main}  PS      : 0x00060f30"],
    }

    def test_registers_and_backtraces(self):
        for machine, lines in self.PANICS.items():
            with self.subTest(machine), tempfile.TemporaryDirectory() as folder:
                firmware = Firmware(folder, machine)
                crash, expected = "", ""
                for line in lines:
                    names = re.findall(r"{(\w+)(:bare)?}", line)
                    for name, bare in names:
                        address = firmware.address(name)
                        line = line.replace("{" + name + bare + "}", address[2:] if bare else address)
                    crash += line + "\n"
                    expected += line + "\n"
                    for name, _ in names:
                        expected += firmware.notes(name)
                status, shown, said = answered("symbolize", "--elf", str(firmware.path), stdin=crash)
                self.assertEqual(shown, expected)
                self.assertEqual((status, said), (0, ""))

    def test_the_words_of_a_stack_dump(self):
        """The panic of an ESP8266, whose words have no 0x."""
        with tempfile.TemporaryDirectory() as folder:
            firmware = Firmware(folder, "Xtensa")
            address = {name: firmware.address(name) for name in ("plain", "outer", "main")}
            bare = {name: text[2:] for name, text in address.items()}
            row = f"3fffff70:  3fffdad0 {bare['main']} 3ffee4c8 {bare['outer']}  "
            crash = [
                "Exception (28):",
                (f"epc1={address['plain']} epc2=0x00000000 epc3=0x00000000 excvaddr=0x00000000 depc=0x00000000",
                 "plain"),
                row, "", ">>>stack>>>", "", "ctx: cont", "sp: 3ffffde0 end: 3fffffc0 offset: 0190",
                (row, "main", "outer"), "3fffff80:  3fffdad0 00000000 3ffee4f8 40000f49  ",
                (f"3fffff90:  {bare['plain']} 00000000 3fffffa0 3ffee4c8 <", "plain"), "<<<stack<<<", row]
            text, expected = "", ""
            for line, *functions in ((line,) if isinstance(line, str) else line for line in crash):
                text += line + "\r\n"
                expected += line + "\r\n" + "".join(map(firmware.notes, functions))
            self.assertEqual(answered("symbolize", "--elf", str(firmware.path), stdin=text), (0, expected, ""))


JUDGE = """
import json, sys
from esp_idf_panic_decoder import PcAddressDecoder
decoder = PcAddressDecoder(sys.argv[1], sys.argv[2])
for line in sys.stdin:
    print(json.dumps([
        [address, [f"{place.func} at {place.path}:{place.line}".replace(" at ??:?", "") for place in places]]
        for address, places in decoder.translate_addresses(line)]))
"""


def python_with_decoder():
    """A Python that has the decoder of ESP-IDF's monitor; skips the test if there is none."""
    for python in (REPOSITORY / ".build/python/bin/python3", sys.executable):
        if os.access(python, os.X_OK) and subprocess.run(
                [python, "-c", "import esp_idf_panic_decoder"], capture_output=True).returncode == 0:
            return str(python)
    raise unittest.SkipTest("no esp-idf-panic-decoder of PyPI")


class JudgeTests(unittest.TestCase):
    def test_panics_are_explained_as_by_the_monitor_of_esp_idf(self):
        """Every second byte of the code, as backtraces of a panic."""
        python = python_with_decoder()
        for machine in ("Xtensa", "RISC-V"):
            with self.subTest(machine), tempfile.TemporaryDirectory() as folder:
                firmware = Firmware(folder, machine)
                start = min(firmware.symbols[name] for name in ("main", "outer", "plain"))
                addresses = range(start - 16, start + 160, 2)
                lines = [
                    "Backtrace: " + " ".join(f"0x{address:08x}:0x3ffb5a80" for address in addresses[i:i + 8])
                    for i in range(0, len(addresses), 8)]
                crash = "\n".join(lines) + "\n"
                judged = subprocess.run(
                    [python, "-c", JUDGE, MACHINES[machine][2], str(firmware.path)], input=crash, check=True,
                    capture_output=True, text=True).stdout
                expected = ""
                for line, answer in zip(lines, judged.splitlines()):
                    expected += line + "\n"
                    for address, places in json.loads(answer):
                        if places and "?" not in places[0].split(" at ")[0]:
                            expected += f"    {address}: {places[0]}\n"
                            for place in places[1:]:
                                expected += f"    {' ' * len(address)} inlined into {place}\n"
                status, shown, _ = answered("symbolize", "--elf", str(firmware.path), stdin=crash)
                self.assertEqual(status, 0)
                self.assertEqual(shown, expected)
                self.assertIn("inlined into outer", shown)
