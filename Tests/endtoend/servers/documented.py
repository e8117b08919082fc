"""Rows of docs/network.md about clients of `serialterm serve`."""

from Tests.endtoend.harness.program import REPOSITORY


class DocumentedClient:
    """Checks that the documentation contains the clients that the other tests of its class cover."""

    # How the documentation calls the client, and what it speaks.
    name = speaks = ""
    # What is shown of it: alone, with the pen beside a viewer, as a viewer.
    alone, holds, watches = "a line each way", "yes", "yes"

    def test_the_documentation_has_its_row(self):
        row = f"| {self.name} | {self.speaks} | {self.alone} | {self.holds} | {self.watches} |"
        self.assertIn(row, (REPOSITORY / "docs/network.md").read_text().splitlines())
