"""The plot in a session, with ctrl-t y: numbers that the device sends as curves above the text."""

import re
import time
import xml.etree.ElementTree as ET

from Tests.endtoend.faults import PREFIX, SessionTest
from Tests.endtoend.harness import Loopback, Terminal, pace, serialterm_binary, slow, wait_until
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_several_ports import SeveralPortsTest
from Tests.endtoend.test_status import wait_until_asleep

PLOT = PREFIX + b"y"
ESCAPE = b"\x1b"
# The end of the bar while the plot is open, and while it has the keys.
OPEN, KEYS = "ctrl-t y: keys of the plot", "?: keys  q: close  escape: type"
# What every redraw of the panel begins with, after the sequences that are common to all panels.
REDRAW = re.compile(rb"\x1b\[\?6l\x1b\[\d+;1H\x1b\[K")
DOTS = re.compile("[\u2801-\u28ff]")


def reading(number):
    """A line of a sensor with two series."""
    return b"temp:%d.5\thum:%d\r\n" % (20 + number % 10, 100 + number)


def has_dots(lines):
    return any(DOTS.search(line) for line in lines)


class PlotTest(SessionTest):
    """Has a session with its screen, and a device whose numbers the test sends."""

    def start(self, *options, size=(24, 80), **how):
        self.terminal = self.session(*options, size=size, **how)
        self.screen = Screen(self.terminal, size)
        self.screen.wait_for_text("ctrl-t q")
        self.sent = 0

    def send(self, count=1):
        """Sends readings, of which at most five have the same time, and waits until each is shown."""
        end = self.sent + count
        while self.sent < end:
            piece = range(self.sent, min(self.sent + 5, end))
            self.device.write(b"".join(map(reading, piece)))
            self.sent = piece.stop
            self.screen.wait_for_text(f"hum:{99 + self.sent}")

    def open(self, *options, **how):
        """A session with the plot of 50 readings."""
        self.start(*options, **how)
        self.send(50)
        self.terminal.send(PLOT)
        self.screen.wait_for_text(OPEN)

    def take_keys(self):
        self.terminal.send(PLOT)
        self.screen.wait_for_text(KEYS)

    def press(self, keys, shown):
        self.terminal.send(keys)
        self.screen.wait_for_text(shown)

    def legend(self):
        return self.screen.lines[0]

    def wait_for_legend(self, text):
        self.screen.wait_for(lambda lines: text in lines[0], f"{text} in the legend")

    def assert_device_got(self, expected):
        """The device has received these bytes and nothing else: a mark that is typed comes next."""
        self.terminal.send(b"$")
        self.assertEqual(self.device.read_exactly(len(expected) + 1), expected + b"$")


class NewcomerTests(PlotTest):
    def test_two_keys_show_the_curves_of_a_sensor_and_the_board_hears_nothing_of_them(self):
        with Loopback("--board") as board, Terminal(
                serialterm_binary(), "connect", board.node) as terminal:
            screen = Screen(terminal)
            screen.wait_for_text("ctrl-t q")
            terminal.send(b"\rsensor 300 50\r")
            screen.wait_for(
                lambda lines: sum("humidity:" in line for line in lines) > 5, "some readings")
            terminal.send(PLOT)
            lines = screen.wait_for(
                lambda lines: "temp" in lines[0] and has_dots(lines[:15]), "the curves")
            self.assertIn("humidity", lines[0])
            screen.wait_for(lambda lines: any("temp:" in line for line in lines[15:]), "the text")
            screen.wait_for_text("label:value, 2 series")
            terminal.send(b"q")  # Keys are for the board until ctrl-t y is pressed again.
            screen.wait_for_text("board> q")
            terminal.send(b"\x7f\rled on\r")
            screen.wait_for_text("led on")
            self.assertEqual(terminal.leave()[0], 0)

    def test_the_text_goes_on_below_and_typing_reaches_the_device(self):
        self.open()
        self.assertTrue(has_dots(self.screen.lines))
        self.terminal.send(b"hello q?")
        self.assert_device_got(b"hello q?")
        self.send(20)
        self.assertIn(OPEN, self.screen.lines[14])
        below = [line for line in self.screen.lines[15:] if line]
        expected = [reading(number).decode().strip().expandtabs(8) for number in range(70)]
        self.assertEqual(below, expected[-len(below):])
        self.assertEqual(len(below), 8)

    def test_the_plot_has_what_came_before_it_was_opened(self):
        self.open()
        self.assertRegex(self.legend(), r"1 temp 29.5 +20.5 to 29.5 +2 hum 149 +100 to 149")

    def test_before_any_number_the_command_is_off_and_says_so(self):
        self.start()
        self.device.write(b"Booting Linux\r\nall is well\r\n")
        self.screen.wait_for_text("all is well")
        self.press(PLOT, "Not available: no numbers seen yet.")
        self.terminal.send(PREFIX + b":plot")
        self.screen.wait_for_text("(off: no numbers seen yet")

    def test_in_a_raw_session_the_command_is_off_and_says_so(self):
        terminal = self.session("--raw")
        self.device.write(reading(1) + reading(2) + reading(3))
        terminal.expect(b"hum:103")
        terminal.send(PLOT)
        terminal.expect(b"Not available: raw is on.")


class KeyTests(PlotTest):
    def setUp(self):
        super().setUp()
        self.open()
        self.take_keys()

    def tearDown(self):
        # Whatever was pressed, nothing of it is for the device.
        if self.terminal.running:
            if self.screen.row_of(KEYS) is not None:
                self.press(ESCAPE, OPEN)
            self.assert_device_got(b"")
        super().tearDown()

    def chart(self):
        """The rows between the legend and the bar."""
        return self.screen.lines[1:14]

    def test_a_question_mark_lists_all_keys_in_full(self):
        self.press(b"?", "whole window")
        for words in ("pause, and go on", "move the cursor", "a shorter or longer time",
                      "everything", "newest", "cursor with the values", "or adapt it", "window's length",
                      "a logarithmic scale", "0: all on", "on or off", "picture or values",
                      "or a part", "type to the device", "close the plot"):
            self.assertIsNotNone(self.screen.row_of(words), words)
        self.press(b"?", "1 temp")

    def test_space_pauses_and_continues(self):
        self.press(b" ", "paused")
        before = self.chart()
        self.send(30)
        self.wait_for_legend("hum 179")
        self.assertEqual(self.chart(), before)
        self.terminal.send(b" ")
        self.screen.wait_until_gone("paused")
        self.screen.wait_for(lambda lines: lines[1:14] != before, "another picture")

    def test_digits_switch_curves_off_and_on(self):
        self.press(b"2", "2 hum off")
        self.screen.wait_for(
            lambda lines: "2" not in "".join(line[3:] for line in lines[1:13]), "one curve")
        self.press(b"1", "1 temp off")
        self.screen.wait_for(lambda lines: not has_dots(lines), "no curve")
        self.terminal.send(b"0")
        self.screen.wait_for(lambda lines: has_dots(lines) and "off" not in lines[0], "both curves")
        self.terminal.send(b"9")
        self.press(b"1", "1 temp off")

    def test_a_cursor_shows_the_values_at_its_time(self):
        self.press(b"c", ", at ")
        self.wait_for_legend("hum 149")
        self.terminal.send(b"\x1b[D" * 120)
        # The first five readings have the same time.
        self.wait_for_legend("hum 104")
        self.terminal.send(b"c")
        self.screen.wait_until_gone(", at ")

    def test_f_makes_the_plot_as_large_as_the_window_and_small_again(self):
        self.terminal.send(b"f")
        self.screen.wait_for(lambda lines: KEYS in lines[20], "the bar in row 20")
        self.send(5)
        self.terminal.send(b"f")
        self.screen.wait_for(lambda lines: KEYS in lines[14], "the bar in row 14")
        self.send(5)

    def test_escape_types_to_the_device_with_the_plot_still_open(self):
        self.press(ESCAPE, OPEN)
        self.terminal.send(b"typed")
        self.assert_device_got(b"typed")
        self.send(3)
        self.wait_for_legend("hum 152")

    def test_q_closes_and_the_text_has_the_whole_screen(self):
        self.terminal.send(b"q")
        self.screen.wait_until_gone(KEYS)
        self.assertTrue(self.screen.scrolls_whole and self.screen.cursor_is_shown)
        self.send(30)
        rows = [line for line in self.screen.lines if line.startswith("temp:")]
        self.assertEqual(len(rows), 23)
        self.terminal.send(b"q")
        self.assert_device_got(b"q")
        # What came meanwhile is in the plot when it is opened again.
        self.press(PLOT, OPEN)
        self.wait_for_legend("hum 179")

    def test_quitting_the_session_gives_the_screen_back(self):
        self.assertEqual(self.quit(self.terminal)[0], 0)
        self.terminal.transcript.expect_end()
        self.assertTrue(self.screen.scrolls_whole and self.screen.cursor_is_shown)
        self.assertEqual(self.terminal.settings, self.terminal.original_settings)
        self.assertFalse(has_dots(self.screen.lines))


class TerminalKindTests(PlotTest):
    def test_without_colours_the_curves_have_marks(self):
        self.open(variables={"NO_COLOR": "1"})
        self.assertNotRegex(self.terminal.output, rb"\x1b\[[\d;]*3[0-7]m|\x1b\[[\d;]*7m")
        chart = "".join(line[3:] for line in self.screen.lines[1:13])
        self.assertIn("1", chart)
        self.assertIn("2", chart)

    def test_where_the_terminal_has_only_ascii_nothing_else_is_written(self):
        self.open(variables={"LC_ALL": "C"})
        self.take_keys()
        for keys in (b"f", b"?", b"?", b"c", b"c", b"l", b"f"):
            self.terminal.send(keys)
        self.press(b"1", "1 temp off")
        self.terminal.send(b"q")
        self.screen.wait_until_gone(KEYS)
        self.assertTrue(self.terminal.output.isascii())
        self.assertFalse(has_dots(self.screen.lines))

    def check_table(self, *options, **how):
        self.start(*options, **how)
        self.send(30)
        start = len(self.terminal.output)
        self.terminal.send(PLOT)
        self.terminal.expect(re.compile(
            rb"reading: label:value, 2 series\.\r\n"
            rb"series +newest +minimum +maximum +values *\r\n"
            rb"temp +29.5 +20.5 +29.5 +30 *\r\n"
            rb"hum +129 +100 +129 +30 *\r\n"))
        self.assertNotIn(b"\x1b[", self.terminal.output[start:])
        # A second time, the newer values are in it.
        self.device.write(reading(99))
        self.screen.wait_for_text("hum:199")
        self.terminal.send(PLOT)
        self.terminal.expect(re.compile(rb"hum +199 +100 +199 +31 *\r\n"))
        self.assert_device_got(b"")

    def test_for_a_screen_reader_it_is_a_table(self):
        self.check_table("--plain")

    def test_a_terminal_that_can_only_print_has_a_table(self):
        self.check_table(variables={"TERM": "dumb"})


class WindowTests(PlotTest):
    def test_windows_of_all_sizes_show_the_plot_or_say_that_they_are_too_small(self):
        for rows, columns in ((8, 20), (9, 12), (10, 200), (60, 40), (24, 8)):
            with self.subTest(rows=rows, columns=columns):
                terminal = self.enterContext(self.connect(size=(rows, columns)))
                screen = Screen(terminal, (rows, columns))
                wait_until(lambda: self.device.exclusive, "the port is open")
                self.device.write(b"".join(b"a:%d\r\n" % number for number in range(40)))
                screen.wait_for_text("a:39"[:columns])
                terminal.send(PLOT)
                screen.wait_for(lambda lines: lines[0].startswith("1 a"), "the legend")
                self.device.write(b"a:7\r\n")
                screen.wait_for_text("a:7")
                self.assertEqual(self.quit(terminal)[0], 0)
                self.device.read_available(0)

    def test_a_window_that_is_too_small_is_said(self):
        self.start(size=(7, 80))
        self.send(5)
        self.press(PLOT, "The window is too small for a plot: it needs 8 rows.")
        self.assert_device_got(b"")

    def test_a_window_that_changes_its_size_keeps_plot_and_text(self):
        self.open("--status")
        for rows, columns in ((12, 40), (40, 120), (5, 80), (2, 40), (24, 80), (9, 30), (24, 80)):
            self.screen.resize_until_drawn(rows, columns)
            if rows < 9:
                self.screen.wait_for(
                    lambda lines: not any("2 series" in line for line in lines), "no plot")
            else:
                self.screen.wait_for(lambda lines: lines[0].startswith("1 temp"), "the plot")
            self.send(3)
        self.screen.wait_for(
            lambda lines: OPEN in lines[13] and "B/s" in lines[23], "plot and status line")
        self.assertEqual(sum("1 temp" in line for line in self.screen.lines), 1)
        below = [line for line in self.screen.lines[14:23] if line]
        self.assertEqual(below[-1].split()[-1], f"hum:{99 + self.sent}")

    def test_the_status_line_stays_at_the_bottom_and_the_text_between(self):
        self.open("--status")
        self.assertIn("115200 8N1", self.screen.lines[23])
        self.send(30)
        self.assertIn(OPEN, self.screen.lines[13])
        self.assertIn("115200 8N1", self.screen.lines[23])
        self.take_keys()
        self.terminal.send(b"q")
        self.screen.wait_until_gone(KEYS)
        self.send(30)
        self.assertIn("115200 8N1", self.screen.lines[23])
        self.assertEqual(self.screen.lines[21].split()[-1], f"hum:{99 + self.sent}")

    def test_lists_and_searches_open_below_it_and_give_the_keys_back(self):
        self.open()
        self.terminal.send(PREFIX + b":baud")
        self.screen.wait_for_text("command: baud")
        self.wait_for_legend("1 temp")
        self.terminal.send(ESCAPE)
        self.screen.wait_until_gone("command:")
        self.send(3)
        self.take_keys()
        self.terminal.send(PREFIX + b"/")
        self.screen.wait_for_text("search:")
        self.terminal.send(ESCAPE)
        self.screen.wait_until_gone("search:")
        self.screen.wait_for_text(KEYS)
        self.terminal.send(b"q")
        self.screen.wait_until_gone(KEYS)
        self.assert_device_got(b"")


class PluggingTests(PlotTest):
    def test_it_stays_open_while_the_device_is_gone_and_goes_on_when_it_is_back(self):
        self.open()
        self.device.hang_up()
        self.screen.wait_for_text("gone")
        self.wait_for_legend("hum 149")
        self.device.plug()
        self.screen.wait_for_text("back")
        self.send(5)
        self.wait_for_legend("hum 154")
        self.take_keys()
        self.terminal.send(b"q")
        self.screen.wait_until_gone(KEYS)

    def test_half_a_line_before_the_loss_is_not_joined_with_the_next(self):
        self.open()
        self.device.write(b"temp:9")
        self.screen.wait_for_text("temp:9")
        self.device.hang_up()
        self.screen.wait_for_text("gone")
        self.device.plug()
        self.screen.wait_for_text("back")
        self.device.write(b"9\r\n")
        self.send(3)
        self.wait_for_legend("hum 152")
        self.assertIn("20.5 to 29.5", self.legend())


class SeveralPortsPlotTests(SeveralPortsTest):
    def test_the_curves_of_all_ports_are_in_one_plot_with_the_names_of_their_ports(self):
        terminal, screen = self.start()
        for number in range(20):
            self.devices["alpha"].write(b"temp:%d\r\n" % number)
            self.devices["beta"].write(b"temp=%d volt=3.3V\r\n" % (100 + number))
        screen.wait_for_text("temp:19")
        screen.wait_for_text("temp=119")
        terminal.send(PLOT)
        screen.wait_for_text(OPEN)
        legend = screen.lines[0] + screen.lines[1]
        for name in ("alpha: temp 19", "beta: temp 119", "beta: volt 3.3"):
            self.assertIn(name, re.sub(" +", " ", legend))
        # A port that begins to send numbers later is another curve.
        for number in range(3):
            self.devices["gamma"].write(b'{"load": %d.25}\r\n' % number)
        screen.wait_for(lambda lines: any("gamma: load 2.25" in line for line in lines), "gamma")


class RateTest(PlotTest):
    def redraws(self):
        return len(REDRAW.findall(self.terminal.output))

    def check_rate(self, before, started):
        """Counts the redraws since there were `before` of them; one may have been on its way then."""
        count, seconds = self.redraws() - before, time.monotonic() - started
        self.assertLessEqual(count, seconds * 10 + 2)
        self.assertGreaterEqual(count, 1)


class RateTests(RateTest):
    def test_at_most_ten_redraws_a_second_and_an_exact_log_at_10000_lines_a_second(self):
        self.open("--log", str(self.log))
        expected = bytearray(b"".join(reading(number) for number in range(50)))
        self.terminal.catch_up()
        started, before = time.monotonic(), self.redraws()
        for batch in range(200):
            said = b"".join(
                b"temp:%d.%02d\thum:%d\r\n" % (batch, index, index) for index in range(100))
            self.device.write(said)
            expected += said
            pace(started, batch + 1, 100)
        self.wait_for_log(len(expected))
        self.wait_for_legend("temp 199.99")
        self.check_rate(before, started)
        self.assertEqual(self.log.read_bytes(), bytes(expected))
        self.wait_for_legend("0 to 199.99")  # No peak is lost.

    @slow
    def test_nothing_is_drawn_and_nobody_wakes_while_nothing_comes(self):
        self.open()
        wait_until_asleep(self.terminal)


class SavingTests(PlotTest):
    def save(self, choice, name, command=b"s"):
        path = self.folder / name
        self.press(command, "save:")
        self.press(choice, "save: " + choice.decode())
        self.press(b"\r", "save to:")
        self.terminal.send(str(path).encode() + b"\r")
        self.screen.wait_for_text(f"{name}: ")
        return path

    def rows(self, path):
        """The rows of a table without their times, which are those of a clock."""
        header, *rows = path.read_text().splitlines()
        for row in rows:
            self.assertRegex(row, r"^\d{10}\.\d{6},")
        return header, [row.partition(",")[2] for row in rows]

    def check_picture(self, path):
        root = ET.parse(path).getroot()
        name = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, name + "svg")
        texts = "\n".join("".join(element.itertext()) for element in root.iter(name + "text"))
        self.assertIn("temp", texts)
        self.assertIn("hum", texts)
        curves = [element for element in root.iter(name + "path")
                  if "curve" in element.get("class", "") and element.get("d")]
        self.assertGreaterEqual(len(curves), 2)

    def test_s_saves_a_picture_of_what_is_shown(self):
        self.open()
        self.take_keys()
        self.check_picture(self.save(b"picture", "a.svg"))
        self.screen.wait_for_text(KEYS)
        self.assert_given_keys()

    def assert_given_keys(self):
        """The plot has the keys, as before."""
        self.press(b"1", "1 temp off")

    def test_the_palette_saves_it_too(self):
        self.open()
        self.check_picture(self.save(b"picture", "b.svg", PREFIX + b":write-plot\r"))
        self.screen.wait_for_text(OPEN)
        self.terminal.send(b"typed")
        self.assert_device_got(b"typed")

    def test_without_a_plot_there_is_nothing_to_save(self):
        self.start()
        self.terminal.send(PREFIX + b":write-plot\r")
        self.screen.wait_for_text("no plot is open")

    def test_all_values_in_the_scrollback_are_written_digit_for_digit(self):
        self.start()
        lines = ["temp:1.0,hum:2", "temp:20.10,hum:1e3", "# comment", "temp:+5.50", "hum:0007,temp:nan",
                 "temp:-0.000,hum:1E-05"]
        self.device.write("".join(line + "\r\n" for line in lines).encode())
        self.screen.wait_for_text("1E-05")
        self.press(PLOT, OPEN)
        self.take_keys()
        header, rows = self.rows(self.save(b"all", "all.csv"))
        self.assertEqual(header, "time,temp,hum")
        self.assertEqual(rows, ["1.0,2", "20.10,1e3", "+5.50,", ",0007", "-0.000,1E-05"])

    def test_values_that_are_shown_are_those_of_the_window(self):
        self.open()
        self.take_keys()
        self.terminal.send(b" ")
        self.screen.wait_for_text("paused")
        self.send(20)
        header, rows = self.rows(self.save(b"values that", "shown.csv"))
        self.assertEqual(header, "time,temp,hum")
        self.assertEqual(
            rows, [f"{20 + number % 10}.5,{100 + number}" for number in range(50)])
        self.screen.wait_for_text("paused")
        _, rows = self.rows(self.save(b"all", "all.csv"))
        self.assertEqual(len(rows), 70)

    def test_a_form_that_is_chosen_reads_the_scrollback_again(self):
        self.start()
        self.device.write(b"".join(b"x=%d 7 8\r\n" % number for number in range(9)))
        self.screen.wait_for_text("x=8")
        self.press(PLOT, OPEN)
        self.wait_for_legend("1 x 8")
        self.press(PREFIX + b":plot-form\r", "form of the numbers:")
        self.press(b"values", "form of the numbers: values")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("numbers are read as values.")
        self.device.write(b"1,2\r\n3,4\r\n5,6\r\n")
        self.wait_for_legend("6")
        self.screen.wait_for(lambda lines: "CSV, 2 series" in lines[14], "the form in the bar")
