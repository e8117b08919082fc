"""The list of commands that is searched, opened by ctrl-t and a colon."""

import re
import time

from Tests.endtoend.faults import PREFIX, SessionTest, processes, record
from Tests.endtoend.harness import Device, soak
from Tests.endtoend.harness.screen import Screen

OPEN = PREFIX + b":"
ESCAPE = b"\x1b"


class PaletteTest(SessionTest):
    """Has a session with its screen."""

    def start(self, *options, size=(24, 80), **how):
        terminal = self.session(*options, size=size, **how)
        screen = Screen(terminal, size)
        screen.wait_for_text("ctrl-t q")
        return terminal, screen

    def open_palette(self, terminal, screen, query=b""):
        terminal.send(OPEN)
        screen.wait_for_text("command:")
        if query:
            terminal.send(query)
            screen.wait_for_text("command: " + query.decode())

    def close_palette(self, terminal, screen):
        terminal.send(ESCAPE)
        screen.wait_until_gone("command:")


class LivePaletteTests(PaletteTest):
    def test_unplugging_greys_a_command_out_and_plugging_in_lights_it_up(self):
        self.check_unplugging(2)

    @soak
    def test_unplugging_greys_out_and_plugging_in_lights_up_again_and_again(self):
        self.check_unplugging(50)

    def check_unplugging(self, times):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, b"send-file:")
        durations, returns = [], []
        for _ in range(times):
            row = screen.row_of("send-file")
            self.assertFalse(screen.is_dimmed(row + 1))
            waited, started = self.waited(terminal), time.monotonic()
            self.device.hang_up()
            durations.append((screen.wait_for_text("(off: no device") - started) * 1000)
            self.assertLessEqual(self.waited(terminal) - waited, 100)
            self.assertTrue(screen.is_dimmed(screen.row_of("(off: no device")))
            started = time.monotonic()
            self.device.plug()
            screen.wait_until_gone("(off")
            returns.append((time.monotonic() - started) * 1000)
        record("palette", "unplugged to greyed out in the palette", durations, "ms", at_most=100)
        record("palette", "plugged in to lit up in the palette", returns, "ms", at_most=100)

    def test_a_command_that_is_off_is_refused_with_its_reason_and_the_list_stays(self):
        terminal, screen = self.start("--read-only")
        self.open_palette(terminal, screen, b"send-file")
        terminal.send(b"\r")
        screen.wait_for(lambda lines: any(
            line.startswith("command: send-file") and line.endswith("read-only")
            for line in lines), "the reason in the first line")
        self.close_palette(terminal, screen)

    def test_bytes_that_arrive_meanwhile_are_logged_at_once_and_shown_after(self):
        terminal, screen = self.start("--log", str(self.log))
        self.device.write(b"before\r\n")
        screen.wait_for_text("before")
        self.open_palette(terminal, screen)
        expected = [f"said {number}" for number in range(100)]
        self.device.write("".join(f"{line}\r\n" for line in expected).encode())
        self.wait_for_log(len("before\r\n") + sum(len(line) + 2 for line in expected))
        self.assertIsNone(screen.row_of("said"))
        self.close_palette(terminal, screen)
        screen.wait_for_text("said 99")
        rows = screen.everything
        self.assertEqual(rows[rows.index("before") + 1:], expected)

    def test_the_text_above_and_the_scrollback_are_as_if_it_had_never_been_open(self):
        terminal, screen = self.start()
        self.device.write(b"".join(b"text %d\r\n" % number for number in range(60)) + b"> ")
        screen.wait_for(lambda lines: ">" in lines, "the prompt")
        before, column = screen.everything, screen.cursor[1]
        for query in (b"", b"baud", b"nothing has this name"):
            self.open_palette(terminal, screen, query)
            self.close_palette(terminal, screen)
        self.assertEqual(screen.everything, before)
        self.assertEqual(screen.cursor[1], column)
        self.assertTrue(screen.cursor_is_shown and screen.wraps and screen.scrolls_whole)

    def test_bytes_of_the_device_beyond_all_room_are_counted(self):
        terminal, screen = self.start("--log", str(self.log))
        self.open_palette(terminal, screen)
        count = 1_000_000
        self.device.write(b"x" * 99 + b"\n")
        for _ in range(count // 100 - 1):
            self.device.write(b"x" * 99 + b"\n")
        self.wait_for_log(count)
        self.close_palette(terminal, screen)
        terminal.expect(b" bytes not shown]")


class PaletteKeysTests(PaletteTest):
    def test_typing_finds_and_enter_does(self):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, b"local-echo")
        terminal.send(b"\r")
        screen.wait_until_gone("command:")
        screen.wait_for_text("local-echo is on.")

    def test_every_command_is_found_by_its_name(self):
        terminal, screen = self.start(size=(40, 100))
        terminal.send(PREFIX + b"?")
        screen.wait_for_text("search")
        self.open_palette(terminal, screen)
        for name in ("line-input", "timestamp-format", "data-bits", "status-line", "stop"):
            terminal.send(b"\x15" + name.encode())
            screen.wait_for_text(f"command: {name}")
            row = screen.row_of(f"command: {name}")
            self.assertIn(f"{name}:", screen.lines[row + 1])

    def test_what_is_typed_there_does_not_reach_the_device(self):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, b"baud")
        self.close_palette(terminal, screen)
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")

    def test_unknown_keys_do_nothing(self):
        terminal, screen = self.start()
        self.open_palette(terminal, screen)
        before = screen.lines
        terminal.send(b"\x1b[99~\x1bOZ\x1b]0;title\x07\x1b[<0;1;1M\x01\x02\x1b[200~\x1b[201~\x00")
        terminal.send(b"zz")
        screen.wait_for_text("command: zz")
        terminal.send(b"\x15")
        self.assertEqual(screen.wait_for(lambda lines: lines == before, "as before"), before)

    def test_the_keys_that_quit_work_while_it_is_open(self):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, b"baud")
        status, _ = self.quit(terminal)
        self.assertEqual(status, 0)
        self.assert_given_back(terminal)
        terminal.transcript.expect_end()
        self.assertIsNone(screen.row_of("command:"))
        self.assertTrue(screen.cursor_is_shown and screen.wraps and not screen.marks_pastes)

    def test_a_stalled_terminal_does_not_keep_it_from_quitting(self):
        terminal, screen = self.start("--log", str(self.log))
        self.open_palette(terminal, screen)
        terminal.stall()
        sent = 200_000
        self.device.write(b"y" * sent)
        self.wait_for_log(sent)
        terminal.send(b"baud")
        status, seconds = self.quit(terminal)
        record("palette", "quit with the palette open, the terminal stalled", seconds * 1000, "ms", at_most=500)
        self.assertEqual(status, 0)
        self.assert_given_back(terminal)

    def test_opened_while_the_terminal_was_stalled_it_is_there_when_that_goes_on(self):
        terminal, _ = self.start("--log", str(self.log))
        terminal.stall()
        sent = 1_200_000
        self.device.write(b"y" * sent)
        self.wait_for_log(sent)
        # More than the queue for a terminal holds: further drawing is dropped, like bytes of the device.
        terminal.send(OPEN)
        # No output shows that the keys were read, because the drawn output is not read.
        processes.wait_until_keys_are_read(terminal.pid)
        terminal.resume()
        screen = Screen(terminal)
        terminal.expect(b" bytes not shown]")
        screen.wait_for_text("B  baud")
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_pastes_are_marked_only_while_it_is_open(self):
        terminal, screen = self.start()
        self.assertFalse(screen.marks_pastes)
        self.open_palette(terminal, screen)
        self.assertTrue(screen.marks_pastes)
        # Its first line is the query.
        terminal.send(b"\x1b[200~baud\nq\x1b[201~ d")
        screen.wait_for_text("command: baud d")
        self.close_palette(terminal, screen)
        screen.wait_for(lambda _: not screen.marks_pastes, "pastes are as they were")


class UsedCommandsTests(PaletteTest):
    """The commands that were used last come first."""

    def setUp(self):
        super().setUp()
        self.state = self.folder / "state"
        self.file = self.state / "serialterm/history/palette.txt"

    def begin(self, state=None):
        return self.start(variables={"XDG_STATE_HOME": str(state or self.state)})

    def use(self, terminal, screen, command, shown):
        self.open_palette(terminal, screen, command)
        terminal.send(b"\r")
        screen.wait_for_text(shown)

    def names(self, terminal, screen):
        """The names of the first commands in the palette."""
        terminal.send(OPEN)
        screen.wait_for_text("Enter runs")
        row = screen.row_of("command:")
        lines = [line[5:] for line in screen.lines[row + 1:row + 4]]
        self.close_palette(terminal, screen)
        return [line.partition(":")[0] for line in lines]

    def test_they_are_kept_for_other_sessions_in_a_file_for_the_user_alone(self):
        terminal, screen = self.begin()
        self.use(terminal, screen, b"local-echo", "local-echo is on.")
        self.use(terminal, screen, b"who", "you")
        self.assertEqual(self.names(terminal, screen), ["who", "local-echo", "baud"])
        self.device = self.enterContext(Device())
        other, view = self.begin()
        self.assertEqual(self.names(other, view), ["who", "local-echo", "baud"])
        self.use(other, view, b"collapse", "collapse is on.")
        self.assertEqual(self.names(terminal, screen), ["collapse", "who", "local-echo"])
        self.assertEqual(self.file.read_text(), "local-echo\nwho\ncollapse\n")
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.file.parent.stat().st_mode & 0o777, 0o700)

    def test_to_quit_is_never_first(self):
        terminal, screen = self.begin()
        self.open_palette(terminal, screen, b"quit")
        terminal.send(b"\r")
        self.assertEqual(terminal.wait(), 0)
        self.assertFalse(self.file.exists())

    def test_a_broken_file_and_a_folder_that_takes_none_change_nothing_else(self):
        self.file.parent.mkdir(parents=True, mode=0o700)
        self.file.write_bytes(b"\x00\xff\x1b[2J\nno such command\nwho")
        for state in (self.state, "/dev/null/state"):
            with self.subTest(state):
                terminal, screen = self.begin(state)
                self.assertEqual(self.names(terminal, screen)[0], "who" if state == self.state else "baud")
                self.use(terminal, screen, b"local-echo", "local-echo is on.")
                self.assertEqual(self.quit(terminal)[0], 0)


class TypedAnswerTests(PaletteTest):
    """Questions that take any text."""

    def begin(self, command, title):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, command)
        terminal.send(b"\r")
        screen.wait_for_text(title)
        return terminal, screen

    def test_what_enter_takes_is_in_the_list(self):
        terminal, screen = self.begin(b"repeat", "repeat:")
        terminal.send(b"100ms 2x status")
        screen.wait_for(lambda lines: "  100ms 2x status" in [line.rstrip() for line in lines], "the text")
        self.assertIsNone(screen.row_of("nothing matches"))
        terminal.send(b"\r")
        self.assertEqual(self.device.read_exactly(14), b"status\rstatus\r")

    def test_a_bad_expression_gets_its_error_and_stays_in_the_line(self):
        terminal, screen = self.begin(b"hide", "hide lines that match:")
        terminal.send(b"boot(\r")
        screen.wait_for(
            lambda lines: any(re.match(r"hide lines .*boot\( .*unmatched", line) for line in lines),
            "the error in the first line")
        terminal.send(b"\x7f\r")
        screen.wait_for_text("hidden: /boot/.")
        self.device.write(b"booting\r\nready\r\n")
        screen.wait_for_text("ready")
        self.assertIsNone(screen.row_of("booting"))


class PaletteSizeTests(PaletteTest):
    def check(self, rows, columns):
        terminal, screen = self.start(size=(rows, columns))
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(rows)))
        screen.wait_for_text(f"row {rows - 1}")
        before = screen.everything
        self.open_palette(terminal, screen)
        terminal.send(b"baud")
        screen.wait_for_text("mmand: baud")
        self.assertTrue(any("row" in line for line in screen.lines), screen.lines)
        self.device.hang_up()
        screen.wait_for_text("(off")
        self.device.plug()
        screen.wait_until_gone("(off")
        self.close_palette(terminal, screen)
        screen.wait_for(
            lambda lines: "is back" in " ".join(" ".join(lines).split()), "what was said meanwhile")
        self.assertEqual(screen.everything[:len(before)], before)
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_in_40_by_10(self):
        self.check(10, 40)

    def test_in_20_by_6(self):
        self.check(6, 20)

    def test_it_takes_half_of_the_screen_and_says_what_keys_do(self):
        for size, rows in (((40, 120), 18), ((24, 80), 10), ((10, 80), 4)):
            with self.subTest(size):
                terminal, screen = self.start(size=size)
                terminal.send(OPEN)
                screen.wait_for_text("P  parity")
                first = screen.row_of("command:") + 1
                listed = [line for line in screen.lines[first:] if line.startswith("  ")]
                self.assertEqual(len(listed), rows)
                keys = "Enter runs · Esc closes · type to search"
                self.assertEqual(keys in screen.lines, rows > 4)
                self.assertTrue(screen.is_reversed(first))
                self.assertEqual(self.quit(terminal)[0], 0)

    def test_in_40_columns_the_reason_of_the_selected_command_is_whole(self):
        terminal, screen = self.start(size=(10, 40))
        self.open_palette(terminal, screen)
        terminal.send(b"pulse")
        screen.wait_for(
            lambda lines: "  off: this port has no modem lines" in lines, "the whole reason")
        self.close_palette(terminal, screen)

    def test_a_width_that_nobody_has_set_is_taken_for_80_columns(self):
        terminal = self.session(size=(24, 0))
        screen = Screen(terminal)
        self.open_palette(terminal, screen, b"baud")
        screen.wait_for_text("115200")

    def test_a_window_that_changes_its_size_shows_it_anew(self):
        terminal, screen = self.start()
        self.device.write(b"".join(b"row %d\r\n" % number for number in range(30)))
        screen.wait_for_text("row 29")
        self.open_palette(terminal, screen, b"baud")
        for rows, columns in ((10, 40), (30, 100), (6, 30), (24, 80)):
            screen.resize_until_drawn(rows, columns)
            screen.wait_for(
                lambda lines: sum("command: baud" in line for line in lines) == 1
                and any("115200" in line for line in lines), f"the list in {rows} by {columns}")
        self.close_palette(terminal, screen)
        self.assertIn("row 29", screen.lines)
        self.assertFalse([line for line in screen.everything if "115200" in line][1:])

    def test_without_colours_marks_stand_for_them(self):
        terminal, screen = self.start("--read-only", variables={"NO_COLOR": "1"})
        self.open_palette(terminal, screen, b"send-file")
        self.assertFalse(screen.has_attributes())
        row = screen.row_of("command: send-file")
        self.assertRegex(screen.lines[row + 1], r"^> x  send-file: .*\(off: read-only\)$")


class PlainPaletteTests(PaletteTest):
    """On a terminal that can only print."""

    def start(self, *options):
        return super().start(*options, variables={"TERM": "dumb"})

    def test_it_is_a_numbered_list_and_takes_a_number(self):
        terminal, screen = self.start()
        terminal.send(OPEN)
        terminal.expect(b"type a number or a name, then Enter.")
        listed = terminal.expect(b"statistics").string
        self.assertNotIn(b"\x1b", bytes(listed))
        number = next(
            line.split(b")")[0].strip() for line in terminal.output.splitlines()
            if b" local-echo:" in line)
        terminal.send(number + b"\r")
        terminal.expect(b"local-echo is on.")
        self.assertNotIn(b"\x1b", terminal.output)

    def test_what_is_to_be_drawn_is_off_and_says_so(self):
        terminal, _ = self.start("--status", "--input-mode", "line")
        terminal.expect(b"line-input is not available: this terminal cannot draw.")
        terminal.expect(b"status-line is not available: this terminal cannot draw.")
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")
        self.assertEqual(self.quit(terminal)[0], 0)
        terminal.transcript.expect_end()
        self.assertNotIn(b"\x1b", terminal.output)

    def test_it_takes_a_name_too(self):
        terminal, _ = self.start()
        terminal.send(OPEN)
        terminal.expect(b"type a number or a name, then Enter.")
        terminal.send("local-ech\u4e16\x7fo\r".encode())
        terminal.expect("\u4e16\b \b\b \bo".encode())
        terminal.expect(b"local-echo is on.")

    def test_what_is_off_says_why_as_it_is_now(self):
        terminal, _ = self.start()
        terminal.send(OPEN)
        terminal.expect(b"type a number or a name, then Enter.")
        self.device.hang_up()
        terminal.expect(b"is gone")
        terminal.send(b"send-file\r")
        terminal.expect(b"Not available: no device")
        terminal.send(b"\r")
        self.device.plug()
        terminal.expect(b"is back")
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")
