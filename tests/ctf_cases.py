"""Reads the case files of tests/ctf_golden: a CTF trace as text, and what must come of it.

    metadata:                  one JSON text a line, joined by record separators; or with `metadata: text`,
                               the lines as they are
    stream NAME:               a data stream file: bytes as in tests/golden (hex digits, "text", N*[ bytes ])
    file NAME:                 another file, of the same language
    args: print --limit 1      what to run on the trace, instead of printing it as JSON lines in recorded order;
                               {trace} stands for its name, which is otherwise appended
    print:                     the JSON lines that must be printed
    exit: 4                    the exit code, 0 unless said
    stderr: words              must be on standard error; may be repeated
    findings:                  lines FILE OFFSET SEVERITY SECTION, of what `validate` must find, in any order;
                               SECTION is what follows the name of the document; OFFSET may be `*`
"""

import dataclasses
import pathlib
import re

from case_test import read_bytes

CASES = sorted((pathlib.Path(__file__).resolve().parent / "ctf_golden").glob("*.case"))
HEAD = re.compile(r"(metadata|stream|file|args|print|exit|stderr|findings)(?: ([^:]+))?:\s*(.*)$")


@dataclasses.dataclass
class Case:
    files: dict
    args: list = None
    lines: list = None
    code: int = 0
    said: list = dataclasses.field(default_factory=list)
    findings: list = None

    def write(self, folder):
        for name, content in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        return folder


def parts_of(path):
    """The parts of a case file: (word, name, text on the line, lines)."""
    parts = []
    for line in path.read_text().splitlines():
        head = HEAD.match(line)
        if head:
            parts.append((head[1], head[2], head[3], []))
        elif line.startswith(" ") and parts:
            parts[-1][3].append(line.strip())
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path.name}: stray line {line!r}")
    return parts


def metadata_bytes(style, lines):
    if style == "text":
        return "".join(line + "\n" for line in lines).encode()
    return "".join("\x1e" + line + "\n" for line in lines).encode()


def read_case(path):
    case = Case({})
    for word, name, text, lines in parts_of(path):
        if word == "metadata":
            case.files[name or "metadata"] = metadata_bytes(text, lines)
        elif word in ("stream", "file"):
            case.files[name] = read_bytes(([text] if text else []) + lines)
        elif word == "args":
            case.args = text.split()
        elif word == "print":
            case.lines = lines
        elif word == "exit":
            case.code = int(text)
        elif word == "stderr":
            case.said.append(text)
        else:
            case.findings = [line.split(maxsplit=3) for line in lines]
    if not case.files:
        raise ValueError(f"{path.name}: no trace")
    return case
