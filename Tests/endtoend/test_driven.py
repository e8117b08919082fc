"""Programs that drive a session: `connect --exec` and `connect --json`."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from Tests.endtoend.faults import preload, processes
from Tests.endtoend.faults.disks import Disk
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import (
    Device, Loopback, Pipes, serialterm, serialterm_binary, slow, soak, unread, wait_until)
from Tests.endtoend.harness.program import Program


class ExecTests(unittest.TestCase):
    def test_both_directions_are_exact(self):
        data = random.Random(3).randbytes(300_000)
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "in", Path(folder) / "out"
            source.write_bytes(data)
            result = serialterm(
                "connect", "loopback:", "--exec",
                f"cat {source} & head -c {len(data)} > {target}; wait")
            self.assertEqual(result.status, 0, result)
            self.assertEqual(target.read_bytes(), data)

    def assert_sends_zeros(self, command, count):
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "connect", device.path, "--exec", command))
            self.assertEqual(device.read_exactly(count), bytes(count))
            self.assertEqual(program.wait(), 0)

    def test_what_the_command_wrote_last_is_sent(self):
        self.assert_sends_zeros("head -c 51200 /dev/zero", 51_200)

    def test_whoever_the_command_left_behind_is_not_waited_for(self):
        self.assert_sends_zeros("head -c 200000 /dev/zero; sleep 30 &", 200_000)

    @unittest.skipUnless(shutil.which("sz"), "needs lrzsz")
    def test_a_file_goes_by_zmodem(self):
        data = random.Random(4).randbytes(200_000)
        with tempfile.TemporaryDirectory() as folder, Loopback("--pair") as pair:
            source, inbox = Path(folder) / "file", Path(folder) / "inbox"
            source.write_bytes(data)
            inbox.mkdir()
            receiver = self.enterContext(
                Pipes(serialterm_binary(), "connect", pair.nodes[1], "--exec",
                      f"cd {inbox} && rz -q"))
            sender = self.enterContext(
                Pipes(serialterm_binary(), "connect", pair.nodes[0], "--exec", f"sz -q {source}"))
            self.assertEqual((sender.wait(), receiver.wait()), (0, 0))
            self.assertEqual((inbox / "file").read_bytes(), data)

    def test_the_status_is_the_command_s(self):
        for command, status in [("exit 3", 3), ("nonexistent-command", 127), ("kill -9 $$", 137)]:
            result = serialterm("connect", "loopback:", "--exec", command)
            self.assertEqual(result.status, status, result)

    def test_signals_that_the_program_ignores_are_not_ignored_by_the_command(self):
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            result = serialterm("connect", "loopback:", "--exec", f"kill -{number} $$; exit 3")
            self.assertEqual(result.status, 128 + number, number)

    def test_standard_error_is_ours(self):
        result = serialterm("connect", "loopback:", "--exec", "echo hello >&2")
        self.assertEqual((result.stdout, result.stderr), (b"", b"hello\n"))

    def test_a_device_that_goes_away_ends_it(self):
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "connect", device.path, "--exec", "echo; sleep 60"))
            device.read_exactly(1)
            device.hang_up()
            self.assertEqual(program.wait(), 6)


def received(log, format):
    """The device's bytes in a log, independent of the number of reads."""
    data = log.read_bytes()
    if format == "jsonl":
        records = [json.loads(line) for line in data.splitlines()]
        return "".join(record.get("text", "") for record in records).encode()
    if format == "pcapng":
        return b"hello" if data.startswith(b"\x0a\x0d\x0d\x0a") and b"h" in data else data
    return data if format == "raw" else data.rstrip(b"\n")[-5:]


class LogTests(unittest.TestCase):
    """Logs of sessions without a user are the same as those of connect."""

    COMMANDS = (
        ["send", "loopback:", "hello", "--line-ending", "none", "--expect", "hello"],
        ["run", "loopback:", "-"],
        ["connect", "loopback:", "--exec", "printf hello; head -c 5 > /dev/null"],
        ["connect", "loopback:", "--json"],
    )
    INPUTS = (
        b"", b'send "hello"\nexpect /hello/\n', b"",
        b'{"command": "send", "text": "hello"}\n{"command": "expect", "regex": "hello"}\n')

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_in_every_format(self):
        for command, text in zip(self.COMMANDS, self.INPUTS):
            for format in ("raw", "text", "jsonl", "pcapng"):
                with self.subTest((command, format)):
                    log = self.folder / f"{command[0]}{len(command[-1])}.{format}"
                    result = serialterm(
                        *command, "--log", str(log), "--log-format", format, stdin=text)
                    self.assertEqual(result.status, 0, result)
                    self.assertEqual(received(log, format), b"hello")

    def test_what_cannot_be_logged_ends_with_7(self):
        for command, text in zip(self.COMMANDS, self.INPUTS):
            with self.subTest(command):
                there = self.folder / "there"
                there.write_bytes(b"mine")
                result = serialterm(*command, "--log", str(there), stdin=text)
                self.assertEqual(result.status, 7, result)
                self.assertEqual(there.read_bytes(), b"mine")

    @unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
    def test_gaps_end_with_7_and_are_said_once(self):
        for index, (command, text) in enumerate(zip(self.COMMANDS, self.INPUTS)):
            with self.subTest(command):
                disk = Disk.broken(self.folder / f"log{index}")
                disk.switch_on()
                result = serialterm(
                    *command, "--log", str(self.folder / f"log{index}"), stdin=text,
                    variables=disk.variables)
                self.assertEqual(result.status, 7, result)
                # The second, if the log's thread has not come to it when the program gives up waiting.
                said = re.findall(rb"5 bytes not logged|data; 5 bytes were not written", result.stderr)
                self.assertEqual(len(said), 1, result)

    def test_a_profile_s_log_holds_for_them_too(self):
        (self.folder / "serialterm").mkdir()
        (self.folder / "serialterm/config.toml").write_text(
            f"[default]\nlog = '{self.folder}/log'\n")
        for command, text in zip(self.COMMANDS, self.INPUTS):
            result = serialterm(
                *command, stdin=text, variables={"XDG_CONFIG_HOME": str(self.folder)})
            self.assertEqual(result.status, 0, result)
            (self.folder / "log").unlink()


class JSONTests(unittest.TestCase):
    def events(self, *commands, target="loopback:board"):
        text = "".join(json.dumps(command) + "\n" for command in commands)
        result = serialterm("connect", target, "--json", stdin=text.encode())
        self.assertEqual(result.status, 0, result)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def answers(self, *commands, **how):
        return [event for event in self.events(*commands, **how)
                if event["event"] in ("done", "failed")]

    def test_a_dialogue(self):
        answers = self.answers(
            {"id": 1, "command": "expect", "regex": "board> "},
            {"id": "two", "command": "send", "text": "version\r"},
            {"id": 3, "command": "expect", "regex": r"firmware (\S+)\r", "timeout": 60},
            {"id": 4, "command": "close"})
        self.assertEqual([answer["id"] for answer in answers], [1, "two", 3, 4])
        self.assertEqual(answers[2]["match"], ["firmware 1.0.0\r", "1.0.0"])

    def test_what_is_received_is_there_whole(self):
        data = bytes(range(256)) * 20 + b"the end"
        events = self.events(
            {"command": "send", "hex": data.hex()},
            {"command": "expect", "regex": "the end", "timeout": 60}, target="loopback:")
        received = b"".join(
            event["text"].encode() if "text" in event else bytes.fromhex(event["hex"])
            for event in events if event["event"] == "received")
        self.assertEqual(received, data)

    def test_mistakes_are_answered_and_nothing_else_suffers(self):
        text = b'nonsense\n{"id":7,"command":"dance"}\n{"id":8,"command":"send","text":"x"}\n'
        result = serialterm("connect", "loopback:", "--json", stdin=text)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        answers = [event for event in answers if event["event"] in ("done", "failed")]
        self.assertEqual(
            [(answer["event"], answer["id"]) for answer in answers],
            [("failed", None), ("failed", 7), ("done", 8)])

    @slow
    def test_other_mistakes(self):
        for command in ({"command": "send"}, {"command": "send", "text": "a", "hex": "00"},
                        {"command": "send", "hex": "0"}, {"command": "expect"},
                        {"command": "expect", "regex": "("}, {"command": "set"},
                        {"command": "expect", "regex": "a", "timeout": "1"},
                        {"command": "set", "baud": 0}, {"command": "set", "dtr": 1},
                        {"command": "break", "milliseconds": 0}, {"command": "send", "text": 1},
                        {"command": "send", "text": "x" * 70_000}, [1], None):
            answers = self.answers(command, target="loopback:")
            self.assertEqual([answer["event"] for answer in answers], ["failed"], command)

    def test_other_commands_of_a_session_are_given_by_name(self):
        answers = self.answers(
            {"id": 1, "command": "baud", "argument": 9600},
            {"id": 2, "command": "baud", "argument": "fast"},
            {"id": 3, "command": "parity"},
            {"id": 4, "command": "reconnect"},
            {"id": 5, "command": "quit"},
            {"id": 6, "command": "baud", "argument": True},
            {"id": 7, "command": "statistics"})
        self.assertEqual([answer.get("reason") for answer in answers], [
            None, "baud: expected a whole number from 1 to 2147483647",
            "parity: expected one of none, odd, even, mark, space", None, "there is no user",
            "argument: expected a string or a whole number", None])
        self.assertEqual(answers[0]["message"], "Now 9600 8N1.")
        self.assertEqual(
            answers[3]["message"], "reconnect is off: the session ends when the device is lost.")
        self.assertIn("bytes received", answers[6]["message"])

    def test_a_program_that_reads_late_gets_every_answer(self):
        commands = b"".join(
            json.dumps({"id": f"{number:01000}", "command": "send", "text": ""}).encode() + b"\n"
            for number in range(2_000))
        reader, writer = os.pipe()
        with open(reader, "rb") as output:
            program = self.enterContext(
                Program([serialterm_binary(), "connect", "loopback:", "--json"],
                        stdin=subprocess.PIPE, stdout=writer))
            os.close(writer)
            stdin = program.process.stdin

            def feed():
                with stdin:
                    stdin.write(commands)

            feeder = threading.Thread(target=feed)
            feeder.start()
            wait_until(
                lambda: not feeder.is_alive()
                or unread(stdin) > 30_000 and processes.state_of(program.pid) == "S",
                "the program waits")
            answers = [json.loads(line) for line in output]
            feeder.join()
        self.assertEqual(
            [int(answer["id"]) for answer in answers if answer["event"] == "done"],
            list(range(2_000)))

    @unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
    def test_an_output_that_takes_nothing_from_the_start_ends_it_before_the_port_is_opened(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with Device() as device, open("/dev/full", "wb") as full:
            driver = Driver(device.path, folder)
            with Program([serialterm_binary(), "connect", device.path, "--json"],
                         variables=driver.variables,
                         stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE) as program:
                self.assertEqual(program.wait(), 9)
                self.assertEqual(
                    program.process.stderr.read(),
                    b"serialterm: standard output: No space left on device.\n")
            self.assertEqual(driver.trace, [])

    def test_an_answer_of_megabytes_is_whole_and_nothing_after_it_is_missing(self):
        data, groups = b"\x01" * 20_000, 10
        regex = "(" * groups + "\\x01+" + ")" * groups + "\\x02"
        commands = [
            {"id": 1, "command": "expect", "regex": regex, "timeout": 60},
            {"id": 2, "command": "send", "text": "after"}]
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "connect", device.path, "--json"))
            program.send(
                b"".join(json.dumps(command).encode() + b"\n" for command in commands), True)
            wait_until(lambda: device.exclusive, "the port is open")
            device.write(data + b"\x02")
            self.assertEqual(program.wait(), 0)
            lines = [json.loads(line) for line in program.stdout.expect_end().splitlines()]
            answers = [line for line in lines if line["event"] in ("done", "failed")]
            self.assertEqual([answer["id"] for answer in answers], [1, 2])
            self.assertEqual(
                [len(group) for group in answers[0]["match"]],
                [len(data) + 1] + [len(data)] * groups)
            self.assertEqual(device.rest(), b"after")

    def test_a_last_line_without_an_end_is_a_command_too(self):
        with Device() as device:
            result = serialterm(
                "connect", device.path, "--json", stdin=b'{"command": "send", "text": "x"}')
            self.assertEqual((result.status, device.rest()), (0, b"x"), result)
            self.assertIn(b'"done"', result.stdout)

    def test_read_only_sends_nothing(self):
        commands = [{"id": 1, "command": "send", "text": "x"}, {"id": 2, "command": "break"},
                    {"id": 3, "command": "set", "dtr": True},
                    {"id": 4, "command": "set", "baud": 9600}]
        text = "".join(json.dumps(command) + "\n" for command in commands).encode()
        with Device() as device:
            result = serialterm("connect", device.path, "--json", "--read-only", stdin=text)
            events = [json.loads(line) for line in result.stdout.splitlines()]
            self.assertEqual(
                [event.get("reason", "done") for event in events if "id" in event],
                ["read-only"] * 3 + ["done"])
            result = serialterm("connect", device.path, "--exec", "echo x", "--read-only")
            self.assertEqual(result.status, 2, result)
            self.assertEqual(device.rest(), b"")

    def test_the_state_is_told(self):
        states = [event for event in self.events({"command": "set", "baud": 9600})
                  if event["event"] == "state"]
        self.assertEqual([state["state"] for state in states], ["open", "open", "closed"])
        self.assertEqual(
            [state.get("settings") for state in states], ["115200 8N1", "9600 8N1", None])

    def test_different_rounds(self):
        self.check_rounds(3)

    @soak
    def test_a_thousand_different_rounds(self):
        self.check_rounds(1_000)

    def check_rounds(self, count):
        commands = [{"command": "expect", "regex": "board> "}]
        for number in range(count):
            commands.append({"command": "send", "text": f"echo {number}\r"})
            commands.append(
                {"id": number, "command": "expect", "regex": r"\n(\d+)\r\nboard> "})
        matches = [answer for answer in self.answers(*commands) if "match" in answer][1:]
        self.assertEqual(
            [(answer["id"], answer["match"][1]) for answer in matches],
            [(number, str(number)) for number in range(count)])


class PipeliningTests(unittest.TestCase):
    """Commands that a program writes without waiting for answers."""

    NEVER = {"command": "expect", "regex": "never", "timeout": 3_600}

    def session(self, *targets):
        return self.enterContext(Pipes(serialterm_binary(), "connect", *targets, "--json"))

    @staticmethod
    def lines(*commands):
        return b"".join(json.dumps(command).encode() + b"\n" for command in commands)

    @staticmethod
    def answers(program):
        data = program.stdout.data
        events = [json.loads(line) for line in data[:data.rfind(b"\n") + 1].splitlines()]
        return [event for event in events if event["event"] in ("done", "failed")]

    def wait_for_answers(self, program, count):
        wait_until(lambda: len(self.answers(program)) >= count, f"{count} answers")
        return self.answers(program)

    def assert_stopped(self, answers):
        """The first two commands were cancelled by the third one."""
        self.assertEqual(answers[:3], [
            {"event": "failed", "id": 1, "reason": "cancelled"},
            {"event": "failed", "id": 2, "reason": "cancelled"}, {"event": "done", "id": 3}])

    def test_a_cancel_behind_other_commands_stops_them_all(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(self.lines(
                {"id": 1, **self.NEVER}, {"id": 2, **self.NEVER}, {"id": 3, "command": "cancel"}))
            self.assert_stopped(self.wait_for_answers(program, 3))
            program.send(self.lines({"id": 4, "command": "send", "text": "later"}))
            self.assertEqual(device.read_exactly(5), b"later")
            self.assertEqual(self.wait_for_answers(program, 4)[3:], [{"event": "done", "id": 4}])

    def test_a_cancel_at_the_end_of_the_input_ends_the_session(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(self.lines(
                {"id": 1, **self.NEVER}, {"id": 2, **self.NEVER}, {"id": 3, "command": "cancel"}), True)
            self.assertEqual(program.wait(), 0)
            program.stdout.expect_end()
            self.assert_stopped(self.answers(program))

    def test_what_is_no_command_fails_in_its_turn(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(
                self.lines({"id": 1, **self.NEVER}) + b"nonsense\n"
                + self.lines({"id": 3, "command": "dance"}, {"id": 4, "command": "cancel"},
                             {"id": 5, "command": "dance"}, {"id": 6, "command": "sned"}))
            answers = self.wait_for_answers(program, 6)
            self.assertEqual([answer["id"] for answer in answers], [1, None, 3, 4, 5, 6])
            reasons = [answer.get("reason") for answer in answers]
            self.assertEqual(reasons[:4], ["cancelled", "not JSON: error at byte 1", "cancelled", None])
            self.assertIn("expected a command", reasons[4])
            self.assertEqual(reasons[5], "'sned' is no command: did you mean 'send'?")

    def test_a_cancelled_send_says_what_was_not_sent(self):
        first, second, third = b"1" * 60_000, b"2" * 1_234, "\u00e9" * 100
        with Device() as device:
            program = self.session(device.path)
            program.send(self.lines(
                {"id": 1, "command": "send", "text": first.decode()},
                {"id": 2, "command": "send", "hex": second.hex()},
                {"id": 3, "command": "send", "text": third},
                {"id": 4, "command": "send"},
                {"id": 5, "command": "cancel"},
                {"id": 6, "command": "send", "text": "next"}))
            answers = self.wait_for_answers(program, 5)
            self.assertEqual([answer["id"] for answer in answers[:5]], [1, 2, 3, 4, 5])
            self.assertEqual([answer.get("reason") for answer in answers[:4]], ["cancelled"] * 4)
            left = answers[0]["unsent"]
            self.assertGreater(left, 0)
            self.assertEqual(
                [answer.get("unsent") for answer in answers[1:5]], [len(second), 200, None, None])
            self.assertEqual(
                device.read_exactly(len(first) - left + 4), first[left:] + b"next")
            self.wait_for_answers(program, 6)

    def test_more_commands_than_can_wait_are_read_later(self):
        """They stay in the pipe until the one that runs is answered."""
        count = 5_000
        with Device() as device:
            program = self.session(device.path)
            program.send(self.lines(
                {"id": 0, "command": "expect", "regex": "go", "timeout": 600},
                *({"id": number, "command": "set", "baud": 9600} for number in range(1, count))), True)
            wait_until(
                lambda: unread(program.process.stdin) > 30_000
                and processes.state_of(program.pid) == "S", "the program waits")
            self.assertEqual(self.answers(program), [])
            device.write(b"go")
            self.assertEqual(program.wait(), 0)
            program.stdout.expect_end()
            self.assertEqual([answer["id"] for answer in self.answers(program)], list(range(count)))

    def test_a_line_that_is_too_long_ends_it_after_the_commands_before_it(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(self.lines(
                {"id": 0, "command": "statistics"},
                {"id": 1, "command": "expect", "regex": "go", "timeout": 60},
                {"id": 2, "command": "send", "text": "answer"},
                {"id": 3, "command": "send", "text": "x" * 1_048_576}), True)
            self.wait_for_answers(program, 1)
            wait_until(
                lambda: processes.state_of(program.pid) == "S" and (
                    program.process.stdin.closed or not unread(program.process.stdin)), "it is read")
            device.write(b"go")
            self.assertEqual(program.wait(), 2)
            program.stdout.expect_end()
            self.assertEqual([answer["id"] for answer in self.answers(program)], [0, 1, 2])
            self.assertIn(b"a command is longer than 1048576 bytes", program.stderr.expect_end())
            self.assertEqual(device.rest(), b"answer")

    def test_a_cancel_is_for_all_ports(self):
        with Device() as one, Device() as two:
            program = self.session(one.path, two.path)
            names = json.loads(program.stdout.expect(b"\n").string.split(b"\n")[0])["ports"]
            program.send(self.lines(
                {"id": 1, **self.NEVER, "port": names[1]},
                {"id": 2, "command": "send", "text": "xx", "port": names[0]},
                {"id": 3, "command": "cancel"}))
            self.assertEqual(self.wait_for_answers(program, 3), [
                {"event": "failed", "port": names[1], "id": 1, "reason": "cancelled"},
                {"event": "failed", "port": names[0], "id": 2, "reason": "cancelled", "unsent": 2},
                {"event": "done", "id": 3}])

    def test_a_port_that_is_closed_for_good_does_not_hold_up_the_others(self):
        with Device() as one, Device() as two:
            program = self.session(one.path, two.path, "--no-reconnect", "--byte-delay", "200")
            names = json.loads(program.stdout.expect(b"\n").string.split(b"\n")[0])["ports"]
            program.send(self.lines(
                {"id": 1, "command": "send", "text": "x" * 10_000, "port": names[0]},
                {"id": 2, "command": "send", "text": "y", "port": names[1]}))
            self.assertEqual(one.read_exactly(1), b"x")
            one.hang_up()
            self.assertEqual(two.read_exactly(1), b"y")
            self.assertEqual(self.wait_for_answers(program, 2), [
                {"event": "failed", "port": names[0], "id": 1, "reason": "no device"},
                {"event": "done", "port": names[1], "id": 2}])

    @unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
    def test_a_sequence_is_stopped(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        with Device() as device:
            driver = Driver(device.path, folder)
            program = self.enterContext(Pipes(
                serialterm_binary(), "connect", device.path, "--json", variables=driver.variables))
            program.send(self.lines(
                {"id": 1, "command": "sequence", "argument": "dtr=off,wait=10000,rts=off"}))
            wait_until(lambda: "TIOCMBIC DTR" in driver.trace, "it has begun")
            program.send(self.lines({"id": 2, "command": "cancel"}, {"id": 3, "command": "lines"}))
            answers = self.wait_for_answers(program, 3)
            self.assertEqual(answers[:2], [
                {"event": "failed", "id": 1, "reason": "cancelled"}, {"event": "done", "id": 2}])
            self.assertEqual((answers[2]["event"], answers[2]["id"]), ("done", 3))
            self.assertNotIn("TIOCMBIC RTS", driver.trace)

    def test_commands_in_any_order_and_any_pieces(self):
        for seed in range(5):
            self.check_random(seed, 300)

    @soak
    def test_commands_in_any_order_and_any_pieces_for_long(self):
        for seed in range(100):
            self.check_random(seed, 1_000)

    def check_random(self, seed, count):
        chance = random.Random(seed)
        kinds = [
            {"command": "send", "text": "x" * 50}, {"command": "send", "hex": "00"},
            {"command": "set", "baud": 9600}, {"command": "statistics"}, self.NEVER, self.NEVER,
            {"command": "expect", "regex": "x", "timeout": 0.001}, {"command": "dance"}, None,
            {"command": "watch", "events": []}, {"command": "cancel"}]
        # What never ends is followed by a cancel.
        commands = [chance.choice(kinds) for _ in range(count)] + [{"command": "cancel"}] * 2
        commands += [command for command in kinds if command != self.NEVER]
        last = max(index for index, command in enumerate(commands) if command == {"command": "cancel"})
        data = b"".join(
            self.lines({"id": number, **command}) if command else b"{\n"
            for number, command in enumerate(commands))
        cuts = sorted(chance.choices(range(len(data)), k=chance.randrange(1, 60)))
        program = self.session("loopback:")
        for start, end in zip([0, *cuts], [*cuts, len(data)]):
            program.send(data[start:end])
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        program.stdout.expect_end()
        answers = self.answers(program)
        self.assertEqual(
            [answer["id"] for answer in answers],
            [number if command else None for number, command in enumerate(commands)], seed)
        for number, (answer, command) in enumerate(zip(answers, commands)):
            reason = answer.get("reason")
            if command == {"command": "cancel"}:
                self.assertIsNone(reason, (seed, number))
            elif command == self.NEVER:
                self.assertEqual(reason, "cancelled", (seed, number))
            elif number > last:
                self.assertNotEqual(reason, "cancelled", (seed, number))
