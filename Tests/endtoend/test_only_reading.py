"""A user who only reads a shared port leaves the pen to the others."""

import re
import unittest

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Device, Pipes, Terminal, serialterm_binary, unread
from Tests.endtoend.servers import free_port
from Tests.endtoend.test_attach import AttachCase


class AttachedTests(AttachCase):
    def test_a_viewer_that_only_reads_is_not_offered_the_pen(self):
        holder = self.session()
        viewer = self.viewer("--read-only")
        holder.expect(b"is here.")
        self.show(b"both see this", holder, viewer)
        self.assertNotIn(b"asks for it", viewer.output)
        viewer.send(PREFIX + b"w")
        viewer.expect(b"read-only")
        viewer.send(PREFIX + b":")
        viewer.send(b"take-pen\r")
        viewer.expect(b"read-only")
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        self.assertNotIn(b"pen from you", holder.output)

    def test_the_pen_goes_back_when_its_holder_becomes_a_reader(self):
        holder = self.session()
        viewer = self.viewer("--force", watches=False)
        viewer.expect(re.compile(rb"you have taken the pen from"))
        viewer.send(PREFIX + b":")
        viewer.send(b"read-only\r")
        holder.expect(b"you have the pen.")
        holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")


class ServedTests(unittest.TestCase):
    def test_a_client_that_only_reads_does_not_keep_the_others_from_writing(self):
        device = self.enterContext(Device())
        port = free_port()
        server = self.enterContext(
            Pipes(serialterm_binary(), "serve", device.path, "--listen", str(port)))
        server.stderr.expect(b"serving at")
        url = f"rfc2217://127.0.0.1:{port}"
        reader = self.enterContext(Terminal(serialterm_binary(), "connect", "--read-only", url))
        reader.expect(b"ctrl-t q quits")
        server.stderr.expect(b"Nobody has the pen now.")
        device.write(b"shown to it")
        reader.expect(b"shown to it")
        reader.send(b"x")
        writer = self.enterContext(Terminal(serialterm_binary(), "connect", url))
        writer.expect(b"8N1")
        writer.send(b"k")
        self.assertEqual(device.read_exactly(1), b"k")
        self.assertEqual(unread(device.descriptor), 0)


if __name__ == "__main__":
    unittest.main()
