"""Sending a file: which file, how it ends, and the messages."""

import os
import re
import time

from Tests.endtoend.faults import processes
from Tests.endtoend.test_commands import CommandTest


class SendFileTest(CommandTest):
    """Has a folder for files."""

    def setUp(self):
        super().setUp()
        self.files = self.folder / "files"
        self.files.mkdir()

    def choose(self, path):
        self.press(b"x")
        self.answer("file to send", str(path).encode())
        if path.is_file() or not path.exists():
            self.send_as_it_is()

    def send_as_it_is(self):
        self.screen.wait_for_text("how to send")
        self.terminal.send(b"\r")
        self.screen.wait_until_gone("how to send")

    def make(self, name, content):
        path = self.files / name
        path.write_bytes(content)
        return path


class SendFileTests(SendFileTest):
    def test_a_file_arrives_as_it_is(self):
        content = os.urandom(100_000)
        path = self.make("image.bin", content)
        self.begin()
        self.choose(path)
        self.assertEqual(self.device.read_exactly(len(content)), content)
        self.screen.wait_for_text("sent image.bin, 100,000 bytes")
        self.expect_nothing_sent()

    def test_a_name_that_commands_terminals_is_shown_and_not_obeyed(self):
        self.make("a\x1b]2;title\x07.bin", b"z" * 300_000)
        self.begin()
        self.choose(self.files / "a")
        self.screen.wait_for_text("ctrl-c stops.")
        self.terminal.send(b"typed")
        self.screen.wait_for_text("is being sent")
        self.assertNotIn(b"\x1b]2", self.terminal.transcript.data)
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("was stopped")
        self.assertNotIn(b"\x1b]2", self.terminal.transcript.data)

    def test_ctrl_c_stops_with_the_count_that_the_driver_has_taken(self):
        path = self.make("image.bin", b"z" * 300_000)
        self.begin()
        self.choose(path)
        self.screen.wait_for_text("ctrl-c stops.")
        taken = len(self.device.read_exactly(50_000))
        self.terminal.send(b"\x03")
        self.screen.wait_for(lambda lines: "image.bin was stopped: " in " ".join(lines), "stopped")
        text = "".join(self.screen.lines)
        count = int(re.search(r"stopped: ([\d,]+) of 300,000", text).group(1).replace(",", ""))
        taken += len(self.device.read_exactly(count - taken))
        self.assertEqual(taken, count)
        self.expect_nothing_sent()

    def test_stopped_before_it_began_it_leaves_what_was_typed_before_it_to_be_sent(self):
        typed = b"t" * 50_000
        path = self.make("image.bin", b"z" * 300_000)
        self.begin()
        self.terminal.send(typed)
        self.screen.wait_for_text("held by the device")
        self.choose(path)
        self.screen.wait_for_text("ctrl-c stops.")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("image.bin was stopped: 0 of 300,000 bytes were sent.")
        self.assertEqual(self.device.read_exactly(len(typed)), typed)
        self.expect_nothing_sent()

    def test_stopping_a_held_file_does_not_say_that_the_device_takes_bytes(self):
        path = self.make("image.bin", b"z" * 300_000)
        self.begin()
        self.choose(path)
        self.screen.wait_for_text("held by the device")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("image.bin was stopped: ")
        self.press(b"s")
        self.screen.wait_for_text("received, ")
        self.assertNotIn(b"accepts bytes again", self.terminal.output)

    def test_quitting_a_held_file_does_not_say_that_the_device_takes_bytes(self):
        path = self.make("image.bin", b"z" * 300_000)
        self.begin()
        self.choose(path)
        self.screen.wait_for_text("held by the device")
        self.press(b"q")
        self.screen.wait_for_text("leave before image.bin is sent")
        self.press(b"q")
        self.assertEqual(self.terminal.wait(), 8)
        self.terminal.transcript.expect_end()
        self.assertIn(b"bytes were sent", self.terminal.output)
        self.assertNotIn(b"accepts bytes again", self.terminal.output)

    def test_what_is_typed_meanwhile_is_refused_and_the_palette_can_stop_it(self):
        path = self.make("image.bin", b"z" * 300_000)
        self.begin()
        self.choose(path)
        self.screen.wait_for_text("ctrl-c stops.")
        self.terminal.send(b"typed")
        self.screen.wait_for(
            lambda lines: "image.bin is being sent" in "".join(lines), "why it is refused")
        self.open_palette(self.terminal, self.screen, b"stop")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("image.bin was stopped")

    def test_the_palette_follows_a_transfer_ten_times_a_second(self):
        path = self.make("image.bin", b"z" * 1_000_000)
        self.begin()
        self.choose(path)
        self.screen.wait_for_text("ctrl-c stops.")
        before = len(re.findall(rb"of 1,000,000", self.terminal.output))
        self.open_palette(self.terminal, self.screen, b"stop")
        start = time.monotonic()
        for _ in range(10):
            progress = self.progress()
            self.device.read_exactly(100_000, rate=500_000)
            self.screen.wait_for(lambda _: self.progress() != progress, "the progress")
        self.screen.wait_until_gone("of 1,000,000 bytes")
        seconds = time.monotonic() - start
        shown = len(re.findall(rb"of 1,000,000", self.terminal.output)) - before
        # The query is typed at once: at most two screens more.
        self.assertLessEqual(shown, 10 * seconds + 3)

    def progress(self):
        return re.findall(r"[\d,]+ of 1,000,000", self.screen.text)

    def test_unplugged_in_the_middle_it_says_how_much_the_driver_took(self):
        path = self.make("image.bin", b"z" * 300_000)
        self.begin(size=(24, 200))
        self.choose(path)
        self.screen.wait_for_text("ctrl-c stops.")
        self.device.read_exactly(50_000)
        # The session sends nothing between the last byte that is counted here and the unplugging.
        with processes.stopped(self.terminal.pid):
            sent = 50_000 + len(self.device.read_available())
            self.device.hang_up()
        self.screen.wait_for_text(f"image.bin was cut off: {sent:,} of 300,000 bytes were sent")
        self.assertIsNone(self.screen.row_of("bytes were not sent"))
        self.device.plug()
        self.screen.wait_for_text("is back")
        self.expect_nothing_sent()

    def test_a_folder_with_too_many_files_says_so_and_finds_each_by_its_name(self):
        for number in range(2100):
            (self.files / f"f{number:04}").touch()
        (self.files / "zz").write_bytes(b"the last one")
        self.begin()
        self.press(b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(f"{self.files}/".encode())
        self.terminal.send(b"\x1b[F")
        self.screen.wait_for_text("(off: 101 more: type how the name begins)")
        self.terminal.send(b"zz\r")
        self.send_as_it_is()
        self.assertEqual(self.device.read_exactly(12), b"the last one")

    def test_enter_alone_sends_nothing(self):
        self.make("a", b"the first file")
        self.begin(cwd=self.files)
        self.press(b"x")
        self.screen.wait_for_text("  a")
        self.terminal.send(b"\r")
        # It went up, to the folder above.
        self.screen.wait_for_text("file to send: ../")
        self.screen.wait_for_text("  ../files/")
        self.terminal.send(b"\x1b")
        self.screen.wait_until_gone("file to send:")
        self.expect_nothing_sent()

    def test_a_folder_that_is_chosen_is_looked_into_and_left_again(self):
        (self.files / "inner").mkdir()
        self.make("inner/deep.bin", b"deep")
        self.begin(cwd=self.files)
        self.press(b"x")
        self.screen.wait_for_text("  inner/")
        self.terminal.send(b"inn\r")
        self.screen.wait_for_text("  inner/deep.bin")
        self.assertIsNotNone(self.screen.row_of("file to send: inner/"))
        self.terminal.send(b"\r")
        self.screen.wait_for_text("  inner/  ")
        self.terminal.send(b"inner/\x1b[B\r")
        self.send_as_it_is()
        self.assertEqual(self.device.read_exactly(4), b"deep")

    def test_a_tilde_is_the_home_folder(self):
        self.make("from home.bin", b"from home")
        self.begin(variables={"HOME": str(self.files)})
        self.press(b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(b"~/from")
        self.screen.wait_for_text("~/from home.bin")
        self.terminal.send(b"\r")
        self.send_as_it_is()
        self.assertEqual(self.device.read_exactly(9), b"from home")

    def test_a_name_that_is_not_utf_8_is_sent_too(self):
        name = os.fsencode(self.files) + b"/n\xff\xfe.bin"
        with open(name, "wb") as file:
            file.write(b"strange name")
        self.begin(cwd=self.files)
        self.press(b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(b"n\r")
        self.send_as_it_is()
        self.assertEqual(self.device.read_exactly(12), b"strange name")

    def test_a_folder_that_cannot_be_read_says_so(self):
        self.begin()
        self.press(b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(str(self.folder / "missing").encode() + b"/")
        self.screen.wait_for_text("(off: No such file or directory)")

    def test_a_file_that_vanishes_while_the_list_is_open_is_an_answer(self):
        path = self.make("gone.bin", b"x")
        self.begin()
        self.press(b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(str(path).encode())
        self.screen.wait_for(
            lambda lines: sum("gone.bin" in line for line in lines) == 2, "the file in the list")
        path.unlink()
        self.terminal.send(b"\r")
        self.screen.wait_for(
            lambda lines: "gone.bin: No such file or directory" in "".join(lines), "the reason")
        self.expect_nothing_sent()

    def test_a_named_pipe_is_no_file(self):
        os.mkfifo(self.files / "pipe")
        self.begin()
        self.choose(self.files / "pipe")
        self.screen.wait_for(lambda lines: "pipe is a named pipe." in "".join(lines), "the reason")
