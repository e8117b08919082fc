"""`serialterm serve --web`: the server of the page, its sessions, its limits. test_web_page.py has the page in a browser."""

import http.server
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.browser import Browser, why_no_browser
from Tests.endtoend.faults import preload
from Tests.endtoend.firefox import Firefox, why_no_firefox
from Tests.endtoend.harness import (
    TIMEOUT, Deadline, Device, Pipes, Terminal, environment, files_of, pace, serialterm_binary, slow, soak, wait_until)
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import free_port
from Tests.endtoend.servers.nginx import Nginx, why_no_nginx
from Tests.endtoend.servers.websocket import BINARY, PING, TEXT, WebSocket, frame, request

WEB = os.environ.get("SERIALTERM_WEB", "")


@unittest.skipUnless(WEB, "needs serialterm-web: SERIALTERM_WEB names it")
class WebTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device(self.folder / "board"))
        self.port = free_port()
        self.variables = {
            "PATH": f"{Path(WEB).parent}:{os.environ['PATH']}", "XDG_STATE_HOME": str(self.folder / "state")}

    def serve(self, *options, command="serve"):
        program = self.enterContext(Pipes(
            serialterm_binary(), command, self.device.path, "--web", str(self.port), *options,
            variables=self.variables))
        link = program.stderr.expect(re.compile(rb"a page for browsers is at (\S+)"))[1].decode()
        self.token = link.partition("#")[2]
        self.assertEqual(link.partition("#")[0], f"http://127.0.0.1:{self.port}/")
        return program

    def page(self, name="", token=None, **options):
        return self.enterContext(WebSocket(
            self.port, self.token if token is None else token, name, **options))

    def join(self, name="", **options):
        """A page that has joined the session of the device."""
        page = self.page(name, **options)
        self.enter_session(page)
        return page

    def enter_session(self, page):
        listed = page.expect("sessions", sessions=lambda sessions: sessions)
        session, = listed["sessions"]
        self.assertEqual(session["port"], str(self.device.path))
        page.send("join", session=session["session"])
        page.expect("joined", session=session["session"])
        page.expect("state", state="open")

    def enter_session_again(self, page):
        joined = [event for event in page.events if event["event"] == "joined"][-1]["session"]
        page.send("join", session=joined)
        page.expect("joined", session=joined)

    def have_pen(self, page):
        page.send("ask-pen", id="pen")
        page.expect("people", pen="mine")

    def end(self, program):
        """Ends a session, and waits until the server of its page has given the port back. A process that ends has no
        words any more before its sockets are closed."""
        program.close()
        wait_until(self.port_is_free, "the port is free")

    def port_is_free(self):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", self.port))
            except OSError:
                return False
        return True

    def servers(self):
        """The processes of serialterm-web that serve this test's port."""
        return [
            int(folder.name) for folder in Path("/proc").iterdir() if folder.name.isdigit()
            and (words := self.words(folder))[:1] and Path(words[0]).name == "serialterm-web"
            and f"127.0.0.1:{self.port}" in words]

    @staticmethod
    def words(folder):
        try:
            return (folder / "cmdline").read_bytes().decode().split("\0")
        except OSError:
            return []


class PageTests(WebTest):
    def get(self, path="/", *headers, method="GET", host=None):
        host = host or f"localhost:{self.port}"
        return request(self.port, [f"{method} {path} HTTP/1.1", f"Host: {host}", *headers])

    def test_the_files_of_the_page_are_there_with_their_rules(self):
        self.serve()
        page = self.get()
        self.assertTrue(page.startswith(b"HTTP/1.1 200 OK\r\n"), page[:200])
        self.assertIn(b"Content-Security-Policy: default-src 'none'; script-src 'self'", page)
        self.assertIn(b"X-Content-Type-Options: nosniff", page)
        self.assertNotIn(self.token.encode(), page)
        body = page.partition(b"\r\n\r\n")[2]
        self.assertIsNone(re.search(rb"<script(?![^>]*\ssrc=)|\son\w+=|\sstyle=|<style", body), "inline code")
        for name in re.findall(rb'(?:src|href)="([^"#]+)"', body):
            self.assertTrue(self.get(f"/behind/a/proxy/{name.decode()}").startswith(b"HTTP/1.1 200"), name)

    def test_there_is_nothing_else(self):
        self.serve()
        for path in ("/token", "/../../etc/passwd", "/%2e%2e/page.css%00", "/favicon.ico"):
            self.assertTrue(self.get(path).startswith(b"HTTP/1.1 404"), path)
        self.assertTrue(self.get(method="POST").startswith(b"HTTP/1.1 405"))
        self.assertTrue(self.get("/socket").startswith(b"HTTP/1.1 426"))

    def test_a_foreign_name_is_refused(self):
        self.serve("--web-host", "lab.example")
        self.assertTrue(self.get(host="evil.example").startswith(b"HTTP/1.1 421"))
        self.assertIn(b"--web-host evil.example", self.get(host="evil.example"))
        self.assertTrue(self.get(host="lab.example").startswith(b"HTTP/1.1 200"))

    def test_pages_of_another_origin_cannot_connect(self):
        self.serve("--web-host", "lab.example", "--web-host", "rack.example:8443")
        for origin in (
                "http://evil.example", "null", "http://127.0.0.1", f"http://127.0.0.1:{self.port + 1}",
                f"http://localhost:{self.port + 1}", f"http://localhost:{self.port}", f"http://[::1]:{self.port}",
                f"https://127.0.0.1:{self.port}", f"http://{socket.gethostname()}:{self.port}",
                f"http://lab.example:{self.port}", "https://lab.example:8443", "https://rack.example"):
            with self.subTest(origin), self.assertRaises(ConnectionError):
                self.page(origin=origin)
        # A reverse proxy has what the user says.
        for origin in (
                f"http://127.0.0.1:{self.port}", "http://lab.example", "https://lab.example",
                "https://rack.example:8443"):
            with self.subTest(origin):
                self.page(origin=origin).expect("welcome")

    def test_a_proxy_may_pass_its_port_on(self):
        self.serve("--web-host", "lab.example")
        for scheme in ("http", "https"):
            origin = f"Origin: {scheme}://lab.example:8443"
            self.assertTrue(self.get("/", origin, host="lab.example:8443").startswith(b"HTTP/1.1 200"), scheme)
            self.assertTrue(self.get("/", origin, host="lab.example").startswith(b"HTTP/1.1 403"), scheme)

    def test_a_request_of_another_origin_gets_nothing(self):
        self.serve("--web-open")
        self.assertTrue(self.get("/", f"Origin: http://127.0.0.1:{self.port + 1}").startswith(b"HTTP/1.1 403"))
        self.assertTrue(self.get("/", f"Origin: http://localhost:{self.port}").startswith(b"HTTP/1.1 200"))
        # The scripts of the page are no secret, and no other page can read or run them.
        script = self.get("/page.js", "Origin: http://evil.example")
        self.assertTrue(script.startswith(b"HTTP/1.1 200"))
        self.assertTrue(self.get("/page.js", "Origin: http://evil.example", method="HEAD").startswith(b"HTTP/1.1 200"))
        self.assertIn(b"Cross-Origin-Resource-Policy: same-origin", script)
        self.assertNotIn(b"Access-Control", script)


    def test_a_refused_page_is_told_to_the_user_of_the_server_once(self):
        program = self.serve()
        for _ in range(2):
            with self.assertRaises(ConnectionError):
                self.page(origin="https://lab.example:8443")
        line = program.stderr.expect(re.compile(rb"The page of https://lab.example:8443 is refused[^\n]*"))[0].decode()
        self.assertIn(f"requests arrive for 127.0.0.1:{self.port}", line)
        self.assertIn("start the page with --web-host lab.example:8443", line)
        self.assertIn("proxy_set_header Host $http_host;", line)
        self.assertIn("Otherwise another page in a browser has tried to connect: ignore this.", line)
        # Anybody can say any origin, and any name of the server.
        for number in range(40):
            answer = self.get("/", f"Origin: http://\x9b2J\u202e{number}" + "x" * 900)
            self.assertTrue(answer.startswith(b"HTTP/1.1 403"), answer[:80])
            self.get(host=f"evil{number}.example")
        program.stderr.expect(re.compile(rb"the page for browsers: Further refused requests are not logged.\r?\n"))
        self.end(program)
        program.catch_up()
        self.assertEqual(program.stderr.data.count(b"The page of https://lab.example:8443 is refused"), 1)
        self.assertLess(len(program.stderr.data), 6_000)
        self.assertIn("'http://\ufffd2J\ufffd0xxx".encode(), program.stderr.data)
        self.assertNotIn("\u202e".encode(), program.stderr.data)
        self.assertNotIn("\x9b".encode(), program.stderr.data)

    def test_a_page_can_ask_why_its_socket_is_refused(self):
        self.serve()
        answer = self.get("/board/why?https://lab.example")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer[:80])
        self.assertIn(b"Content-Type: text/plain", answer)
        self.assertIn(b"The page of https://lab.example is refused: requests arrive for localhost", answer)
        self.assertIn(b"must pass Upgrade", self.get(f"/why?http://localhost:{self.port}"))
        self.assertTrue(self.get("/why", "Origin: https://evil.example").startswith(b"HTTP/1.1 403"))
        self.assertNotIn(self.token.encode(), answer)


@unittest.skipIf(why_no_nginx(), why_no_nginx())
class ProxyTests(WebTest):
    """A real reverse proxy, whose configuration may be complete or not."""

    def documented(self):
        """The location of docs/web.md, for the ports of this test."""
        text = (REPOSITORY / "docs/web.md").read_text().partition("```nginx")[2].partition("```")[0]
        return text.replace("127.0.0.1:8080", f"127.0.0.1:{self.port}")

    def without(self, *words):
        return "\n".join(
            line for line in self.documented().splitlines() if not any(word in line for word in words))

    def proxy(self, location):
        return self.enterContext(Nginx(self.folder, location))

    def test_the_documented_proxy(self):
        self.serve()
        proxy = self.proxy(self.documented())
        page = self.enterContext(WebSocket(
            proxy.port, self.token, path="/board/socket", origin=f"http://127.0.0.1:{proxy.port}"))
        page.expect("welcome")

    def test_a_proxy_that_does_not_pass_the_host(self):
        program = self.serve()
        proxy = self.proxy(self.without("Host"))
        origin = f"http://127.0.0.1:{proxy.port}"
        with self.assertRaises(ConnectionError):
            self.enterContext(WebSocket(proxy.port, self.token, path="/board/socket", origin=origin))
        program.stderr.expect(f"The page of {origin} is refused".encode())
        self.end(program)
        # What the line advises.
        self.serve("--web-host", f"127.0.0.1:{proxy.port}")
        self.enterContext(WebSocket(
            proxy.port, self.token, path="/board/socket", origin=origin)).expect("welcome")

    def test_a_proxy_that_does_not_pass_upgrade(self):
        program = self.serve()
        proxy = self.proxy(self.without("Upgrade", "Connection"))
        with self.assertRaises(ConnectionError):
            self.enterContext(WebSocket(
                proxy.port, self.token, path="/board/socket", origin=f"http://127.0.0.1:{proxy.port}"))
        program.stderr.expect(b"If a reverse proxy is between, it must pass Upgrade and Connection")

    @slow
    @unittest.skipIf(why_no_browser(), why_no_browser())
    def test_the_page_says_what_is_wrong_with_the_proxy_until_it_is_mended(self):
        self.check_page(self.enterContext(Browser()))

    @slow
    @unittest.skipIf(why_no_firefox(), why_no_firefox())
    def test_the_page_in_firefox_says_what_is_wrong_with_the_proxy(self):
        self.check_page(self.enterContext(Firefox()))

    def check_page(self, browser):
        self.serve()
        proxy = self.proxy(self.without("Host"))
        address = f"http://127.0.0.1:{proxy.port}"
        link = f"{address}/board/#{self.token}"
        browser.open(link)
        browser.wait_for_text("#banner", f"The page of {address} is refused")
        # What the proxy itself answers is no reason.
        proxy.configure(self.without("Host") + "\nlocation /board/why { default_type text/html; return 200 'sign in'; }")
        browser.wait_for_text("#banner", "The connection to the server is lost")
        proxy.configure(self.without("Host"))
        browser.wait_for_text("#banner", f"The page of {address} is refused")
        browser.wait_for_text("#banner", "--web-host")
        proxy.configure(self.without("Upgrade", "Connection"))
        browser.wait_for_text("#banner", "must pass Upgrade")
        proxy.configure(self.documented())
        browser.wait_for_text("#state", "open")
        # The skip button leaves the token where it is.
        browser.run("document.querySelector('.skip').click()")
        self.assertEqual(
            browser.run("return [document.activeElement.id, location.href]"), ["keys", link])
        browser.run("location.reload()")
        browser.wait_for_text("#state", "open")


class AdmissionTests(WebTest):
    def test_a_page_needs_the_token(self):
        self.serve()
        for token in ("", "x", self.token[:-1], self.token + "x", "A" * len(self.token)):
            page = self.page(token=token)
            self.assertIn("not valid", page.expect("refused")["reason"])
            page.expect_end()
            self.assertEqual((page.close_code, len(page.events)), (1008, 1))

    def test_nothing_is_told_before_the_token(self):
        self.serve()
        page = self.page(hello=False)
        page.send("join", session="x")
        page.expect("refused")
        page.expect_end()

    def test_an_open_page_needs_none(self):
        self.serve("--web-open")
        self.assertEqual(self.token, "")
        self.page().expect("welcome")

    def test_an_open_page_is_not_for_pages_of_others(self):
        self.serve("--web-open")
        for origin in (f"http://127.0.0.1:{self.port + 1}", f"http://localhost:{self.port}", "http://evil.example"):
            with self.subTest(origin), self.assertRaises(ConnectionError):
                self.page(origin=origin)

    def test_a_program_that_is_no_page_needs_the_token_of_an_open_page_too(self):
        self.end(self.serve())
        token = self.token
        self.serve("--web-open")
        page = self.page(origin=None)
        self.assertIn("not valid", page.expect("refused")["reason"])
        page.expect_end()
        self.page(token=token, origin=None).expect("welcome")

    def test_the_link_that_is_kept_has_no_token(self):
        log = self.folder / "serve.log"
        near, far = socket.socketpair()
        self.addCleanup(far.close)
        self.addCleanup(near.close)
        words = (serialterm_binary(), "serve", self.device.path, "--web", str(self.port))
        told = re.compile(rb"a page for browsers is at (\S+), with '#' and the token behind it: 'cat (\S+)' prints it")
        for name, stream, read in (
                ("a file", log.open("wb"), lambda: log.read_bytes()),
                ("a socket, such as the journal's", near, lambda: far.recv(65_536, socket.MSG_PEEK))):
            with self.subTest(name), stream:
                program = subprocess.Popen(words, stderr=stream, env=environment(**self.variables))
                self.addCleanup(program.wait)
                self.addCleanup(program.kill)
                wait_until(lambda: b"page for browsers" in read(), "the program has printed the link")
                link, file = told.search(read()).groups()
                token = Path(file.decode()).read_text().strip()
                self.assertNotIn(token.encode(), read())
                self.assertEqual(link.decode(), f"http://127.0.0.1:{self.port}/")
                self.page(token=token).expect("welcome")
                program.kill()
                program.wait()
                wait_until(self.port_is_free, "the port is free")

    def test_a_new_token_is_told(self):
        program = self.serve()
        first = self.token
        (self.folder / "state/serialterm/web-token").unlink()
        pid, = self.servers()
        os.kill(pid, signal.SIGKILL)
        told = re.compile(rb"there again, with a new link: http://[^\s#]+#([\w-]{24})")
        self.token = program.stderr.expect(told)[1].decode()
        self.assertNotEqual(self.token, first)
        self.join()
        self.page(token=first).expect("refused")

    def test_the_token_is_a_file_that_only_the_user_can_read_and_stays(self):
        self.end(self.serve())
        first, file = self.token, self.folder / "state/serialterm/web-token"
        self.assertEqual((file.read_text(), file.stat().st_mode & 0o777), (f"{first}\n", 0o600))
        self.end(self.serve())
        self.assertEqual(self.token, first)
        file.chmod(0o644)
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--web", str(self.port), variables=self.variables))
        self.assertEqual(program.wait(), 1)
        self.assertIn(b"web-token must be a file of yours that nobody else can read", program.stderr.data)

    def test_the_port_of_another_program_is_named(self):
        with socket.create_server(("127.0.0.1", self.port)):
            program = self.enterContext(Pipes(
                serialterm_binary(), "serve", self.device.path, "--web", str(self.port),
                variables=self.variables))
            self.assertEqual(program.wait(), 1)
        self.assertIn(f"cannot listen at 127.0.0.1:{self.port}: Address already in use".encode(), program.stderr.data)

    def test_a_missing_program_is_named(self):
        self.variables["PATH"] = "/usr/bin:/bin"
        program = self.enterContext(Pipes(
            serialterm_binary(), "serve", self.device.path, "--web", str(self.port), variables=self.variables))
        self.assertEqual(program.wait(), 1)
        self.assertIn(b"serialterm-web is not installed", program.stderr.data)


class SessionTests(WebTest):
    def test_a_page_sees_what_came_before_and_what_comes(self):
        self.serve()
        self.device.write(b"before ")
        other = self.join()
        other.expect_text("before ")
        page = self.join("-anna")
        self.device.write("now: µ\r\n".encode())
        page.expect_text("before now: µ\r\n")
        people = other.expect("people", others=lambda others: others)
        self.assertEqual([person["name"] for person in people["others"]], ["-anna (browser)"])

    def test_a_page_cannot_call_itself_like_others(self):
        self.serve()
        first = self.join("ann")
        for typed, shown in (("ann\0", "ann\ufffd (browser)"), ("ann (agent)", "ann [agent] (browser)")):
            with self.subTest(typed):
                page = self.join(typed)
                people = first.expect("people", others=lambda others: others)
                self.assertEqual([person["name"] for person in people["others"]], [shown])
                page.close()
                first.expect("people", others=[])

    def test_a_new_name_keeps_the_pen_and_is_that_of_the_next_session(self):
        self.serve()
        one, other = self.join("one"), self.join("other")
        self.have_pen(one)
        other.expect("people", holder=lambda holder: holder is not None)
        one.send("name", id=1, argument="One (agent)")
        one.expect("done", id=1)
        people = other.expect("people", others=lambda others: [
            person["name"] for person in others] == ["One [agent] (browser)"])
        self.assertEqual(people["holder"], people["others"][0]["id"])
        one.send("send", id=2, text="x")
        one.expect("done", id=2)
        self.assertEqual(self.device.read_exactly(1), b"x")
        self.enter_session_again(one)
        other.expect("people", others=[])
        other.expect("people", others=lambda others: [
            person["name"] for person in others] == ["One [agent] (browser)"])

    def test_what_is_typed_with_the_pen_reaches_the_device_and_without_it_does_not(self):
        self.serve()
        one, other = self.join("one"), self.join("other")
        self.have_pen(one)
        one.send("send", id=1, text="hello")
        self.assertEqual(self.device.read_exactly(5), b"hello")
        one.expect("done", id=1)
        other.send("send", id=2, text="no")
        self.assertEqual(other.expect("failed", id=2)["reason"], "one (browser) has the pen")
        other.send("ask-pen", id=3)
        asked = one.expect("people", others=lambda others: any(person.get("asks") for person in others))
        one.send("give-pen", id=4, to=asked["others"][0]["id"])
        other.expect("people", pen="mine")
        other.send("send", id=5, text="yes")
        self.assertEqual(self.device.read_exactly(3), b"yes")

    def test_a_page_repeats_a_text_until_it_loses_the_pen(self):
        self.serve()
        one, other = self.join("one"), self.join("other")
        one.send("repeat", id=1, argument="1s no")
        self.assertEqual(one.expect("failed", id=1)["reason"], "you are only watching")
        one.send("ask-pen", id="pen")
        person, = one.expect("people", pen="mine")["others"]
        one.send("repeat", id=2, argument="2ms status")
        one.expect("done", id=2)
        self.assertEqual(self.device.read_exactly(21), b"status\r" * 3)
        one.send("give-pen", id=3, to=person["id"])
        other.expect("people", pen="mine")
        ended = one.expect("repetition-ended")
        self.assertEqual((ended["code"], ended["reason"]), ("pen-held", "other (browser) has the pen"))
        other.send("send", id=4, text="END")
        other.expect("done", id=4)
        data = self.device.read_exactly(1)
        while not data.endswith(b"END"):
            data += self.device.read_exactly(1)
        # The last text may have been on its way when the pen moved. The owner drops it.
        self.assertIn(data, [b"status\r" * (ended["sent"] - each) + b"END" for each in (3, 4)])

    def test_a_command_is_off_with_the_palette_s_reason_while_the_device_is_gone(self):
        self.serve()
        page = self.join()
        self.have_pen(page)

        def is_baud(reason):
            return lambda commands: any(
                command["name"] == "baud" and command.get("reason") == reason for command in commands)
        self.device.hang_up()
        page.expect("commands", commands=is_baud("no device"))
        page.send("break", id=1)
        self.assertEqual(page.expect("failed", id=1)["reason"], "no device")
        self.device.plug()
        page.expect("commands", commands=is_baud(None))
        page.send("break", id=2)
        self.assertEqual(page.expect("failed", id=2)["reason"], "this port has no break")

    def test_a_terminal_and_two_pages_are_at_one_session(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, "--web", str(self.port), size=(24, 160),
            variables=self.variables))
        link = terminal.expect(re.compile(rb"a page for browsers is at (http://[^\s#]+)#([\w-]{24})"))
        self.token = link[2].decode()
        one, other = self.join("one"), self.join("other")
        self.device.write(b"for all")
        for page in (one, other):
            page.expect_text("for all")
        terminal.expect(b"for all")
        terminal.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        one.send("take-pen", id=1)
        one.expect("people", pen="mine")
        one.send("send", text="p")
        self.assertEqual(self.device.read_exactly(1), b"p")

    def test_the_palette_opens_and_closes_the_page(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, size=(24, 160), variables=self.variables))
        terminal.expect(b"ctrl-t q")
        terminal.send(b"\x14:share\r")
        terminal.expect(b"for browsers")
        terminal.send(b"%d,web\r" % self.port)
        self.token = terminal.expect(re.compile(rb"a page for browsers is at http://[^\s#]+#([\w-]{24})"))[1].decode()
        self.join()
        terminal.send(b"\x14:stop-sharing\r")
        terminal.expect(b"Nobody else can connect")
        wait_until(lambda: not self.servers(), "the page is closed")

    def test_pages_may_not_use_the_server_s_files_and_programs(self):
        self.serve()
        page = self.join()
        self.have_pen(page)
        for command in ("send-file", "watch"):
            page.send(command, id=command, path=str(self.folder / "x"))
            self.assertEqual(page.expect("failed", id=command)["reason"], f"'{command}' is not for pages")
        for command in (
                "receive-files", "start-log", "stop-log", "log", "release", "take-back", "reconnect", "share",
                "stop-sharing", "copy-settings", "configuration", "run-command", "run-script", "write-text",
                "write-plot", "connect-to", "save-profile", "quit", "hex", "read-only", "close"):
            page.send(
                command, id=command, argument=str(self.folder / "x"), path=str(self.folder / "x"),
                into=str(self.folder), protocol="xmodem", name="x")
            self.assertEqual(page.expect("failed", id=command)["code"], "not-for-pages", command)
        page.send("expect", id="expect", regex="x")
        self.assertEqual(page.expect("failed", id="expect")["code"], "not-for-pages")
        self.assertFalse((self.folder / "x").exists())

    def configure(self, text):
        file = self.folder / "config" / "serialterm" / "config.toml"
        file.parent.mkdir(parents=True)
        file.write_text(text)
        self.variables["XDG_CONFIG_HOME"] = str(file.parent.parent)

    def test_the_snippets_of_the_port_s_profile_are_there_without_their_texts(self):
        self.configure("""
[profile.board]
line-ending = "crlf"
[profile.board.snippets]
login = "root"
[profile.other.snippets]
elsewhere = "no"
""")
        self.serve("--profile", "board")
        one, other = self.join("one"), self.join("other")

        def record(commands):
            return next((command for command in commands if command["name"] == "snippet: login"), {})
        self.have_pen(one)
        listed = other.expect("commands", commands=lambda commands: "has the pen" in record(commands).get("reason", ""))
        self.assertEqual(record(listed["commands"])["title"], "snippet: login")
        other.send("snippet: login", id=1)
        answer = other.expect("failed", id=1)
        self.assertEqual((answer["reason"], answer["code"]), ("one (browser) has the pen", "pen-held"))
        one.send("snippet: login", id=1)
        self.assertEqual(self.device.read_exactly(6), b"root\r\n")
        one.expect("done", id=1)
        one.send("snippet: elsewhere", id=2)
        self.assertEqual(one.expect("failed", id=2)["reason"], "there is no snippet: elsewhere")
        for page in (one, other):
            published = [event["commands"] for event in page.events if event["event"] == "commands"]
            self.assertTrue(any(record(commands) for commands in published))
            self.assertNotIn("root", str(published))
            self.assertNotIn("elsewhere", str(published))

    def take_pen(self, page):
        page.send("take-pen", id="take")
        page.expect("people", pen="mine")

    def read_until(self, end):
        data = b""
        while not data.endswith(end):
            data += self.device.read_exactly(1)

    def test_a_file_of_the_page_reaches_the_device(self):
        self.serve()
        page = self.join()
        self.have_pen(page)
        data = os.urandom(100_000)
        page.send("upload", id=7, name="../fw.bin", size=len(data), protocol="raw")
        for start in range(0, len(data), 32_768):
            page.write(frame(BINARY, data[start:start + 32_768]))
        self.assertEqual(self.device.read_exactly(len(data)), data)
        page.expect("done", id=7)
        page.send("upload", id=8, name="x", size=3)
        page.write(frame(BINARY, b"four"))
        self.assertIn("longer than announced", page.expect("failed", id=8)["reason"])

    def unnamed(self):
        """The number of files without a name that the server has open."""
        pid, = self.servers()
        return sum("(deleted)" in name for name in files_of(pid))

    def begin_file(self, page, **members):
        """Begins a file that is not sent to its end."""
        page.send("upload", id="file", name="x", size=10, protocol="raw", **members)
        page.write(frame(BINARY, b"part"))
        # The answer shows that all before it was read.
        page.send("nothing", id="the end")
        page.expect("failed", id="the end")

    def test_the_next_file_is_not_sent_in_place_of_the_one_before(self):
        self.serve()
        page = self.join()
        self.have_pen(page)
        page.write(
            announced(1, name="one", size=6) + frame(BINARY, b"first\n")
            + announced(2, name="other", size=20) + frame(BINARY, b"the other"))
        page.expect("done", id=1)
        self.assertEqual(self.device.read_exactly(6), b"first\n")

    def test_the_file_of_a_page_has_its_name_for_the_device(self):
        self.serve()
        page = self.join()
        self.have_pen(page)
        page.send("upload", id=1, name="dir/fw 1.bin", size=3, protocol="raw")
        page.write(frame(BINARY, b"abc"))
        self.assertEqual(page.expect("file")["name"], "fw 1.bin")
        page.expect("done", id=1)

    def test_a_finished_file_gives_its_place_back(self):
        self.serve()
        pages = [self.join(f"page {number}") for number in range(9)]
        for number, page in enumerate(pages):
            page.send("take-pen", id="pen")
            page.expect("people", pen="mine")
            page.send("upload", id=number, name="x", size=3, protocol="raw")
            page.write(frame(BINARY, b"abc"))
            page.expect("done", id=number)
            self.assertEqual(self.device.read_exactly(3), b"abc")
        wait_until(lambda: self.unnamed() == 0, "no file is open")

    def test_a_file_that_fails_gives_its_place_back(self):
        self.serve()
        pages = [self.join(f"page {number}") for number in range(9)]
        self.have_pen(pages[0])
        for page in pages[1:]:
            page.send("upload", id=1, name="x", size=3, protocol="raw")
            page.write(frame(BINARY, b"abc"))
            self.assertIn("has the pen", page.expect("failed", id=1)["reason"])
        wait_until(lambda: self.unnamed() == 0, "no file is open")
        pages[0].send("upload", id=1, name="x", size=3, protocol="raw")
        pages[0].write(frame(BINARY, b"abc"))
        pages[0].expect("done", id=1)

    def test_pages_that_leave_give_their_places_back(self):
        self.serve()
        pages = [self.join(f"page {number}") for number in range(9)]
        for page in pages[:8]:
            self.begin_file(page)
        # One says so, one does not, one joins again.
        pages[0].write(frame(8, b"\x03\xe8"))
        pages[1].connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        pages[1].close()
        session = next(event for event in pages[2].events if event["event"] == "joined")["session"]
        pages[2].send("join", session=session)
        wait_until(lambda: self.unnamed() == 5, "three places are free")
        self.begin_file(pages[8])
        self.assertEqual(self.unnamed(), 6)

    def test_a_killed_server_leaves_no_file(self):
        def names():
            return {path.name for path in Path("/tmp").iterdir() if path.name.startswith("serialterm-web")}
        before = names()
        self.serve()
        page = self.join()
        self.begin_file(page)
        pid, = self.servers()
        self.assertEqual(self.unnamed(), 1)
        os.kill(pid, signal.SIGKILL)
        page.expect_end()
        self.assertEqual(names() - before, set())

    def test_the_end_of_the_session_is_told_and_a_new_one_can_be_joined(self):
        program = self.serve()
        page = self.join()
        program.signal(signal.SIGTERM)
        program.wait()
        page.expect_end()
        self.serve()
        self.join()

    def test_a_killed_server_of_the_page_comes_back_and_the_port_does_not_notice(self):
        program = self.serve("--listen", f"{(client_port := free_port())},raw")
        page = self.join()
        client = self.enterContext(socket.create_connection(("127.0.0.1", client_port), TIMEOUT))
        pid, = self.servers()
        os.kill(pid, signal.SIGKILL)
        page.expect_end()
        program.stderr.expect(b"the page for browsers is gone")
        self.device.write(b"still there")
        data = b""
        while b"still there" not in data:
            self.assertTrue(piece := client.recv(4_096))
            data += piece
        program.stderr.expect(b"the page for browsers is there again")
        self.join()

    def test_nothing_is_left_when_the_session_is_killed(self):
        program = self.serve()
        page = self.join()
        program.signal(signal.SIGKILL)
        page.expect_end()
        wait_until(lambda: not self.servers(), "serialterm-web has ended")


class Empty(http.server.BaseHTTPRequestHandler):
    """An empty page."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()

    def log_message(self, *_):
        pass


@slow
@unittest.skipIf(why_no_browser(), why_no_browser())
class BrowserTests(WebTest):
    """The page in Chromium, with a real session."""

    def browser(self, **options):
        browser = self.enterContext(Browser(**options))
        self.addCleanup(lambda: self.assertEqual(browser.complaints(), [], "the browser complains"))
        return browser

    def visit(self, browser):
        browser.open(f"http://127.0.0.1:{self.port}/#{self.token}")
        browser.wait_for_text("#state", "open")
        browser.find("[data-name=break]")
        return browser

    def type(self, browser, text):
        browser.click("#screen")
        browser.type(text)

    def reason(self, browser, command):
        return browser.run(
            "return document.querySelector(`#commands [data-name=${arguments[0]}]`).dataset.reason", command)

    def test_two_pages_and_a_terminal_are_at_one_session(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, "--web", str(self.port), "--as", "max", size=(24, 160),
            variables=self.variables))
        self.token = terminal.expect(re.compile(rb"a page for browsers is at http://[^\s#]+#([\w-]{24})"))[1].decode()
        one, other = self.visit(self.browser()), self.visit(self.browser())
        self.device.write("board> \x1b[31mred\x1b[m <b>µ</b>\r\n".encode())
        for browser in (one, other):
            browser.wait_for_text("#screen", "board> red <b>µ</b>")
        one.wait_for_text("#pen-text", "max has the pen")
        self.type(one, "lost")
        one.wait_for_text("#pen-text", "4 not sent")
        one.choose_command("take-pen")
        one.wait_for_text("#pen-text", "You have the pen")
        terminal.expect(b"browser")
        self.type(one, "ls\n")
        self.assertEqual(self.device.read_exactly(3), b"ls\r")
        other.wait_for_text("#pen-text", "browser has the pen")
        other.click("#pen-actions [data-name=ask-pen]")
        one.wait_for_text("#pen-text", "asks for the pen")
        one.click("#pen-actions [data-name=give-pen]")
        other.wait_for_text("#pen-text", "You have the pen")
        self.type(other, "x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_a_new_name_keeps_the_pen(self):
        self.serve()
        one, other = self.visit(self.browser()), self.visit(self.browser())
        one.click("#pen-actions [data-name=ask-pen]")
        one.wait_for_text("#pen-text", "You have the pen")
        one.run("""
            const field = document.getElementById("name");
            field.value = "Max";
            field.dispatchEvent(new Event("change"));""")
        other.wait_for_text("#pen-text", "Max (browser) has the pen")
        one.wait_for_text("#people-list", "Max")
        one.wait_for_text("#pen-text", "You have the pen")
        self.type(one, "x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_the_log_is_saved_if_it_is_shared(self):
        log = self.folder / "board.log"
        log.write_bytes(content := bytes(range(256)) * 200)
        self.serve("--log", log, "--log-append", "--log-share")
        browser = self.visit(self.browser())
        browser.open_drawer("files")
        browser.click("#log-save")
        browser.wait_for_text("#log-text", "The log was saved: board.log, 51,200 bytes.")
        saved = browser.wait_for(lambda: next(iter(browser.downloads.glob("board*.log")), None), "a downloaded file")
        browser.wait_for(lambda: saved.read_bytes() == content, "the bytes of the log")

    def test_what_a_page_repeats_has_a_button_that_stops_it(self):
        self.serve()
        browser = self.visit(self.browser())
        browser.click("#pen-actions [data-name=ask-pen]")
        browser.wait_for_text("#pen-text", "You have the pen")
        self.assertFalse(browser.find("#stop").is_displayed())
        browser.choose_command("repeat")
        browser.find("#argument-repeat-argument").send_keys("5ms status\n")
        self.assertEqual(self.device.read_exactly(21), b"status\r" * 3)
        browser.wait_for_text("#stop", 'Stop what is running: "status"')
        # Keys come between.
        self.type(browser, "x")
        data = b""
        while not data.endswith(b"x"):
            data += self.device.read_exactly(1)
        browser.click("#stop")
        browser.wait_for(lambda: not browser.find("#stop").is_displayed(), "nothing runs")
        browser.wait_for_text("#status", 'the repetition of "status" has ended (stopped)')
        self.type(browser, "END")
        data = b""
        while not data.endswith(b"END"):
            data += self.device.read_exactly(1)
        self.assertEqual(data.removesuffix(b"END").replace(b"status\r", b""), b"")

    def test_the_screen_of_a_program_is_there(self):
        self.serve()
        self.device.write(b"line of before\r\n\x1b[?1049h\x1b[2J\x1b[3;5Hthe title")
        self.device.write(b"".join(b"\x1b[9;9H%05d" % number for number in range(9_000)))
        watcher = self.join()
        watcher.expect_text("08999")
        browser = self.visit(self.browser())
        browser.wait_for(lambda: [
            line.strip() for line in browser.text("#screen").split("\n")[-24:] if line.strip()] == ["the title", "08999"],
            "the screen of the program")
        self.device.write(b"\x1b[?1049lline of after\r\n")
        browser.wait_for_text("#screen", "line of after")
        self.assertNotIn("the title", browser.text("#screen"))
        self.assertIn("line of before", browser.text("#screen"))

    def test_a_page_of_another_port_cannot_type_even_if_the_page_is_open(self):
        self.serve("--web-open")
        connect = f"""
            return new Promise((done) => {{
              const socket = new WebSocket("ws://127.0.0.1:{self.port}/socket");
              socket.onopen = () => done("open");
              socket.onerror = () => done("refused");
            }});"""
        own, other = self.browser(), self.enterContext(Browser())
        own.open(f"http://127.0.0.1:{self.port}/")
        self.assertEqual(own.run_async(connect), "open")
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Empty) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            other.open(f"http://127.0.0.1:{server.server_port}/")
            self.assertEqual(other.run_async(connect), "refused")
            server.shutdown()

    def test_a_command_is_greyed_while_the_device_is_gone(self):
        self.serve()
        browser = self.visit(self.browser())
        browser.click("#pen-actions button")
        browser.wait_for(lambda: self.reason(browser, "baud") == "", "baud is on")
        browser.wait_for(lambda: self.reason(browser, "break") == "this port has no break", "there is no break")
        self.device.hang_up()
        browser.wait_for(lambda: self.reason(browser, "break") == "no device", "break is off")
        browser.wait_for_text("#state", "waiting for the device")
        self.device.plug(says=b"back")
        browser.wait_for(lambda: self.reason(browser, "baud") == "", "baud is on again")
        browser.wait_for_text("#screen", "back")

    def test_a_reload_and_a_new_server_are_survived(self):
        program = self.serve()
        self.device.write(b"first\r\n")
        browser = self.visit(self.browser())
        browser.wait_for_text("#screen", "first")
        browser.driver.refresh()
        browser.wait_for_text("#screen", "first")
        program.signal(signal.SIGTERM)
        program.wait()
        browser.wait_for_text("#banner", "lost")
        self.serve()
        browser.wait_for_text("#state", "open")
        self.device.write(b"second\r\n")
        browser.wait_for_text("#screen", "second")
        browser.complaints()

    def test_a_file_is_sent_and_what_was_received_is_saved(self):
        self.serve()
        browser = self.visit(self.browser())
        browser.click("#pen-actions button")
        browser.wait_for_text("#pen-text", "You have the pen")
        file = self.folder / "fw.bin"
        file.write_bytes(os.urandom(50_000))
        browser.open_drawer("files")
        browser.find("#file").send_keys(str(file))
        browser.click("#upload-start")
        self.assertEqual(self.device.read_exactly(50_000), file.read_bytes())
        browser.wait_for_text("#upload-text", "fw.bin")
        self.device.write(b"kept\r\n")
        browser.wait_for_text("#screen", "kept")
        browser.click("#download")
        saved = browser.wait_for(lambda: next(browser.downloads.glob("*.txt"), None), "a file was saved")
        self.assertIn("kept\n", saved.read_text())

    def test_the_plot_is_a_picture(self):
        self.serve()
        browser = self.visit(self.browser())
        browser.open_drawer("plot")
        # It has numbers from the first question on.
        browser.wait_for_text("#plot-reason", "no numbers seen yet")
        for number in range(200):
            self.device.write(b"temp:%d\r\n" % number)
        browser.wait_for_text("#screen", "temp:199")
        browser.wait_for(lambda: browser.run(
            "const image = document.getElementById('plot-image'); return !image.hidden && image.naturalWidth"), "a plot")
        # The plot takes room from the terminal, which still shows its end.
        browser.wait_for(lambda: browser.run(
            "const view = document.getElementById('screen'); const rest = view.scrollHeight - view.scrollTop;"
            "return view.scrollHeight > view.clientHeight && rest - view.clientHeight < 8"), "the newest row")


class StalledTests(WebTest):
    def test_a_page_that_reads_nothing_loses_its_own_view_only_and_is_told_how_much(self):
        self.serve("--log", str(log := self.folder / "board.log"))
        stalled, good = self.page(reads=False), self.join("good")
        # The stalled page joins without reading the list.
        listed = next(event for event in good.events if event["event"] == "sessions")
        stalled.send("join", session=listed["sessions"][0]["session"])
        good.expect("people", others=lambda others: others)
        sent = 0
        line = b"x" * 99 + b"\n"
        # More than sockets, pipes and queues hold.
        while sent < 4 << 20:
            self.device.write(line * 640)
            sent += 64_000
        sent += self.write_until_seen(good)
        stalled.read()
        missed = stalled.expect("missed")["bytes"]
        self.assertGreater(missed, 0)
        sent += self.write_until_seen(stalled)
        wait_until(lambda: log.stat().st_size == sent, "the log is complete")

    def write_until_seen(self, page):
        """Writes marks until one is seen: what comes while a page is behind may be left out.

        Returns the number of bytes."""
        deadline, sent = Deadline(), 0
        for number in range(1_000):
            mark = b"the end %d\n" % number
            self.device.write(mark)
            sent += len(mark)
            try:
                page.expect_text(mark.decode(), timeout=1)
                return sent
            except AssertionError:
                if not deadline.left:
                    raise


@unittest.skipUnless(WEB, "needs serialterm-web: SERIALTERM_WEB names it")
def announced(number, **members):
    """The frame that announces a file."""
    return frame(TEXT, json.dumps({"command": "upload", "id": number, **members}).encode())


class ServerTests(unittest.TestCase):
    """The server alone, with a script in place of serialterm."""

    LIST = '[{"session":"1:0","pid":1,"port":"/dev/x","state":"open","pen":null,"others":[]}]'

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.port = free_port()

    def serve(self, script, *limits, **variables):
        """Serves the session of a script, which gets its arguments."""
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\n[ \"$2\" = --list ] && {{ echo '{self.LIST}'; exit; }}\n{script}\n")
        program.chmod(0o755)
        server = self.enterContext(Pipes(
            *limits, WEB, str(self.port), "--program", program,
            variables={"XDG_STATE_HOME": str(self.folder / "state"), **variables}))
        self.token = server.stdout.expect(re.compile(rb"#([\w-]{24})\n"))[1].decode()
        return server

    def page(self):
        page = self.enterContext(WebSocket(self.port, self.token))
        page.expect("sessions", sessions=lambda sessions: sessions)
        return page

    def left(self):
        """Why a page has left."""
        page = self.page()
        page.send("join", session="1:0")
        return page.expect("left", session="1:0")["reason"]

    def test_pages_get_nothing_of_the_errors_of_a_program(self):
        server = self.serve("printf 'the \\033[31msecret of this computer\\n' >&2; exit 1")
        self.assertEqual(self.left(), "the session cannot be shown: the log of the server says why")
        server.stderr.expect("serialterm-web log: 1:0: the �[31msecret of this computer\n".encode())

    def test_errors_without_end_do_not_fill_the_log(self):
        server = self.serve("for line in $(seq 1000); do echo line $line >&2; done; exit 3")
        self.assertEqual(self.left(), "no such session is running")
        server.stderr.expect(b"1:0: line 20\n")
        self.assertNotIn(b"line 21", server.stderr.data)

    def test_the_session_gives_the_reason(self):
        self.serve("""echo '{"event":"ended","reason":"the port was closed"}'; echo secret >&2; exit 6""")
        self.assertEqual(self.left(), "the port was closed")

    def test_a_killed_session_is_told(self):
        self.serve("echo secret >&2; exit 6")
        self.assertEqual(self.left(), "the program of the session was killed")

    @unittest.skipUnless(shutil.which("prlimit"), "needs prlimit of util-linux")
    def test_the_limit_of_open_files_is_raised(self):
        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        server = self.serve("exit 1", "prlimit", "--nofile=64:")
        limits = Path(f"/proc/{server.process.pid}/limits").read_text()
        reached = int(re.search(r"Max open files\s+(\d+)", limits)[1])
        self.assertGreaterEqual(reached, 900 if most == resource.RLIM_INFINITY else min(900, most))

    @unittest.skipUnless(shutil.which("prlimit") and shutil.which("taskset"), "needs prlimit and taskset of util-linux")
    def test_too_few_files_are_told_once_and_do_not_keep_pages_out(self):
        # Each processor has an event loop, which needs files too.
        processor = str(min(os.sched_getaffinity(0)))
        server = self.serve("cat >&2", "taskset", "-c", processor, "prlimit", "--nofile=40")
        server.stderr.expect(b"the limit of open files is 40: at most 1 pages")
        for _ in range(3):
            for connection in [socket.create_connection(("127.0.0.1", self.port), TIMEOUT) for _ in range(50)]:
                connection.close()
        crowd = [self.enterContext(socket.create_connection(("127.0.0.1", self.port), TIMEOUT)) for _ in range(50)]
        self.enterContext(WebSocket(self.port, self.token)).expect("welcome")
        self.assertLessEqual(server.stderr.data.count(b"cannot accept connections"), 1)
        for connection in crowd:
            connection.close()

    def test_a_link_that_is_kept_has_no_token(self):
        near, far = socket.socketpair()
        with near, far:
            server = subprocess.Popen(
                [WEB, str(self.port), "--program", "/bin/true"], stdout=near,
                env=environment(XDG_STATE_HOME=str(self.folder / "state")))
            self.addCleanup(server.wait)
            self.addCleanup(server.kill)
            near.close()
            far.settimeout(TIMEOUT)
            line = far.makefile().readline()
        file = self.folder / "state/serialterm/web-token"
        self.assertEqual(
            line,
            f"http://127.0.0.1:{self.port}/, with '#' and the token behind it: 'cat {file}' prints it.\n")

    def test_a_file_for_a_session_that_has_ended_is_refused(self):
        server = self.serve("exit 6")
        pages = [self.page(), self.page()]
        # Once it has ended, and once it cannot be started.
        for page in pages:
            page.send("join", session="1:0")
            page.expect("left")
            page.send("upload", id=1, name="x", size=1)
            page.write(frame(BINARY, b"x"))
            page.expect("failed", id=1)
            (self.folder / "program").unlink(missing_ok=True)
        self.assertFalse(any("(deleted)" in name for name in files_of(server.process.pid)))

    def send_file(self, server, page):
        """Sends a file to a session that does not answer, and returns the path that it gets."""
        page.send("join", session="1:0")
        page.expect("joined")
        page.write(announced(1, name="one", size=3) + frame(BINARY, b"abc"))
        command = server.stderr.expect(re.compile(rb'{"command":"send-file"[^\n]*"path":"([^"]+)"'))
        return Path(command[1].decode())

    def test_one_file_at_a_time(self):
        server = self.serve("exec cat >&2")
        page = self.page()
        path = self.send_file(server, page)
        page.send("upload", id=2, name="other", size=20)
        self.assertIn("the file before", page.expect("failed", id=2)["reason"])
        page.write(frame(BINARY, b"the other"))
        page.send("watch", id="the end")
        page.expect("failed", id="the end")
        self.assertEqual(path.read_bytes(), b"abc")

    def test_a_file_is_there_until_the_program_that_may_open_it_has_ended(self):
        pid = self.folder / "pid"
        server = self.serve(f"""trap '' TERM; echo $$ > {pid}
            while read -r line; do echo "$line" >&2; done; exec tail -f /dev/null""")
        page = self.page()
        path = self.send_file(server, page)
        program = Path("/proc", pid.read_text().strip())
        page.close()
        wait_until(lambda: not path.exists(), "the file is gone")
        self.assertFalse(program.exists())

    def test_files_that_are_complete_keep_their_places(self):
        server = self.serve("exec cat >&2")
        pages = [self.page() for _ in range(9)]
        paths = {self.send_file(server, page) for page in pages[:8]}
        self.assertEqual(len(paths), 8)
        pages[8].send("join", session="1:0")
        pages[8].expect("joined")
        pages[8].send("upload", id=1, name="x", size=10)
        self.assertIn("other files are being sent", pages[8].expect("failed", id=1)["reason"])

    def test_ordinary_ends_are_not_in_the_log(self):
        server = self.serve("""[ "$4" = --quiet ] && echo '{"event":"ended","reason":"done"}'""")
        self.assertEqual(self.left(), "done")
        self.assertEqual(server.stderr.data, b"")

    @unittest.skipUnless(preload.HAS_COMPILER, "needs a C compiler")
    def test_the_token_needs_no_links(self):
        tokens = []
        for _ in range(2):
            self.serve("exit 1", LD_PRELOAD=preload.library("links.c")).close()
            tokens.append(self.token)
        folder = self.folder / "state/serialterm"
        self.assertEqual([path.name for path in folder.iterdir()], ["web-token"])
        self.assertEqual({f"{token}\n" for token in tokens}, {(folder / "web-token").read_text()})

    def test_the_token_needs_a_place(self):
        server = self.enterContext(Pipes(
            "env", "-u", "HOME", "-u", "XDG_STATE_HOME", WEB, str(self.port), "--program", "/bin/true"))
        self.assertEqual(server.wait(), 1)
        self.assertIn(b"cannot keep the token of the link: set HOME or XDG_STATE_HOME.", server.stderr.data)


class HostileTest(WebTest):
    def alive(self):
        """The server still serves."""
        self.page().expect("welcome")


class HostileTests(HostileTest):
    def test_frames_that_break_the_rules_end_their_own_connection(self):
        self.serve()
        hello = json.dumps({"command": "hello", "token": self.token}).encode()
        for name, data in {
            "not masked": frame(TEXT, b"{}", masked=False),
            "reserved opcode": frame(3, b"x"),
            "reserved bits": frame(TEXT, b"{}", reserved=7),
            "large text": frame(TEXT, b"x" * 20_000),
            "large frame": frame(BINARY, b"x" * 70_000),
            "huge length": b"\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff" + b"\0" * 20,
            "large ping": frame(PING, b"x" * 126),
            "many parts": frame(TEXT, b"x", fin=False) + frame(0, b"x", fin=False) * 100,
            "part of nothing": frame(0, b"x"),
            "long close": frame(8, b"\x03\xe8" + b"x" * 200),
        }.items():
            with self.subTest(name):
                page = self.page(hello=False)
                page.write(frame(TEXT, hello))
                page.expect("welcome")
                try:
                    page.write(data)
                except OSError:
                    pass  # It was closed already.
                page.expect_end()
        self.alive()

    def test_messages_that_are_nonsense_are_answered(self):
        self.serve()
        page = self.page()
        page.expect("welcome")
        for text in (b"", b"\xff\xfe", b"[" * 10_000, b"{}", b'{"command":{}}', b'{"command":"join"}', b'{"command":"x"}'):
            page.write(frame(TEXT, text))
            page.expect("failed")
        page.write(frame(BINARY, b"of no file"))
        page.send("send", id=1, text="x")
        self.assertEqual(page.expect("failed")["reason"], "no session is joined")

    def test_requests_that_are_nonsense_do_no_harm(self):
        self.serve()
        for data in (
                b"GET\r\n\r\n", b"\x16\x03\x01\0\xa5\x01", os.urandom(1_000) + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
                b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 50_000 + b"\r\n"):
            try:
                answer = request(self.port, data)
            except OSError:
                continue  # It does not read to the end.
            self.assertNotIn(b" 200 ", answer.partition(b"\r\n")[0], data[:60])
        self.alive()

    def test_who_says_nothing_is_disconnected(self):
        self.serve()
        slow = []
        for start in (b"", b"GET / HTTP/1.1\r\nHo"):
            connection = self.enterContext(socket.create_connection(("127.0.0.1", self.port), TIMEOUT))
            connection.sendall(start)
            slow.append(connection)
        silent = self.page(hello=False)
        for connection in slow:
            while connection.recv(4_096):
                pass
        silent.expect_end()

    def test_who_has_not_shown_the_token_keeps_nobody_out(self):
        self.serve()
        page = self.join()
        silent = [self.page(hello=False) for _ in range(140)]
        # Those that wait longest have gone for the newest.
        silent[0].expect_end()
        self.alive()
        crowd = [self.enterContext(socket.create_connection(("127.0.0.1", self.port), TIMEOUT)) for _ in range(300)]
        self.join("late")
        self.device.write(b"still served")
        page.expect_text("still served")
        for connection in crowd:
            connection.close()

    def test_computers_that_may_not_connect_are_disconnected(self):
        self.serve("--allow", "127.0.0.1")
        page = self.page(hello=False)
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", self.port), TIMEOUT, ("127.0.0.2", 0)) as connection:
                try:
                    self.assertEqual(connection.recv(1), b"")
                except ConnectionResetError:
                    pass
        page.send("hello", token=self.token)
        page.expect("welcome")

    def test_more_connections_than_allowed_are_closed_and_the_rest_goes_on(self):
        self.serve()
        page = self.join()
        crowd = [self.enterContext(socket.create_connection(("127.0.0.1", self.port), TIMEOUT)) for _ in range(300)]
        self.device.write(b"still served")
        page.expect_text("still served")
        for connection in crowd:
            connection.close()

        def is_alive():
            try:
                self.alive()
                return True
            except (OSError, AssertionError):
                return False
        wait_until(is_alive, "it answers again")


@soak
class HostileSoakTests(HostileTest):
    """$SERIALTERM_HOSTILE sets the number of frames and requests, 1,000,000 by default."""

    COUNT = int(os.environ.get("SERIALTERM_HOSTILE", "1_000_000"))

    def resident(self):
        pid, = self.servers()
        return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])

    def test_frames_and_requests_made_by_chance(self):
        self.serve()
        chance = random.Random(1)
        self.alive()
        before, done, pid = self.resident(), 0, self.servers()
        hello = frame(TEXT, json.dumps({"command": "hello", "token": self.token}).encode())
        words = ["command", "send", "join", "upload", "hello", "id", "session", "size", "name", "text", "plot", "cancel"]

        def value():
            return chance.choice([None, True, -1, 2**63, 1e308, "", "x" * 300, "\0\ud800", [], {}, [[[]]], chance.choice(words)])

        def message():
            data = json.dumps({chance.choice(words): value() for _ in range(chance.randrange(5))} | {
                "command": chance.choice([*words, value()])}).encode()
            if chance.random() < 0.3:
                data = bytearray(data)
                for _ in range(3):
                    data[chance.randrange(len(data))] = chance.randrange(256)
            return bytes(data)

        def hostile_frame():
            kind = chance.random()
            if kind < 0.9:
                return frame(chance.choice([TEXT, TEXT, BINARY, PING]), message()[:125])
            return frame(
                chance.randrange(16), chance.randbytes(chance.randrange(200)), fin=chance.random() < 0.5,
                masked=chance.random() < 0.8, reserved=chance.choice([0, 0, chance.randrange(8)]))

        def hostile_request():
            head = bytearray(b"GET /socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
            for _ in range(chance.randrange(1, 6)):
                place = chance.randrange(len(head))
                head[place:place + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
            return bytes(head) + b"\r\n\r\n"

        while done < self.COUNT:
            if chance.random() < 0.1:
                with socket.create_connection(("127.0.0.1", self.port), TIMEOUT) as connection:
                    connection.sendall(hostile_request())
                done += 1
                continue
            with WebSocket(self.port, hello=False) as page:
                frames = [hostile_frame() for _ in range(200)]
                try:
                    page.write(hello + b"".join(frames))
                    page.expect("welcome")
                    page.write(frame(TEXT, b'{"command":"the end","id":"the end"}'))
                    page.expect("failed", id="the end")
                except (OSError, AssertionError):
                    self.assertTrue(page.ended or page.close_code, page.events[-3:])
                done += len(frames)
        self.alive()
        self.assertEqual(self.servers(), pid, "serialterm-web has ended")
        print(f"figure: {done:,} hostile frames and requests: {before} KiB resident before, {self.resident()} KiB after")
        self.assertLess(self.resident(), before + 65_536)


@soak
class CrowdSoakTests(WebTest):
    """64 pages while the device floods."""

    def test_the_log_is_exact_and_the_keys_of_the_holder_are_fast(self):
        log = self.folder / "board.log"
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.device.path, "--web", str(self.port), "--log", str(log),
            size=(24, 160), variables=self.variables))
        self.token = terminal.expect(re.compile(rb"a page for browsers is at http://[^\s#]+#([\w-]{24})"))[1].decode()
        terminal.transcript.discard()
        pages = [self.join(f"page {number}") for number in range(64)]
        for page in pages:
            page.drain()
        written, stop = bytearray(), threading.Event()

        def flood():
            started, number = time.monotonic(), 0
            while not stop.is_set():
                piece = b"".join(b"%09d the quick brown fox\r\n" % (number + step) for step in range(100))
                number += 100
                self.device.write(piece)
                written.extend(piece)
                # As a line of 3,000,000 baud.
                pace(started, len(written), 300_000)
        flooding = threading.Thread(target=flood)
        flooding.start()
        delays, began = [], time.monotonic()
        for number in range(200):
            key = bytes([97 + number % 26])
            started = time.monotonic()
            terminal.send(key)
            self.assertEqual(self.device.read_exactly(1), key)
            delays.append((time.monotonic() - started) * 1_000)
            pace(began, number + 1, 20)
        stop.set()
        flooding.join()
        wait_until(lambda: log.stat().st_size == len(written), "the log is complete")
        self.assertEqual(log.read_bytes(), bytes(written))
        print(f"figure: 64 pages, {len(written):,} bytes of a flood: key of the holder {statistics.median(delays):.2f} ms "
              f"median, {max(delays):.2f} ms worst; the pages took {sum(page.drained for page in pages):,} bytes")
