"""A CDC-ACM device with two ports."""

import unittest

from Tests.endtoend.harness import Pipes, serialterm_binary
from Tests.endtoend.test_list import assert_device
from Tests.stage.gadget import AcmGadget
from Tests.stage.guest_list import listed

EVERY_BYTE = bytes(range(256))


class AcmTests(unittest.TestCase):
    def setUp(self):
        self.gadget = self.enterContext(AcmGadget("0x2341", "0x0043", "UNO42", ports=2))

    def test_ports_of_one_device_differ_by_interface(self):
        devices = [listed()[node] for node in self.gadget.nodes]
        expected = {
            "kind": "acm", "driver": "cdc_acm", "vendorID": "2341", "productID": "0043",
            "serialNumber": "UNO42", "manufacturer": "Arduino (www.arduino.cc)",
            "product": "Uno R3"}
        for device in devices:
            assert_device(self, device)
            self.assertEqual({key: device[key] for key in expected}, expected)
        # A port has two interfaces: one for control, which has the node, and one for data.
        self.assertEqual([device["interfaceNumber"] for device in devices], [0, 2])

    def test_every_byte_passes_both_ways_on_each_port(self):
        for port, node in enumerate(self.gadget.nodes):
            with self.subTest(node), self.gadget.far_end(port) as far_end:
                with Pipes(serialterm_binary(), "connect", node) as session:
                    session.send(EVERY_BYTE)
                    self.assertEqual(far_end.read_exactly(256), EVERY_BYTE)
                    far_end.write(EVERY_BYTE)
                    self.assertEqual(session.stdout.read_exactly(256), EVERY_BYTE)
