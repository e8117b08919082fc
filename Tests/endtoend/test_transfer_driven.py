"""File transfers that scripts and programs ask for, with a shell and lrzsz at the far end."""

import json
import unittest

from Tests.endtoend.harness import slow
from Tests.endtoend.transfers import Bench, ended, missing
from Tests.endtoend.transfers.contents import random_bytes

NO_LRZSZ = missing("sz")


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
@slow
class DrivenTransferTests(unittest.TestCase):
    def setUp(self):
        self.bench = self.enterContext(Bench())
        self.file = self.bench.sent / "boot image.bin"
        self.file.write_bytes(random_bytes(20_000))

    def test_a_script_sends_and_receives(self):
        bench = self.bench
        script = bench.folder / "script"
        script.write_text(f"""
            send "rb; echo after ymodem\\n"
            send file "{self.file}" by ymodem
            expect /after ymodem\\n/
            send "sz 'boot image.bin'; echo after zmodem\\n"
            expect /B00000000000000/
            receive into "{bench.folder}" by zmodem
            expect /after zmodem\\n/
            send "sx 'boot image.bin'\\n"
            receive file "{bench.folder}/padded.bin" by xmodem
            print "ok"
            """)
        bench.far("sh", cwd=bench.received)
        ours = bench.ours("run", "{}", script)
        said = ended(ours)
        self.assertIn(b"sent boot image.bin, 20,000 bytes", said)
        self.assertIn(b"received boot image.bin, 20,000 bytes", said)
        content = self.file.read_bytes()
        self.assertEqual((bench.received / self.file.name).read_bytes(), content)
        self.assertEqual((bench.folder / self.file.name).read_bytes(), content)
        padded = (bench.folder / "padded.bin").read_bytes()
        self.assertEqual(padded[:20_000], content)
        self.assertEqual(len(padded) % 128, 0)

    def test_a_transfer_that_fails_ends_the_script(self):
        bench = self.bench
        script = bench.folder / "script"
        script.write_text(f'print "before"\nsend file "{self.file}.none" by ymodem\nprint "after"\n')
        said = ended(bench.ours("run", "{}", script), 8)
        self.assertIn(b":2: ", said)
        self.assertIn(b"No such file or directory", said)

    def test_a_mistake_in_a_script_is_found_before_anything_is_sent(self):
        script = self.bench.folder / "script"
        for step, mistake in (
                ('send file "a" by kermit', b"'kermit' is not a protocol"),
                ('send file "a"', b"expected 'by' and a protocol"),
                ('receive "a" by ymodem', b"receive into"),
                ('receive into "a" by xmodem', b"receive file"),
                ('receive file "a" by zmodem', b"receive into")):
            with self.subTest(step):
                script.write_text(step + "\n")
                self.assertIn(mistake, ended(self.bench.ours("run", "{}", script), 2))

    def test_a_program_sends_and_receives(self):
        bench = self.bench
        bench.far("sh", cwd=bench.received)
        commands = [
            {"id": 1, "command": "send", "text": "rz; echo after zmodem\n"},
            # The shell reads ahead: bytes that arrive before rz runs would be its next command.
            {"id": 3, "command": "expect", "regex": "B0100"},
            {"id": 2, "command": "send-file", "path": str(self.file), "protocol": "zmodem"},
            {"id": 4, "command": "expect", "regex": "after zmodem\n"},
            {"id": 5, "command": "send", "text": "sb 'boot image.bin'\n"},
            {"id": 6, "command": "receive-files", "into": str(bench.folder), "protocol": "ymodem"},
            {"id": 7, "command": "send-file", "path": "/nonexistent", "protocol": "zmodem"},
            {"id": 8, "command": "send-file", "path": "a", "protocol": "kermit"},
            {"id": 9, "command": "receive-files", "protocol": "xmodem"},
        ]
        ours = bench.ours("connect", "{}", "--json", "--linger", "0")
        lines = "".join(json.dumps(command) + "\n" for command in commands)
        ours.send(lines.encode(), then_close=True)
        ended(ours)
        events = [json.loads(line) for line in ours.stdout.data.splitlines()]
        answers = {event["id"]: event for event in events if event["event"] in ("done", "failed")}
        for number in (1, 2, 3, 4, 5, 6):
            self.assertEqual(answers[number]["event"], "done", answers[number])
        self.assertIn("No such file or directory", answers[7]["reason"])
        self.assertIn("expected one of raw, ascii, xmodem", answers[8]["reason"])
        self.assertIn("needed for xmodem", answers[9]["reason"])
        files = [event for event in events if event["event"] == "file"]
        self.assertEqual([event["bytes"] for event in files], [20_000, 20_000])
        self.assertEqual([event["path"] for event in files], [None, str(bench.folder / self.file.name)])
        self.assertTrue(any(event["event"] == "progress" for event in events))
        content = self.file.read_bytes()
        self.assertEqual((bench.received / self.file.name).read_bytes(), content)
        self.assertEqual((bench.folder / self.file.name).read_bytes(), content)


if __name__ == "__main__":
    unittest.main()
