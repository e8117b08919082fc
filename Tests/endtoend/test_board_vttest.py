"""vttest on a board with a login: cursor movements, screen features and sets of characters.

A session shows them as a terminal without serialterm does. The tests name what differs."""

from Tests.endtoend.boards import DIRECT, PROMPT, SESSION, BoardTest, needs
from Tests.endtoend.harness import contents, wait_until

# What a screen ends with, the menu too.
PUSH, MENU = "Push <RETURN>", "Enter choice number (0 - 12):"
# What the direct terminal says that it is. vttest asks before it draws the menu.
KIND = b"\x1b[?1;2c"


def waits(picture, end):
    """Whether the cursor is behind what a screen ends with."""
    row, column = picture.cursor
    return picture.lines[row][:column].rstrip().endswith(end)


def shows_menu(picture):
    return waits(picture, MENU)


@needs("vttest")
class VttestTests(BoardTest):
    def start(self, *options):
        self.begin("vt220", *options)
        self.sent = self.folder / "sent"
        self.panes.record(DIRECT, self.sent)
        self.type("vttest", "Enter")
        self.wait_for(shows_menu, DIRECT)

    def answer(self):
        """Types the answer for the session, which gives none."""
        self.panes.send((SESSION,), "-H", *(f"{byte:02x}" for byte in KIND))
        self.same(shows_menu)

    @property
    def count(self):
        """How many screens vttest has sent to the direct terminal. Two may look the same."""
        sent = contents(self.sent)
        return sum(sent.count(end.encode()) for end in (PUSH, MENU))

    def go_on(self, *keys):
        """Types keys, and waits until the next screen is sent. Returns what was shown before."""
        before, count = self.pictures((DIRECT, SESSION)), self.count
        self.type(*keys)
        wait_until(lambda: self.count > count, "the next screen is sent")
        return before

    def walk(self, choice, count, different=None):
        """All screens of a choice, from number 0 on, and then the menu again. The terminals show
        the same; `different()` judges the screens 2 and 3."""
        self.start()
        self.answer()
        for number in range(count + 1):
            direct, session = self.go_on(*([] if number else [choice]), "Enter")
            end = PUSH if number < count else MENU
            if different and number in (2, 3):
                self.wait_for(lambda picture: waits(picture, end) and not picture.fits(session), SESSION)
                different()
            else:
                self.same(lambda picture: waits(picture, end) and not picture.fits(direct))

    def test_cursor_movements(self):
        def different():
            # They begin with another width (DECCOLM): 80 columns, and 132. The filter drops that,
            # and so the screen is not erased, and the cursor not moved to the first row.
            self.wait_for(r"\ATest of autowrap", DIRECT)
            self.assertEqual(self.panes.picture(SESSION).lines[0], "*" * self.panes.columns)

        self.walk("1", 6, different)

    def test_screen_features(self):
        self.walk("2", 15)

    def test_sets_of_characters(self):
        self.start()
        self.answer()
        self.go_on("3", "Enter")
        self.wait_for(r"^These are the installed character sets. Push <RETURN>$")
        self.wait_for(lambda picture: waits(picture, PUSH))
        direct, session = self.pictures((DIRECT, SESSION))
        pairs = {place: tuple(cell[0] for cell in pair) for place, pair in direct.differences(session).items()}
        expected = {}
        # Each set is there twice.
        for column in (9, 47):
            # tmux has no set of the United Kingdom.
            expected[7, column + 3] = "#", "\u00a3"
            # In the special graphics, tmux has more characters than a VT100, and not its blank.
            expected.update({(11, column + 11 + place): pair for place, pair in enumerate(
                zip("\u2192\u2190\u2191\u2193/\u25ae", "+,-./0", strict=True)) if pair != ("/", "/")})
            expected[12, column + 31] = "_", "\u00a0"
        self.assertEqual(pairs, expected)
        self.assertEqual(direct[1:3], session[1:3])
        self.go_on("Enter")
        self.same(shows_menu)

    def test_the_session_answers_where_the_user_wants_it(self):
        self.start("--answer", "all")
        self.same(shows_menu)
        self.type("0", "Enter")
        self.same(rf"^{PROMPT}$")
