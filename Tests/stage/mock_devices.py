"""`serialterm list` and `serialterm monitor` with devices mocked by umockdev: any identity, any
number, at any rate. Runs in umockdev-wrapper; run.py starts it."""

import json
import os
import random
import re
import tempfile
import unicodedata
import unittest
from pathlib import Path

import gi

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary
from Tests.endtoend.test_list import assert_device

gi.require_version("UMockdev", "1.0")
from gi.repository import UMockdev  # noqa: E402  (only after the version has been required)

LINE = re.compile(rb"([^\n]*)\n")


class Bed:
    """A mocked system that has only the devices plugged in here."""

    def __init__(self):
        self._bed = UMockdev.Testbed.new()
        # umockdev sets it in C. Python does not see that, and would not pass it to child processes.
        os.environ["UMOCKDEV_DIR"] = self._bed.get_root_dir()
        self._parents = {}

    def plug(self, number, serial=None, interface=0, node=None):
        """Plugs in an FTDI adapter as ttyUSB<number>; returns the path of the tty in /sys. It can
        only be opened if `node` is that of a pseudo-terminal."""
        serial = serial or f"A{number:04}"
        node = node or f"/dev/ttyUSB{number}"
        identity = ["ID_VENDOR_ID", "0403", "ID_MODEL_ID", "6001", "ID_SERIAL_SHORT", serial]
        adapter = self._bed.add_device(
            "usb", f"usb-{number}", None,
            ["idVendor", "0403", "idProduct", "6001", "serial", serial, "manufacturer", "FTDI",
             "product", "FT232R USB UART"],
            ["DEVTYPE", "usb_device", *identity])
        function = self._bed.add_device(
            "usb", f"1-{number}:1.{interface}", adapter,
            ["bInterfaceNumber", f"{interface:02x}"],
            ["DEVTYPE", "usb_interface", "DRIVER", "ftdi_sio"])
        tty = self._bed.add_device(
            "tty", f"ttyUSB{number}", function, ["dev", f"188:{number}"],
            ["DEVNAME", node, "MAJOR", "188", "MINOR", str(number),
             "ID_BUS", "usb", *identity, "ID_USB_INTERFACE_NUM", f"{interface:02x}",
             "ID_PATH", f"pci-0000:00:14.0-usb-0:{number}:1.{interface}",
             "DEVLINKS", link(serial)])
        self._parents[tty] = (function, adapter)
        return tty

    def add_uart(self, number, node):
        """A UART of the board, ttyS<number>; `node` is a pseudo-terminal to open instead of it."""
        chip = self._bed.add_device(
            "platform", f"serial8250.{number}", None, [], ["DRIVER", "serial8250"])
        return self._bed.add_device(
            "tty", f"ttyS{number}", chip, ["dev", f"4:{64 + number}", "type", "4"],
            ["DEVNAME", node, "MAJOR", "4", "MINOR", str(64 + number)])

    def unplug(self, tty):
        self._bed.uevent(tty, "remove")
        for device in (tty, *self._parents.pop(tty)):
            self._bed.remove_device(device)

    def change(self, tty, **properties):
        for name, value in properties.items():
            self._bed.set_property(tty, name, value)
        self._bed.uevent(tty, "change")


def link(serial):
    return f"/dev/serial/by-id/usb-FTDI_FT232R_{serial}-if00-port0"


def listed():
    """The listed devices by their nodes."""
    result = serialterm("list", "--json")
    assert (result.status, result.stderr) == (0, b""), result
    return {device["node"]: device for device in json.loads(result.stdout)}


class MockTests(unittest.TestCase):
    """Has a `bed`, and reads the output of monitors."""

    def setUp(self):
        self.bed = Bed()

    def monitor(self, *options):
        return self.enterContext(Pipes(serialterm_binary(), "monitor", "--json", *options))

    def devices(self, monitor, count):
        """The next `count` events and their devices."""
        for _ in range(count):
            event = json.loads(monitor.stdout.expect(LINE).group(1))
            assert_device(self, event["device"])
            self.changes = event.get("changes")
            yield event["event"], event["device"]

    def events(self, monitor, count):
        """The next `count` events and the nodes of their devices."""
        return [(event, device["node"]) for event, device in self.devices(monitor, count)]


class MockDeviceTests(MockTests):
    def test_no_device_is_an_empty_list(self):
        self.assertEqual(listed(), {})
        self.assertEqual(serialterm("list", "--names").stdout, b"")

    def test_empty_list_says_what_to_do(self):
        result = serialterm("list")
        self.assertEqual((result.status, result.stdout), (0, b""))
        for hint in (b"Plug one in", b"serialterm loopback:board", b"serialterm doctor"):
            self.assertIn(hint, result.stderr)

    def test_doctor_says_that_nothing_is_plugged_in(self):
        result = serialterm("doctor", "--json")
        self.assertEqual(result.status, 1)
        self.assertIn("no-device", [finding["code"] for finding in json.loads(result.stdout)])

    def test_rule_names_the_adapter_by_its_serial_number_or_its_place(self):
        self.bed.plug(3, "XYZ", interface=1)
        rule = serialterm("rules", "ttyUSB3", "--name", "board").stdout.splitlines()[-1]
        self.assertIn(b'ATTRS{serial}=="XYZ", ENV{ID_USB_INTERFACE_NUM}=="01"', rule)
        self.assertTrue(rule.endswith(b'SYMLINK+="board"'))
        self.bed.plug(4, "XYZ", interface=1)
        rule = serialterm("rules", "ttyUSB3", "--name", "board").stdout.splitlines()[-1]
        self.assertIn(b'ENV{ID_PATH}=="pci-0000:00:14.0-usb-0:3:1.1"', rule)
        self.assertNotIn(b"XYZ", rule)

    def test_identity_is_told(self):
        self.bed.plug(3, "XYZ", interface=1)
        device = listed()["/dev/ttyUSB3"]
        assert_device(self, device)
        expected = {
            "kind": "usb", "vendorID": "0403", "productID": "6001", "serialNumber": "XYZ",
            "manufacturer": "FTDI", "product": "FT232R USB UART", "interfaceNumber": 1,
            "physicalPath": "pci-0000:00:14.0-usb-0:3:1.1"}
        self.assertEqual({key: device[key] for key in expected}, expected)

    def test_the_profile_that_matches_the_device_holds(self):
        """The device cannot be opened, so an invalid value shows which profile is used."""
        self.bed.plug(3, "XYZ")
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "config.toml"
        targets = ("/dev/ttyUSB3", "usb:0403:6001", "serial:XYZ", "latest")
        for match, is_ours in [("usb:0403:6001", True), ("serial:XYZ", True),
                               ("usb:0403:6002", False), ("serial:ABC", False)]:
            file.write_text(f"[profile.a]\nmatch = ['{match}']\nbaud = 0\n")
            for target in targets:
                result = serialterm("send", target, "x", "--config", str(file))
                if is_ours:
                    self.assertEqual(result.status, 2, (match, target, result))
                    self.assertIn(f"{file}:3: ".encode(), result.stderr)
                else:
                    self.assertEqual(result.status, 3, (match, target, result))

    def test_serial_number_with_quotes_and_controls_stays_json(self):
        serial = 'a"b\\c\u00e9\x01'
        self.bed.plug(1, serial)
        self.assertEqual(listed()["/dev/ttyUSB1"]["serialNumber"], serial)

    def test_target_that_fits_several_devices_is_a_finding(self):
        self.bed.plug(1, "AAA"), self.bed.plug(2, "BBB")
        self.assertEqual(serialterm("connect", "usb:0403:6001").status, 2)
        found = json.loads(serialterm("doctor", "usb:0403:6001", "--json").stdout)
        self.assertEqual(found[0]["code"], "ambiguous")
        self.assertIn("serialterm connect /dev/ttyUSB1", found[0]["mend"])

    def test_names_that_turn_text_around_are_shown_harmless(self):
        serial = "A\u202e1\u2066B\u200f\u200b\u2028C"
        self.bed.plug(1, serial)
        self.bed.plug(2, serial)
        for words in (["list"], ["list", "--json"], ["monitor", "--timeout", "0"],
                      ["monitor", "--json", "--timeout", "0"], ["doctor"], ["doctor", "--json"],
                      ["rules", "/dev/ttyUSB1", "--name", "board"], ["connect", f"serial:{serial}"],
                      ["doctor", f"serial:{serial}"], ["rules", f"serial:{serial}", "--name", "b"]):
            with self.subTest(words):
                result = serialterm(*words)
                said = (result.stdout + result.stderr).decode()
                self.assertTrue(said)
                self.assertEqual(
                    [c for c in said if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")
                     and c != "\n"], [])
        self.assertEqual(listed()["/dev/ttyUSB1"]["serialNumber"], serial)

    def test_events_come_in_order(self):
        self.bed.plug(0)
        monitor = self.monitor()
        self.assertEqual(self.events(monitor, 1), [("present", "/dev/ttyUSB0")])
        for number in range(1, 4):
            node = f"/dev/ttyUSB{number}"
            tty = self.bed.plug(number)
            self.assertEqual(self.events(monitor, 1), [("appeared", node)])
            self.bed.change(tty, DEVLINKS=link("renamed"))
            (event, device), = self.devices(monitor, 1)
            self.assertEqual((event, device["node"]), ("changed", node))
            self.assertEqual(device["links"], [link("renamed")])
            self.assertEqual(
                self.changes, {"links": {"old": [link(f"A{number:04}")], "new": [link("renamed")]}})
            self.bed.unplug(tty)
            self.assertEqual(self.events(monitor, 1), [("disappeared", node)])

    def test_count_ends_the_monitor(self):
        self.bed.plug(0)
        monitor = self.monitor("--count", "2")
        self.assertEqual(self.events(monitor, 1), [("present", "/dev/ttyUSB0")])
        self.bed.unplug(self.bed.plug(1))
        self.assertEqual(
            self.events(monitor, 2),
            [("appeared", "/dev/ttyUSB1"), ("disappeared", "/dev/ttyUSB1")])
        self.assertEqual(monitor.wait(), 0)

    def test_storm_of_plugs_leaves_the_right_list(self):
        chance = random.Random(9)
        self.bed.plug(1_000)
        monitor = self.monitor()
        told = self.events(monitor, 1)
        plugged, expected = {}, [("present", "/dev/ttyUSB1000")]
        for _ in range(200):
            number = chance.randrange(40)
            if number in plugged:
                self.bed.unplug(plugged.pop(number))
                expected.append(("disappeared", f"/dev/ttyUSB{number}"))
            else:
                plugged[number] = self.bed.plug(number)
                expected.append(("appeared", f"/dev/ttyUSB{number}"))
            # umockdev fails when more than 10 of its events are unread; a plug is three.
            told += self.events(monitor, max(0, len(expected) - len(told) - 2))
        told += self.events(monitor, len(expected) - len(told))
        self.assertEqual(told, expected)
        self.assertEqual(
            listed().keys(), {f"/dev/ttyUSB{number}" for number in [1_000, *plugged]})
