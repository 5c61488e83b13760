#!/usr/bin/env python3
"""Runs one file of contract tests: run.py FILE [unittest arguments].

Exit code 0: all passed; 1: something failed; 77: nothing failed, but something was skipped, so that
ctest lists the file under "did not run" instead of hiding the gap behind a pass.

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
    result = unittest.main(module=file.stem, argv=arguments, exit=False).result
    if not result.wasSuccessful() or (result.testsRun == 0 and not result.skipped):
        return 1
    return 77 if result.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
