"""`serialterm plot`: from files, live, and what it writes."""

import csv
import io
import math
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from Tests.endtoend.faults import SessionTest, disks, processes
from Tests.endtoend.harness import (
    Device, Pipes, Terminal, contents, serialterm, serialterm_binary, wait_until)
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_plot import DOTS

SVG = "{http://www.w3.org/2000/svg}"
NO_NUMBERS = b"no numbers were found. --form names the form of the lines"
# Values as devices print them: the digits matter, not only the number.
ROWS = [
    ("20.10", "1e3"), ("+5.50", ""), ("", "0007"), ("-0.000", "1E-05"), ("5.", ".5"),
    ("3.141592653589793238462643", "12345678901234567890"), ("1e308", "-1e308"), ("inf", "-inf"),
]


def table(text):
    """The header and the rows of a table, read by Python's csv module."""
    header, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    return header, rows


class FileTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def file(self, name, *lines):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return str(path)

    def plot(self, *arguments, status=0, **how):
        result = serialterm("plot", *map(str, arguments), **how)
        self.assertEqual(result.status, status, result.stderr)
        return result

    def csv_of(self, *arguments):
        return table(self.plot(*arguments, "--csv", "-", "--quiet").stdout.decode())


class TableTests(FileTest):
    def test_every_digit_is_as_it_was_received_and_gaps_are_empty(self):
        path = self.file("a.csv", "a,b", *map(",".join, ROWS))
        header, rows = self.csv_of(path)
        self.assertEqual(header, ["time", "a", "b"])
        self.assertEqual([tuple(row[1:]) for row in rows], ROWS)
        self.assertEqual([row[0] for row in rows], [str(number) for number in range(1, 9)])

    def test_pandas_reads_the_same_numbers(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("python3-pandas is missing")
        path = self.file("a.csv", "a,b", *map(",".join, ROWS))
        output = self.folder / "out.csv"
        self.plot(path, "--csv", output)
        frame = pandas.read_csv(output, float_precision="round_trip")
        self.assertEqual(list(frame.columns), ["time", "a", "b"])
        for name, column in zip("ab", zip(*ROWS)):
            for found, text in zip(frame[name], column, strict=True):
                self.assertTrue(
                    math.isnan(found) if not text else found == float(text), (found, text))

    def test_names_are_quoted_and_calculate_nothing(self):
        path = self.file(
            "a.jsonl", *['{"a,b": 1, "say \\"x\\"": 2, "=1+1": 3, "\u00b0C \u4e2d": 4}'] * 3)
        header, rows = self.csv_of(path)
        self.assertEqual(header, ["time", "a,b", 'say "x"', "'=1+1", "\u00b0C \u4e2d"])
        self.assertEqual(rows[2], ["2", "1", "2", "3", "4"])

    def test_nan_is_a_gap(self):
        path = self.file("a.txt", "a:1 b:2", "a:nan b:3", "a:NaN b:4", "a:5 b:6")
        _, rows = self.csv_of(path)
        self.assertEqual([row[1:] for row in rows], [["1", "2"], ["", "3"], ["", "4"], ["5", "6"]])


class FormTests(FileTest):
    """What `plot FILE` reads. The table has the numbers that a device sent, whatever the log's format."""

    def test_a_file_without_times_counts_lines_or_has_a_rate(self):
        path = self.file("raw", *(f"{number} {number * 2}" for number in range(5)))
        self.assertEqual([row[0] for row in self.csv_of(path)[1]], ["0", "1", "2", "3", "4"])
        self.assertEqual(
            [row[0] for row in self.csv_of(path, "--rate", "4")[1]],
            ["0.000000", "0.250000", "0.500000", "0.750000", "1.000000"])

    def test_logs_in_all_formats_have_the_same_numbers_and_the_times_of_the_log(self):
        device = self.enterContext(Device(link=self.folder / "port"))
        names = ("raw", "log.txt", "log.jsonl", "log.pcapng", "log.csv")
        logs = [self.folder / name for name in names]
        options = [word for log in logs for word in ("--log", str(log))]
        started = time.time()
        with Terminal(
                serialterm_binary(), "connect", device.path, "--log-sent", *options) as terminal:
            terminal.expect(b"ctrl-t q")
            for number in range(30):
                device.write(b"\x1b[32mtemp:%d.50\x1b[0m\thum:%d\r\n" % (number, number))
                terminal.expect(b"hum:%d" % number)
            terminal.send(b"temp:77 hum:77\r")
            device.read_exactly(15)
            self.assertEqual(terminal.leave()[0], 0)
        ended = time.time()
        expected = [[f"{number}.50", f"{number}"] for number in range(30)]
        for log in logs[:4]:
            with self.subTest(log.name):
                header, rows = self.csv_of(log)
                self.assertEqual(header, ["time", "temp", "hum"])
                self.assertEqual([row[1:] for row in rows], expected)
                if log.name != "raw":
                    times = [float(row[0]) for row in rows]
                    self.assertEqual(times, sorted(times))
                    # A log has milliseconds only.
                    self.assertTrue(started - 0.001 <= times[0] and times[-1] <= ended, times)
        header, rows = table(logs[4].read_text())
        self.assertEqual(header, ["time", "temp", "hum"])
        self.assertEqual([row[1:] for row in rows], expected)
        self.assertEqual(self.csv_of(logs[4]), (header, rows))

    def test_a_table_that_was_written_is_read_with_its_times(self):
        path = self.file("raw", *(f"{number}.50;{'' if number % 3 else number}" for number in range(9)))
        for count, first in ((2, path), (1, self.file("one", *map(str, range(9))))):
            with self.subTest(count):
                written = self.plot(first, "--rate", "10", "--csv", "-").stdout
                copy = self.folder / "copy.csv"
                copy.write_bytes(written)
                self.assertEqual(self.plot(copy, "--csv", "-").stdout, written)

    def test_a_column_of_a_device_that_is_called_time_is_a_curve(self):
        path = self.file("a.csv", "time,temp", "1000,20", "1100,21", "1200,22")
        self.assertEqual(self.csv_of(path)[1][2], ["3", "1200", "22"])

    def test_several_files_are_one_plot_in_the_order_of_their_times(self):
        first = self.file("a.txt", "a:1", "a:2", "a:3")
        second = self.file("b.txt", "a:10", "a:20")
        header, rows = self.csv_of(first, second)
        self.assertEqual(header, ["time", "a.txt: a", "b.txt: a"])
        self.assertEqual(
            sorted(rows), [["0", "", "10"], ["0", "1", ""], ["1", "", "20"], ["1", "2", ""],
                           ["2", "3", ""]])

    def test_files_of_the_same_name_have_different_curves(self):
        (self.folder / "b").mkdir()
        first, second = self.file("a.txt", "x:1", "x:2"), self.file("b/a.txt", "x:3", "x:4")
        header, _ = self.csv_of(first, second)
        self.assertEqual(header, ["time", f"{first}: x", f"{second}: x"])

    def test_standard_input_is_a_dash(self):
        result = self.plot("-", stdin=b"a,b\n1,2\n3,4\n5,6\n")
        self.assertRegex(
            result.stdout.decode(),
            r"^series +newest +minimum +maximum +values *\na +5 +1 +5 +3 *\nb +6 +2 +6 +3 *\n$")

    def test_a_named_pipe_is_read_to_its_end(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        with Pipes(serialterm_binary(), "plot", str(pipe)) as program:
            with open(pipe, "wb") as writer:
                for number in range(3):
                    writer.write(b"x=%d\n" % number)
            program.stdout.expect(re.compile(rb"x +2 +0 +2 +3"))
            self.assertEqual(program.wait(), 0)

    def test_an_expression_names_the_numbers(self):
        path = self.file("a.log", "I (12) T=20.5C at 3", "noise", "I (14) T=-4e1C at 4")
        header, rows = self.csv_of(path, "--match", r"T=(?<temp>[-+.e0-9]+)C at (?<n>\d)")
        self.assertEqual(header, ["time", "temp", "n"])
        self.assertEqual(rows, [["0", "20.5", "3"], ["2", "-4e1", "4"]])

    def test_a_last_line_without_an_end_counts(self):
        path = self.folder / "a"
        path.write_bytes(b"a:1\na:2\na:3")
        self.assertEqual([row[1] for row in self.csv_of(path)[1]], ["1", "2", "3"])


class PictureTests(FileTest):
    def read(self, path):
        root = ET.parse(path).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        return root

    def test_it_has_a_path_for_each_curve_and_their_names(self):
        path = self.file("a.txt", *(
            f'{{"temp": {number % 7}, "<&>": {number}, "late": {number * 3}}}' for number in range(20)))
        picture = self.folder / "a.svg"
        self.plot(path, "--svg", picture)
        root = self.read(picture)
        texts = ["".join(text.itertext()) for text in root.iter(SVG + "text")]
        for name in ("temp", "<&>", "late"):
            self.assertTrue(any(name in text for text in texts), (name, texts))
        curves = [path for path in root.iter(SVG + "path") if "curve" in path.get("class", "")]
        self.assertGreaterEqual(len([curve for curve in curves if curve.get("d")]), 3)
        self.assertEqual(float(root.get("width")), 800)

    def test_hostile_names_are_text(self):
        path = self.file(
            "<script>.txt",
            *['{"</text><script>alert(1)</script>": %d, "\\u0000\\u001b]]>": 2}' % number
              for number in range(5)])
        picture = self.folder / "a.svg"
        self.plot(path, "--svg", picture)
        root = self.read(picture)
        self.assertEqual(list(root.iter(SVG + "script")), [])

    def test_numbers_of_any_size_have_a_picture(self):
        for values in (["1e308", "-1e308", "0"], ["5", "5", "5"], ["1e-308", "2e-308", "0"],
                       ["inf", "1", "-inf"], ["nan", "1", "2"]):
            with self.subTest(values):
                path = self.file("a.txt", *(f"a:{value}" for value in values))
                for options in ((), ("--log-scale",), ("--range", "0:1"), ("--window", "2")):
                    picture = self.folder / "a.svg"
                    picture.unlink(missing_ok=True)
                    self.plot(path, "--svg", picture, *options)
                    text = picture.read_text()
                    self.read(picture)
                    for number in re.findall(r' (?:d|x|y|x1|y1|points)="([^"]*)"', text):
                        self.assertNotRegex(number, "(?i)nan|inf")

    def test_a_picture_and_a_table_are_written_at_once(self):
        path = self.file("a.txt", "a:1", "a:2", "a:3")
        result = self.plot(path, "--svg", self.folder / "a.svg", "--csv", self.folder / "a.csv")
        self.assertEqual(result.stdout, b"")
        self.assertEqual(result.stderr, b"serialterm: reading: label:value, 1 series.\n")
        self.read(self.folder / "a.svg")
        self.assertEqual((self.folder / "a.csv").read_text(), "time,a\n0,1\n1,2\n2,3\n")

    def test_what_was_there_before_is_replaced_only_if_the_user_agrees(self):
        path = self.file("a.txt", "a:1", "a:2", "a:3")
        for option, name in (("--svg", "a.svg"), ("--csv", "b.csv")):
            output = self.folder / name
            output.write_text("my own")
            with self.subTest(option):
                result = self.plot(path, option, output, status=1)
                self.assertIn(
                    b"exists already; %s replaces no file" % option.encode(),
                    result.stderr.replace(b"\n", b" "))
                for answers, replaces in ((b"\r", False), (b"what\rn\r", False), (b"y\r", True)):
                    with Terminal(
                            serialterm_binary(), "plot", path, option, str(output)) as terminal:
                        terminal.expect(b"exists already. Replace it? [y/N]")
                        self.assertEqual(output.read_text(), "my own")
                        terminal.send(answers)
                        self.assertEqual(terminal.wait(), 0)
                        if answers.startswith(b"what"):
                            terminal.expect(b"expected y or n")
                        self.assertEqual(output.read_text() != "my own", replaces)
        self.read(self.folder / "a.svg")
        self.assertEqual((self.folder / "b.csv").read_text(), "time,a\n0,1\n1,2\n2,3\n")

    def test_a_device_or_a_pipe_gets_the_picture_as_it_is(self):
        path = self.file("a.txt", "a:1", "a:2", "a:3")
        self.assertTrue(self.plot(path, "--svg", "/dev/stdout").stdout.startswith(b"<svg"))

    def test_other_formats_are_refused_with_a_hint(self):
        path = self.file("a.txt", "a:1", "a:2", "a:3")
        for option, name, hint in (
                ("--svg", "x.png", b"name it x.svg; 'rsvg-convert -f png' can then convert it"),
                ("--svg", "x.JPG", b"name it x.svg"), ("--svg", "x.csv", b"name it x.svg"),
                ("--csv", "x.xlsx", b"name it x.csv"), ("--csv", "x.svg", b"name it x.csv")):
            with self.subTest(option=option, name=name):
                result = self.plot(path, option, self.folder / name, status=2)
                self.assertIn(hint, result.stderr.replace(b"\n", b" "))
                self.assertFalse((self.folder / name).exists())


class MistakeTests(FileTest):
    def setUp(self):
        super().setUp()
        self.path = self.file("a.txt", "a:1", "a:2", "a:3")

    def check(self, status, message, *arguments, **how):
        result = self.plot(*arguments, status=status, **how)
        self.assertIn(message, result.stderr.replace(b"\n", b" "))
        self.assertEqual(result.stdout, b"")

    def test_a_file_that_is_missing(self):
        self.check(2, b"missing.csv: there is no such file, and no such device.", "missing.csv")

    def test_no_numbers(self):
        text = self.file("text", "hello", "there is nothing here", "at all")
        self.check(1, NO_NUMBERS, text)
        self.check(1, NO_NUMBERS, text, "--svg", self.folder / "a.svg")
        self.check(1, NO_NUMBERS, self.file("empty"), "--csv", self.folder / "a.csv")
        self.check(1, NO_NUMBERS, "-", stdin=b"")
        self.check(1, NO_NUMBERS, self.path, "--match", "b:(?<b>[0-9])")
        self.assertFalse((self.folder / "a.svg").exists() or (self.folder / "a.csv").exists())

    def test_an_expression_that_is_none(self):
        self.check(2, b"--match '(', character 1: unmatched '('", self.path, "--match", "(")

    def test_what_cannot_be_combined(self):
        self.check(2, b"--match and --form", self.path, "--match", "a", "--form", "json")
        self.check(2, b"--deadline is for devices", self.path, "--deadline", "3")
        self.check(2, b"files and devices cannot be in one plot", self.path, "/dev/ttyS99")
        self.check(2, b"0 and less have no place", self.path, "--log-scale", "--range", "0:1")
        log = self.file("stamped.txt", "[2026-11-23T13:00:00.000+00:00] a:1")
        self.check(2, b"the files cannot be in one plot", self.path, log)

    def test_the_same_file_as_input_and_output_is_left_alone(self):
        link = self.folder / "link"
        link.symlink_to(self.path)
        for option in ("--csv", "--svg"):
            for output in (self.path, link, f"{self.folder}/../{self.folder.name}/a.txt"):
                self.check(2, b"the file is read, so it cannot be written.", self.path, option, output)
        self.assertEqual(Path(self.path).read_text(), "a:1\na:2\na:3\n")

    def test_the_same_file_for_both_outputs(self):
        output = self.folder / "out"
        self.check(2, b"--csv and --svg", self.path, "--csv", output, "--svg", output)
        self.assertFalse(output.exists())

    def test_an_output_that_cannot_be_written(self):
        for option in ("--csv", "--svg"):
            for output, reason in (
                    ("/dev/full", b"No space left on device"),
                    (self.folder / "none/a", b"No such file or directory")):
                self.check(
                    1, b"%s: cannot be written (%s)." % (str(output).encode(), reason), self.path,
                    option, output)
            self.check(1, b"%s is a folder." % str(self.folder).encode(), self.path, option, self.folder)

    def test_a_full_disk(self):
        path = self.file("many", *(f"a:{number}" for number in range(30_000)))
        with disks.small(self.folder / "disk", 64) as disk:
            self.check(1, b"No space left on device", path, "--csv", disk / "a.csv")
            self.assertEqual(os.listdir(disk), [])

    def test_standard_output_that_is_full_or_closed(self):
        for arguments in ((self.path,), (self.path, "--csv", "-")):
            for output, reason in ((">/dev/full", b": No space left on device."),
                                   (">&-", b" is not open for writing.")):
                with Pipes("/bin/sh", "-c", f'exec "$0" plot "$@" {output}', serialterm_binary(),
                           *arguments) as program:
                    self.assertEqual(program.wait(), 9)
                    program.stderr.expect(b"standard output" + reason)

    def test_a_pipe_cannot_be_read_twice(self):
        self.check(2, b"--csv reads a file twice, which a pipe does not allow", "-",
                   "--csv", self.folder / "a.csv", stdin=b"a:1\na:2\na:3\n")
        self.assertFalse((self.folder / "a.csv").exists())

    def test_standard_input_can_be_a_log_in_a_file(self):
        entry = '{"time":"2026-11-23T13:00:00.000000Z","direction":"from-device","bytes":"YToxCg=="}'
        path = self.file("a.jsonl", entry, entry, entry)
        with open(path, "rb") as file:
            program = subprocess.run(
                [serialterm_binary(), "plot", "-", "--csv", "-", "--quiet"], stdin=file, capture_output=True,
                timeout=60, check=False)
        self.assertEqual((program.returncode, program.stdout), (0, self.plot(path, "--csv", "-", "--quiet").stdout))

    def test_a_log_in_a_pipe_is_said(self):
        entry = b'{"time":"2026-11-23T13:00:00.000000Z","direction":"from-device","bytes":"a:1"}\n'
        self.check(2, b"a log in a pipe cannot be plotted", "-", stdin=entry * 3)


class ViewerTests(FileTest):
    """A plot of files on the whole screen."""

    def start(self, *arguments, size=(24, 80), **how):
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "plot", *arguments, size=size, **how))
        return terminal, Screen(terminal, size)

    def numbers(self, name="sine.txt"):
        return self.file(name, *(f"sin:{math.sin(n / 9):.3f} n:{n}" for n in range(200)))

    def test_the_curves_fill_the_window_until_q(self):
        terminal, screen = self.start(self.numbers())
        lines = screen.wait_for(
            lambda lines: any(map(DOTS.search, lines)) and "q: close" in lines[20], "the curves")
        self.assertIn("200 lines", lines[20])
        self.assertIn("2 n 199", " ".join(lines[0].split()))
        for keys, shown in ((b"?", "close the plot"), (b"?", "1 sin"), (b"2", "2 n off"),
                            (b"c", "at line 199"), (b"c", "200 lines"), (b"+", "100 lines"),
                            (b"l", "1e-3")):
            terminal.send(keys)
            screen.wait_for_text(shown)
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.settings, terminal.original_settings)
        terminal.transcript.expect_end()
        self.assertTrue(screen.scrolls_whole and screen.cursor_is_shown)

    def in_folder(self, *arguments):
        """A viewer whose working directory is the test's folder."""
        terminal = self.enterContext(Terminal(
            "/bin/sh", "-c", 'cd "$1" && shift && exec "$0" plot "$@"', serialterm_binary(),
            str(self.folder), *arguments))
        screen = Screen(terminal)
        screen.wait_for_text("1 sin")
        return terminal, screen

    def save(self, terminal, screen, what, *answers):
        terminal.send(b"s")
        screen.wait_for_text("save:")
        terminal.send(what)
        screen.wait_for_text(f"save: {what.decode()}")
        terminal.send(b"\r")
        screen.wait_for_text("save to:")
        for answer in answers:
            terminal.send(answer)

    def test_s_asks_what_and_where_and_never_replaces_a_file_unasked(self):
        self.numbers()
        old = self.folder / "sine.svg"
        old.write_text("my own")
        terminal, screen = self.in_folder("sine.txt")
        self.save(terminal, screen, b"picture")
        screen.wait_for_text(f"{self.folder}/sine-2.svg")
        terminal.send(b"\r")
        screen.wait_for(lambda lines: "sine-2.svg: " in "".join(lines), "the report")
        self.save(terminal, screen, b"all", b"values.csv\r")
        screen.wait_for_text("values.csv: ")
        self.save(terminal, screen, b"shown", b"\x1b")
        screen.wait_until_gone("save to:")
        self.save(terminal, screen, b"picture", b"x.png\r")
        screen.wait_for_text("name it x.svg")
        terminal.send(b"\x15sine.svg\r")
        screen.wait_for_text("sine.svg exists:")
        terminal.send(b"\r")
        screen.wait_until_gone("sine.svg exists:")
        self.assertEqual(old.read_text(), "my own")
        self.save(terminal, screen, b"picture", b"sine.svg\r")
        screen.wait_for_text("sine.svg exists:")
        terminal.send(b"replace\r")
        screen.wait_for_text("sine.svg: ")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        for name in ("sine.svg", "sine-2.svg"):
            self.assertEqual(ET.parse(self.folder / name).getroot().tag, SVG + "svg")
        header, rows = table((self.folder / "values.csv").read_text())
        self.assertEqual((header, len(rows)), (["time", "sin", "n"], 200))
        self.assertEqual(
            sorted(os.listdir(self.folder)),
            ["sine-2.svg", "sine.svg", "sine.txt", "values.csv"])

    def test_values_that_are_shown_are_those_of_the_window(self):
        self.numbers()
        terminal, screen = self.in_folder("sine.txt", "--window", "10")
        self.save(terminal, screen, b"values that", b"part.csv\r")
        screen.wait_for_text("part.csv: ")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        _, rows = table((self.folder / "part.csv").read_text())
        self.assertEqual([row[0] for row in rows], [str(number) for number in range(190, 200)])

    def test_escape_closes_as_the_last_row_says_and_enter_does_nothing(self):
        terminal, screen = self.start(self.numbers())
        lines = screen.wait_for(lambda lines: "escape, q: close" in lines[20], "the last row")
        self.assertNotIn("type", lines[20])
        terminal.send(b"\r?")
        screen.wait_for_text("escape, q")
        self.assertIsNone(screen.row_of("type to the device"))
        terminal.send(b"\x1b")
        screen.wait_for_text("1 sin")
        terminal.send(b"\x1b")
        self.assertEqual(terminal.wait(), 0)

    def test_the_window_and_the_range_can_be_typed(self):
        terminal, screen = self.start(self.numbers())
        screen.wait_for_text("1 sin")
        terminal.send(b"w")
        screen.wait_for_text("length of the window:")
        terminal.send(b"50\r")
        screen.wait_for_text("50 lines")
        terminal.send(b"v")
        screen.wait_for_text("range of values:")
        terminal.send(b"-3:300\r")
        screen.wait_for_text("fixed range")

    def test_all_keys_can_be_read_in_a_narrow_window(self):
        keys = ("pause, and go on", "or move the cursor", "or adapt it", "0: all on", "window's length",
                "range of values", "close the plot")
        for size in ((24, 40), (12, 40), (12, 80)):
            with self.subTest(size):
                terminal, screen = self.start(self.numbers(), size=size)
                screen.wait_for(
                    lambda lines: "1 sin" in lines[0] and any("q: close" in line for line in lines),
                    "the plot")
                seen = ""
                for _ in range(4):
                    before = screen.text
                    terminal.send(b"?")
                    screen.wait_for(lambda _: screen.text != before, "the next page")
                    if screen.row_of("1 sin") is not None:
                        break
                    seen += screen.text
                for key in keys:
                    self.assertIn(key, seen)
                terminal.send(b"q")
                self.assertEqual(terminal.wait(), 0)

    def test_a_window_that_changes_and_a_stop_keep_the_plot(self):
        terminal, screen = self.start(self.numbers())
        screen.wait_for_text("1 sin")
        for rows, columns in ((10, 30), (5, 80), (40, 100)):
            screen.resize_until_drawn(rows, columns)
            if rows > 8:
                screen.wait_for(lambda lines: lines[0].startswith("1 sin"), "the plot")
        terminal.send(b"\x1a")
        # Once the terminal is given back, the kernel would make a signal of the key, and discard what was just drawn.
        processes.wait_until_keys_are_read(terminal.pid)
        terminal.signal(signal.SIGTSTP)
        wait_until(lambda: processes.state_of(terminal.pid) == "T", "stopped")
        screen.wait_for(lambda _: screen.scrolls_whole, "the whole screen")
        terminal.signal(signal.SIGCONT)
        screen.wait_for(lambda lines: lines[0].startswith("1 sin"), "the plot")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)

    def test_a_window_that_is_too_small_is_said(self):
        terminal, _ = self.start(self.numbers(), size=(6, 80))
        self.assertEqual(terminal.wait(), 1)
        terminal.expect(b"the window is too small for a plot. --svg writes a picture.")

    def test_for_screen_readers_and_dumb_terminals_it_is_a_table(self):
        for options, how in ((("--plain",), {}), ((), {"variables": {"TERM": "dumb"}})):
            terminal, _ = self.start(self.numbers(), *options, **how)
            terminal.expect(re.compile(rb"n +199 +0 +199 +200"))
            self.assertEqual(terminal.wait(), 0)
            self.assertNotIn(b"\x1b", terminal.output)


class LiveTests(SessionTest):
    """`plot` of a device without a terminal."""

    def plot(self, *options):
        program = self.enterContext(
            Pipes(serialterm_binary(), "plot", self.device.path, *options))
        wait_until(lambda: self.device.exclusive or not program.running, "the port is open")
        return program

    def rows(self, text):
        header, rows = table(text)
        for row in rows:
            self.assertRegex(row[0], r"^\d{10}\.\d{6}$")
        return header, [row[1:] for row in rows]

    def test_a_table_on_standard_output_until_ctrl_c(self):
        program = self.plot("--csv", "-")
        for number in range(5):
            self.device.write(b"a:%d.50 b:%d\r\nnoise\r\n" % (number, number))
        program.stdout.expect(b",4.50,4\n")
        self.device.write(b"a:9\r\nb:nan a:8\r\n")
        program.stdout.expect(b",8,\n")
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)
        program.stdout.expect_end()
        header, rows = self.rows(program.stdout.data.decode())
        self.assertEqual(header, ["time", "a", "b"])
        self.assertEqual(
            rows, [[f"{n}.50", f"{n}"] for n in range(5)] + [["9", ""], ["8", ""]])

    def test_for_a_time_and_into_a_file(self):
        path = self.folder / "live.csv"
        program = self.plot("--csv", str(path), "--svg", str(self.folder / "a.svg"), "--deadline", "1")
        for number in range(5):
            self.device.write(b"a:%d\r\n" % number)
        self.assertEqual(program.wait(), 0)
        header, rows = self.rows(path.read_text())
        self.assertEqual((header, rows), (["time", "a"], [[f"{n}"] for n in range(5)]))
        self.assertEqual(ET.parse(self.folder / "a.svg").getroot().tag, SVG + "svg")

    def test_a_series_that_comes_late_begins_a_new_file(self):
        path = self.folder / "live.csv"
        program = self.plot("--csv", str(path))
        for number in range(5):
            self.device.write(b"a:%d\r\n" % number)
        wait_until(lambda: b",4\n" in contents(path), "the first rows, which are held back")
        self.device.write(b"a:5 late:1\r\na:6 late:2\r\n")
        # What comes late is held back for a second too.
        wait_until(lambda: b",6,2\n" in contents(path), "the new file")
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)
        header, rows = self.rows(Path(f"{path}.1").read_text())
        self.assertEqual((header, rows), (["time", "a"], [[f"{n}"] for n in range(5)]))
        header, rows = self.rows(path.read_text())
        self.assertEqual((header, rows), (["time", "a", "late"], [["5", "1"], ["6", "2"]]))

    def test_without_an_output_the_series_are_printed_at_the_end(self):
        program = self.plot("--log", str(self.log))
        for number in range(5):
            self.device.write(b"a:%d\r\n" % number)
        self.wait_for_log(25)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        program.stdout.expect(re.compile(rb"a +4 +0 +4 +5"))

    def test_the_deadline_is_of_the_whole_run(self):
        # Also while the device is missing.
        result = serialterm("plot", "/dev/nonexistent", "--wait", "--deadline", "0.3")
        self.assertEqual(result.status, 1, result)
        self.assertIn(NO_NUMBERS, result.stderr)

    def test_no_numbers_are_a_failure(self):
        program = self.plot("--deadline", "0.3")
        self.device.write(b"hello\r\n")
        self.assertEqual(program.wait(), 1)
        program.stderr.expect(NO_NUMBERS)

    def test_unplugged_for_good_it_ends_with_what_it_has(self):
        program = self.plot("--no-reconnect", "--csv", "-")
        for number in range(5):
            self.device.write(b"a:%d\r\n" % number)
        program.stdout.expect(b",4\n")
        self.device.hang_up()
        self.assertEqual(program.wait(), 6)
        self.assertEqual(len(self.rows(program.stdout.data.decode())[1]), 5)

    def test_a_device_that_returns_goes_on(self):
        program = self.plot("--csv", "-")
        self.device.write(b"a:1\r\na:2\r\na:3")
        program.stdout.expect(b",2\n")
        self.device.hang_up()
        program.stderr.expect(b"gone")
        self.device.plug()
        wait_until(lambda: self.device.exclusive, "the port is open again")
        self.device.write(b"5\r\na:4\r\n")
        program.stdout.expect(b",4\n")
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)
        self.assertEqual(
            self.rows(program.stdout.data.decode())[1], [["1"], ["2"], ["4"]])

    def test_several_devices_are_one_table(self):
        other = self.enterContext(Device(link=self.folder / "other"))
        program = self.enterContext(Pipes(
            serialterm_binary(), "plot", self.device.path, other.path, "--csv", "-"))
        wait_until(lambda: self.device.exclusive and other.exclusive, "the ports are open")
        for number in range(3):
            self.device.write(b"a:%d\r\n" % number)
            other.write(b"b=%d\r\n" % number)
        program.stdout.expect(re.compile(rb"(,2,\n.*,,2\n|,,2\n.*,2,\n)", re.S))
        program.signal(signal.SIGINT)
        self.assertEqual(program.wait(), 0)
        header, rows = self.rows(program.stdout.data.decode())
        self.assertEqual(header, ["time", "port: a", "other: b"])
        self.assertEqual(sorted(rows), sorted(
            [[f"{n}", ""] for n in range(3)] + [["", f"{n}"] for n in range(3)]))


class LiveScreenTests(SessionTest):
    """`plot` of a device on a terminal."""

    def test_it_is_on_the_whole_screen_and_escape_makes_room_to_type(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "plot", self.device.path, "--csv", str(self.folder / "a.csv")))
        screen = Screen(terminal)
        wait_until(lambda: self.device.exclusive, "the port is open")
        for number in range(20):
            self.device.write(b"a:%d\r\n" % number)
        screen.wait_for(lambda lines: lines[0].startswith("1 a 19"), "the curve")
        screen.wait_for_text("q: close")
        terminal.send(b"\x1b")
        screen.wait_for_text("keys of the plot")
        terminal.send(b"hello")
        self.assertEqual(self.device.read_exactly(5), b"hello")
        terminal.send(b"\x14y")
        screen.wait_for_text("q: close")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.device.rest(), b"")
        _, rows = table((self.folder / "a.csv").read_text())
        self.assertEqual([row[1] for row in rows], [str(number) for number in range(20)])

    def test_until_numbers_come_what_is_typed_goes_to_the_device(self):
        terminal = self.enterContext(Terminal(serialterm_binary(), "plot", self.device.path))
        screen = Screen(terminal)
        screen.wait_for_text("No numbers yet.")
        screen.wait_for_text("What you type goes to the device.")
        screen.wait_for_text("you type to the device  ctrl-t y: keys of the plot")
        terminal.send(b"sensor")
        self.assertEqual(self.device.read_exactly(6), b"sensor")
        # In the middle of a line, the keys stay the device's.
        self.device.write(b"a:1\r\na:2\r\na:3\r\n")
        screen.wait_for(lambda lines: lines[0].startswith("1 a 3"), "the curve")
        terminal.send(b" q\r")
        self.assertEqual(self.device.read_exactly(3), b" q\r")
        self.device.write(b"a:4\r\n")
        screen.wait_for_text("q: close  escape: type")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.device.rest(), b"")

    def test_a_table_that_exists_is_replaced_only_if_the_user_agrees(self):
        path = self.folder / "a.csv"
        path.write_text("my own")
        command = (serialterm_binary(), "plot", self.device.path, "--csv", str(path))
        with Terminal(*command) as terminal:
            terminal.expect(b"exists already. Replace it? [y/N]")
            terminal.send(b"n\r")
            self.assertEqual(terminal.wait(), 0)
        self.assertEqual(path.read_text(), "my own")
        with Pipes(*command) as program:
            self.assertEqual(program.wait(), 1)
            program.stderr.expect(b"exists already")
        self.assertEqual(path.read_text(), "my own")
        terminal = self.enterContext(Terminal(*command))
        screen = Screen(terminal)
        terminal.expect(b"Replace it?")
        terminal.send(b"y\r")
        wait_until(lambda: self.device.exclusive, "the port is open")
        self.device.write(b"a:1\r\na:2\r\na:3\r\n")
        screen.wait_for_text("q: close")
        terminal.send(b"q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual([row[1] for row in table(path.read_text())[1]], ["1", "2", "3"])
