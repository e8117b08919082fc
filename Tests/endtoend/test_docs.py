"""The documentation is correct: links lead to existing pages, options exist, examples run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, Pipes, environment, serialterm, serialterm_binary
from Tests.endtoend.harness.program import REPOSITORY

PAGES = [
    *sorted(REPOSITORY.glob("*.md")), REPOSITORY / "udev-rules/README.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")), *sorted((REPOSITORY / ".github").rglob("*.md"))]
# They say which test holds what they say.
FOR_DEVELOPERS = {"api", "architecture", "performance", "portability", "release", "reliability"}
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page):
    """The anchor of a heading on GitHub."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def blocks(page):
    """The lines of each block of commands, without prompts."""
    for language, block in re.findall(r"(?ms)^```(\w*)\n(.*?)^```", page.read_text()):
        if language in ("", "sh"):
            yield [line.removeprefix("$ ") for line in block.replace("|\n", "| ").splitlines()]


def commands():
    """Each command of serialterm in a block of the documentation: its page, line and words."""
    for page in PAGES:
        for line in (line for block in blocks(page) for line in block):
            for part in pipeline(line):
                if part[:1] == ["serialterm"]:
                    yield page.name, line, part[1:]


def pipeline(line):
    """The words of a line's commands, without redirections."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&<>;")
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:
        return []  # Not a command: printed output may contain quotation marks.
    parts, redirected = [[]], False
    for word in words:
        if set(word) <= set("|&;"):
            parts.append([])
        elif set(word) <= set("<>"):
            redirected = True
        elif redirected:
            redirected = False
        else:
            parts[-1].append(word)
    return parts


# What may stand for a device, or a profile, in the documentation.
TARGET = re.compile(
    r"(/dev/|/tmp/)\S+|tty[A-Z]+\d|serial0|loopback:\S*|(usb|serial|port|tcp):\S+|board|latest|new")
# Commands whose argument is a device, and that report when it does not exist.
WITH_DEVICE = {"connect", "log", "send", "run", "release", "doctor", "rules", "serve", "attach",
               "receive", "plot", "tap"}


# The article of DocC that makes a program from nothing.
ARTICLE = REPOSITORY / "Sources/SerialPorts/SerialPorts.docc/LoggerThatReconnects.md"


def products():
    """The names of the libraries that Package.swift makes for other programs."""
    return re.findall(r'\.library\(name: "(\w+)"', (REPOSITORY / "Package.swift").read_text())


# An option of the program itself, which no command has.
COMPLETION_SCRIPT = "--generate-completion-script"


class DocumentationTests(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for page in PAGES:
            for path, anchor in LINK.findall(page.read_text()):
                if "://" in path:
                    continue
                with self.subTest(page=page.name, link=f"{path}#{anchor}"):
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_pages_for_users_name_no_tests(self):
        """docs/architecture.md has a table of them. Those who use the library read an example among its tests."""
        for page in (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))):
            if page.stem not in FOR_DEVELOPERS:
                with self.subTest(page=page.name):
                    named = re.findall(r"Tests/\S+|\btest_\w+\.py|\b\w+Tests`", page.read_text())
                    self.assertEqual([name for name in named if not name.startswith("Tests/LibraryClientTests")], [])

    def test_every_file_of_code_exists(self):
        """Each name of a file of this repository in the text, which may leave out folders at its front."""
        folders = ("Sources", "Tests", "Web/Sources", "Web/Tests", "Examples", "Benchmarks", "Fuzz", "scripts")
        known = set()
        for file in (file for folder in folders for file in (REPOSITORY / folder).rglob("*.*")):
            parts = file.relative_to(REPOSITORY).parts
            if ".build" not in parts:
                known.update("/".join(parts[start:]) for start in range(len(parts)))
        # The modules, and the layers that they are in.
        modules = {
            path.name for pattern in ("*", "*/*") for path in (REPOSITORY / "Sources").glob(pattern)
            if path.is_dir()}
        count = 0
        for page in PAGES:
            for name in re.findall(r"`([\w+/-]+\.(?:swift|c|h|py|sh))`", page.read_text()):
                # Other names are files of other software.
                if name.endswith(".swift") or name.partition("/")[0] in (*folders, *modules):
                    count += 1
                    with self.subTest(page=page.name, name=name):
                        self.assertTrue(name in known)
        self.assertGreater(count, 80)

    def test_folders_of_the_large_modules_are_described(self):
        """docs/architecture.md says what is in each of them."""
        page = (REPOSITORY / "docs/architecture.md").read_text()
        for header, module in (("folder of `Sources/serialterm`", "serialterm"), ("folder", "Sessions")):
            with self.subTest(module):
                table = page.partition(f"\n| {header} | contents |\n")[2].partition("\n\n")[0]
                folders = {path.name for path in (REPOSITORY / "Sources" / module).iterdir() if path.is_dir()}
                described = set(re.findall(r"(?m)^\| `(\w+)` \|", table))
                # The other folders of Sessions are modules: the table of modules has them.
                modules = set(re.findall(rf"(?m)^\| `Sources/{module}/(\w+)` \|", page))
                self.assertEqual(described, folders - modules)

    def test_every_format_of_logs_is_described(self):
        """docs/logs.md has their names in its tables, and the suffixes that select them."""
        source = (REPOSITORY / "Sources/Sessions/Logs/Formats/LogFormat.swift").read_text()
        formats = re.findall(r'= LogFormat\(\n\s+"(\w+)", "[^"]+", suffix: "(\.\w+)"', source)
        listed = re.search(r"allCases: \[LogFormat\] = \[(.*)\]", source)[1]
        self.assertEqual([f".{name}" for name, _ in formats], listed.split(", "))
        page = (REPOSITORY / "docs/logs.md").read_text()
        section = page.partition("\n## Formats\n")[2].partition("\n## ")[0]
        self.assertEqual(
            [name for name, _ in formats], re.findall(r"(?m)^\| (\w+) \|", section)[1:])
        for name, suffix in formats[1:]:
            with self.subTest(name):
                self.assertIn(f"`{suffix}`", section.partition("\n| ")[0])
                self.assertIn(f"\n**{name}** ", section)
        frames = page.partition("\n## Frames\n")[2].partition("\n## ")[0]
        rows = re.findall(r"(?m)^\| ([\w, ]+) \|", frames)[1:]
        self.assertEqual({name for row in rows for name in row.split(", ")}, {name for name, _ in formats})

    def test_every_option_exists(self):
        known = {}
        lines = list(commands())
        self.assertGreater(len(lines), 45)
        for page, line, words in lines:
            command = words[0] if words and re.fullmatch("[a-z]+", words[0]) else "connect"
            # A profile is saved with the options of a session.
            if command == "profile" or TARGET.fullmatch(command):
                command = "connect"
            if command not in known:
                known[command] = serialterm("help", command, "all").stdout.decode()
            for word in words[:words.index("--")] if "--" in words else words:
                if word.startswith("-") and word != COMPLETION_SCRIPT:
                    with self.subTest(page=page, line=line):
                        option = word.partition("=")[0]
                        self.assertRegex(known[command], rf"(?m)[ \[/]{re.escape(option)}\b")

    def test_options_and_keys_for_users_of_other_programs_exist(self):
        """The column of serialterm in the tables of docs/coming-from.md, and its command lines."""
        page = (REPOSITORY / "docs/coming-from.md").read_text()
        keys, names = set(), set()
        for line in serialterm("session-commands").stdout.decode().splitlines():
            key, name, _ = line.split("\t")
            keys.add(key)
            names.add(name)
        # The prefix is sent by pressing it twice.
        keys.add("ctrl-t")

        def cells(header):
            table = page.partition(f"\n| {header} | serialterm |")[2].partition("\n\n")[0]
            return [re.findall("`([^`]+)`", row.split(" | ")[1]) for row in table.splitlines()[2:]]

        for code in (code for cell in cells("to") for code in cell):
            with self.subTest(key=code):
                self.assertIn(code.removeprefix("ctrl-t "), keys | names)
        known = {"connect": serialterm("help", "connect", "all").stdout.decode()}
        options = [(code, "connect") for cell in cells("for") for code in cell]
        for code in re.findall("`(serialterm [^`]+)`", page):
            word = code.split()[1]
            options.append((code, word if word in WITH_DEVICE else "connect"))
        self.assertGreater(len(options), 30)
        for code, command in options:
            if command not in known:
                known[command] = serialterm("help", command, "all").stdout.decode()
            for option in re.findall(r"(?<!\S)--?\w[\w-]*", code.partition(" -- ")[0]):
                if option != "--version":
                    with self.subTest(code, option=option):
                        self.assertRegex(known[command], rf"(?m)[ \[/]{re.escape(option)}\b")

    def test_every_code_of_a_reason_is_listed(self):
        root = Path(__file__).parents[2]
        source = "".join(path.read_text() for path in (root / "Sources").rglob("*.swift"))
        page = (root / "docs/json.md").read_text()
        rows = page[page.index("### Why a command is off"):page.index("## Taking part in a session")]
        codes = set(re.findall(r'(?:Reason\(|Refusal\(\s*code:)\s*"([^"]+)"', source))
        self.assertGreater(len(codes), 30)
        self.assertEqual(codes, set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", rows.split("| code |")[1])))

    def test_the_protocols_of_the_json_command_are_listed(self):
        row = next(line for line in (REPOSITORY / "docs/json.md").read_text().splitlines() if "| `send-file` |" in line)
        listed = row.partition("`protocol`: ")[2].partition(";")[0]
        result = serialterm(
            "connect", "loopback:", "--json", stdin=b'{"command":"send-file","path":"x","protocol":"?"}\n')
        names = re.search(r"protocol: expected one of ([^\"]+)", result.stdout.decode())[1]
        self.assertEqual(re.findall(r"`([^`]+)`", listed), names.split(", "))

    def test_parser_takes_every_command(self):
        """With a device that is not there in the place of the one that is named."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        home = os.getcwd()
        self.addCleanup(os.chdir, home)
        os.chdir(folder)
        absent = str(folder / "no-device")
        count = 0
        for page, line, words in commands():
            command, *rest = words if words[:1] and words[0] in WITH_DEVICE else ["connect", *words]
            if rest[:1] and (rest[0] in ("list", "monitor", "loopback", "mcp", "replay", "profile")):
                continue
            place = next((number for number, word in enumerate(rest) if TARGET.fullmatch(word)), None)
            if place is None:
                continue
            rest[place] = absent
            if command == "run":
                script = rest[place + 1]
                Path(script).write_text('print "x"\n')
            # What waits for a device: test_console has it.
            rest = [word for word in rest if word not in ("--wait", "--console")]
            # test_symbols has a firmware, and a program that decodes its logging.
            for option in ("--elf", "--decode"):
                while option in rest:
                    at = rest.index(option)
                    del rest[at:at + 2]
            # A file that is to be sent.
            for option, word in zip(rest, rest[1:]):
                if option == "--file":
                    Path(word).write_text("x\n")
            if command == "log":
                # It waits for a device, but not for a folder.
                rest[place + 1] = f"{absent}/log"
            if command == "serve":
                # With an address, it waits for a device.
                for option in ("--listen", "--unix", "--web"):
                    while option in rest:
                        at = rest.index(option)
                        rest[at:at + 2] = ["--stdio"]
            with self.subTest(page=page, line=line):
                result = serialterm(command, *rest)
                self.assertEqual(result.status, {"doctor": 1, "log": 7}.get(command, 3), result)
            count += 1
        self.assertGreater(count, 40)

    def test_guide_can_be_followed(self):
        """Each command line for the simulated board has the documented effect, one after the other."""
        folder = self.enterContext(tempfile.TemporaryDirectory())
        variables = environment(
            PATH=f"{os.path.dirname(serialterm_binary())}:{os.environ['PATH']}",
            XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder)
        said = {}
        for line in (line for block in blocks(REPOSITORY / "docs/guide.md") for line in block):
            if "loopback:board" in line or line.startswith("printf ") or line == "serialterm board":
                with self.subTest(line):
                    ended = subprocess.run(
                        ["sh", "-c", line], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=TIMEOUT * 3)
                    self.assertEqual(ended.returncode, 0, ended)
                    said[line] = ended.stdout
        self.assertGreater(len(said), 8)
        send = next(line for line in said if "--print 1" in line)
        self.assertRegex(said[send], rb"^\d[\d.]+\n$")
        pipe = next(line for line in said if "printf 'version" in line)
        self.assertIn(b"firmware", said[pipe].rpartition(b"version\r")[2])
        with Pipes(serialterm_binary(), "replay", f"{folder}/boot.jsonl") as replay:
            replay.stdout.expect(b"/dev/pts/")


class VersionTests(unittest.TestCase):
    def test_all_parts_have_the_version_of_the_program(self):
        version = serialterm("--version").stdout.decode().split()[1]
        for path, line in {
                "Web/Sources/serialterm-web/Version.swift": f'let version = "{version}"\n',
                # Python's versions have no dash.
                "python/pyproject.toml": f'version = "{version.replace("-", "")}"\n'}.items():
            with self.subTest(path):
                self.assertIn(f"\n{line}", (REPOSITORY / path).read_text())


class LibraryDocumentationTests(unittest.TestCase):
    def test_article_has_the_code_of_the_example(self):
        manifest, *code = re.findall(r"(?ms)^```swift\n(.*?)^```", ARTICLE.read_text())
        example = REPOSITORY / "Examples/Sources/PortLogger/PortLogger.swift"
        self.assertEqual("\n".join(code), example.read_text())
        # Its products are those of the example, too.
        target = re.search(
            r'(?s)name: "PortLogger",\s+dependencies: \[(.*?)\n\s+\]',
            (REPOSITORY / "Examples/Package.swift").read_text())[1]
        line = re.compile(r"\.product\(.*\)")
        self.assertEqual(line.findall(manifest), line.findall(target))

    @unittest.skipUnless(shutil.which("swift"), "needs Swift")
    def test_manifest_of_the_article_is_valid(self):
        manifest = re.search(r"(?ms)^```swift\n(.*?)^```", ARTICLE.read_text())[1]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "Package.swift").write_text(manifest)
            ended = subprocess.run(
                ["swift", "package", "--package-path", folder, "dump-package"],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(len(json.loads(ended.stdout)["dependencies"]), 1)

    def test_every_library_has_a_catalogue(self):
        self.assertGreater(len(products()), 9)
        for product in products():
            with self.subTest(product):
                page = next((REPOSITORY / "Sources").rglob(f"{product}.docc/{product}.md"))
                self.assertEqual(page.read_text().splitlines()[0], f"# ``{product}``")

    def test_package_index_has_every_library(self):
        listed = re.findall(r"(?m)^ +- (\w+)$", (REPOSITORY / ".spi.yml").read_text())
        self.assertEqual(sorted(listed), sorted(products()))
