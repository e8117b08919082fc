"""Sessions with a real FTDI port that is plugged and unplugged."""

import os
import random
import re

from Tests.endtoend.harness import Pipes, Terminal, serialterm, serialterm_binary, wait_until
from Tests.stage.guest_list import StageCase, listed


class ConnectTests(StageCase):
    def session(self, target, *options):
        """A session on a terminal that has opened its port."""
        terminal = self.enterContext(Terminal(serialterm_binary(), "connect", target, *options))
        terminal.expect(re.compile(rb"115200 8N1[^\n]*ctrl-t q"))
        return terminal

    def assert_talks(self, terminal, adapter, word=b"word"):
        """Asserts that bytes pass in both directions."""
        terminal.send(word)
        self.assertEqual(adapter.read_exactly(len(word)), word)
        adapter.write(b"<" + word + b">")
        terminal.expect(b"<" + word + b">")

    def test_every_byte_passes_both_ways(self):
        adapter = self.adapter(0, "BYTES0")
        data = random.Random(7).randbytes(16_384)
        with Pipes(serialterm_binary(), "connect", adapter.node) as session:
            session.send(data)
            self.assertEqual(adapter.read_exactly(len(data)), data)
            adapter.write(data)
            self.assertEqual(session.stdout.read_exactly(len(data)), data)
            session.close_stdin()
            self.assertEqual(session.wait(), 0)

    def test_exit_awaits_that_the_adapter_has_sent_all(self):
        adapter = self.adapter(0, "DRAIN0")
        data = random.Random(8).randbytes(8_192)
        result = serialterm("connect", "--linger", "0", adapter.node, stdin=data)
        self.assertEqual(result.status, 0, result)
        self.assertEqual(adapter.read_exactly(len(data)), data)

    def test_adapter_is_found_by_what_it_is(self):
        adapter = self.adapter(0, "WHAT0")
        physical_path = listed()[adapter.node]["physicalPath"]
        for target in ("usb:0403:6001", "usb:0403:6001:WHAT0", "serial:WHAT0",
                       f"port:{physical_path}", os.path.basename(adapter.node), adapter.link):
            with self.subTest(target):
                terminal = self.session(target)
                self.assert_talks(terminal, adapter)
                self.assertEqual(terminal.leave()[0], 0)

    def test_target_that_fits_two_adapters_is_refused_with_a_list(self):
        one, other = self.adapter(0, "EITHER0"), self.adapter(1, "EITHER1")
        result = serialterm("connect", "usb:0403:6001")
        self.assertEqual(result.status, 2)
        for adapter in (one, other):
            self.assertIn(adapter.node.encode(), result.stderr)

    def test_session_outlives_unplugging(self):
        adapter = self.adapter(0, "AGAIN0")
        terminal = self.session(adapter.node)
        for count in range(3):
            self.assert_talks(terminal, adapter, b"before %d" % count)
            adapter.unplug()
            terminal.expect(re.compile(rb"ttyUSB\d+[^\n]*waiting"))
            adapter.plug()
            terminal.expect(re.compile(rb"ttyUSB\d+[^\n]*is back"))
            self.assert_talks(terminal, adapter, b"after %d" % count)
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_session_follows_the_adapter_to_another_node(self):
        adapter = self.adapter(0, "MOVED0")
        for target in ("its node", "usb:0403:6001:MOVED0", "serial:MOVED0"):
            with self.subTest(target):
                node = adapter.node
                terminal = self.session(node if target == "its node" else target)
                self.assert_talks(terminal, adapter)
                self.replug_as_another_node(adapter, terminal)
                terminal.expect(re.compile(re.escape(adapter.node).encode() + rb"[^\n]*is back"))
                self.assert_talks(terminal, adapter)
                self.assertEqual(terminal.leave()[0], 0)

    def test_adapter_unplugged_as_soon_as_it_is_opened_is_known_again(self):
        adapter = self.adapter(0, "BRIEF0")
        terminal = self.session(adapter.node)
        self.replug_as_another_node(adapter, terminal)
        terminal.expect(re.compile(re.escape(adapter.node).encode() + rb"[^\n]*is back"))

    def replug_as_another_node(self, adapter, terminal):
        """Unplugs the adapter, and plugs it in while its old node name is in use."""
        node = adapter.node
        # While the old node is open, the kernel cannot reuse its name.
        holder = os.open(node, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self.addCleanup(os.close, holder)
        adapter.unplug()
        terminal.expect(b"waiting")
        adapter.plug()
        self.assertNotEqual(adapter.node, node)

    def test_session_never_takes_another_adapter_for_its_own(self):
        adapter = self.adapter(0, "OURS0")
        terminal = self.session(adapter.node)
        self.assert_talks(terminal, adapter)
        node = adapter.node
        adapter.unplug()
        terminal.expect(b"waiting")
        stranger = self.adapter(1, "STRANGER1")
        self.assertEqual(stranger.node, node)
        # The session receives the event before the adapter is listed, and must still wait.
        wait_until(lambda: node in listed(), "the other adapter is listed")
        terminal.send(b"secret")
        terminal.expect(b"not sent")
        adapter.plug()
        terminal.expect(b"is back")
        self.assert_talks(terminal, adapter)

    def test_session_without_reconnect_ends_with_device_lost(self):
        adapter = self.adapter(0, "ONCE0")
        terminal = self.session(adapter.node, "--no-reconnect")
        adapter.unplug()
        self.assertEqual(terminal.wait(), 6)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_wait_begins_when_the_adapter_is_plugged_in(self):
        arguments = ("connect", "--wait", "usb:0403:6001:LATER0")
        terminal = self.enterContext(Terminal(serialterm_binary(), *arguments))
        terminal.expect(b"waiting")
        adapter = self.adapter(0, "LATER0")
        terminal.expect(adapter.node.encode() + b" at 115200 8N1. ctrl-t q quits")
        self.assert_talks(terminal, adapter)

    def test_port_of_a_uart_is_talked_to(self):
        terminal = self.session("ttyS1")
        far_end = os.open("/dev/virtio-ports/isa1", os.O_RDWR | os.O_NONBLOCK)
        self.addCleanup(os.close, far_end)
        os.write(far_end, b"from afar\r\n")
        terminal.expect(b"from afar\r\n")

    def test_port_without_a_uart_is_told_so(self):
        result = serialterm("connect", "/dev/ttyS3")
        self.assertEqual((result.status, result.stdout), (3, b""))
        self.assertRegex(result.stderr, b"^serialterm: .*/dev/ttyS3: .*no hardware")
