#!/usr/bin/env python3
"""Makes the pictures of the page in docs/web.md, with Chromium: SERIALTERM_WEB=... Tests/endtoend/shots_web.py"""

import os
import re
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1]))

from Tests.endtoend.browser import Browser  # noqa: E402  (only found through the path set above)
from Tests.endtoend.harness import Terminal, serialterm_binary  # noqa: E402
from Tests.endtoend.servers import free_port  # noqa: E402

DOCUMENTS = FOLDER.parents[1] / "docs"


def main():
    web = Path(os.environ["SERIALTERM_WEB"]).resolve()
    with tempfile.TemporaryDirectory() as folder, Terminal(
            serialterm_binary(), "connect", "loopback:board", "--as", "max", "--web", str(free_port()), size=(24, 160),
            variables={"PATH": f"{web.parent}:{os.environ['PATH']}", "XDG_STATE_HOME": folder}) as terminal:
        link = terminal.expect(re.compile(rb"a page for browsers is at (\S+)"))[1].decode()
        with Browser(1280, 720) as browser:
            browser.open(link)
            browser.run("localStorage.setItem('serialterm.name', 'anna')")
            browser.driver.refresh()
            browser.wait_for_text("#state", "open")
            browser.choose_command("take-pen")
            browser.wait_for_text("#pen-text", "You have the pen")
            for line, answer in (("version", "firmware 1"), ("led on", "led"), ("sensor 3 50", "humidity")):
                browser.click("#screen")
                browser.type(line + "\n")
                browser.wait_for_text("#screen", answer)
            browser.open_drawer("people")
            for name, is_dark in (("light", False), ("dark", True)):
                browser.use_dark(is_dark)
                browser.shoot(DOCUMENTS / f"web-{name}.png")
            browser.click("#people .close")
            browser.use_dark(False)
            browser.resize(900, 600)
            browser.choose_command("baud")
            browser.shoot(DOCUMENTS / "web-commands.png")
            browser.click("#palette-close")
            browser.resize(390, 780)
            browser.driver.refresh()
            browser.wait_for_text("#screen", "humidity")
            browser.shoot(DOCUMENTS / "web-phone.png")


if __name__ == "__main__":
    main()
