"""The size of the window for the far end, which has no other way to know it."""

from Tests.endtoend.test_commands import CommandTest


class SizeTests(CommandTest):
    def run_command(self, name):
        self.open_palette(self.terminal, self.screen, name.encode())
        self.terminal.send(b"\r")
        self.screen.wait_until_gone("command:")

    def read(self, expected):
        self.assertEqual(self.device.read_exactly(len(expected)), expected)

    def test_the_command_sends_rows_and_columns(self):
        self.begin(size=(30, 100))
        self.run_command("terminal-size")
        self.read(b"stty rows 30 cols 100\r")
        self.expect_nothing_sent()

    def test_the_status_line_has_a_row_of_its_own(self):
        self.begin("--status", "--line-ending", "lf", size=(30, 100))
        self.run_command("terminal-size")
        self.read(b"stty rows 29 cols 100\n")

    def test_a_shell_gets_the_size(self):
        """The sent text is a command for stty(1)."""
        self.begin(size=(30, 100))
        self.run_command("terminal-size")
        words = self.device.read_exactly(len(b"stty rows 30 cols 100\r")).decode().split()
        self.assertEqual(words[:2] + words[3:4], ["stty", "rows", "cols"])

    def test_each_new_size_is_sent_once(self):
        self.begin(size=(30, 100))
        self.run_command("follow-size")
        self.screen.wait_for_text("follow-size is on.")
        for columns in range(101, 111):
            self.terminal.resize(31, columns)
        self.read(b"stty rows 31 cols 110\r")
        self.expect_nothing_sent()

    def test_read_only(self):
        self.begin("--read-only")
        self.open_palette(self.terminal, self.screen, b"terminal-size")
        self.screen.wait_for_text("(off: read-only)")
