"""The table of features in docs/conversion.md is what conversions do."""

import subprocess
import sys

from command import ROOT, CommandTest, is_sanitized


class Features(CommandTest):
    def test_the_table_is_what_conversions_do(self):
        if is_sanitized():
            self.skipTest("a sanitized command takes long, and says the same")
        script = ROOT / "scripts/conversion-features.py"
        result = subprocess.run([sys.executable, script, "--check"], capture_output=True, timeout=600)
        self.assertEqual((result.returncode, result.stderr.decode()), (0, ""))
