"""Runs the cases of tests/golden: one text file each, of input bytes and what must come out.

A case file has comments (`#` to the end of the line) and these parts, all but `input` optional:

    input:                     bytes: hex digits in pairs, "text" in ASCII, N*[ bytes ] for repetition
    args: print --limit 1      what to run on the input, instead of printing all of it as JSON lines;
                               {trace} stands for its name, which is otherwise appended
    print:                     JSON lines that must be printed, or with `args` the exact standard output
    exit: 4                    the exit code, 0 unless said
    stderr: words              must be on standard error; may be repeated; without one nothing may be there,
                               unless findings or damage are expected
    findings:                  lines OFFSET[+LENGTH] SEVERITY RULE, what `validate` must find, in this order

Expected values come from the specification (its sections are named in the comments), not from the tool. A
case without `args` is read in several ways that must agree: from the file, from a pipe, with one byte at a
time, and, rewritten to dial9, from the copy, which is byte-identical when nothing was damaged.
"""

import json
import pathlib
import re
import subprocess
import threading
import unittest

import command
from command import CommandTest, first_difference, parse, parse_lines, run

CASES = sorted((pathlib.Path(__file__).resolve().parent / "golden").glob("*.case"))
PRINT = ["print", "--format", "dial9", "--output", "jsonl", "--order", "recorded"]
TOKEN = re.compile(r'\s*(?:#.*|(?P<count>\d+)\*\[|(?P<close>\])|"(?P<text>[^"]*)"|(?P<hex>(?:[0-9A-Fa-f]{2})+))')


def read_bytes(lines):
    """The bytes that the lines of an `input` part spell."""
    stack, counts = [bytearray()], []
    for line in lines:
        position = 0
        line = line.rstrip()
        while position < len(line):
            token = TOKEN.match(line, position)
            if not token:
                raise ValueError(f"no bytes: {line[position:]!r}")
            position = token.end()
            if token["count"]:
                counts.append(int(token["count"]))
                stack.append(bytearray())
            elif token["close"]:
                repeated = stack.pop() * counts.pop()
                stack[-1] += repeated
            elif token["text"] is not None:
                stack[-1] += token["text"].encode("ascii")
            elif token["hex"]:
                stack[-1] += bytes.fromhex(token["hex"])
    if counts:
        raise ValueError("a repetition is not closed")
    return bytes(stack[0])


def read_case(path):
    """The parts of a case file: those of one line as lists of strings, the others as lists of lines."""
    parts, current = {}, None
    for line in path.read_text().splitlines():
        head = re.match(r"(\w+):\s*(.*)$", line)
        if head:
            current = parts.setdefault(head[1], [])
            if head[2]:
                current.append(head[2])
        elif line.startswith((" ", "\t")) and current is not None:
            current.append(line.strip())
        elif line.strip() and not line.startswith("#"):
            raise ValueError(f"{path.name}: stray line {line!r}")
    unknown = set(parts) - {"input", "args", "print", "exit", "stderr", "findings"}
    if unknown or "input" not in parts:
        raise ValueError(f"{path.name}: unknown parts {unknown} or no input")
    return parts


class Case(CommandTest):
    def one(self, path):
        case = read_case(path)
        trace = self.file("trace.bin", read_bytes(case["input"]))
        code = int(case.get("exit", ["0"])[0])
        if "args" in case:
            self.arguments(case, code)
        else:
            self.print_from_file(case, trace, code)
            self.print_from_pipe(case, trace, code)
            self.rewrite(case, trace, code)
        if "findings" in case or "args" not in case:
            self.validate(case, trace, code)

    def arguments(self, case, code):
        args = case["args"][0].split()
        if "{trace}" not in args:
            args.append("{trace}")
        result = run(*["trace.bin" if arg == "{trace}" else arg for arg in args], cwd=self.folder)
        self.check(result, code)
        self.assertEqual(result.stdout.decode().splitlines(), case.get("print", []))
        self.standard_error(case, result, code)

    def standard_error(self, case, result, code):
        said = result.stderr.decode()
        if "steps back" not in case.get("stderr", []):
            # What the order is worth has tests of its own.
            said = re.sub(r"tracedeck: printed out of the order of time: .*\n", "", said)
        for words in case.get("stderr", []):
            self.assertIn(words, said)
        if code == 0 and not case.get("stderr") and not case.get("findings"):
            self.assertEqual(said, "")
        if code != 0:
            self.assertNotEqual(said, "")

    def printed(self, case, result, code, how):
        self.check(result, code, how)
        want = [parse(line) for line in case.get("print", [])]
        difference = first_difference(want, parse_lines(result.stdout))
        self.assertIsNone(difference, f"{how}: {difference}\nstderr: {result.stderr!r}")

    def print_from_file(self, case, trace, code):
        result = run(*PRINT, trace)
        self.printed(case, result, code, "file")
        self.standard_error(case, result, code)

    def print_from_pipe(self, case, trace, code):
        self.printed(case, run(*PRINT, "-", stdin=trace.read_bytes()), code, "pipe")
        content = trace.read_bytes()
        if len(content) > 4096:
            return
        process = subprocess.Popen(
            [command.BIN, *PRINT, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
        )

        def feed():
            try:
                for i in range(len(content)):
                    process.stdin.write(content[i : i + 1])
                process.stdin.close()
            except BrokenPipeError:
                pass

        feeder = threading.Thread(target=feed)
        feeder.start()
        # Not communicate(), which would close standard input under the feeder.
        out, err = process.stdout.read(), process.stderr.read()
        feeder.join()
        process.stdout.close()
        process.stderr.close()
        self.printed(case, subprocess.CompletedProcess([], process.wait(), out, err), code, "byte by byte")

    def rewrite(self, case, trace, code):
        copy = self.folder / "copy.bin"
        result = self.check(run("convert", "--format", "dial9", "-o", copy, "--to", "dial9", trace), code, "rewrite")
        if code == 3:
            self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["trace.bin"])
            return
        if code == 0:
            self.assertEqual(copy.read_bytes(), trace.read_bytes())
        again = run(*PRINT, copy)
        self.printed(case, again, 0, f"rewritten; {result.stderr!r}")

    def validate(self, case, trace, code):
        result = run("validate", "--format", "dial9", "--json", trace)
        found = []
        for line in result.stdout.decode().splitlines():
            finding = json.loads(line)
            length = f"+{finding['length']}" if finding.get("length") else ""
            found.append((f"{finding['offset']}{length}", finding["severity"], finding["rule"]))
        wanted = [tuple(line.split()) for line in case.get("findings", [])]
        # A length that is not wanted is not compared.
        shown = [
            (have[0] if "+" in want[0] else have[0].split("+")[0], *have[1:]) for want, have in zip(wanted, found)
        ] + found[len(wanted) :]
        self.assertEqual(shown, wanted)
        errors = any(severity == "error" for _, severity, _ in wanted)
        self.check(result, 1 if errors else 0, "validate")
        self.assertEqual(errors, code != 0, "damage is an error, what is tolerated is none")
        lines = run("validate", "--format", "dial9", trace).stdout.decode().splitlines()
        self.assertEqual(len(lines), len(wanted))
        for line, (place, severity, rule) in zip(lines, wanted):
            start = f"{trace}:{place.split('+')[0]}: {severity}: {rule}: "
            self.assertTrue(line.startswith(start) and re.search(r" \[[^\[\]]+\]$", line), f"{line!r}, want {start!r}")


def add_cases():
    for path in CASES:

        def test(self, path=path):
            self.one(path)

        test.__doc__ = path.name
        setattr(Case, "test_" + re.sub(r"\W", "_", path.stem), test)


add_cases()


class CaseLanguage(unittest.TestCase):
    def test_bytes(self):
        self.assertEqual(
            read_bytes(['54 5243 "ab c" # "x"', '2*[00 3*[0102]] "#"']), b"TRCab c" + (b"\0" + b"\1\2" * 3) * 2 + b"#"
        )

    def test_there_are_cases(self):
        self.assertGreater(len(CASES), 0)

    def test_wrong_bytes_are_refused(self):
        for line in ("5", "xyz", '"open', "2*[00"):
            with self.assertRaises(ValueError):
                read_bytes([line])
