"""A browser for tests of pages: headless Chromium, driven by Selenium.

    with Browser() as browser:
        browser.open(address)
        browser.wait_for_text("#state", "open")

Every wait has a deadline, and fails with an AssertionError that shows the page's text."""

import contextlib
import os
import shutil
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, wait_until

REPOSITORY = Path(__file__).resolve().parents[2]


def why_no_browser():
    """Why there is no browser for tests; None if there is one."""
    try:
        import selenium  # noqa: F401  (only whether it is there)
    except ImportError:
        return "needs python3-selenium"
    if not chromium():
        return "needs chromium"
    return None if shutil.which("chromedriver") else "needs chromium-driver"


def chromium():
    """The path of Chromium. Debian's script of this name warns in some environments; the program itself does not."""
    return next((path for path in ("/usr/lib/chromium/chromium", shutil.which("chromium")) if path and os.access(
        path, os.X_OK)), None)


def axe():
    """The text of axe-core's checks, of the package axe-core-python of PyPI in .build/python; None without."""
    places = sorted(REPOSITORY.glob(".build/python/lib/python*/site-packages/axe_*/axe.min.js"))
    return places[0].read_text() if places else None


class BrowserPage:
    """What tests do with a page, by `run`, `run_async`, `click`, `type` and `chord` of a browser."""

    def reset(self):
        """Leaves the page. Otherwise it looks for its server during the next test."""
        self.open("about:blank")
        self.resize(1280, 800)

    def find(self, selector):
        """Waits until an element is there."""
        self.wait_for(lambda: self.run("return document.querySelector(arguments[0]) !== null", selector), f"{selector} in the page")

    def text(self, selector="body"):
        """What a user sees of an element; empty if there is none."""
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def open_drawer(self, name):
        """Opens a drawer of the page of a session."""
        if self.run("return document.getElementById(arguments[0]).hidden", name):
            self.click(f"[data-drawer={name}]")

    def choose_command(self, name):
        """Chooses a command in the list of them, on the page of a session."""
        if not self.run("return document.getElementById('palette').open"):
            self.click("#commands-button")
        self.click(f"#commands [data-name='{name}']")

    def wait_for(self, condition, what):
        """Waits until a function returns a true value, and returns that value."""
        try:
            return wait_until(condition, what)
        except AssertionError as error:
            raise AssertionError(f"{error}\nthe page:\n{self.text()}\n{self.complaints()}") from None

    def wait_for_text(self, selector, text):
        """Waits until an element shows a text."""
        return self.wait_for(lambda: text in self.text(selector), f"{text!r} in {selector}")

    def wait_without(self, selector, text):
        return self.wait_for(lambda: text not in self.text(selector), f"no {text!r} in {selector}")

    def faults(self):
        """What axe-core finds. The test is skipped without it."""
        script = axe()
        if script is None:
            raise unittest.SkipTest("needs axe-core-python of PyPI in .build/python")
        self.run(f"if (!window.axe) {{ {script} }}")
        found = self.run_async("return (await axe.run()).violations")
        return [f"{each['id']}: {node['html']} {node['failureSummary']}" for each in found for node in each["nodes"]]


class Browser(BrowserPage):
    """Chromium with a profile of its own. It is a context manager."""

    def __init__(self, width=1280, height=800, dark=False):
        self._width, self._height, self._dark = width, height, dark

    def __enter__(self):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        with contextlib.ExitStack() as stack:
            # Chromium may still write into its profile when it is told to end.
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            self.downloads = self.folder / "downloads"
            self.downloads.mkdir()
            options = webdriver.ChromeOptions()
            options.binary_location = chromium()
            for argument in (
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--no-first-run", "--disable-background-networking", "--disable-component-update",
                    "--force-device-scale-factor=1", "--lang=en-US",
                    f"--user-data-dir={self.folder / 'profile'}", f"--window-size={self._width},{self._height}"):
                options.add_argument(argument)
            options.add_experimental_option("prefs", {"download.default_directory": str(self.downloads)})
            options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
            self.driver = webdriver.Chrome(
                service=Service(shutil.which("chromedriver"), log_output=os.devnull), options=options)
            stack.callback(self.driver.quit)
            # Times of a page are those of its thread's processor.
            self.driver.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
            self.driver.set_page_load_timeout(TIMEOUT)
            self.driver.set_script_timeout(TIMEOUT)
            self.resize(self._width, self._height)
            self.use_dark(self._dark)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)

    def open(self, address):
        self.driver.get(address)

    def resize(self, width, height):
        """Sets the size of the page, also to less than a window can have."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def use_dark(self, dark=True):
        """Lets the page see that its user prefers a dark or a light one."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})

    def reset(self):
        super().reset()
        self.use_dark(False)

    def run(self, script, *arguments):
        """Runs the body of a function in the page, and returns its result."""
        return self.driver.execute_script(script, *arguments)

    def run_async(self, script, *arguments):
        """Runs the body of an async function in the page, and returns its result."""
        result = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            f"(async (...arguments_) => {{ {script} }})(...[...arguments].slice(0, -1))"
            ".then((value) => done({value}), (error) => done({error: String(error.stack ?? error)}))", *arguments)
        if "error" in result:
            raise AssertionError(result["error"])
        return result.get("value")

    def processor_seconds(self):
        """The processor time of the page so far: of its scripts, and of drawing it."""
        metrics = self.driver.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
        return next(each["value"] for each in metrics if each["name"] == "TaskDuration")

    def find(self, selector):
        """The first element of a CSS selector, when it is there."""
        return wait_until(
            lambda: next(iter(self.driver.find_elements("css selector", selector)), None), f"{selector} in the page")

    def click(self, selector):
        """Clicks an element. One that the page draws again meanwhile is looked for again."""
        from selenium.common.exceptions import StaleElementReferenceException

        def is_clicked():
            element = self.find(selector)
            try:
                self.run("arguments[0].scrollIntoView({block: 'center'})", element)
                element.click()
            except StaleElementReferenceException:
                return False
            return True

        wait_until(is_clicked, f"a click on {selector}")

    def type(self, *keys):
        """Types where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def chord(self, modifier, key):
        """Presses a key while a modifier is held."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def complaints(self):
        """The messages of the browser about pages since the last call: errors of scripts, and what the policy has
        blocked. A lost connection is not one of them."""
        messages = [each["message"] for each in self.driver.get_log("browser")]
        lost = ("WebSocket connection", "net::ERR_CONNECTION_")
        return [each for each in messages if not each.startswith("chrome:") and not any(word in each for word in lost)]

    def shoot(self, path):
        """Saves a picture of the page."""
        self.driver.save_screenshot(str(path))
