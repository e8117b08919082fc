"""Rows 51 and 52: a session ends, and not everything was sent."""

import re
import signal

from Tests.endtoend.faults import NOT_SENT, PREFIX, SessionTest, number, processes, record, text
from Tests.endtoend.harness import Pipes, Terminal, serialterm_binary, slow, wait_until

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def said(errors):
    """How many bytes were not sent, as the messages have it."""
    return sum(number(count) for count in NOT_SENT.findall(errors))


class Row51UnsentTests(SessionTest):
    """A device that reads nothing: the kernel takes some of the sent bytes, the others are queued."""

    SIZE = 30_000

    def setUp(self):
        super().setUp()
        self.data = text(self.SIZE)
        self.differences = []

    def tearDown(self):
        if self.differences:
            record(51, "difference between said and true, of bytes not sent", self.differences,
                   "bytes")
        super().tearDown()

    def assert_counted(self, errors, taken):
        """The reported number is exactly the number of bytes that the device did not receive."""
        self.assertTrue(taken == self.data[:len(taken)], "what the device got is not what was sent")
        self.assertLess(len(taken), self.SIZE)
        self.differences.append(abs(self.SIZE - len(taken) - said(errors)))
        self.assertEqual(said(errors), self.SIZE - len(taken))
        self.assertEqual(len(NOT_SENT.findall(errors)), 1, "it is said once")

    def held(self):
        """Waits until the program has sent what the device's queue takes, and so has read its input."""
        wait_until(lambda: self.device.is_full, "the device's queue is full")

    # MARK: At a terminal

    def typed(self, *options):
        terminal = self.session(*options)
        terminal.send(self.data)
        self.expect_held(terminal)
        processes.wait_until_keys_are_read(terminal.pid)
        return terminal

    def test_quit_key(self):
        terminal = self.typed()
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 1)
        record(51, "quit key to the end", seconds * 1000, "ms", at_most=500)
        self.assert_counted(terminal.transcript.expect_end(), self.device.rest())

    def test_paced_bytes_do_not_delay_the_end(self):
        """A byte a millisecond: half a minute."""
        seconds = self.quit_paced("1", 100)
        record(51, "quit key to the end, with --byte-delay 1", seconds * 1000, "ms", at_most=500)

    def test_slowly_paced_bytes_do_not_delay_the_end(self):
        """A byte every 100 ms: few waits, so that a busy machine adds little that is not counted."""
        self.quit_paced("100", 3)

    def quit_paced(self, delay, count):
        """Quits after some bytes of a session with that --byte-delay. Returns the seconds until the end."""
        terminal = self.session("--byte-delay", delay)
        terminal.send(self.data)
        taken = self.device.read_exactly(count)
        status, seconds = self.quit(terminal)
        self.assertEqual(status, 1)
        self.assert_counted(terminal.transcript.expect_end(), taken + self.device.rest())
        return seconds

    def test_signals(self):
        for name in SIGNALS:
            with self.subTest(name):
                terminal = self.typed()
                status, seconds = self.signal(terminal, name)
                self.assertEqual(status, 128 + name)
                record(51, f"{name.name} to the end", seconds * 1000, "ms", at_most=500)
                self.assert_counted(terminal.transcript.expect_end(), self.device.rest())
                self.replug()

    def test_lost_device(self):
        terminal = self.typed("--no-reconnect")
        with self.leaving(terminal) as left:
            taken = self.unplug_and_read(terminal)
        self.assertEqual(left.status, 6)
        self.assert_counted(terminal.transcript.expect_end(), taken)

    def test_lost_device_that_came_back(self):
        terminal = self.typed()
        taken = self.unplug_and_read(terminal)
        terminal.expect(b"is gone")
        self.device.plug()
        terminal.expect(b"is back")
        self.assertEqual(self.quit(terminal)[0], 1)
        self.assert_counted(terminal.output, taken)
        self.assertEqual(self.device.rest(), b"")

    # MARK: Without one

    def commands(self):
        """Every command that sends, and its standard input."""
        script = b"send \"" + self.data + b"\"\n"
        file = self.folder / "script"
        file.write_bytes(script)
        yield ["connect"], [], self.data
        yield ["send"], [], self.data
        yield ["send"], [self.data.decode(), "--line-ending", "none"], b""
        yield ["run"], [str(file)], b""
        yield ["connect"], ["--exec", f"cat {self.sample()}"], b""
        yield ["connect"], ["--json"], self.json()

    def sample(self):
        path = self.folder / "sample"
        path.write_bytes(self.data)
        return path

    def json(self):
        return b'{"command": "send", "text": "' + self.data + b'"}\n'

    def started(self, command, words, data, *options):
        program = self.enterContext(
            Pipes(serialterm_binary(), *command, self.device.path, *words, *options))
        program.send(data)
        program.send(b"")  # When all of the data is in the pipe.
        wait_until(lambda: self.device.exclusive, "the port is open")
        self.held()
        return program

    @slow
    def test_signals_without_a_terminal(self):
        for command, words, data in self.commands():
            for name in SIGNALS:
                with self.subTest((command, [word[:20] for word in words], name)):
                    program = self.started(command, words, data)
                    program.signal(name)
                    self.assertEqual(program.wait(), 128 + name)
                    self.assert_counted(program.stderr.expect_end(), self.device.rest())
                    self.replug()

    def test_lost_device_without_a_terminal(self):
        for command, words, data in self.commands():
            with self.subTest((command, [word[:20] for word in words])):
                options = ["--no-reconnect"] if command == ["connect"] else []
                program = self.started(command, words, data, *options)
                taken = self.unplug_and_read(program)
                self.assertEqual(program.wait(), 6)
                self.assert_counted(program.stderr.expect_end(), taken)
                self.device.plug()

    def test_what_is_still_in_the_pipe_counts(self):
        self.SIZE = 120_000
        self.data = text(self.SIZE)
        program = self.started(["connect"], [], self.data)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        self.assert_counted(program.stderr.expect_end(), self.device.rest())

    def test_what_is_still_in_the_file_counts(self):
        self.SIZE = 1_000_000
        self.data = text(self.SIZE)
        with open(self.sample(), "rb") as file:
            terminal = self.enterContext(
                Terminal(serialterm_binary(), "connect", self.device.path, stdin=file))
            wait_until(lambda: self.device.exclusive, "the port is open")
            self.held()
            terminal.signal(signal.SIGTERM)
            self.assertEqual(terminal.wait(), 128 + signal.SIGTERM)
        self.assert_counted(terminal.transcript.expect_end(), self.device.rest())

    def test_a_script_that_gives_up(self):
        for words in (["send", self.device.path, self.data.decode(), "--line-ending", "none",
                       "--expect", "ok", "--timeout", "0.5"],
                      ["run", self.device.path, "-", "--timeout", "0.5"]):
            with self.subTest(words[0]):
                program = self.enterContext(Pipes(serialterm_binary(), *words))
                program.send(b"send \"" + self.data + b"\"\n", then_close=True)
                self.assertEqual(program.wait(), 10)
                self.assert_counted(program.stderr.expect_end(), self.device.rest())
                self.replug()


class Row52CutFileTests(SessionTest):
    """A file on its way to a slow device."""

    SIZE = 300_000
    CUT = re.compile(rb"image\.bin was (?:cut off|stopped): ([\d,]+) of 300,000 bytes were sent\.")

    def setUp(self):
        super().setUp()
        self.data = text(self.SIZE, seed=52)
        self.file = self.folder / "image.bin"
        self.file.write_bytes(self.data)
        self.taken = b""

    def assert_counted(self, errors, taken):
        """The file is named, and the number of sent bytes is exactly the number that the device received."""
        self.assertTrue(taken == self.data[:len(taken)], "what the device got is not the file's")
        counts = self.CUT.findall(errors)
        self.assertEqual(len(counts), 1, errors[-500:])
        record(52, "difference between said and true, of bytes of a file that were sent",
               abs(number(counts[0]) - len(taken)), "bytes")
        self.assertEqual(number(counts[0]), len(taken))
        self.assertEqual(said(errors), 0, "what was typed was sent")

    # MARK: In a session

    def sending(self, *options):
        """A session of which the device has got some of the file."""
        terminal = self.session(*options, size=(24, 200))
        terminal.send(PREFIX + b"x")
        terminal.expect(b"file to send")
        terminal.send(str(self.file).encode() + b"\r")
        terminal.expect(b"how to send")
        terminal.send(b"\r")
        terminal.expect(b"ctrl-c stops")
        self.taken = self.device.read_exactly(50_000)
        return terminal

    def ended_with(self, terminal, status):
        self.assertEqual(terminal.wait(), status)
        taken = self.taken + (self.device.rest() if self.device.descriptor else b"")
        terminal.transcript.expect_end()
        self.assert_counted(terminal.output, taken)

    def test_quit_key_asks_and_a_second_one_leaves_at_once(self):
        terminal = self.sending()
        terminal.send(PREFIX + b"q")
        terminal.expect(b"leave before image.bin is sent")
        self.assertTrue(terminal.running)
        _, seconds = self.quit(terminal)
        record(52, "second quit key to the end", seconds * 1000, "ms", at_most=500)
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.ended_with(terminal, 8)

    def test_quit_key_asks_and_the_answer_leaves(self):
        terminal = self.sending()
        terminal.send(PREFIX + b"q")
        terminal.expect(b"leave before image.bin is sent")
        terminal.send(b"leave\r")
        self.ended_with(terminal, 8)

    def test_enter_and_escape_keep_sending(self):
        for key in (b"\r", b"\x1b"):
            with self.subTest(key):
                terminal = self.sending()
                terminal.send(PREFIX + b"q")
                terminal.expect(b"leave before image.bin is sent")
                terminal.send(key)
                rest = self.device.read_exactly(self.SIZE - len(self.taken))
                self.assertTrue(self.taken + rest == self.data, "the file did not arrive whole")
                terminal.expect(b"sent image.bin, 300,000 bytes")
                # It was asked about that file, not about leaving in general.
                self.assertEqual(self.quit(terminal)[0], 0)

    def test_the_question_goes_when_the_file_is_sent(self):
        terminal = self.sending()
        terminal.send(PREFIX + b"q")
        terminal.expect(b"leave before image.bin is sent")
        self.device.read_exactly(self.SIZE - len(self.taken))
        terminal.expect(b"sent image.bin, 300,000 bytes")
        terminal.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_another_command_in_between_is_no_answer(self):
        terminal = self.sending()
        terminal.send(PREFIX + b"q")
        terminal.expect(b"leave before image.bin is sent")
        terminal.send(PREFIX + b"s")
        terminal.expect(b"waiting to be sent")
        terminal.send(PREFIX + b"q")
        terminal.expect(b"leave before image.bin is sent")
        terminal.send(PREFIX + b"q")
        self.ended_with(terminal, 8)

    def test_signals_do_not_ask(self):
        for name in SIGNALS:
            for asks in (False, True):
                with self.subTest((name, asks)):
                    terminal = self.sending()
                    if asks:
                        terminal.send(PREFIX + b"q")
                        terminal.expect(b"leave before image.bin is sent")
                    _, seconds = self.signal(terminal, name)
                    record(52, f"{name.name} to the end", seconds * 1000, "ms", at_most=500)
                    self.ended_with(terminal, 128 + name)
                    self.replug()

    def test_unplugged_for_good(self):
        terminal = self.sending("--no-reconnect")
        self.taken += self.unplug_and_read(terminal)
        self.ended_with(terminal, 8)

    def test_unplugged_and_plugged_in_again(self):
        terminal = self.sending()
        self.taken += self.unplug_and_read(terminal)
        terminal.expect(b"is gone")
        self.device.plug()
        terminal.expect(b"is back")
        self.assertEqual(self.quit(terminal)[0], 8)
        self.assertEqual(self.device.rest(), b"")
        self.assert_counted(terminal.output, self.taken)

    def test_cancelled(self):
        terminal = self.sending()
        terminal.send(b"\x03")
        terminal.expect(b"image.bin was stopped")
        self.taken += self.device.read_available(0)
        terminal.send(PREFIX + b"q")
        self.ended_with(terminal, 8)

    def test_what_was_typed_before_the_file_is_counted_apart(self):
        terminal = self.session(size=(24, 200))
        terminal.send(b"t" * 50_000)
        self.expect_held(terminal)
        processes.wait_until_keys_are_read(terminal.pid)
        terminal.send(PREFIX + b"x")
        terminal.expect(b"file to send")
        terminal.send(str(self.file).encode() + b"\r")
        terminal.expect(b"how to send")
        terminal.send(b"\r")
        terminal.expect(b"ctrl-c stops")
        status, _ = self.signal(terminal, signal.SIGTERM)
        self.assertEqual(status, 128 + signal.SIGTERM)
        errors = terminal.transcript.expect_end()
        self.assertEqual(number(self.CUT.search(errors).group(1)), 0)
        self.assertEqual(said(errors), 50_000 - len(self.device.rest()))

    # MARK: By a command

    def program(self):
        program = self.enterContext(
            Pipes(serialterm_binary(), "send", self.device.path, "--file", str(self.file)))
        self.taken = self.device.read_exactly(50_000)
        return program

    def test_send_ended_by_signals(self):
        for name in SIGNALS:
            with self.subTest(name):
                program = self.program()
                program.signal(name)
                self.assertEqual(program.wait(), 128 + name)
                self.assert_counted(
                    program.stderr.expect_end(), self.taken + self.device.rest())
                self.replug()

    def test_send_unplugged(self):
        program = self.program()
        self.taken += self.unplug_and_read(program)
        self.assertEqual(program.wait(), 8)
        self.assert_counted(program.stderr.expect_end(), self.taken)
