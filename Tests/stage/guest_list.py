"""`serialterm list` and `serialterm monitor` with real ports."""

import json
import os
import re
import unittest

from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary
from Tests.endtoend.test_list import assert_device
from Tests.stage.stage import Adapter

LINE = re.compile(rb"([^\n]*)\n")


class StageCase(unittest.TestCase):
    def adapter(self, number, serial):
        """An adapter that is plugged into USB port `number` until the end of the test."""
        return self.enterContext(Adapter(number, serial))


def listed(*options):
    """The listed devices by their nodes."""
    result = serialterm("list", "--json", *options)
    assert (result.status, result.stderr) == (0, b""), result
    return {device["node"]: device for device in json.loads(result.stdout)}


class ListTests(StageCase):
    def test_adapter_is_told_by_what_it_is(self):
        adapter = self.adapter(0, "LIST0")
        device = listed()[adapter.node]
        assert_device(self, device)
        expected = {
            "kind": "usb", "driver": "ftdi_sio", "vendorID": "0403", "productID": "6001",
            "serialNumber": "LIST0", "manufacturer": "QEMU", "product": "QEMU USB SERIAL",
            "interfaceNumber": 0, "accessible": True, "holder": None}
        self.assertEqual({key: device[key] for key in expected}, expected)
        self.assertIn(adapter.link, device["links"])
        by_path, = [link for link in device["links"] if "/by-path/" in link]
        self.assertEqual(device["physicalPath"] + "-port0", os.path.basename(by_path))

    def test_adapters_that_differ_only_in_their_serial_numbers(self):
        one, other = self.adapter(0, "TWIN1"), self.adapter(1, "TWIN2")
        devices = listed()
        self.assertEqual(devices[one.node]["serialNumber"], "TWIN1")
        self.assertEqual(devices[other.node]["serialNumber"], "TWIN2")
        self.assertNotEqual(
            devices[one.node]["physicalPath"], devices[other.node]["physicalPath"])

    def test_holder_of_a_port_is_named(self):
        adapter = self.adapter(0, "HELD0")
        with Pipes(serialterm_binary(), "connect", adapter.node) as session:
            session.send(b"x")
            adapter.read_exactly(1)
            self.assertEqual(
                listed()[adapter.node]["holder"],
                {"pid": session.pid, "command": session.name, "session": True})
            self.assertIn(
                f"held by pid {session.pid} ({session.name}): 'serialterm attach {session.pid}'",
                serialterm("list").stdout.decode())

    def test_uart_is_a_device_and_a_port_without_one_is_not(self):
        usual, everything = listed(), listed("--all")
        self.assertEqual(usual["/dev/ttyS1"]["kind"], "uart")
        for phantom in ("/dev/ttyS2", "/dev/ttyS3"):
            self.assertNotIn(phantom, usual)
            self.assertEqual(everything[phantom]["kind"], "uart")

    def test_unplugged_adapter_is_not_listed(self):
        adapter = self.adapter(0, "GONE0")
        node = adapter.node
        adapter.unplug()
        self.assertNotIn(node, listed("--all"))


class MonitorTests(StageCase):
    def event(self, monitor):
        """The next event of an adapter. Skips events of other ports."""
        while True:
            event = json.loads(monitor.stdout.expect(LINE).group(1))
            assert_device(self, event["device"])
            if event["device"]["kind"] == "usb":
                return event["event"], event["device"]["serialNumber"]

    def test_plugging_is_told_as_it_happens(self):
        first = self.adapter(0, "HERE0")
        with Pipes(serialterm_binary(), "monitor", "--json") as monitor:
            self.assertEqual(self.event(monitor), ("present", "HERE0"))
            second = self.adapter(1, "NEXT1")
            self.assertEqual(self.event(monitor), ("appeared", "NEXT1"))
            first.unplug()
            self.assertEqual(self.event(monitor), ("disappeared", "HERE0"))
            second.unplug()
            self.assertEqual(self.event(monitor), ("disappeared", "NEXT1"))
            first.plug()
            self.assertEqual(self.event(monitor), ("appeared", "HERE0"))

    def test_count_of_events_ends_it(self):
        with Pipes(serialterm_binary(), "monitor", "--json", "--count", "2") as monitor:
            monitor.stdout.expect(re.compile(rb"/dev/ttyS1[^\n]*\n"))
            adapter = self.adapter(0, "COUNT0")
            self.assertEqual(self.event(monitor), ("appeared", "COUNT0"))
            self.assertTrue(monitor.running)
            adapter.unplug()
            self.assertEqual(self.event(monitor), ("disappeared", "COUNT0"))
            self.assertEqual(monitor.wait(), 0)
