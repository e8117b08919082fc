"""`serialterm attach SESSION --json`: a program takes part in a session as a person does."""

import base64
import json
import os
import re
import signal
import subprocess
import unittest

from Tests.endtoend.faults import HAS_COMPILER, PREFIX
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY, Program
from Tests.endtoend.harness.transcript import Transcript
from Tests.endtoend.servers import free_port
from Tests.endtoend.test_attach import AttachCase

try:
    import jsonschema
except ImportError:
    jsonschema = None


class Member:
    """A program that drives a session, or has joined one."""

    def __init__(self, program):
        self.program = program
        self._number = 0

    @property
    def events(self):
        data = self.program.stdout.data
        return [json.loads(line) for line in data[:data.rfind(b"\n") + 1].splitlines()]

    def of_kind(self, kind):
        return [event for event in self.events if event["event"] == kind]

    def state(self, kind):
        """The present state that events publish: the last one; of commands, by their names."""
        events = self.of_kind(kind)
        if kind != "commands":
            return events[-1] if events else {}
        return {command["name"]: command for event in events for command in event["commands"]}

    def wait(self, kind, condition, what):
        """Waits until what events publish has a property. Without any event yet, it has none."""
        return wait_until(lambda: (state := self.state(kind)) and condition(state), f"{what}: {self.state(kind)}")

    def wait_for_people(self, **members):
        self.wait("people", lambda people: all(
            people.get(name.replace("_", "-")) == value for name, value in members.items()), members)

    def wait_for_reason(self, command, reason):
        self.wait("commands", lambda commands: command in commands
                  and commands[command].get("reason") == reason, f"{command} has the reason {reason}")

    def start(self, command, **members):
        """Sends a command, and returns its number."""
        self._number += 1
        self.program.send(json.dumps(
            {"id": self._number, "command": command, **members}).encode() + b"\n")
        return self._number

    def answer(self, number):
        def found():
            return [event for event in self.events
                    if event["event"] in ("done", "failed") and event["id"] == number]
        try:
            return wait_until(found, f"an answer to {number}")[0]
        except AssertionError as error:
            raise AssertionError(f"{error}; {self.program.seen()}") from None

    def do(self, command, **members):
        return self.answer(self.start(command, **members))

    def done(self, command, **members):
        answer = self.do(command, **members)
        if answer["event"] != "done":
            raise AssertionError(answer)
        return answer

    def refused(self, command, **members):
        answer = self.do(command, **members)
        if answer["event"] != "failed":
            raise AssertionError(answer)
        return answer["reason"]

    @property
    def received(self):
        return "".join(event.get("text", "") for event in self.of_kind("received"))


class JoinedCase(AttachCase):
    def member(self, *options, watches=("people", "commands"), **order):
        """A program that has joined the session."""
        member = Member(self.pipes("--json", *options))
        self.members.append(member)
        member.done("watch", events=list(watches), **order)
        member.wait("state", lambda state: state.get("state"), "it has joined")
        if "people" in watches:
            member.wait("people", lambda people: people, "it knows who is there")
        return member

    def setUp(self):
        super().setUp()
        self.members = []
        self.addCleanup(self.check_schema)

    def check_schema(self):
        """Everything that the programs have printed is described."""
        if jsonschema is None:
            return
        schema = json.loads((REPOSITORY / "docs/json.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        for member in self.members:
            for event in member.events:
                self.assertEqual(list(validator.iter_errors(event)), [], event)
                known = schema["$defs"][event["event"]]["properties"].keys()
                self.assertLessEqual(event.keys(), known, event)


class PenTests(JoinedCase):
    def test_it_is_asked_for_given_refused_and_taken(self):
        session = self.session()
        anna, bert = self.member("--as", "anna"), self.member("--as", "bert")
        people = anna.state("people")
        you = people["you"]
        self.assertEqual((people["pen"], people["holder"], people["may-take"]), ("other", 0, True))
        anna.wait("people", lambda people: [
            person["name"] for person in people["others"]][1:] == ["bert"], "bert is there")
        self.assertFalse(any(person["program"] for person in anna.state("people")["others"]))
        self.assertIn("has the pen", anna.refused("send", text="lost"))
        self.assertIn("has the pen", anna.refused("give-pen", to=0))
        # The person of the session gives it.
        anna.done("ask-pen")
        anna.wait_for_people(asking=True)
        session.expect(b"anna asks for the pen")
        session.send(PREFIX + b"w\r")
        anna.wait_for_people(pen="mine", holder=you, asking=False)
        bert.wait_for_people(pen="other", holder=you)
        self.assertEqual(anna.refused("ask-pen"), "you have the pen")
        anna.done("send", text="one")
        self.assertEqual(self.device.read_exactly(3), b"one")
        # Another program asks, and is refused.
        bert.done("ask-pen")
        anna.wait("people", lambda people: [
            person["name"] for person in people["others"] if person["asks"]] == ["bert"], "bert asks")
        anna.done("keep-pen")
        bert.wait_for_people(asking=False, pen="other")
        self.assertFalse(any(person["asks"] for person in anna.state("people")["others"]))
        # It is given, taken, and given back.
        anna.done("give-pen", to=bert.state("people")["you"])
        bert.wait_for_people(pen="mine")
        bert.done("send", text="two")
        anna.done("take-pen")
        anna.wait_for_people(pen="mine")
        self.assertEqual(bert.refused("send", text="lost"), "anna has the pen")
        anna.done("return-pen")
        anna.wait_for_people(pen="other", holder=0)
        self.assertEqual(self.device.read_exactly(3), b"two")
        self.assert_nothing_reached_the_device()

    def test_the_commands_have_the_reasons_of_the_palette(self):
        session = self.session()
        anna = self.member("--as", "anna")
        holder = anna.state("people")["others"][0]["name"]
        anna.wait_for_reason("break", f"{holder} has the pen")
        anna.wait_for_reason("pen", None)
        anna.wait_for_reason("take-pen", None)
        self.assertEqual(anna.refused("break"), f"{holder} has the pen")
        anna.wait_for_reason("hex", "there is no user")
        anna.done("take-pen")
        anna.wait_for_reason("baud", None)
        anna.wait_for_reason("break", "this port has no break")
        anna.wait_for_reason("take-pen", "you have the pen")
        self.assertEqual(anna.refused("take-pen"), "you have the pen")
        self.assertEqual(anna.refused("pen"), "name who gets it: give-pen")
        session.send(PREFIX + b"w\r")
        session.expect(b"is asked for the pen")
        anna.wait("people", lambda people: people["others"][0]["asks"], "the user asks")
        anna.done("give-pen", to=0)
        anna.wait_for_reason("break", f"{holder} has the pen")

    def test_a_new_name_keeps_the_pen_and_everybody_sees_it(self):
        session = self.session("--as", "max")
        anna, bert = self.member("--as", "anna"), self.member("--as", "bert")
        anna.done("take-pen")
        anna.wait_for_people(pen="mine")
        bert.done("ask-pen")
        anna.wait("people", lambda people: any(person["asks"] for person in people["others"]), "bert asks")
        anna.done("name", argument="Anna")
        anna.done("send", text="one")
        bert.wait("people", lambda people: [
            person["name"] for person in people["others"]] == ["max", "Anna"], "bert sees the name")
        session.expect(b"anna is now called Anna.")
        anna.wait("commands", lambda commands: commands["name"].get("value") == "Anna", "her own name")
        # Those who ask go on asking.
        bert.done("name", argument="Bert (agent)")
        anna.wait("people", lambda people: [
            (person["name"], person["asks"]) for person in people["others"]
        ] == [("max", False), ("Bert [agent]", True)], "Bert asks")
        self.assertEqual(anna.state("people")["pen"], "mine")
        self.assertEqual(bert.refused("send", text="lost"), "Anna has the pen")
        session.send(PREFIX + b":name\r")
        session.expect(b"your name")
        session.send(b"Max\r")
        anna.wait("people", lambda people: people["others"][0]["name"] == "Max", "Max has a new name")
        session.expect(b"you are now called Max.")
        anna.done("send", text="two")
        self.assertEqual(self.device.read_exactly(6), b"onetwo")
        self.assertEqual(anna.refused("name"), "name: expected a name")
        anna.done("return-pen")
        bert.wait_for_people(pen="mine")

    def test_one_that_only_reads_gets_no_pen(self):
        self.session()
        anna = self.member("--read-only")
        for command in ("ask-pen", "take-pen"):
            self.assertEqual(anna.refused(command), "read-only")
        anna.wait_for_reason("pen", "read-only")
        self.assertEqual(anna.refused("send", text="x"), "read-only")

    def test_with_force_it_has_the_pen_before_its_first_command(self):
        session = self.session()
        result = serialterm(
            "attach", "--json", "--force", "--as", "anna", variables=self.variables,
            stdin=b'{"id":1,"command":"send","text":"x"}\n')
        self.assertEqual(result.status, 0, result)
        self.assertIn(b'{"event":"done","id":1}\n', result.stdout)
        self.assertEqual(self.device.read_exactly(1), b"x")
        session.expect(b"anna has taken the pen from you")

    def test_a_change_of_a_setting_keeps_the_others(self):
        self.session("-b", "9600")
        anna = self.member("--force")
        anna.wait_for_people(pen="mine")
        self.assertEqual(anna.state("state")["settings"], "9600 8N1")
        anna.wait("commands", lambda commands: commands["baud"].get("value") == "9600", "its rate")
        anna.done("set", **{"stop-bits": 2})
        anna.wait("state", lambda state: state["settings"] == "9600 8N2", "its settings")


class StateTests(JoinedCase):
    def test_an_unplug_switches_commands_off_and_on(self):
        session = self.session()
        anna = self.member("--force")
        anna.wait_for_reason("baud", None)
        self.assertEqual(anna.state("state")["node"], self.device.path)
        self.device.hang_up()
        anna.wait("state", lambda state: state["state"] == "waiting", "the port waits")
        anna.wait_for_reason("break", "no device")
        self.assertEqual(anna.refused("break"), "no device")
        self.device.plug()
        session.expect(b"is back")
        anna.wait("state", lambda state: state["state"] == "open", "it is open again")
        anna.wait_for_reason("baud", None)
        anna.wait_for_reason("break", "this port has no break")
        # Only what has changed was published.
        sizes = [len(event["commands"]) for event in anna.of_kind("commands")]
        self.assertGreater(sizes[0], 2 * max(sizes[1:]))

    def test_a_program_of_its_own_session_watches_too(self):
        program = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", variables=self.variables)))
        self.members.append(program)
        program.done("watch", events=["people", "commands"])
        program.wait("state", lambda state: state.get("state") == "open", "it is open")
        program.wait_for_reason("break", "this port has no break")
        program.wait_for_reason("baud", None)
        program.wait_for_people(you=0, pen="mine", holder=0, others=[])
        program.wait_for_reason("pen", "nobody else is here")
        anna = self.member("--as", "anna")
        program.wait("people", lambda people: len(people["others"]) == 1, "anna is there")
        self.assertIn("is a program and cannot be asked", anna.refused("ask-pen"))
        program.done("give-pen", to=anna.state("people")["you"])
        anna.wait_for_people(pen="mine")
        self.assertEqual(program.refused("send", text="x"), "anna has the pen")
        program.wait_for_reason("baud", "anna has the pen")
        program.done("take-pen")
        program.wait_for_people(pen="mine")

    def test_what_was_received_before_comes_first(self):
        session = self.session()
        self.show(b"early\r\n", session)
        anna = self.member()
        self.show(b"late\r\n", session)
        wait_until(lambda: anna.received == "early\r\nlate\r\n", lambda: anna.received)
        self.assertEqual(
            [event.get("history") for event in anna.of_kind("received")], [True, None])
        self.assertEqual(anna.refused("expect", regex="early", timeout=0.1), "timeout")

    def test_shown_text_is_harmless(self):
        session = self.session()
        self.device.write(b"\x1b]0;early\x07 \x1b[31mred\r\n")
        session.expect(b"red")
        order = json.dumps({"id": 0, "command": "watch", "received": "shown"}).encode() + b"\n"
        program = self.pipes("--json")
        program.send(order)
        anna = Member(program)
        self.members.append(anna)
        anna.answer(0)
        anna.wait("state", lambda state: state.get("state"), "it has joined")
        self.device.write(b"\x1b[6n\xff\x1b[2Jlate\r\n")
        wait_until(lambda: anna.received.endswith("late\r\n"), "it is received")
        self.assertTrue(
            anna.received.endswith("\x1b[31mred\r\n\ufffd\x1b[2Jlate\r\n"), anna.received)
        anna.done("expect", regex="late")
        anna.done("watch")
        self.device.write(b"\x1b[6n")
        wait_until(lambda: anna.received.endswith("\x1b[6n"), "it is received as it is")

    def test_shown_text_begins_with_the_screen_of_a_program(self):
        session = self.session()
        drawn = b"\x1b[?1049h\x1b[2J\x1b[3;5Hthe title" + b"".join(b"\x1b[9;9H%05d" % number for number in range(9_000))
        self.device.write(b"$ vi\r\n" + drawn)
        session.expect(b"08999")
        # What is in standard input when the program starts applies to all: the shell leaves it there.
        program = self.enterContext(Pipes(
            "sh", "-c", 'read go; exec "$@"', "sh", serialterm_binary(), "attach", "--json", variables=self.variables))
        order = json.dumps({"id": 0, "command": "watch", "received": "shown"}).encode() + b"\n"
        program.send(b"go\n" + order)
        anna = Member(program)
        self.members.append(anna)
        wait_until(lambda: "the title" in anna.received and "08999" in anna.received, "the screen is received")
        self.assertEqual({event.get("history") for event in anna.of_kind("received")}, {True})
        self.device.write(b"\x1b[1;1Hlater")
        wait_until(lambda: anna.received.endswith("\x1b[1;1Hlater"), "what comes then")
        self.assertNotIn("08998", anna.received)

    def test_who_wants_shown_text_later_gets_the_screen_then(self):
        session = self.session()
        drawn = b"\x1b[?1049h\x1b[2J\x1b[3;5Hthe title" + b"".join(b"\x1b[9;9H%05d" % number for number in range(9_000))
        self.device.write(b"$ vi\r\n" + drawn)
        session.expect(b"08999")
        anna = self.member()
        wait_until(lambda: anna.received.endswith("08999"), "the bytes are received")
        self.assertIn("08998", anna.received)
        self.assertNotIn("the title", anna.received)
        anna.done("watch", received="shown")
        wait_until(lambda: "the title" in anna.received, "the screen is received")

    def test_a_cancel_does_not_wait_until_it_has_joined(self):
        self.session()
        # The shell leaves the commands in standard input.
        program = self.enterContext(Pipes(
            "sh", "-c", 'read go; exec "$@"', "sh", serialterm_binary(), "attach", "--json", variables=self.variables))
        program.send(b'go\n{"id": 1, "command": "send", "text": "lost"}\n{"id": 2, "command": "cancel"}\n'
                     b'{"id": 3, "command": "send", "text": "late"}\n')
        anna = Member(program)
        self.members.append(anna)
        wait_until(lambda: len(anna.of_kind("failed")) == 2, "both have failed")
        self.assertEqual(
            anna.of_kind("failed")[0], {"event": "failed", "id": 1, "reason": "cancelled", "unsent": 4})
        self.assertEqual(anna.answer(2)["event"], "done")
        self.assertIn("has the pen", anna.answer(3)["reason"])

    def test_numbers_become_a_picture(self):
        session = self.session()
        anna = self.member(watches=["plot"])
        self.assertEqual(anna.refused("plot"), "no numbers seen yet")
        for number in range(5):
            self.show(b"temp=%d.5\r\n" % (20 + number), session)
        wait_until(lambda: "temp=24.5\r\n" in anna.received, "the numbers have arrived")
        svg = anna.done("plot", width=640, height=240)["svg"]
        self.assertIn('width="640" height="240"', svg)
        self.assertIn("temp", svg)
        self.assertIn("24.5", svg)

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_lines_follow_the_far_end(self):
        driver = Driver(self.device.path, self.folder)
        program = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json",
            variables=self.variables | driver.variables)))
        self.members.append(program)
        program.done("watch", events=["lines"])
        program.wait("state", lambda state: state.get("state") == "open", "it is open")
        wait_until(lambda: self.attach("--list").stdout, "the session can be joined")
        anna = self.member(watches=["lines"])
        for member in (program, anna):
            member.wait("lines", lambda lines: lines == {
                "event": "lines", "dtr": True, "rts": True, "cts": True, "dsr": False, "dcd": False,
                "ri": False}, "the lines at the beginning")
        driver.say("DSR DCD")
        program.done("set", rts=False)
        for member in (program, anna):
            member.wait("lines", lambda lines: lines == {
                "event": "lines", "dtr": True, "rts": False, "cts": False, "dsr": True, "dcd": True,
                "ri": False}, "the lines afterwards")

    def test_a_port_without_lines_has_no_event(self):
        program = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", variables=self.variables)))
        self.members.append(program)
        program.done("watch", events=["lines", "people"])
        program.wait("state", lambda state: state.get("state") == "open", "it is open")
        program.done("statistics")
        self.assertEqual(program.of_kind("lines"), [])


class OwnersReasonTests(JoinedCase):
    """A member's port is the real one, and the owner's reasons are the member's."""

    # The commands about the line that programs have, too.
    ABOUT_THE_LINE = (
        "break", "toggle-line", "pulse-line", "lines", "sequence", "baud", "data-bits", "parity", "stop-bits", "flow",
        "send-file")

    def owner(self, variables=None):
        """A program with a session, which has the pen."""
        program = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", variables=self.variables | (variables or {}))))
        self.members.append(program)
        program.done("watch", events=["commands", "lines"])
        program.wait("state", lambda state: state.get("state") == "open", "it is open")
        wait_until(lambda: self.attach("--list").stdout, "the session can be joined")
        return program

    def reasons(self, member):
        commands = member.state("commands")
        return {name: commands[name].get("reason") for name in self.ABOUT_THE_LINE}

    def expect_the_same(self, owner, member):
        """The member has the reasons of the owner, each of them while it has the pen."""
        expected = self.reasons(owner)
        self.give_pen(owner, member)
        wait_until(lambda: self.reasons(member) == expected, lambda: (self.reasons(member), expected))
        owner.done("take-pen")
        wait_until(lambda: self.reasons(owner) == expected, lambda: (self.reasons(owner), expected))
        return expected

    def give_pen(self, owner, member):
        owner.done("give-pen", to=member.state("people")["you"])
        member.wait_for_people(pen="mine")

    def serve(self, *options, writers="all", variables=None):
        """A server of the port; returns the number of its own port."""
        port = free_port()
        self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--listen", str(port), "--writers", writers, *options,
            variables=self.variables | (variables or {}))).stderr.expect(b"serving at")
        return port

    def served(self):
        """A program that has opened the port of a server."""
        port = self.serve()
        member = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", f"rfc2217://127.0.0.1:{port}", "--json", variables=self.variables)))
        self.members.append(member)
        member.done("watch", events=["commands", "lines"])
        member.wait("state", lambda state: state.get("state") == "open", "it is open")
        return member

    def assert_has_neither_breaks_nor_lines(self, member):
        self.assertEqual(member.refused("break"), "this port has no break")
        self.assertEqual(member.refused("lines"), "this port has no modem lines")
        self.assertEqual(member.refused("set", dtr=True), "this port has no modem lines")
        self.assertEqual(member.refused("pulse-line", argument="dtr"), "this port has no modem lines")
        self.assertEqual(member.of_kind("lines"), [])
        # Its settings are those of the real port.
        member.done("set", baud=9600)
        wait_until(lambda: self.device.settings.output_baud == 9600, "the rate is set")

    def test_a_member_has_no_break_and_no_lines_at_a_port_without_them(self):
        owner = self.owner()
        anna = self.member(watches=["people", "commands", "lines"])
        reasons = self.expect_the_same(owner, anna)
        self.assertEqual((reasons["break"], reasons["baud"]), ("this port has no break", None))
        self.give_pen(owner, anna)
        self.assert_has_neither_breaks_nor_lines(anna)

    def test_a_served_port_has_no_break_and_no_lines_without_them(self):
        member = self.served()
        self.assert_has_neither_breaks_nor_lines(member)
        member.wait_for_reason("break", "this port has no break")
        # The features go and come with the device, while the link stays.
        self.device.hang_up()
        member.wait_for_reason("baud", "no device")
        self.assertEqual(member.refused("break"), "no device")
        self.device.plug()
        member.wait_for_reason("baud", None)
        member.wait_for_reason("break", "this port has no break")

    def test_while_the_owner_sends_a_file_the_members_are_busy_with_it(self):
        source = self.folder / "image.bin"
        source.write_bytes(bytes(200_000))
        all_write = ("--writers", "all", "--listen", str(free_port()))
        for options, member_options in (all_write, ()), ((), ("--force",)):
            with self.subTest(options):
                session = self.session(*options)
                for question, answer in (b"file to send", bytes(source)), (b"how to send", b""):
                    session.send(PREFIX + b"x" if answer else b"")
                    session.expect(question)
                    session.send(answer + b"\r")
                session.expect(b"ctrl-c stops")
                anna = self.member(*member_options)
                anna.wait_for_reason("send-file", "image.bin is being sent")
                anna.wait_for_reason("sequence", "image.bin is being sent")
                anna.wait_for_reason("break", "this port has no break")
                self.assertEqual(anna.refused("send", text="x"), "image.bin is being sent")
                self.assertEqual(anna.refused("sequence", argument="wait=1"), "image.bin is being sent")
                self.device.read_exactly(200_000)
                anna.wait_for_reason("sequence", "this port has no modem lines")
                anna.done("send", text="x")
                self.assertEqual(self.device.read_exactly(1), b"x")
                session.leave()

    def test_the_reasons_are_the_same_in_every_state_of_the_port(self):
        owner = self.owner()
        anna = self.member()
        self.expect_the_same(owner, anna)
        for change, reason in [
                (self.device.hang_up, "no device"), (self.device.plug, None),
                (lambda: owner.done("release"), "port released"), (lambda: owner.done("take-back"), None)]:
            change()
            owner.wait_for_reason("baud", reason)
            self.expect_the_same(owner, anna)

    def test_a_read_only_owner_is_the_members_reason(self):
        self.session("--read-only")
        anna = self.member()
        anna.wait_for_reason("break", "read-only")
        anna.wait_for_reason("baud", "read-only")
        anna.wait_for_reason("pen", "read-only")
        self.assertEqual(anna.refused("send", text="x"), "read-only")

    def test_in_a_session_for_viewers_a_member_only_watches(self):
        self.serve(writers="none")
        anna = self.member()
        anna.wait_for_reason("break", "you only watch")
        self.assertEqual(anna.refused("send", text="x"), "you only watch")

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_sequences_one_after_the_other_are_all_played(self):
        driver = Driver(self.device.path, self.folder)
        self.serve(variables=driver.variables)
        anna, bert = self.member(watches=["commands"]), self.member(watches=["commands"])
        steps = "rts=off,wait=30,rts=on"
        orders = [("sequence", steps), ("pulse-line", "dtr")] * 3
        numbers = [anna.start(command, argument=argument) for command, argument in orders]
        for number in numbers:
            self.assertEqual(anna.answer(number)["event"], "done")
        # Meanwhile, a sequence of another member is refused with the owner's reason.
        long = anna.start("sequence", argument="rts=off,wait=10000")
        bert.wait_for_reason("sequence", "a sequence of the client is playing")
        self.assertEqual(
            bert.refused("sequence", argument=steps), "a sequence of the client is playing")
        anna.done("cancel")
        anna.answer(long)

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_errors_of_the_line_are_those_of_the_driver(self):
        driver = Driver(self.device.path, self.folder)
        owner = self.owner(variables=driver.variables)
        anna = self.member(watches=["commands"])
        driver.say("CTS framing=3 break=2")
        self.device.write(b"x")
        errors = {"event": "line-errors", "framing": 3, "break": 2}
        for member in (owner, anna):
            wait_until(lambda member=member: member.of_kind("line-errors"), "the errors are reported")
            self.assertEqual(member.of_kind("line-errors"), [errors])
        counted = [member.done("statistics")["message"].split("the driver counted")[1] for member in (owner, anna)]
        self.assertIn("3 framing errors", counted[0])
        self.assertEqual(counted[0], counted[1])


class LogTests(JoinedCase):
    """The log of a session, which its owner may share."""

    def read(self, member):
        log, size = b"", 1
        while len(log) < size:
            piece = member.done("read-log", offset=len(log))
            self.assertEqual(piece["name"], "board.log")
            log += base64.b64decode(piece["data"], validate=True)
            size = piece["size"]
        return log

    def test_the_owner_decides_who_reads_it(self):
        file = self.folder / "board.log"
        session = self.session("--log", file)
        self.device.write(b"from before\r\n")
        session.expect(b"from before")
        anna = self.member("--as", "anna", "--log", self.folder / "own.log")
        reason = "the session's log is not shared"
        anna.wait_for_reason("read-log", reason)
        self.assertEqual(anna.refused("read-log"), reason)
        session.send(PREFIX + b":log-share\r")
        session.expect(b"log-share is on")
        anna.wait_for_reason("read-log", None)
        wait_until(lambda: b"before" in file.read_bytes(), "the log is written")
        self.assertEqual(self.read(anna), b"from before\r\n")
        session.expect(b"anna reads the log.")
        # Neither answers nor events have the folder of the log.
        self.assertNotIn(str(file), anna.program.stdout.data.decode())
        session.send(PREFIX + b"f")
        anna.wait_for_reason("read-log", "no log is on")
        session.send(PREFIX + b"f")
        anna.wait_for_reason("read-log", None)
        session.send(PREFIX + b":log-share\r")
        session.expect(b"log-share is off")
        anna.wait_for_reason("read-log", reason)

    def test_a_long_one_while_the_device_goes_on(self):
        file = self.folder / "board.log"
        content = os.urandom(300_000)
        file.write_bytes(content)
        self.session("--log", file, "--log-append", "--log-share")
        anna = self.member()
        piece = anna.done("read-log", bytes=1)
        self.assertEqual((base64.b64decode(piece["data"]), piece["size"]), (content[:1], 300_000))
        self.device.write(b"and on\r\n")
        wait_until(lambda: file.stat().st_size == 300_008, "the log is written")
        # As long as it was when the reading began.
        self.assertEqual(anna.done("read-log", offset=299_999)["size"], 300_000)
        self.assertEqual(self.read(anna), content + b"and on\r\n")
        self.assertIn("and on", anna.received)
        # The log outlives its name, and the device.
        anna.done("read-log")
        file.unlink()
        self.device.hang_up()
        anna.wait("state", lambda state: state["state"] == "waiting", "it is unplugged")
        rest = base64.b64decode(anna.done("read-log", offset=295_000)["data"])
        self.assertEqual(rest, content[295_000:] + b"and on\r\n")

    def test_commands_wait_for_a_piece_and_can_cancel_it(self):
        self.session("--log", self.folder / "board.log", "--log-share")
        anna = self.member()
        numbers = [anna.start("read-log") for _ in range(50)]
        self.assertEqual({anna.answer(number)["event"] for number in numbers}, {"done"})
        number = anna.start("read-log")
        self.assertEqual(anna.do("cancel")["event"], "done")
        # It may have been quicker than the cancel.
        self.assertIn(anna.answer(number).get("reason"), (None, "cancelled"))
        self.assertEqual(anna.done("read-log")["size"], 0)
        for members, reason in (
                ({"offset": -1}, "offset: expected a whole number of bytes, from 0"),
                ({"bytes": 0}, "bytes: expected a whole number from 1 to 16384")):
            self.assertEqual(anna.refused("read-log", **members), reason)

    def test_an_owner_that_does_not_answer_is_not_waited_for(self):
        session = self.session("--log", self.folder / "board.log", "--log-share")
        anna = self.member()
        os.kill(session.pid, signal.SIGSTOP)
        self.addCleanup(os.kill, session.pid, signal.SIGCONT)
        self.assertEqual(anna.refused("read-log"), "timeout")
        self.assertEqual(anna.do("statistics")["event"], "done")

    def test_one_that_several_ports_share_is_not_read(self):
        with Device() as other:
            file = self.folder / "both.txt"
            session = self.enterContext(Pipes(
                serialterm_binary(), "connect", self.device.path, other.path, "--json", "--log", file, "--log-share",
                variables=self.variables))
            session.stdout.expect(b'"open"')
            session.stdout.expect(b'"open"')
            member = Member(self.pipes("--json", self.device.path))
            member.done("watch", events=["commands"])
            member.wait_for_reason("read-log", "several ports share the log")


class EndTests(JoinedCase):
    def test_the_end_has_its_reason(self):
        session = self.session()
        anna = self.member()
        session.send(PREFIX + b"q")
        self.assertEqual(anna.program.wait(), 0)
        self.assertEqual(anna.of_kind("ended"), [{"event": "ended", "reason": "it was closed"}])
        self.assertEqual(anna.state("state")["state"], "closed")

    def test_a_session_that_was_killed_ends_with_6(self):
        session = self.session()
        anna = self.member()
        session.process.kill()
        self.assertEqual(anna.program.wait(), 6)
        self.assertEqual(len(anna.of_kind("ended")), 1)

    def test_leaving_ends_only_the_member(self):
        session = self.session()
        anna = self.member("--as", "anna", "--force")
        anna.wait_for_people(pen="mine")
        anna.program.close_stdin()
        self.assertEqual(anna.program.wait(), 0)
        session.expect(b"anna has left")
        session.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_commands_wait_until_it_has_joined(self):
        self.session()
        result = serialterm(
            "attach", "--json", variables=self.variables, stdin=b'{"id":1,"command":"who"}\n')
        self.assertEqual(result.status, 0, result)
        answer, = [json.loads(line) for line in result.stdout.splitlines() if b'"done"' in line]
        self.assertRegex(answer["message"], r"you\n.*with the pen")

    def test_it_is_not_offered_again(self):
        self.session()
        self.member()
        self.assertEqual(len(json.loads(self.attach("--list", "--json").stdout)), 1)


class SlowReaderTests(JoinedCase):
    def test_only_its_own_view_loses_bytes(self):
        session = self.session()
        output, writer = os.pipe()
        program = self.enterContext(Program(
            [serialterm_binary(), "attach", "--json"], self.variables, stdin=subprocess.PIPE,
            stdout=writer))
        os.close(writer)
        self.addCleanup(program.process.stdin.close)
        session.expect(b"is here")
        line = b"x" * 1022 + b"\r\n"
        count = 4_096
        for _ in range(count):
            self.device.write(line)
        self.device.write(b"end of it\r\n")
        session.expect(b"end of it")
        # Now it reads.
        program.stdout = Transcript(output)
        self.addCleanup(os.close, output)
        self.addCleanup(program.stdout.stop)
        anna = Member(program)
        self.members.append(anna)
        wait_until(lambda: anna.of_kind("missed"), "it knows what it has missed", 30)
        self.device.write(b"after it\r\n")
        wait_until(lambda: anna.received.endswith("after it\r\n"), "it goes on", 30)
        missed = sum(event["bytes"] for event in anna.of_kind("missed"))
        self.assertEqual(
            len(anna.received) + missed, count * len(line) + len("end of it\r\nafter it\r\n"))


class MessageCase(JoinedCase):
    """Programs that send what the configuration defines."""

    PROFILES = r"""
[default]
line-ending = "lf"
[default.snippets]
where = "uname"
[profile.board]
line-ending = "crlf"
encoding = "CP437"
checksum = "xor"
map = "to-device:lower=upper"
log = "%s"
read-only = true
[profile.board.snippets]
login = "grün"
raw = { text = '\x01\x02', line-ending = "none" }
[profile.board.sequences]
wake = "rts=off,wait=1,rts=on"
[profile.other]
match = "serial:NONE"
[profile.other.snippets]
elsewhere = "no"
"""

    def setUp(self):
        super().setUp()
        self.log = self.folder / "profile.log"
        file = self.folder / "config" / "serialterm" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text(self.PROFILES % self.log)
        self.variables["XDG_CONFIG_HOME"] = str(file.parent.parent)

    def program(self, *options):
        """A program that has a port."""
        program = Member(self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", *options, variables=self.variables)))
        program.done("watch", events=["commands"])
        program.wait("state", lambda state: state.get("state") == "open", "the port is open")
        program.wait("commands", lambda commands: commands.get("send", {}).get("enabled"), "it may send")
        return program

    def names(self, member):
        member.wait("commands", lambda commands: "send" in commands, "it knows the commands")
        return [name for name in member.state("commands") if name.startswith(("snippet: ", "sequence: "))]

    def read(self, expected):
        self.assertEqual(self.device.read_exactly(len(expected)), expected)

    def read_until(self, end):
        """Reads up to these bytes, and returns what came before them."""
        data = b""
        while not data.endswith(end):
            data += self.device.read_exactly(1)
        return data[:-len(end)]


class MessageTests(MessageCase):
    """Snippets and line sequences."""

    def test_a_member_has_those_of_the_profile_of_the_port(self):
        # What the session itself does is not done again: its log, and it alone decides what is read-only.
        session = self.session("--profile", "board", "--no-log", "--no-read-only")
        member = self.member(watches=("people", "commands"))
        self.assertEqual(self.names(member), ["sequence: wake", "snippet: where", "snippet: login", "snippet: raw"])
        member.wait("commands", lambda commands: "has the pen" in commands["snippet: login"].get("reason", ""),
                    "it knows who has the pen")
        record = member.state("commands")["snippet: login"]
        self.assertEqual((record["title"], record["users"]), ("snippet: login", ["person", "script", "page"]))
        self.assertEqual(member.refused("snippet: login"), record["reason"])
        member.done("take-pen")
        member.wait("commands", lambda commands: commands["snippet: login"]["enabled"], "it may send")
        member.done("snippet: login")
        # As a person of the session sends it: mapped, in the encoding of the device, with the checksum.
        text = "GRüN".encode("cp437") + b"\r\n"
        checksum = 0
        for byte in text:
            checksum ^= byte
        self.read(text + bytes([checksum]))
        member.done("snippet: raw")
        self.read(b"\x01\x02\x03")
        self.assertEqual(member.refused("snippet: elsewhere"), "there is no snippet: elsewhere")
        self.assertFalse(self.log.exists(), "the log of the profile is that of the session alone")
        session.leave()

    def test_a_port_without_a_profile_has_the_defaults_alone(self):
        self.session()
        member = self.member("--force")
        self.assertEqual(self.names(member), ["snippet: where"])
        member.done("snippet: where")
        self.read(b"uname\n")

    def test_a_member_may_name_a_profile(self):
        self.session()
        member = self.member("--force", "--profile", "other")
        self.assertEqual(self.names(member), ["snippet: where", "snippet: elsewhere"])

    def test_a_program_with_a_port_has_them_and_can_cancel_one(self):
        program = self.program(
            "--profile", "board", "--no-log", "--no-read-only", "--no-checksum", "--no-map", "--byte-delay", "10000")
        program.wait("commands", lambda commands: commands["snippet: login"]["enabled"], "it may send")
        self.assertEqual(program.state("commands")["snippet: login"]["value"], "grün\\r\\n")
        number = program.start("snippet: login")
        self.read(b"g")
        program.done("cancel")
        answer = program.answer(number)
        self.assertEqual((answer["reason"], answer["unsent"]), ("cancelled", 5))


class RepetitionTests(MessageCase):
    """What a program sends at intervals."""

    def ended(self, program):
        event, = wait_until(lambda: program.of_kind("repetition-ended"), f"the end: {program.events[-5:]}")
        return event["code"], event["sent"]

    def test_it_ends_by_itself_and_the_program_is_told_how_often_it_was_sent(self):
        program = self.program()
        program.done("watch", events=["commands", "repetition"])
        program.done("repeat", argument="2ms 3x a\\r")
        self.read(b"a\r" * 3)
        self.assertEqual(self.ended(program), ("as-ordered", 3))
        program.wait("repetition", lambda state: state["text"] is None, "nothing is repeated")
        first = next(event for event in program.of_kind("repetition") if event["text"])
        self.assertEqual((first["interval"], first["count"]), (0.002, 3))
        self.assertEqual(program.refused("stop"), "nothing runs")
        program.done("send", text="END")
        self.read(b"END")

    def test_what_cannot_be_sent_at_all_fails(self):
        program = self.program("--encoding", "CP437")
        for argument, reason in (
                ("1s €", '"€" (U+20AC) does not exist in CP437'), ("1s snippet: no", "repeat: there is no snippet 'no'"),
                ("0s a", "expected a time from 1 ms to 1 day"), ("1s " + "x" * 65_537, "65536 bytes at most")):
            self.assertIn(reason, program.refused("repeat", argument=argument))
        self.assertEqual(program.of_kind("repetition-ended"), [])

    def test_a_message_comes_first_and_the_end_of_the_input_ends_it(self):
        # Each text takes longer than the time to the next one, so that the queue is never empty for long.
        program = self.program("--byte-delay", "5", "--linger", "1h")
        program.done("repeat", argument="1ms status")
        self.read(b"status\n")
        program.done("send", text="MESSAGE")
        program.done("snippet: where")
        data = self.read_until(b"MESSAGE") + self.read_until(b"uname\n")
        self.assertEqual(data.replace(b"status\n", b""), b"")
        program.program.close_stdin()
        code, count = self.ended(program)
        self.assertEqual(code, "ending")
        self.assertTrue(program.program.running, "it lingers")
        self.assertGreater(count, 0)

    def test_a_member_does_not_fill_the_queue_of_a_device_that_reads_nothing(self):
        owner = self.program()
        owner.done("watch", events=["people", "commands"])
        member = self.member()
        owner.wait("people", lambda people: people["others"], "the member is there")
        owner.done("give-pen", to=owner.state("people")["others"][0]["id"])
        member.wait_for_people(pen="mine")

        def waiting():
            message = owner.done("statistics")["message"]
            return int(re.search(r"([\d,]+) waiting to be sent", message)[1].replace(",", ""))
        text = "x" * 999
        member.done("repeat", argument=f"1ms {text}\\r")
        wait_until(waiting, "a text waits at the owner")
        # Many moments pass meanwhile.
        for _ in range(200):
            member.done("statistics")
            self.assertLessEqual(waiting(), 1_000)
        member.done("stop")
        code, count = self.ended(member)
        self.assertEqual(code, "stopped")
        self.assertGreater(member.of_kind("repetition-ended")[0]["late"], 0)
        self.read((text + "\r").encode() * count)
        member.done("send", text="END")
        self.read(b"END")

    def test_a_cancel_counts_the_bytes_of_its_message_alone(self):
        program = self.program()
        program.done("repeat", argument="1s " + "x" * 30_000)
        number = program.start("send", text="hello")
        program.done("cancel")
        answer = program.answer(number)
        self.assertEqual((answer["reason"], answer["unsent"]), ("cancelled", 5))


class NameTests(JoinedCase):
    def test_the_list_names_sessions_exactly(self):
        pair = self.enterContext(Pipes(
            serialterm_binary(), "connect", "loopback:", "loopback:", "--json",
            variables=self.variables))
        wait_until(lambda: pair.stdout.data.count(b'"open"') == 2, "both are open")
        entries = wait_until(
            lambda: json.loads(self.attach("--list", "--json").stdout), "they can be joined")
        self.assertEqual(
            [entry["session"] for entry in entries], [f"{pair.pid}:0", f"{pair.pid}:1"])
        self.assertEqual({entry["state"] for entry in entries}, {"open"})
        names = json.loads(pair.stdout.data.split(b"\n")[0])["ports"]
        for entry, name in zip(entries, names):
            member = self.member(entry["session"])
            pair.send(json.dumps(
                {"command": "send", "text": f"to {name}", "port": name}).encode() + b"\n")
            wait_until(lambda: f"to {name}" in member.received, f"the member is at {name}")

    def test_mistakes_are_those_of_attach(self):
        result = self.attach("--json")
        self.assertEqual(result.status, 3)
        self.assertIn(b"no session of yours is running", result.stderr)
        self.session()
        result = self.attach("--json", "nothing")
        self.assertEqual((result.status, result.stdout), (3, b""))
        self.assertIn(b"no session 'nothing' of yours is running", result.stderr)
        self.session(device=self.enterContext(type(self.device)(self.folder / "ttyOTHER")))
        # Also at a terminal: a program is never asked.
        viewer = self.viewer("--json", watches=False)
        viewer.expect(b"several sessions: name one of them.")
        self.assertEqual(viewer.wait(), 2)


if __name__ == "__main__":
    unittest.main()
