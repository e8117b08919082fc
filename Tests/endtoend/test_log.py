"""The contents of logs, the files that are refused, and rotation."""

import base64
import json
import os
import re
import signal
import stat
import time

from Tests.endtoend.faults import SessionTest, record, text
from Tests.endtoend.harness import (
    Terminal, contents, serialterm, serialterm_binary, slow, soak, wait_until)
from Tests.endtoend.harness.screen import Screen

# Seconds between two looks whether the file has its name: it is started again with the next bytes after them.
LOOK = 1.0


class LogTests(SessionTest):
    def test_log_never_replaces_nor_follows_anything(self):
        there = self.folder / "there"
        there.write_bytes(b"before")
        link = self.folder / "link"
        link.symlink_to(there)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        for path, options in ((there, ()), (link, ("--log-append",)), (link, ()),
                              (fifo, ("--log-append",)), (self.folder, ("--log-append",)),
                              ("/dev/full", ("--log-append",))):
            with self.subTest(path=path, options=options):
                terminal = self.enterContext(self.connect("-L", str(path), *options))
                self.assertEqual(terminal.wait(), 7)
                self.assertEqual(terminal.settings, terminal.original_settings)
        self.assertEqual(there.read_bytes(), b"before")

    def test_log_is_added_to_when_asked(self):
        self.log.write_bytes(b"before ")
        terminal = self.session("--log", str(self.log), "--log-append")
        self.device.write(b"\x00\xff\xc3\x28 after")
        self.wait_for_log(17)
        self.assertEqual(self.log.read_bytes(), b"before \x00\xff\xc3\x28 after")
        self.assertEqual(terminal.leave()[0], 0)

    def test_log_is_its_owners_alone(self):
        before = os.umask(0)
        try:
            terminal = self.session("--log", str(self.log))
        finally:
            os.umask(before)
        self.assertEqual(stat.S_IMODE(self.log.stat().st_mode), 0o600)
        self.assertEqual(terminal.leave()[0], 0)

    def test_attempt_that_fails_leaves_no_log_behind(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", "/dev/nowhere", "--log", str(self.log)))
        self.assertEqual(terminal.wait(), 3)
        self.assertFalse(self.log.exists())

    def test_name_has_the_time_and_the_port(self):
        terminal = self.session("--log", str(self.folder / "%t-%Y-100%%.log"))
        name = f"{self.device.path.rpartition('/')[2]}-{time.strftime('%Y')}-100%.log"
        self.device.write(b"named")
        wait_until(lambda: (self.folder / name).stat().st_size == 5, "the log is written")
        self.assertEqual(terminal.leave()[0], 0)

    def session_in_folder(self, *options):
        home = os.getcwd()
        os.chdir(self.folder)
        try:
            return self.session(*options)
        finally:
            os.chdir(home)

    def test_switched_on_in_the_session_it_names_itself_and_goes_on_later(self):
        terminal = self.session_in_folder()
        name = self.start_log(terminal, r"(serialterm-port-\d{8}-\d{6}\.log)")
        log = self.folder / name
        self.device.write(b"one")
        terminal.expect(b"one")
        terminal.send(b"\x14f")
        terminal.expect(b"is off")
        self.device.write(b"two")
        terminal.expect(b"two")

        def is_on_again():
            # A disk that is slow has not taken the rest of the log yet: then it is refused.
            terminal.send(b"\x14f")
            answer = terminal.expect(re.compile(rb"logging to|is still being written"))
            return answer.group() == b"logging to"
        wait_until(is_on_again, "the log is on again")
        self.device.write(b"three")
        terminal.expect(b"three")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(log.read_bytes(), b"onethree")

    def test_what_is_said_of_logs_holds_for_one_that_is_switched_on_later(self):
        terminal = self.session_in_folder("--log-sent", "--log-append")
        name = self.start_log(terminal, r"(serialterm-port-\d{8}-\d{6}\.txt)")
        terminal.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertIn(b"> typed", (self.folder / name).read_bytes())

    def start_log(self, terminal, pattern):
        """Takes the suggested file, and returns the part of its path that the pattern's group finds."""
        screen = Screen(terminal)
        terminal.send(b"\x14f")
        screen.wait_for_text("log to:")
        screen.wait_for_text(str(self.folder))
        terminal.send(b"\r")
        screen.wait_until_gone("log to:")
        found = None

        def is_said():
            nonlocal found
            said = "".join(line.strip() for line in screen.lines)
            found = re.search(r"logging to\s*" + re.escape(str(self.folder)) + "/" + pattern, said)
            return found
        wait_until(is_said, "the log is on")
        return found.group(1)

    def test_the_ending_of_the_chosen_file_selects_the_format(self):
        for name, shown, start in (
                ("boot.jsonl", "new: JSON lines", b"{"), ("boot.txt", "new: text", b"["),
                ("boot.pcapng", "new: pcapng", b"\n\r\r\n"), ("boot", "new: raw bytes", b"kept")):
            with self.subTest(name):
                terminal = self.session_in_folder("--log-format", "raw")
                screen = Screen(terminal)
                terminal.send(b"\x14f")
                screen.wait_for_text("log to:")
                terminal.send(name.encode())
                screen.wait_for_text(shown)
                terminal.send(b"\r")
                screen.wait_for_text("logging to")
                self.device.write(b"kept\r\n")
                wait_until(lambda: b"kept" in contents(self.folder / name)
                           or b"a2VwdA0K" in contents(self.folder / name), "the log is written")
                self.assertTrue((self.folder / name).read_bytes().startswith(start))
                self.assertEqual(terminal.leave()[0], 0)

    def test_a_file_that_exists_is_only_appended_to_if_the_user_agrees(self):
        (self.folder / "old.log").write_bytes(b"mine")
        terminal = self.session_in_folder()
        screen = Screen(terminal)
        for answer, kept in ((b"\r", b"mine"), (b"append\r", b"minekept")):
            terminal.send(b"\x14f")
            screen.wait_for_text("log to:")
            terminal.send(b"old.log\r")
            screen.wait_for_text("old.log exists:")
            terminal.send(answer)
            screen.wait_until_gone("old.log exists:")
        screen.wait_for(lambda lines: f"logging to {self.folder}/old.log." in "".join(lines), "on")
        self.device.write(b"kept")
        wait_until(lambda: (self.folder / "old.log").read_bytes() == kept, "the log is written")
        self.assertEqual(terminal.leave()[0], 0)
        terminal = self.session_in_folder()
        screen = Screen(terminal)
        terminal.send(b"\x14f")
        screen.wait_for_text("log to:")
        terminal.send(str(self.folder).encode() + b"\r")
        screen.wait_for(lambda lines: f"{self.folder}/" in "".join(lines), "the folder is continued")
        (self.folder / "link").symlink_to("old.log")
        terminal.send(b"\x15link\r")
        screen.wait_for(
            lambda lines: "is a symbolic link, which a log does not follow" in
            " ".join(" ".join(lines).split()), "the reason")

    def test_a_simulation_and_a_pseudo_terminal_have_names_and_not_numbers(self):
        for target, name in (("loopback:board", "board"), (self.device.node, None)):
            with self.subTest(target):
                name = name or "pts-" + target.rpartition("/")[2]
                log = self.folder / f"{name}.log"
                with Terminal(
                        serialterm_binary(), "connect", target, "--log",
                        str(self.folder / "%t.log")) as terminal:
                    terminal.expect(b"ctrl-t q")
                    self.assertTrue(log.exists(), os.listdir(self.folder))
                    terminal.leave()

    def test_wrong_options_are_told(self):
        for options, words in (
                (("--log-rotate", "0"), b"above zero"), (("--log-rotate", "12x"), b"10M"),
                (("--log-rotate-every", "1y"), b"6h"), (("--log-format", "xml"), b"jsonl"),
                (("--log-keep", "2"), b"--log-rotate"),
                (("--log-rotate", "1k", "--log-keep", "0"), b"1 or more"),
                (("--log", "/dev/ttyABSENT"), b"but a device, which is named without an option"),
                (("--log", "-"), b"standard output"), (("-L-",), b"standard output"),
                (("--log", "x.log", "--log-sent"), b"--log-sent needs a text"),
                (("--log-format", "raw", "--log-sent"), b"--log-sent needs a text")):
            with self.subTest(options=options):
                result = serialterm("connect", "loopback:", *options)
                self.assertEqual(result.status, 2)
                self.assertIn(words, result.stderr)


class Row33RotationTests(SessionTest):
    def files(self, upward=True):
        """The contents of the log's files, the oldest first. The numbers go upward, unless the number of old
        files is limited."""
        old = sorted(
            (path for path in self.folder.glob("log.*") if path.suffix[1:].isdigit()),
            key=lambda path: int(path.suffix[1:]), reverse=not upward)
        return [path.read_bytes() for path in [*old, self.log]]

    def rotated(self, count):
        terminal = self.session("-L", str(self.log), "--log-rotate", "1k")
        said = text(count * 1_024 + 100)
        self.device.write(said)
        wait_until(lambda: contents(self.log) == said[count * 1_024:], "all is written")
        self.assertEqual(terminal.leave()[0], 0)
        files = self.files()
        self.assertEqual(len(files), count + 1)
        self.assertEqual({len(file) for file in files[:-1]}, {1_024})
        self.assertTrue(b"".join(files) == said, "the files differ from what was said")
        record(33, "lost when turned over", 0, "bytes")

    def test_nothing_is_lost_over_the_boundary(self):
        self.rotated(50)

    def test_nothing_is_lost_over_1000_boundaries(self):
        started = time.monotonic()
        self.rotated(1_000)
        record(33, "1,000 files turned over", (time.monotonic() - started) * 1000, "ms")

    def test_numbers_go_on_from_those_that_are_there(self):
        for name in ("log.7", "log.07", "log.9x", "log.-8", "other.9"):
            (self.folder / name).write_bytes(name.encode())
        terminal = self.session("-L", str(self.log), "--log-rotate", "1k")
        self.device.write(text(2_500))
        wait_until(lambda: len(contents(self.log)) == 452, "it is written")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual((self.folder / "log.8").read_bytes(), text(2_500)[:1_024])
        self.assertEqual((self.folder / "log.9").read_bytes(), text(2_500)[1_024:2_048])
        for name in ("log.7", "log.07", "log.9x", "log.-8", "other.9"):
            self.assertEqual((self.folder / name).read_bytes(), name.encode())

    def test_as_many_old_files_stay_as_asked(self):
        terminal = self.session("-L", str(self.log), "--log-rotate", "1k", "--log-keep", "2")
        self.device.write(text(10_240) + b"end")
        wait_until(lambda: contents(self.log) == b"end", "the last file is written")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(b"".join(self.files(upward=False)), (text(10_240) + b"end")[-2_051:])
        self.assertFalse((self.folder / "log.3").exists())

    def test_time_turns_it_over_and_an_empty_file_stays(self):
        terminal = self.session("-L", str(self.log), "--log-rotate-every", "1s")
        self.device.write(b"first")
        first = self.folder / "log.1"
        wait_until(first.exists, "it is turned over")
        self.device.write(b"second")
        # It may be rotated once more meanwhile. An empty file stays as it is.
        second = self.folder / "log.2"
        wait_until(lambda: second.exists() or contents(self.log) == b"second", "it is written")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual([file for file in self.files() if file], [b"first", b"second"])

    def test_name_with_another_time_is_begun_instead(self):
        terminal = self.session(
            "-L", str(self.folder / "log-%H%M%S"), "--log-rotate-every", "1s")
        said = b""
        while len(list(self.folder.glob("log-*"))) < 3:
            self.device.write(b"x")
            terminal.expect(b"x")
            said += b"x"
        self.assertEqual(terminal.leave()[0], 0)
        files = sorted(self.folder.glob("log-*"))
        self.assertEqual(b"".join(file.read_bytes() for file in files), said)
        self.assertEqual({file.suffix for file in files}, {""})

    def test_records_are_whole_in_each_file(self):
        terminal = self.session(
            "-L", str(self.log), "--log-format", "jsonl", "--log-rotate", "1k")
        for _ in range(20):
            self.device.write(b"x" * 100)
            terminal.expect(b"x" * 100)
        self.assertEqual(terminal.leave()[0], 0)
        files = self.files()
        self.assertGreater(len(files), 3)
        for file in files:
            self.assertLessEqual(len(file), 1_024)
            for line in file.splitlines(True):
                self.assertRegex(line, rb"^\{.*\}\n$")

    def test_no_record_is_lost_over_hundreds_of_boundaries(self):
        terminal = self.session(
            "-L", str(self.log), "--log-format", "jsonl", "--log-rotate", "1k")
        said = text(400_000)
        # One read may return any number of bytes: each piece that is shown was a separate record.
        for begin in range(0, len(said), 2_000):
            piece = said[begin:begin + 2_000]
            self.device.write(piece)
            terminal.expect(piece[-50:])
        self.device.write(b"end")
        wait_until(lambda: base64.b64encode(b"end") in contents(self.log), "all is written")
        said += b"end"
        self.assertEqual(terminal.leave()[0], 0)
        files = self.files()
        self.assertGreater(len(files), 199)
        received = []
        for file in files:
            entries = [json.loads(line) for line in file.splitlines()]
            received += [base64.b64decode(entry["bytes"]) for entry in entries
                         if entry.get("direction") == "from-device"]
            # A record that is larger than the limit gets a separate file.
            self.assertTrue(len(file) <= 1_024 or len(entries) <= 2, file[:200])
        self.assertEqual(b"".join(received), said)

    def renamed(self, count):
        """The file is taken away under a session that writes, as logrotate does."""
        terminal = self.session("-L", str(self.log))
        said, times = b"", []

        def say():
            nonlocal said
            line = b"%06d\r\n" % (len(said) // 8)
            self.device.write(line)
            terminal.expect(line)
            said += line

        for index in range(count):
            os.rename(self.log, self.folder / f"log.{count - index}")
            renamed = time.monotonic()
            while not self.log.exists() and time.monotonic() - renamed < LOOK:
                say()
            # If it was not begun again yet, these bytes do it: the last look was before it was renamed.
            say()
            wait_until(self.log.exists, "it is begun again with the next bytes")
            times.append(time.monotonic() - renamed)
        record("logs", "log renamed to begun again", times, "s", at_most=1.1)
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(b"".join(self.files(upward=False)), said)

    @slow
    def test_file_that_was_renamed_is_begun_anew(self):
        self.renamed(2)

    @soak
    def test_nothing_is_lost_when_it_is_renamed_again_and_again(self):
        self.renamed(50)

    def test_hang_up_after_it_was_renamed_loses_nothing(self):
        """SIGHUP ends the session; it is no request to start the file again."""
        terminal = self.session("-L", str(self.log))
        self.device.write(b"before ")
        self.wait_for_log(7)
        os.rename(self.log, self.folder / "log.1")
        self.device.write(b"after")
        terminal.expect(b"after")
        self.assertEqual(self.signal(terminal, signal.SIGHUP)[0], 128 + signal.SIGHUP)
        files = [self.folder / "log.1", self.log]
        self.assertEqual(b"".join(contents(file) for file in files), b"before after")

    def test_link_in_its_place_is_not_followed_and_nothing_lost(self):
        there = self.folder / "there"
        terminal = self.session("-L", str(self.log))
        moved = self.folder / "moved"
        os.rename(self.log, moved)
        self.log.symlink_to(there)
        said = b""
        while b"any more," not in terminal.output:
            self.device.write(b"x")
            terminal.expect(b"x")
            said += b"x"
        self.assertEqual(terminal.leave()[0], 0)
        self.assertFalse(there.exists())
        self.assertEqual(moved.read_bytes(), said)


class Row34PlantTests(SessionTest):
    def test_link_planted_where_an_old_file_goes_is_not_written_through(self):
        target = self.folder / "target"
        target.write_bytes(b"mine")
        first, second = (self.folder / name for name in ("log.1", "log.2"))
        first.symlink_to(target)
        for options, link, old in (
                (("--log-keep", "5"), second, first), (("--log-append",), first, second)):
            with self.subTest(options):
                if options == ("--log-append",):
                    os.rename(second, first)
                    self.log.unlink()
                terminal = self.session("-L", str(self.log), "--log-rotate", "1k", *options)
                self.device.write(text(1_100))
                wait_until(
                    lambda: contents(self.log) == text(1_100)[1_024:], "it is turned over")
                self.assertEqual(terminal.leave()[0], 0)
                self.assertTrue(link.is_symlink())
                self.assertEqual(target.read_bytes(), b"mine")
                self.assertEqual(old.read_bytes(), text(1_100)[:1_024])
        record(34, "files changed through a planted link", 0, "")


class Row47SecretTests(SessionTest):
    """A password that is typed is in no file that the program writes."""

    SECRET = b"correct horse battery"
    LOGS = ("a.log", "b.txt", "c.jsonl", "d.pcapng")

    def setUp(self):
        super().setUp()
        # Everything that the program may write is here: logs, history, configuration, sockets.
        self.home = self.folder / "home"
        self.home.mkdir()
        self.variables = {
            "HOME": str(self.home), "TMPDIR": str(self.home), "XDG_RUNTIME_DIR": str(self.home),
            "XDG_STATE_HOME": None, "XDG_CONFIG_HOME": None, "XDG_CACHE_HOME": None,
            "XDG_DATA_HOME": None}

    def logging_session(self, *options):
        named = [word for name in self.LOGS for word in ("-L", str(self.home / name))]
        return self.session(*named, *options, variables=self.variables, cwd=self.home)

    def type_a_password(self, terminal, at_a_time=None):
        """The device asks without echoing. Then it sends another text, and other text is typed."""
        at_a_time = at_a_time or len(self.SECRET)
        self.device.write(b"login: ")
        terminal.expect(b"login:")
        self.enter(terminal, b"root", 4)
        self.device.write(b"\r\npassword: ")
        terminal.expect(b"password:")
        self.enter(terminal, self.SECRET, at_a_time)
        self.device.write(b"\r\nwelcome\r\n# ")
        terminal.expect(b"welcome")
        self.enter(terminal, b"ls", 2)

    def enter(self, terminal, line, at_a_time):
        for start in range(0, len(line), at_a_time):
            terminal.send(line[start:start + at_a_time])
        terminal.send(b"\r")
        self.assertEqual(self.device.read_exactly(len(line) + 1), line + b"\r")

    def files_with(self, terminal, *secrets):
        """Ends a session. Returns the names of the files that contain a secret, as bytes, in base64
        at any offset, or in hexadecimal digits."""
        self.assertEqual(terminal.leave()[0], 0)
        forms = []
        for secret in secrets:
            forms += [secret, secret.hex().encode(), secret.hex(" ").encode()]
            for offset in range(3):
                # Without the characters that depend on the bytes around it.
                forms.append(base64.b64encode(b"x" * offset + secret)[4 * (offset > 0):][:-4])
        written = {path.name: path.read_bytes() for path in self.home.rglob("*") if path.is_file()}
        for name in self.LOGS:
            self.assertIn(name, written)
        self.assertIn(b"welcome", written["b.txt"])
        # A part of a short word may occur by chance.
        forms = [form for form in forms if len(form) > 4]
        return {name for name, data in written.items() if any(form in data for form in forms)}

    def parts(self):
        """The secret, and the contents of a file that has a part of it in each record."""
        return (self.SECRET, *self.SECRET.split())

    def test_what_is_typed_is_in_no_file(self):
        for at_a_time in (None, 1):
            with self.subTest(at_a_time):
                terminal = self.logging_session("--log-append")
                self.type_a_password(terminal, at_a_time)
                self.assertEqual(self.files_with(terminal, *self.parts()), set())
        record(47, "files with a password in them, typed key by key", 0, "")

    def test_what_is_typed_as_a_line_is_in_no_file(self):
        terminal = self.logging_session("--input-mode", "line", "--line-ending", "cr")
        self.type_a_password(terminal)
        # The history is written, and has the lines before and after it.
        self.assertEqual(self.files_with(terminal, *self.parts()), set())
        histories = [path for path in self.home.rglob("default") if path.is_file()]
        self.assertEqual([path.read_bytes() for path in histories], [b"root\nls\n"])
        record(47, "files with a password in them, typed as a line", 0, "")

    def test_commands_that_show_or_keep_settings_keep_no_password(self):
        terminal = self.logging_session()
        self.type_a_password(terminal)
        for key in (b"c", b"s", b"f", b"f"):
            terminal.send(b"\x14" + key)
            terminal.expect(b"serialterm: ")
        self.assertEqual(self.files_with(terminal, *self.parts()), set())

    def test_what_is_typed_is_logged_when_asked_but_never_raw(self):
        terminal = self.logging_session("--log-sent")
        self.type_a_password(terminal)
        self.assertEqual(
            self.files_with(terminal, self.SECRET), {"b.txt", "c.jsonl", "d.pcapng"})
