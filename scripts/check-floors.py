#!/usr/bin/env python3
"""Checks that every include obeys the floors of docs/architecture.md.

check-floors.py [ROOT]        reports FILE:LINE of every include that goes up, from one format to another,
                              from a codec into the model, or is not rooted; exit 1 if there is one
check-floors.py --self-test   checks this script against a small broken tree
"""

import pathlib
import re
import sys
import tempfile

# Folder → floor; `NAME.*` means files directly in a folder, and "tracedeck" the others there, which are the front doors. A
# file may include what stands on floors below, and what is in its own room; rooms on one floor never include each other.
FLOORS = {
    "tracedeck/base": 1,
    "tracedeck/io": 2,
    "tracedeck/text": 3,
    "tracedeck/model": 4,
    "tracedeck/format": 5,
    "tracedeck/spill": 6,
    "tracedeck/dial9": 6,
    "tracedeck/heph": 6,
    "tracedeck/tband": 6,
    "tracedeck/ctf": 6,
    "tracedeck/comparison": 6,
    "tracedeck/lower": 7,
    "tracedeck/joined_files.*": 8,
    "tracedeck/trace_identity.*": 9,
    "tracedeck/formats.*": 10,
    "tracedeck/flow": 11,
    "tracedeck/render": 12,
    "tracedeck/query": 13,
    "tracedeck/timeline": 14,
    "tracedeck/export": 15,
    "tracedeck/columns": 16,
    "tracedeck/outputs.*": 17,
    "tracedeck/part_files.*": 18,
    "tracedeck/convert": 19,
    "tracedeck": 20,
    "tracedeck/c": 21,
    "examples": 22,
    "cli": 23,
    "tests": 24,
    "fuzz": 24,
    "bench": 24,
}

FORMATS = {"tracedeck/dial9", "tracedeck/heph", "tracedeck/tband", "tracedeck/ctf"}

# A format's codec, with all of its folder that these files include in turn, stands on base alone, so that it can be
# used without the model.
CODEC_STEMS = {"wire", "encoder", "decoder"}
CODEC_MAY_INCLUDE = {"tracedeck/base"}

IS_UNIT_TEST = re.compile(r"_test\.[ch]pp$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<((?:tracedeck|cli)/[^>]+)>)')


def folder_of(path: str) -> str:
    """The entry of the table that a rooted path belongs to, or "" if none."""
    parent = pathlib.PurePosixPath(path).parent
    file = f"{parent}/{pathlib.PurePosixPath(path).stem.removesuffix('_test')}.*"
    if file in FLOORS:
        return file
    while str(parent) != ".":
        if str(parent) in FLOORS and (str(parent) != "tracedeck" or path.count("/") == 1):
            return str(parent)
        parent = parent.parent
    return ""


def objection(file: str, target: str, codec: set[str]) -> str:
    """Why FILE must not include TARGET, or "" if it may. CODEC: the files that make up the codecs."""
    here, there = folder_of(file), folder_of(target)
    if not there:
        return f'"{target}" is not rooted in a folder of the table of floors'
    if FLOORS[there] == FLOORS[here] and there != here and here.startswith("tracedeck/"):
        return f"{here} includes {there}: rooms on one floor never include each other"
    # A unit test is a program of its own: what it compares its room with may stand above.
    if FLOORS[there] > FLOORS[here] and not (IS_UNIT_TEST.search(file) and there.startswith("tracedeck")):
        return f"{here} (floor {FLOORS[here]}) includes {target} (floor {FLOORS[there]})"
    if file in codec:
        if there != here and there not in CODEC_MAY_INCLUDE:
            return f"the codec of {here} includes {target}: it may only know base"
    return ""


def codec_files(includes: dict[str, list[tuple[int, str]]]) -> set[str]:
    """The files that the codecs of the formats are made of."""
    paths = map(pathlib.PurePosixPath, includes)
    waiting = [str(p) for p in paths if str(p.parent) in FORMATS and p.stem in CODEC_STEMS]
    files: set[str] = set()
    while waiting:
        file = waiting.pop()
        if file not in files:
            files.add(file)
            waiting += [t for _, t in includes.get(file, []) if folder_of(t) == folder_of(file)]
    return files


def check(root: pathlib.Path) -> list[str]:
    """Every broken rule below ROOT as FILE:LINE: sentence, in the order of the files."""
    found = []
    tops = sorted({folder.split("/")[0] for folder in FLOORS})
    files = [f for top in tops for f in (root / top).rglob("*") if f.suffix in {".cpp", ".hpp"}]
    includes: dict[str, list[tuple[int, str]]] = {}
    for file in sorted(files):
        name = file.relative_to(root).as_posix()
        # The program of tests/package stands outside the house: it uses the installed copy.
        if name.startswith("tests/package/"):
            continue
        if not folder_of(name):
            found.append(f"{name}:1: its folder has no floor: add it to scripts/check-floors.py")
            continue
        lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        matches = ((number, INCLUDE.match(line)) for number, line in lines)
        includes[name] = [(number, match[1] or match[2]) for number, match in matches if match]
    codec = codec_files(includes)
    for name, targets in includes.items():
        for number, target in targets:
            if why := objection(name, target, codec):
                found.append(f"{name}:{number}: {why}")
    return found


def self_test() -> int:
    tree = {
        "tracedeck/base/a.hpp": '#pragma once\n#include <vector>\n#include "tracedeck/base/b.hpp"\n',
        "tracedeck/base/up.hpp": '#include "tracedeck/model/clock.hpp"\n',
        "tracedeck/io/angle.cpp": "#include <tracedeck/format/reader.hpp>\n",
        "tracedeck/dial9/reader.cpp": '#include "tracedeck/base/a.hpp"\n\n#include "tracedeck/ctf/wire.hpp"\n',
        "tracedeck/dial9/decoder.hpp": '#include "tracedeck/dial9/wire.hpp"\n#include "tracedeck/model/tape.hpp"\n',
        "tracedeck/ctf/encoder.cpp": '#include "tracedeck/ctf/bits.hpp"\n',
        "tracedeck/ctf/bits.hpp": '#include "tracedeck/base/a.hpp"\n#include "tracedeck/io/input.hpp"\n',
        "tracedeck/dial9/writer.cpp": '#include "tracedeck/model/tape.hpp"\n#include "tracedeck/formats.hpp"\n',
        "tracedeck/formats.cpp": '#include "tracedeck/formats.hpp"\n#include "tracedeck/dial9/reader.hpp"\n',
        "tracedeck/flow/merge.cpp": '  #  include "cli/main.hpp"\n#include "merge.hpp"\n',
        "tracedeck/attic/old.cpp": "int x;\n",
        "tests/package/consumer.cpp": '#include "anything.hpp"\n',
        "cli/main.cpp": '#include "tracedeck/render/text.hpp"\n',
    }
    expected = [
        "tracedeck/attic/old.cpp:1: its folder has no floor",
        "tracedeck/base/up.hpp:1: tracedeck/base (floor 1) includes tracedeck/model/clock.hpp (floor 4)",
        "tracedeck/ctf/bits.hpp:2: the codec of tracedeck/ctf includes tracedeck/io/input.hpp",
        "tracedeck/dial9/decoder.hpp:2: the codec of tracedeck/dial9 includes tracedeck/model/tape.hpp",
        "tracedeck/dial9/reader.cpp:3: tracedeck/dial9 includes tracedeck/ctf: rooms on one floor never",
        "tracedeck/dial9/writer.cpp:2: tracedeck/dial9 (floor 6) includes tracedeck/formats.hpp (floor 10)",
        "tracedeck/flow/merge.cpp:1: tracedeck/flow (floor 11) includes cli/main.hpp (floor 23)",
        'tracedeck/flow/merge.cpp:2: "merge.hpp" is not rooted',
        "tracedeck/io/angle.cpp:1: tracedeck/io (floor 2) includes tracedeck/format/reader.hpp (floor 5)",
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in tree.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        found = check(root)
    good = len(found) == len(expected) and all(f.startswith(e) for f, e in zip(found, expected))
    if not good:
        print("expected:", *expected, "found:", *found, sep="\n  ")
    return 0 if good else 1


def main() -> int:
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return self_test()
    root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).resolve().parent.parent)
    found = check(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
