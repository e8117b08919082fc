"""One truth for all who take part: the owner of a port says why something is off, in words that no program here knows.
People, programs, members, pages, agents and Python say the same, and stop when it does."""

import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.browser import Browser, why_no_browser
from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Pipes, Terminal, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import free_port
from Tests.endtoend.servers.agent import Agent
from Tests.endtoend.servers.owner import BREAKS, MODEM_LINES, SENDING, Owner
from Tests.endtoend.test_attach_json import Member
from Tests.endtoend.test_web import WEB

sys.path.insert(0, str(REPOSITORY / "python"))

import serialterm

CODE, WORDS = "blown-fuse", "die Sicherung ist raus"
OTHER_CODE, OTHER_WORDS = "night-shift", "nur bis 18 Uhr"


class OneTruthTests(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        self.variables = {"XDG_RUNTIME_DIR": str(runtime), "XDG_STATE_HOME": str(folder / "state")}
        self.owner = self.enterContext(Owner())
        self.owner.refuse(SENDING, CODE, WORDS)

    def program(self, *words):
        """A program that watches the commands, after its session is open."""
        program = Member(self.enterContext(Pipes(serialterm_binary(), *words, variables=self.variables)))
        program.done("watch", events=["commands"])
        program.wait("state", lambda state: state.get("state") == "open", "the port is open")
        return program

    def test_programs_and_their_members_have_the_owner_s_words(self):
        program = self.program("connect", self.owner.target, "--json")
        member = self.program("attach", str(program.program.process.pid), "--json")
        for each in (program, member):
            for command in ("send", "break", "toggle-line", "send-file"):
                each.wait_for_reason(command, WORDS)
                self.assertEqual(each.state("commands")[command]["code"], CODE)
            for command, members in (("send", {"text": "x"}), ("break", {}), ("set", {"dtr": True})):
                answer = each.do(command, **members)
                self.assertEqual((answer["event"], answer["reason"], answer["code"]), ("failed", WORDS, CODE))
        self.owner.refuse(SENDING, "", "")
        self.owner.refuse(BREAKS, OTHER_CODE, OTHER_WORDS)
        program.wait("commands", lambda commands: commands["send"]["enabled"], "sending is on")
        self.assertEqual(program.refused("break"), OTHER_WORDS)
        # The first member has the number 1.
        program.done("give-pen", to=1)
        member.wait("commands", lambda commands: commands["send"]["enabled"], "sending is on")
        self.assertEqual(member.refused("break"), OTHER_WORDS)
        member.done("send", text="x")

    def test_people_have_the_owner_s_words(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.owner.target, variables=self.variables))
        terminal.expect(b"115200 8N1")
        terminal.send(PREFIX + b"b")
        terminal.expect(WORDS.encode())
        self.owner.refuse(SENDING, "", "")
        self.owner.refuse(MODEM_LINES, OTHER_CODE, OTHER_WORDS)
        wait_until(lambda: (terminal.send(PREFIX + b"L"), OTHER_WORDS.encode() in terminal.output)[1], "the new words")

    def test_agents_have_the_owner_s_words(self):
        agent = self.enterContext(Agent(
            "--write", "--allow", self.owner.target, variables=self.variables))
        session = agent.open(self.owner.target)
        for tool, arguments in (("write", {"text": "x"}), ("send_break", {}), ("pulse", {"line": "dtr"})):
            self.assertEqual(agent.failure(tool, session=session, **arguments), WORDS)
        off = {each["tool"]: each for each in agent.call("status", session=session)["off"]}
        self.assertEqual((off["write"]["reason"], off["write"]["code"]), (WORDS, CODE))
        self.assertEqual((off["send_break"]["reason"], off["send_break"]["code"]), (WORDS, CODE))

    def test_python_has_the_owner_s_words(self):
        with serialterm.open(self.owner.target, program=serialterm_binary()) as port:
            with self.assertRaises(serialterm.CommandFailed) as failed:
                port.write("x")
            self.assertEqual((failed.exception.reason, failed.exception.code), (WORDS, CODE))
            record = port.commands()["send"]
            self.assertEqual((record["enabled"], record["reason"]), (False, WORDS))
            protocol = next(each for each in port.commands()["send-file"]["arguments"] if each["name"] == "protocol")
            self.assertIn("zmodem", protocol["choices"])
            self.owner.refuse(SENDING, "", "")
            wait_until(lambda: port.commands()["send"]["enabled"], "sending is on")
            port.write("x")

    @unittest.skipIf(why_no_browser(), why_no_browser())
    def test_a_page_has_the_owner_s_words(self):
        place = free_port()
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.owner.target, "--web", str(place), size=(24, 160),
            variables=self.variables | {"PATH": f"{Path(WEB).parent}:{os.environ['PATH']}"}))
        link = terminal.expect(re.compile(rb"a page for browsers is at (http://\S+)"))[1].decode()
        browser = self.enterContext(Browser())
        browser.open(link)
        browser.wait_for_text("#state", "open")
        browser.wait_for_text("#pen-text", WORDS)

        def reason(selector):
            return browser.run("return document.querySelector(arguments[0]).dataset.reason", selector)
        for selector in ("[data-name=break]", "#send", "#upload-start"):
            browser.wait_for(lambda: reason(selector) == WORDS, selector)
        browser.choose_command("break")
        browser.wait_for_text("#palette-text", WORDS)
        self.owner.refuse(SENDING, OTHER_CODE, OTHER_WORDS)
        browser.wait_for(lambda: reason("[data-name=break]") == OTHER_WORDS, "the new words")
        self.assertEqual(browser.complaints(), [])
