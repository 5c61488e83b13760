"""Every way of the command over a sample of traces and of the fuzz targets' corpora: no crash, no hang, no exit code
beyond the contract, nothing hidden in texts for people. `scripts/every-way.py --all` has all of them."""

import subprocess
import sys
import unittest

import command


@unittest.skipIf(command.PROGRAM is None, "many_commands is not built, or is older than the command")
class EveryWay(unittest.TestCase):
    def test_sample(self):
        sample = 20 if command.is_sanitized() else 60
        script = command.ROOT / "scripts/every-way.py"
        arguments = [sys.executable, script, "--jobs", "1", "--sample", str(sample)]
        result = subprocess.run(arguments, capture_output=True, text=True, timeout=900, check=False)
        self.assertEqual(result.returncode, 0, result.stdout[-8000:] + result.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
