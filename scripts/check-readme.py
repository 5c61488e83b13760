#!/usr/bin/env python3
"""Checks that the C++ of README.md stands, word for word, in one of the examples.

check-readme.py [ROOT]                exit 1 and README.md:LINE of every block of C++ that no example contains
check-readme.py --compile COMPILER    the same of every block that does not compile as it stands
"""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def compile_blocks(compiler: str) -> int:
    root = pathlib.Path(__file__).resolve().parent.parent
    readme = (root / "README.md").read_text(encoding="utf-8")
    failed = False
    for block in BLOCK.finditer(readme):
        command = [compiler, "-std=c++23", f"-I{root}", "-fsyntax-only", "-xc++", "-"]
        result = subprocess.run(command, input=block[1], text=True, capture_output=True, check=False)
        if result.returncode != 0:
            line = readme.count("\n", 0, block.start()) + 1
            print(f"README.md:{line}: this code does not compile:\n{result.stderr}")
            failed = True
    return 1 if failed else 0


def main() -> int:
    if sys.argv[1:2] == ["--compile"]:
        return compile_blocks(sys.argv[2])
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    readme = (root / "README.md").read_text(encoding="utf-8")
    examples = [file.read_text(encoding="utf-8") for file in sorted((root / "examples").glob("*.cpp"))]
    failed = False
    for block in BLOCK.finditer(readme):
        if not any(block[1] in example for example in examples):
            line = readme.count("\n", 0, block.start()) + 1
            print(f"README.md:{line}: this code is in no file of examples/")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
