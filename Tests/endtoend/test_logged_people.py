"""Logs of a shared session: its members, the holder of the pen, and the client that sent each byte."""

import base64
import json
import shutil
import signal
import struct
import unittest

from Tests.endtoend.faults import SessionTest
from Tests.endtoend.harness import Pipes, Terminal, run, serialterm_binary, wait_until
from Tests.endtoend.servers import free_port
from Tests.endtoend.test_log_formats import STAMP, blocks, options


class LoggedPeopleTests(SessionTest):
    def attach(self, session, name, *words):
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "attach", str(session.pid), "--as", name, *words))
        session.expect(f"{name} is here".encode())
        return terminal

    def logged(self, name):
        """The log of a session that max and eva have joined: eva took the pen, sent `by eva`, and gave it to max by
        leaving, as he had asked for it; he sent `by max`, and the user of the session took it back."""
        path = self.folder / name
        session = self.session("-L", str(path), "--log-sent")
        session.send(b"mine")
        self.assertEqual(self.device.read_exactly(4), b"mine")
        first = self.attach(session, "max")
        second = self.attach(session, "eva", "--force")
        session.expect(b"eva has taken the pen from you")
        second.expect(b"you have taken the pen")
        second.send(b"by eva")
        self.assertEqual(self.device.read_exactly(6), b"by eva")
        first.send(b"\x14w")
        session.expect(b"max asks for the pen")
        self.assertEqual(second.leave()[0], 0)
        session.expect(b"max has the pen")
        session.expect(b"eva has left")
        first.expect(b"you have the pen")
        first.send(b"by max")
        self.assertEqual(self.device.read_exactly(6), b"by max")
        self.assertEqual(first.leave()[0], 0)
        session.expect(b"max has left")
        session.send(b"mine")
        self.assertEqual(self.device.read_exactly(4), b"mine")
        self.assertEqual(session.leave()[0], 0)
        return path.read_bytes()

    def test_json_lines(self):
        entries = [json.loads(line) for line in self.logged("log.jsonl").splitlines()]
        user = next(entry["from"] for entry in entries if entry.get("event") == "pen")
        self.assertRegex(user, r" on pts/\d+$")
        self.assertEqual(
            [(entry["event"], entry.get("name"), entry.get("from"), entry.get("to"), entry.get("how"))
             for entry in entries if "event" in entry][1:],
            [("joined", "max", None, None, None), ("joined", "eva", None, None, None),
             ("pen", None, user, "eva", "forced"), ("pen", None, "eva", "max", "inherited"),
             ("left", "eva", None, None, None), ("pen", None, "max", user, "inherited"),
             ("left", "max", None, None, None)])
        sent = {}
        for entry in entries:
            if entry.get("direction") == "to-device":
                author = entry.get("by")
                sent[author] = sent.get(author, b"") + base64.b64decode(entry["bytes"])
        self.assertEqual(sent, {None: b"minemine", "eva": b"by eva", "max": b"by max"})
        self.assertTrue(all(entry["path"] == self.device.path for entry in entries if "event" in entry))

    def test_packets(self):
        sent, events = {}, []
        for kind, body in blocks(self.logged("log.pcapng")):
            if kind != 6:
                continue
            length = struct.unpack_from("<I", body, 12)[0]
            found = options(body[20 + (length + 3) // 4 * 4:])
            comment = found.get(1, b"").decode()
            if not length:
                events.append(comment)
            elif found[2][0] == 2:
                sent[comment] = sent.get(comment, b"") + body[20:20 + length]
        self.assertEqual(sent, {"": b"minemine", "by eva": b"by eva", "by max": b"by max"})
        port = self.device.path
        self.assertEqual(events[1:3], [f"joined {port}: max", f"joined {port}: eva"])
        self.assertEqual(events[4], f"pen {port}: from eva to max, inherited")

    @unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
    def test_wireshark_finds_who_sent_a_packet(self):
        self.logged("log.pcapng")
        result = run(
            "tshark", "-r", str(self.folder / "log.pcapng"), "-Y", 'frame.comment == "by eva"',
            "-T", "fields", "-e", "frame.packet_flags_direction", "-e", "data.data")
        self.assertEqual(result.status, 0, result.stderr)
        rows = [line.split("\t") for line in result.stdout.decode().splitlines()]
        self.assertEqual({direction for direction, _ in rows}, {"0x00000002"})
        self.assertEqual(bytes.fromhex("".join(data for _, data in rows)), b"by eva")

    def test_text(self):
        lines = [STAMP.sub("", line) for line in self.logged("log.txt").decode().splitlines()]
        port = self.device.path
        for line in (f"[joined {port}: max]", "> by eva", f"[pen {port}: from eva to max, inherited]",
                     f"[left {port}: eva]", "> by max", f"[left {port}: max]"):
            self.assertIn(line, lines)

    def test_a_client_of_serve_says_who_it_is(self):
        path, port = self.folder / "log.jsonl", free_port()
        server = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--listen", str(port), "--log", str(path), "--log-sent"))
        server.stderr.expect(b"serving at")
        client = self.enterContext(
            Terminal(serialterm_binary(), "connect", f"rfc2217://127.0.0.1:{port}"))
        server.stderr.expect(b"has the pen")
        wait_until(lambda: b"renamed" in path.read_bytes(), "the client has said who it is")
        client.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(client.leave()[0], 0)
        server.stderr.expect(b"has left")
        server.signal(signal.SIGTERM)
        server.wait()
        entries = [json.loads(line) for line in path.read_bytes().splitlines()]
        _, joined, taken, renamed, *_, inherited, left = entries
        address, name = joined["name"], renamed["new"]
        self.assertRegex(address, r"^127\.0\.0\.1:\d+$")
        self.assertRegex(name, rf"^\w+ on pts/\d+ \({address}\)$")
        self.assertEqual((taken["to"], taken["how"], renamed["old"]), (address, "taken", address))
        self.assertEqual({entry["by"] for entry in entries if "by" in entry}, {name})
        self.assertEqual((inherited["from"], inherited["how"]), (name, "inherited"))
        self.assertNotIn("to", inherited)
        self.assertEqual((left["event"], left["name"]), ("left", name))
