#!/usr/bin/env python3
"""Runs one file of contract tests: run.py FILE [unittest arguments].

Exit code 0: something passed and nothing failed; 1: something failed; 77: all was skipped, so that
ctest lists the file under "did not run". Each skipped case has a line "skipped: FILE: CASE: REASON" at the
end of the output, which ctest keeps in Testing/Temporary/LastTest.log.

Environment: TRACEDECK_BIN, the command under test (default build/release/bin/tracedeck);
TRACEDECK_TRACES, the reference traces (default ../shared/traces beside the project).
"""

import gc
import os
import pathlib
import signal
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Result(unittest.TextTestResult):
    """Counts what passed, which unittest does not."""

    passed = 0

    def addSuccess(self, test):
        super().addSuccess(test)
        self.passed += 1


def skipped_line(file, test, reason):
    return f"skipped: {file}: {test.id().removeprefix(file + '.')}: {' '.join(reason.split())}"


def main() -> int:
    file = pathlib.Path(sys.argv[1]).resolve()
    os.environ.setdefault("TRACEDECK_BIN", str(ROOT / "build/release/bin/tracedeck"))
    os.environ.setdefault("TRACEDECK_TRACES", str(ROOT.parent / "shared/traces"))
    sys.dont_write_bytecode = True
    # Millions of events as objects, hardly any of them in a cycle: looking for cycles takes a sixth of the time.
    gc.disable()
    # A shell has its background jobs ignore it, and so would the commands that tests interrupt.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.path.insert(0, str(file.parent))
    arguments = [sys.argv[0], "-v", *sys.argv[2:]]
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    result = unittest.main(module=file.stem, argv=arguments, exit=False, testRunner=runner).result
    if "command" in sys.modules:
        for status in sys.modules["command"].close_processes():
            print(f"a process that ran commands ended with status {status}")
            return 1
    for line in sorted({skipped_line(file.stem, test, reason) for test, reason in result.skipped}):
        print(line)
    if not result.wasSuccessful() or not (result.passed or result.skipped):
        return 1
    return 0 if result.passed else 77


if __name__ == "__main__":
    sys.exit(main())
