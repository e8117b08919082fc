"""Rows 22, 23 and 38: settings that the driver refuses or changes, and bytes with
errors."""

import re

from Tests.endtoend.faults import faulty, record
from Tests.endtoend.faults.line import DriverCase
from Tests.endtoend.harness import Pipes, Terminal, serialterm_binary, wait_until, wrapped

EVERY_BYTE = bytes(range(256))


class Row22RateTests(DriverCase):
    WRONG = ("0", "-1", "7x", "115200x", "100000000000", "", " 9600", "9600.0", "0x2580")
    # Rates that the driver sets instead of 115200. A difference of more than 0.5 % is reported.
    NEAR, FAR = (115200, 114700, 115700), (9600, 114600, 115800, 230400)

    def test_impossible_rates_are_usage_errors_wherever_they_stand(self):
        configuration = self.folder / "config.toml"
        for rate in self.WRONG:
            self.assert_fails(2, "baud", self.connect(f"--baud={rate}"))
            configuration.write_text(f'[default]\nbaud = "{rate}"\n')
            self.assert_fails(
                2, "config.toml:2", self.connect("--config", str(configuration)))
        for rate in ("0", "-1", "100000000000"):
            configuration.write_text(f"[default]\nbaud = {rate}\n")
            self.assert_fails(
                2, "config.toml:2", self.connect("--config", str(configuration)))
        record(22, "impossible rates that are not refused", 0, "")

    def test_rate_that_the_driver_changes_is_said_with_both_numbers(self):
        for rate in self.NEAR + self.FAR:
            driver = self.driver(rate=f"115200 {rate}")
            result = self.connect(variables=driver.variables)
            self.assertEqual(result.status, 0, result)
            expected = (
                b"" if rate in self.NEAR else
                b"serialterm: warning: the driver set baud rate %d instead of 115200.\n" % rate)
            self.assertEqual(result.stderr, expected)
        record(22, "rates more than 0.5 % off that are not said", 0, "")


class Row23RefusalTests(DriverCase):
    def test_refused_setting_is_named_and_nothing_of_it_stays(self):
        for refused, name, options in (
                ("parity", "parity even", ("--parity", "even", "--baud", "9600")),
                ("bits", "data bits 7", ("--data-bits", "7", "--stop-bits", "2")),
                ("stop", "stop bits 2", ("--stop-bits", "2", "--flow", "soft")),
                ("rate", "baud rate 250000", ("--baud", "250000", "--stop-bits", "2"))):
            result = self.connect(*options, variables=self.driver(refuse=refused).variables)
            self.assert_fails(1, f"the driver refuses {name} ", result)
        # The former settings are restored, as connect() has checked. The driver had set all of the new ones.
        record(23, "settings that stay behind, of 4 that are refused", 0, "")

    def test_refused_change_leaves_the_session_with_the_settings_of_before(self):
        driver = self.driver(refuse="stop")
        with Terminal(
                serialterm_binary(), "connect", self.device.path, variables=driver.variables
        ) as terminal:
            terminal.expect(b"ctrl-t q")
            before = self.device.settings
            terminal.send(b"\x14S")
            terminal.expect(b"stop bits:")
            terminal.send(b"2\r")
            terminal.expect(b"the driver refuses stop bits 2 ")
            terminal.expect(wrapped(b"The settings stay as they were."))
            self.assertEqual(self.device.settings, before)
            terminal.send(b"\x14c")
            terminal.expect(b" at 115200 8N1")
            terminal.send(b"word")
            self.assertEqual(self.device.read_exactly(4), b"word")

    def test_rs485_that_the_driver_corrects_is_refused(self):
        result = self.connect(
            "--rs485", "delay-after=3", variables=self.driver(clamp=1).variables)
        self.assert_fails(1, "the driver refuses RS-485 delay-after", result)

    def test_low_latency_that_the_driver_does_not_keep_is_refused(self):
        result = self.connect("--low-latency", variables=self.driver(clamp=1).variables)
        self.assert_fails(1, "the driver refuses low latency mode", result)

    def test_port_without_a_feature_says_so(self):
        for option, feature in (
                (("--dtr", "off"), "modem lines"), (("--rts", "on"), "modem lines"),
                (("--rs485", "on"), "RS-485 mode"), (("--low-latency",), "low latency mode")):
            with self.subTest(feature):
                self.assert_fails(1, f"this port has no {feature}", self.connect(*option))


class Row38MarkTests(DriverCase):
    # The marks of a driver, and their meaning.
    MARKED = b"a\xff\x00Ab\xff\xffc\xff\x00\x00d\xff\x00\xff\xff\xff\xff\x00\xfee" * 50
    PLAIN = b"aAb\xffc\x00d\xff\xff\xfee" * 50
    ERRORS = 4 * 50

    def test_marks_are_taken_out_and_counted_wherever_reads_end(self):
        for size in (1, 2, 3, 5, 7, 11, 4096):
            driver = self.driver(marks=1)
            faults = faulty(self.device.path, read=size)
            variables = {**driver.variables, **faults, "LD_PRELOAD": " ".join(
                (faults["LD_PRELOAD"], driver.variables["LD_PRELOAD"]))}
            with Pipes(
                    serialterm_binary(), "connect", self.device.path, "--mark-errors",
                    "--linger", "0", variables=variables) as session:
                wait_until(lambda: self.device.settings != self.found, "the port is set up")
                self.device.write(self.MARKED)
                self.assertEqual(session.stdout.read_exactly(len(self.PLAIN)), self.PLAIN)
                session.close_stdin()
                self.assertEqual(session.wait(), 0)
                said = session.stderr.expect_end()
            first = re.search(rb"received a byte with a parity or framing error: 0x41\.", said)
            self.assertTrue(first, said)
            more = sum(map(int, re.findall(rb"(\d+) more errors or breaks", said)))
            self.assertEqual(1 + more, self.ERRORS, said)
        record(38, "differing bytes, with reads of 1 to 4096 bytes", 0, "bytes")
        record(38, "errors told otherwise than there were", 0, "")

    def test_every_byte_passes_when_errors_are_marked(self):
        data = EVERY_BYTE + b"\xff" * 1000 + b"\xff\x00" * 500
        with Pipes(serialterm_binary(), "connect", self.device.path, "--mark-errors") as session:
            wait_until(lambda: self.device.settings != self.found, "the port is set up")
            session.send(data)
            self.assertEqual(self.device.read_exactly(len(data)), data)
            self.device.write(data)
            self.assertEqual(session.stdout.read_exactly(len(data)), data)
