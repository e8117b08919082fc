"""`serialterm run`: a dialogue from a script."""

import fcntl
import json
import os
import re
import tempfile
import termios
import unittest
import xml.etree.ElementTree
from pathlib import Path

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, slow, soak, wait_until
from Tests.endtoend.harness.program import Program


class RunCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def script(self, text):
        path = self.folder / "script"
        path.write_text(text)
        return str(path)

    def run_board(self, text, *options, **how):
        return serialterm("run", "loopback:board", self.script(text), *options, **how)


class BoardTests(RunCase):
    def test_prints_what_the_device_sends_and_the_script_prints(self):
        result = self.run_board('expect /ready/\nexpect /board> /\nprint "hello"\n')
        self.assertEqual(result.status, 0, result)
        self.assertTrue(result.stdout.endswith(b"board> hello\n"), result)

    def test_quiet_leaves_only_what_the_script_prints(self):
        result = self.run_board(
            'expect /board> /\nsend "version\\r"\nexpect /firmware (\\S+)\\r/\nprint "$1 \\$1"\n',
            "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"1.0.0 $1\n"), result)

    def test_the_first_of_several_that_comes_decides(self):
        text = '''
            expect /board> /
            repeat 3 {
              send "led on\\r"
              expect-one-of within 60s {
                /nothing/
                /led is (on|off)/ {
                  print "it is $1"
                  expect /board> /
                }
              }
            }
        '''
        result = self.run_board(text, "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"it is on\n" * 3), result)

    def test_fail_ends_with_its_line(self):
        result = self.run_board('expect /b(oar)d> /\n\nfail "no $1"\n')
        self.assertEqual(result.status, 1)
        self.assertTrue(result.stderr.endswith(b"script:3: no oar\n"), result)

    def test_what_does_not_come_ends_with_its_line(self):
        result = self.run_board('wait 10ms\nexpect /zzz/ within 300ms\n')
        self.assertEqual(result.status, 10)
        self.assertIn(b"script:2: timed out after 0.3 s waiting for /zzz/.", result.stderr)

    def test_the_option_says_how_long_to_wait_where_the_script_does_not(self):
        result = self.run_board("expect /zzz/\n", "--timeout", "0.2")
        self.assertEqual(result.status, 10)
        self.assertIn(b"after 0.2 s", result.stderr)

    def test_lines_that_the_port_has_not_are_an_error(self):
        result = self.run_board("set dtr on\n")
        self.assertEqual(result.status, 1)
        self.assertIn(b"script:1: this port has no modem lines", result.stderr)

    def test_a_break_that_the_palette_shows_as_off_fails_too(self):
        for text, reason in (("break 10ms", b"no break"), ("pulse rts 10ms", b"no modem lines")):
            result = self.run_board(f"{text}\nprint \"on\"\n", "--quiet")
            self.assertEqual((result.status, result.stdout), (1, b""), result)
            self.assertIn(b"script:1: this port has " + reason, result.stderr)

    def test_the_script_may_come_from_standard_input(self):
        result = serialterm(
            "run", "-q", "loopback:board", "-", stdin=b'expect /board> /\nprint "x"\n')
        self.assertEqual((result.status, result.stdout), (0, b"x\n"), result)

    def test_rounds(self):
        self.check_rounds(3)

    @soak
    def test_a_thousand_rounds(self):
        self.check_rounds(1000)

    def check_rounds(self, count):
        text = f'''
            expect /board> /
            repeat {count} {{
              send "echo 12345\\r"
              expect /\\n(\\d+)\\r\\nboard> /
              print "$1"
            }}
        '''
        result = self.run_board(text, "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"12345\n" * count), result.stderr)


class TryTests(RunCase):
    """A timeout in `try` is no end of the script."""

    def check(self, text, printed, status=0, *options):
        result = self.run_board(text, "--quiet", *options)
        self.assertEqual((result.status, result.stdout), (status, printed), result)
        return result

    def test_else_follows_a_timeout_and_then_the_rest(self):
        text = """
            try {
              expect /%s/ within %s
              print "come"
            } else {
              print "not come"
            }
            print "end"
        """
        result = self.check(text % ("zzz", "10ms"), b"not come\nend\n")
        self.assertEqual(result.stderr, b"")
        self.check(text % ("board> ", "60s"), b"come\nend\n")

    def test_without_else_a_timeout_is_ignored(self):
        self.check('try {\nexpect /zzz/ within 10ms\nprint "no"\n}\nprint "end"\n', b"end\n")

    def test_what_came_before_the_timeout_is_searched_afterwards(self):
        text = """
            expect /ready/
            try {
              expect /zzz/ within 10ms
            } else {
              expect /board> /
            }
            print "$0"
        """
        self.check(text, b"board> \n")

    def test_the_innermost_takes_it_and_the_next_one_that_of_else(self):
        text = """
            try {
              repeat 2 {
                try {
                  expect /zzz/ within 10ms
                  print "no"
                } else {
                  print "inner"
                  expect /zzz/ within 10ms
                }
                print "no"
              }
            } else {
              print "outer"
            }
            expect /yyy/ within 10ms
        """
        result = self.check(text, b"inner\nouter\n", 10)
        self.assertIn(b"script:16: timed out after 0.01 s waiting for /yyy/.", result.stderr)

    def test_every_other_failure_is_one(self):
        for step, status in (('fail "no"', 1), ("set dtr on", 1), ('send file "/nonexistent" by raw', 8)):
            with self.subTest(step):
                self.check(f'try {{\n{step}\n}} else {{\nprint "else"\n}}\n', b"", status)
        result = self.check(
            'try {\nexpect /zzz/ within 60s\n} else {\nprint "else"\n}\n', b"", 10, "--deadline", "0.1")
        self.assertIn(b"script:2: the script did not end within 0.1 s.", result.stderr)

    def test_bytes_that_are_not_taken_are_discarded_and_counted(self):
        size = 30_000
        text = f"""
            try {{
              send "{"x" * size}"
            }} else {{
              expect /go/ within 60s
              send "end"
            }}
        """
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path, self.script(text), "--timeout", "0.2") as program:
            message = program.stderr.expect(re.compile(
                rb"script:3: the device accepted no bytes within 0\.2 s\. ([\d,]+) bytes were not sent\.\n"))
            unsent = int(message.group(1).replace(b",", b""))
            self.assertEqual(device.read_exactly(size - unsent), b"x" * (size - unsent))
            device.write(b"go")
            self.assertEqual(device.read_exactly(3), b"end")
            self.assertEqual(program.wait(), 0)
            # They are counted once.
            self.assertEqual(program.stderr.expect_end(), b"")


class RoundsTests(RunCase):
    """`repeat N every T until REGEX`"""

    def test_a_match_ends_them_and_its_groups_are_known(self):
        report = self.folder / "report.json"
        text = """
            repeat 10000 every 20ms until /(O.)/ {
              send "AT"
            }
            print "$1"
        """
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path, self.script(text), "--quiet",
                "--report", f"json={report}", "--report", f"junit={report}.xml") as program:
            self.assertEqual(device.read_exactly(6), b"AT" * 3)
            device.write(b"OK")
            self.assertEqual(program.wait(), 0)
            self.assertEqual(program.stdout.expect_end(), b"OK\n")
            # On a busy machine, further rounds may begin before the answer is read.
            count = 3 + device.rest().count(b"AT")
        steps = json.loads(report.read_text())["steps"]
        self.assertEqual([(step["name"], step["rounds"]) for step in steps[:3]], [
            ("open the port", None), ("repeat until /(O.)/", count), ("send", None)])
        self.assertEqual([step["name"] for step in steps[-2:]], [f"send ({count})", "print"])
        case = xml.etree.ElementTree.parse(f"{report}.xml").getroot().findall(".//testcase")[1]
        self.assertEqual(case.find("system-out").text, f"matched in round {count} of 10000")

    def test_the_answer_to_the_third_ends_the_third(self):
        """The first two rounds are over when their steps have been performed."""
        text = """
            repeat 5 every 1ms until /OK/ {
              send "AT"
              expect /answer/ within 60s
            }
        """
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path, self.script(text), "--quiet") as program:
            for answer in (b"answer", b"answer", b"answerOK"):
                self.assertEqual(device.read_exactly(2), b"AT")
                device.write(answer)
            self.assertEqual(program.wait(), 0)
            self.assertEqual(device.rest(), b"")

    def test_without_a_match_it_is_a_timeout(self):
        for words, time, options in (("every 10ms until", b"0.01", ()), ("until", b"0.02", ("--timeout", "0.02"))):
            with self.subTest(words):
                result = self.run_board(
                    f'repeat 3 {words} /zzz/ {{\nprint "x"\n}}\n', "--quiet", *options)
                self.assertEqual((result.status, result.stdout), (10, b"x\n" * 3), result)
                self.assertIn(
                    b"script:1: timed out: /zzz/ did not come in 3 rounds of %s s." % time, result.stderr)

    def test_without_an_end_all_of_them_are_performed(self):
        result = self.run_board('repeat 3 every 10ms {\nprint "x"\n}\nprint "end"\n', "--quiet")
        self.assertEqual((result.status, result.stdout), (0, b"x\n" * 3 + b"end\n"), result)

    def test_text_that_came_before_counts(self):
        result = self.run_board(
            'expect /board> /\nsend "version\\r"\nwait 10ms\n'
            'repeat 100 every 10ms until /version\\r/ {\nprint "x"\n}\n', "--quiet")
        self.assertEqual(result.status, 0, result)

    def test_frames(self):
        text = 'repeat 100 every 20ms until frame /^.*4f/ {\nsend "x"\n}\nprint "$0"\n'
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path, self.script(text), "--quiet", "--frames", "slip") as program:
            self.assertEqual(device.read_exactly(1), b"x")
            device.write(b"\xc0OK\xc0")
            self.assertEqual(program.wait(), 0)
            self.assertIn(b"4f 4b", program.stdout.expect_end())
        missing = serialterm("run", "loopback:", self.script(text))
        self.assertEqual(missing.status, 2, missing)
        self.assertIn(b"script:1: 'expect frame' needs a form of frames", missing.stderr)


class DeadlineTests(RunCase):
    def test_a_script_that_takes_too_long_fails_at_its_deadline(self):
        for text, line in (("repeat 1000000 {\n wait 10ms\n}\n", 2), ("\nexpect /zzz/", 2)):
            result = self.run_board(text, "--deadline", "0.5", "--timeout", "60")
            self.assertEqual(result.status, 10, result)
            self.assertIn(
                b"script:%d: the script did not end within 0.5 s." % line, result.stderr)

    def test_waiting_for_the_device_counts(self):
        result = serialterm(
            "run", str(self.folder / "none"), self.script("wait 1s"), "--wait", "--deadline", "0.3")
        self.assertEqual(result.status, 10, result)
        self.assertIn(b"script: the script did not end within 0.3 s.", result.stderr)

    def test_waiting_for_the_script_itself_counts(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        # Without a writer, with one that says nothing, and with one that never ends.
        for writes in (None, b"", b"print \"x\"\n"):
            with self.subTest(writes):
                writer = None if writes is None else os.open(fifo, os.O_RDWR)
                if writes:
                    os.write(writer, writes)
                result = serialterm("run", "loopback:board", str(fifo), "--deadline", "0.3")
                self.assertEqual(result.status, 10, result)
                self.assertIn(b"fifo: the script was not read to its end by the deadline.", result.stderr)
                if writer is not None:
                    os.close(writer)
        with Pipes(serialterm_binary(), "run", "loopback:board", "-", "--deadline", "0.3") as program:
            self.assertEqual(program.wait(), 10)

    def test_a_pipe_that_ends_is_read(self):
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        with Pipes(serialterm_binary(), "run", "loopback:board", str(fifo), "--deadline", "60", "-q") as program:
            fifo.write_bytes(b'print "read"\n')
            self.assertEqual(program.wait(), 0, program.seen())
            self.assertEqual(program.stdout.expect_end(), b"read\n")

    def test_a_script_that_is_fast_enough_is_not_ended(self):
        self.assertEqual(self.run_board("expect /board> /\n", "--deadline", "60").status, 0)
        self.assertEqual(self.run_board("", "--deadline", "0").status, 2)


class SwappedTests(RunCase):
    def test_a_device_as_the_script_is_refused_and_not_opened(self):
        script = self.script('send "x"')
        with Device() as device:
            device.write(b"what it says\r\n")
            for path, said in (
                    (device.path, f"The device comes first: 'serialterm run {device.path} {script}'."),
                    (str(self.folder), f"{self.folder} is a folder, not a script. Did you swap SCRIPT and TARGET?")):
                with self.subTest(path):
                    result = serialterm("run", script, path, "--deadline", "100")
                    self.assertEqual(result.status, 2, result)
                    self.assertIn(said.encode(), result.stderr)
            result = serialterm("connect", device.path, "--script", device.path)
            self.assertEqual(result.status, 2, result)
            self.assertIn(b"is a device, not a script.", result.stderr)


class LastLinesTests(unittest.TestCase):
    """A timeout shows what came last, harmless and bounded."""

    LINES = b"".join(b"line %d\r\n" % number for number in range(5_000))
    HOSTILE = LINES + b"\x1b[31mred\x1b[0m \x1b]0;title\x07\x9bx\xff\r\n" + b"w" * 5_000 + b"\r\n\r\n=> "
    SHORT = LINES + b"\x1b[31mred\x1b[0m\trag\r\n\x07> "

    def failing(self, *words):
        device = self.enterContext(Device())
        return device, self.enterContext(Pipes(serialterm_binary(), words[0], device.path, *words[1:]))

    def check(self, started):
        """Answers each of three programs, and reads what they say when the time is over."""
        for (device, _), answer in zip(started, (self.HOSTILE, self.SHORT, b"")):
            self.assertEqual(device.read_exactly(1), b"?")
            device.write(answer)
        for _, program in started:
            self.assertEqual(program.wait(), 10)
        hostile, short, none = (program.stderr.expect_end() for _, program in started)
        shown = hostile[hostile.index(b"The last lines received:\n"):].decode().splitlines()[1:]
        self.assertEqual(shown[-1], "  | => ")
        self.assertEqual(shown[-2], "  | \N{HORIZONTAL ELLIPSIS}" + "w" * 119 + "\N{HORIZONTAL ELLIPSIS}")
        self.assertNotRegex("\n".join(shown), r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
        self.assertLessEqual(len(shown), 5)
        self.assertTrue(short.endswith(
            b"  | line 4997\n  | line 4998\n  | line 4999\n  | red\trag\n  | > \n"), short)
        self.assertIn(b"Nothing was received.", none)

    def test_of_run(self):
        # The time begins when all of the answer has come.
        come = 'send "?"\nexpect /> $/ within 60s\n'
        started = []
        for begin in (come, come, 'send "?"\n'):
            started.append(self.failing("run", "-", "--quiet"))
            started[-1][1].send(f"{begin}expect /zzz/ within 10ms\n".encode(), then_close=True)
        self.check(started)

    @slow
    def test_of_send(self):
        # At once, because each waits so long that its answer comes in any case.
        self.check([self.failing("send", "?", "--expect", "zzz", "--timeout", "15") for _ in range(3)])


class ReportTests(RunCase):
    def setUp(self):
        super().setUp()
        self.junit, self.json = self.folder / "report.xml", self.folder / "report.json"
        self.options = ("--report", f"junit={self.junit}", "--report", f"json={self.json}")

    def reports(self):
        """The test cases of the one, and the object of the other."""
        return (
            xml.etree.ElementTree.parse(self.junit).getroot(), json.loads(self.json.read_text()))

    def test_a_success_has_a_test_case_for_each_step(self):
        self.junit.write_text("an earlier report " * 1_000)
        result = self.run_board(
            'expect /board> /\nrepeat 2 {\n  send "temp\\r"\n  expect /C\\r/\n}\n', *self.options)
        self.assertEqual(result.status, 0, result)
        root, report = self.reports()
        suite = root.find("testsuite")
        names = [
            "open the port", "line 1: expect /board> /", "line 3: send", "line 4: expect /C\\r/",
            "line 3: send (2)", "line 4: expect /C\\r/ (2)"]
        self.assertEqual([case.get("name") for case in suite.iter("testcase")], names)
        self.assertEqual((suite.get("tests"), suite.get("failures"), suite.get("errors")),
                         ("6", "0", "0"))
        self.assertEqual(list(root.iter("failure")) + list(root.iter("error")), [])
        total = sum(float(case.get("time")) for case in suite.iter("testcase"))
        self.assertAlmostEqual(total, float(suite.get("time")), delta=0.1)
        self.assertEqual((report["passed"], report["status"]), (True, 0))
        self.assertEqual([step["line"] for step in report["steps"]], [None, 1, 3, 4, 3, 4])

    def test_a_failure_has_the_last_lines_and_is_well_formed_whatever_comes(self):
        hostile = b"<&\"'>]]>\x00\x01\x1b[31m\xff\xef\xbf\xbe\r\n"
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path,
                # The time begins when the whole line has come.
                self.script('send "?"\nexpect /\\n/\nexpect /<&"\'\\x01>/ within 10ms\n'), *self.options) as program:
            self.assertEqual(device.read_exactly(1), b"?")
            device.write(hostile)
            self.assertEqual(program.wait(), 10)
        root, report = self.reports()
        suite = root.find("testsuite")
        self.assertEqual((suite.get("failures"), suite.get("errors")), ("1", "0"))
        failure = suite.findall("testcase")[-1].find("failure")
        self.assertIn("timed out after 0.01 s waiting for /<&\"'\\x01>/.", failure.get("message"))
        self.assertIn("<&\"'>]]>", failure.text)
        self.assertFalse(report["passed"])
        self.assertEqual(report["status"], 10)
        self.assertIn("<&\"'>]]>", report["steps"][-1]["received"][0])

    def test_every_other_end_is_an_error_of_the_step(self):
        result = serialterm("run", str(self.folder / "none"), self.script("wait 1s"), *self.options)
        self.assertEqual(result.status, 3)
        root, report = self.reports()
        self.assertEqual([case.get("name") for case in root.iter("testcase")], ["open the port"])
        self.assertIn("none", root.find(".//error").get("message"))
        self.assertEqual(report["status"], 3)
        with Device() as device, Pipes(
                serialterm_binary(), "run", device.path, self.script('send "?"\nexpect /x/'),
                *self.options) as program:
            device.read_exactly(1)
            program.signal(15)
            self.assertEqual(program.wait(), 143)
        root, report = self.reports()
        self.assertEqual(root.findall(".//testcase")[-1].get("name"), "line 2: expect /x/")
        self.assertEqual((root.find(".//error") is None, report["status"]), (False, 143))

    def test_a_long_script_has_a_bounded_report_with_its_end(self):
        self.run_board('repeat 12000 {\n print ""\n}\nfail "now"\n', *self.options, "--quiet")
        root, report = self.reports()
        self.assertEqual(len(root.findall(".//testcase")), 10_001)
        self.assertEqual(report["omittedSteps"], 12_002 - 10_001)
        self.assertEqual(root.find(".//failure").get("message"), "now")

    def test_a_timeout_that_try_takes_is_no_failure(self):
        self.run_board('try {\nexpect /zzz/ within 10ms\n}\nwait 1ms\n', *self.options)
        root, report = self.reports()
        message = "timed out after 0.01 s waiting for /zzz/."
        self.assertEqual((report["passed"], report["status"]), (True, 0))
        self.assertEqual(
            [(step["line"], step["passed"], step["failure"], step["timedOut"]) for step in report["steps"][1:]],
            [(2, True, None, message), (4, True, None, None)])
        self.assertEqual(root.find("testsuite").get("failures"), "0")
        self.assertEqual(list(root.iter("failure")) + list(root.iter("error")), [])
        self.assertEqual([output.text for output in root.iter("system-out")], [message])

    def test_rounds_that_fail_are_one_step_with_their_number(self):
        self.run_board(
            'try {\nrepeat 2 every 10ms until /zzz/ {\nwait 1ms\n}\n}\n'
            'repeat 3 every 10ms until /zzz/ {\nwait 1ms\n}\n', *self.options)
        root, report = self.reports()
        lines = [(step["line"], step["rounds"], step["passed"]) for step in report["steps"][1:]]
        self.assertEqual(lines, [(2, 2, True), *[(3, None, True)] * 2, (6, 3, False), *[(7, None, True)] * 3])
        message = "timed out: /zzz/ did not come in %d rounds of 0.01 s."
        self.assertEqual(report["steps"][1]["timedOut"], message % 2)
        self.assertEqual(report["steps"][4]["failure"], message % 3)
        self.assertEqual([output.text for output in root.iter("system-out")],
                         [f"{message % 2}\n2 of 2 rounds", "3 of 3 rounds"])
        self.assertEqual([failure.get("message") for failure in root.iter("failure")], [message % 3])
        self.assertEqual(root.find("testsuite").get("failures"), "1")
        total = sum(step["time"] for step in report["steps"])
        self.assertAlmostEqual(total, report["time"], delta=0.1)

    def test_a_repetition_in_another_has_a_step_each_time(self):
        self.run_board(
            'repeat 2 every 10ms {\nrepeat 3 every 1ms {\nwait 1ms\n}\n}\n', *self.options)
        _, report = self.reports()
        self.assertEqual(
            [(step["name"], step["rounds"]) for step in report["steps"] if step["rounds"] is not None],
            [("repeat every 0.01s", 2), ("repeat every 0.001s", 3), ("repeat every 0.001s (2)", 3)])

    def test_a_repetition_beyond_the_capacity_is_there_if_it_fails(self):
        self.run_board(
            'repeat 12000 {\nprint ""\n}\nrepeat 2 every 1ms until /zzz/ {\nprint ""\n}\n', *self.options, "--quiet")
        root, report = self.reports()
        last = report["steps"][-1]
        self.assertEqual((len(report["steps"]), report["omittedSteps"]), (10_001, 12_004 - 10_001))
        self.assertEqual((last["name"], last["rounds"], last["passed"]), ("repeat until /zzz/", 2, False))
        self.assertEqual(len(list(root.iter("failure"))), 1)

    def test_what_is_sent_is_not_in_it(self):
        self.run_board('send "secret\\r"\n', *self.options)
        self.assertNotIn("secret", self.junit.read_text() + self.json.read_text())

    def test_a_report_that_cannot_be_written_ends_it_before_anything_is_sent(self):
        (self.folder / "link").symlink_to(self.junit)
        with Device() as device:
            for name, status in (("junit=/nonexistent/x", 1), ("xml=x", 2), ("junit=", 2), ("x", 2),
                                 (f"json={self.folder / 'link'}", 1)):
                result = serialterm(
                    "run", device.path, self.script('send "?"'), "--report", name)
                self.assertEqual(result.status, status, result)
                self.assertIn(b"--report", result.stderr)
            self.assertEqual(device.rest(), b"")
        full = self.run_board("", "--report", "json=/dev/full")
        self.assertEqual(full.status, 1, full)


class ReaderTests(RunCase):
    def test_a_reader_that_is_slow_gets_everything(self):
        script = self.script('repeat 10000 {\nprint "' + "x" * 199 + '"\n}\n')
        reader, writer = os.pipe()
        with open(reader, "rb") as output:
            program = self.enterContext(
                Program([serialterm_binary(), "run", "loopback:", script], stdout=writer))
            os.close(writer)
            wait_until(
                lambda: fcntl.ioctl(reader, termios.FIONREAD, bytes(4)) > bytes(4)
                and processes.state_of(program.pid) == "S", "the program waits")
            self.assertEqual(len(output.read()), 2_000_000)
            self.assertEqual(program.wait(), 0)


class MistakeTests(RunCase):
    def test_nothing_is_sent_if_a_line_is_wrong(self):
        with Device() as device:
            result = serialterm("run", device.path, self.script('send "x"\n\nexpect (\n'))
            self.assertEqual(result.status, 2, result)
            self.assertIn(b"script:3: ", result.stderr)
            self.assertEqual(device.rest(), b"")

    def test_scripts_that_cannot_be_read(self):
        for path in ("/nonexistent", str(self.folder)):
            self.assertEqual(serialterm("run", "loopback:", path).status, 2)

    def test_a_script_that_only_prints_can_be_ended(self):
        program = self.enterContext(
            Pipes(serialterm_binary(), "run", "loopback:",
                  self.script('repeat 1000000 {\nprint "x"\n}\n')))
        program.stdout.read_exactly(100)
        program.signal(15)
        self.assertEqual(program.wait(), 143)

    def test_a_device_that_goes_away_ends_it(self):
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "run", device.path,
                      self.script('send "?"\nexpect /never/\n')))
            self.assertEqual(device.read_exactly(1), b"?")
            device.hang_up()
            self.assertEqual(program.wait(), 6)
