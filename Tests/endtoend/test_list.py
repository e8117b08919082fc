"""`serialterm list` on this computer, with any devices that it has."""

import json
import unittest

from Tests.endtoend.harness import Device, Terminal, serialterm, serialterm_binary

KEYS = {
    "node", "kind", "driver", "vendorID", "productID", "serialNumber", "manufacturer", "product",
    "interfaceNumber", "physicalPath", "links", "accessible", "holder"}
KINDS = {"usb", "acm", "uart", "virtual"}


def assert_device(test, device):
    """Asserts that `device` has the documented form."""
    test.assertLessEqual(KEYS, device.keys())
    test.assertIn(device["kind"], KINDS)
    test.assertRegex(device["node"], "^/dev/")
    test.assertIsInstance(device["links"], list)
    test.assertIsInstance(device["accessible"], bool)
    for key in ("vendorID", "productID"):
        if device[key] is not None:
            test.assertRegex(device[key], "^[0-9a-f]{4}$")
    if device["interfaceNumber"] is not None:
        test.assertIsInstance(device["interfaceNumber"], int)
    if device["holder"] is not None:
        test.assertEqual({"pid", "command", "session"}, device["holder"].keys())
    for key, value in device.items():
        test.assertNotEqual(value, "", f"{key} is empty, not null")


class ListTests(unittest.TestCase):
    def listed(self, *options):
        result = serialterm("list", *options)
        self.assertEqual((result.status, result.stderr), (0, b""))
        return result.stdout

    def devices(self, *options):
        return json.loads(self.listed("--json", *options))

    def test_json_is_an_array_of_devices(self):
        for device in self.devices("--all"):
            assert_device(self, device)

    def test_names_are_the_nodes_one_a_line(self):
        for options in ((), ("--all",)):
            with self.subTest(options):
                names = self.listed("--names", *options).decode()
                nodes = [device["node"] for device in self.devices(*options)]
                self.assertEqual(names, "".join(f"{node}\n" for node in nodes))

    def test_table_has_every_node(self):
        table = self.listed("--all").decode()
        for device in self.devices("--all"):
            self.assertIn(device["node"], table)

    def test_pseudo_terminals_are_no_devices(self):
        with Device() as device:
            self.assertNotIn(device.node, self.listed("--names", "--all").decode())


class ColourTests(unittest.TestCase):
    def on_a_terminal(self, **variables):
        with Terminal(serialterm_binary(), "list", "--all", variables=variables) as terminal:
            self.assertEqual(terminal.wait(), 0)
            return terminal.transcript.expect_end()

    def test_no_escape_sequences_where_there_is_no_terminal(self):
        for arguments in (["list", "--all"], ["list", "--json", "--all"], ["--help"]):
            with self.subTest(arguments):
                self.assertNotIn(b"\x1b", serialterm(*arguments).stdout)

    def test_no_colour_when_the_user_wants_none(self):
        for variables in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            with self.subTest(variables):
                output = self.on_a_terminal(**variables)
                self.assertNotIn(b"\x1b", output)
                self.assertTrue(output)
