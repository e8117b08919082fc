"""The line commands of a script as an FTDI chip receives them."""

import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import serialterm
from Tests.stage.chip import Chip

SCRIPT = """
pulse dtr 50ms
set rts off
break 20ms
set baud 57600
send "x"
"""


class ScriptTests(unittest.TestCase):
    def test_the_line_does_what_the_script_says(self):
        chip = self.enterContext(Chip("RUN0"))
        script = Path(self.enterContext(tempfile.TemporaryDirectory())) / "script"
        script.write_text(SCRIPT)
        chip.forget()
        result = serialterm("run", chip.node, str(script), "--no-hangup")
        self.assertEqual((result.status, result.stderr), (0, b""), result)
        log = iter(chip.log)
        for words in ("modem dtr=1 rts=1", "modem dtr=0", "modem dtr=1", "modem rts=0",
                      "data 8N1 break=1", "data 8N1 break=0", "baud 57554"):
            self.assertIn(words, log, f"in this order: {chip.log}")
