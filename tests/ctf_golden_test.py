"""CTF traces and what must be printed and found: the reference traces of CTF 2, and cases of our own."""

import gzip
import json
import re
import unittest

import ctf_cases
from command import TRACES, CommandTest, Pairs, first_difference, needs_traces, parse_lines, run
from ctf_oracle.lines import Trace

CTF = TRACES / "ctf"
PRINT = ["print", "--output", "jsonl", "--order", "recorded"]
FINDING = re.compile(
    rb"(?P<file>.+):(?P<offset>\d+): (?P<severity>\w+): (?P<rule>[\w/-]+): .* \[(?P<section>[^\[\]]+)\]$"
)

# A rule may be cited from where it is stated, from what it is inherited by, or from the procedure that checks it.
ALSO = {
    "fl-ba-fc": "fl-int-fc fl-bool-fc fl-fp-fc fl-enum-fc",
    "fl-fp-fc": "fl-ba-fc",
    "int-fc": "fl-int-fc vl-int-fc",
    "fc": "tc-frag dsc-frag erc-frag struct-fc",
    "frag": "metadata-stream",
    "uuid": "tc-frag cc-frag",
    "roles": "fl-int-fc vl-int-fc sl-blob-fc",
    "int-range-set": "enum-fc-mappings",
    "enum-fc-mappings": "enum-fc fl-enum-fc vl-enum-fc",
    "struct-member-cls": "struct-fc",
    "sl-array-fc": "array-fc",
    "dl-array-fc": "array-fc field-loc field-loc-dec dl-array-field-dec",
    "field-loc-dec": "field-loc dl-array-fc dl-array-field-dec opt-fc var-fc",
    "opt-fc": "opt-field-dec field-loc",
    "var-fc": "var-fc-opt var-field-dec field-loc",
    "var-fc-opt": "var-fc",
    "pkt-header-roles": "roles tc-frag",
    "pkt-ctx-roles": "roles dsc-frag pkt-dec",
    "clock-offset": "cc-frag",
    "cc-frag": "uuid",
    # Data streams.
    "pkt-dec": "pkt pkt-ctx-roles",
    "sl-array-field-dec": "er-dec pkt-dec",
    "vl-ba-field-dec": "er-dec pkt-dec vl-sint-field-dec",
    "er": "er-dec",
}


def accepted(section):
    anchor = section.split()[0]
    return {"CTF2-SPECRC-3.0 " + word for word in [anchor, *ALSO.get(anchor, "").split()]}


def expected(folder):
    path = folder.with_name(folder.name + ".jsonl")
    content = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(path.name + ".gz").read_bytes())
    return parse_lines(content)


def rows(folder):
    """The rows of a table of expectations: name, exit codes, events, section."""
    for line in (folder / "expect.tsv").read_text().splitlines()[1:]:
        name, codes, events, section, _ = line.split("\t")
        yield name, [int(code) for code in codes.split("|")], int(events), section


def without_packet(line):
    """A line without its packet's context."""
    context = Pairs((key, value) for key, value in dict(line).get("context", ()) if key != "packet")
    kept = [(key, context if key == "context" else value) for key, value in line]
    return Pairs((key, value) for key, value in kept if key != "context" or context)


class CtfTest(CommandTest):
    def findings(self, trace):
        """What `validate` says about a trace: its exit code and its lines, taken apart."""
        result = run("validate", trace)
        found = []
        for line in result.stdout.splitlines():
            match = FINDING.match(line)
            self.assertTrue(match, f"not FILE:OFFSET: severity: RULE: sentence [section]: {line!r}")
            found.append({key: value.decode() for key, value in match.groupdict().items()})
        return result.returncode, found


@needs_traces
class ReferenceTraces(CtfTest):
    def each(self, part, check):
        folders = [path for path in sorted((CTF / part).iterdir()) if path.is_dir()]
        self.assertGreater(len(folders), 60)
        for folder in folders:
            with self.subTest(f"{part}/{folder.name}"):
                check(folder)

    def printed(self, folder):
        result = self.check(run(*PRINT, folder), 0)
        self.assertIsNone(first_difference(expected(folder), parse_lines(result.stdout)))

    def sound(self, folder):
        code, found = self.findings(folder)
        self.assertEqual([finding for finding in found if finding["severity"] == "error"], [])
        self.assertEqual(code, 0)

    def test_rc3(self):
        self.each("rc3", self.printed)

    def test_final(self):
        self.each("final", self.printed)

    def test_nothing_is_wrong_with_them(self):
        self.each("rc3", self.sound)
        self.each("final", self.sound)


@needs_traces
class Around(CtfTest):
    """RC 3.0 to 2.0 to 1.8 to RC 3.0: every record is kept, to the letter; packets are the writers' own."""

    def around(self, part):
        written = run("formats", "--json").stdout
        if not all(target in written for target in (b'"ctf2rc"', b'"ctf2"', b'"ctf1"')):
            self.skipTest("the command does not write CTF")
        for folder in sorted(path for path in (CTF / part).iterdir() if path.is_dir()):
            with self.subTest(f"{part}/{folder.name}"):
                trace = folder
                for target in ("ctf2", "ctf1", "ctf2rc"):
                    out = self.folder / f"{folder.name}.{target}"
                    self.check(run("convert", "-o", out, "--to", target, trace), 0, target)
                    trace = out
                result = self.check(run(*PRINT, trace), 0)
                want, got = ([without_packet(line) for line in side] for side in (expected(folder), parse_lines(result.stdout)))
                self.assertIsNone(first_difference(want, got))

    def test_rc3(self):
        self.around("rc3")

    def test_final(self):
        self.around("final")


@needs_traces
class FaultyTraces(CtfTest):
    def one(self, folder, name, codes, events):
        result = run(*PRINT, folder / name)
        self.assertIn(result.returncode, codes, f"{result.stdout[:300]!r}\n{result.stderr[:600]!r}")
        self.assertGreaterEqual(len(parse_lines(result.stdout)), events)
        if result.returncode != 0:
            self.assertNotEqual(result.stderr, b"")
        return result

    def section(self, folder, name, section, code):
        """`validate` names the fault, and says no with code 1 where printing fails."""
        validated, found = self.findings(folder / name)
        # Times of events outside of their packet are errors, and read all the same.
        errors = [finding for finding in found if finding["severity"] == "error"]
        self.assertEqual(validated, 1 if errors else 0)
        self.assertTrue(errors or code == 0)
        sections = {finding["section"] for finding in errors or found}
        self.assertTrue(sections & accepted(section), f"want {accepted(section)}, found {sections}")
        return found

    def test_metadata(self):
        folder = CTF / "rc3-invalid-metadata"
        for name, codes, events, section in rows(folder):
            with self.subTest(name):
                result = self.one(folder, name, codes, events)
                found = self.section(folder, name, section, result.returncode)
                places = {finding["file"] for finding in found if finding["section"] in accepted(section)}
                if codes == [3]:
                    self.assertEqual(places, {str(folder / name / "metadata")})

    def test_data_streams(self):
        folder = CTF / "rc3-decode-error"
        for name, codes, events, section in rows(folder):
            with self.subTest(name):
                result = self.one(folder, name, codes, events)
                self.section(folder, name, section, result.returncode)


@needs_traces
class EarlyTracers(CtfTest):
    """Traces of Trace Compass's tests: CTF 2 as early tracers wrote it, of which some are also there in CTF 1.8."""

    def test_events_are_those_of_ctf1(self):
        folders = sorted((CTF / "tracecompass").glob("CTF2-*"))
        self.assertGreater(len(folders), 7)
        for folder in folders:
            with self.subTest(folder.name):
                # Of what crashed, packets were never closed: they end before they begin.
                read = self.check(run(*PRINT, folder), 4 if folder.name.endswith("-lttng-crash") else 0)
                self.assertNotEqual(read.stdout, b"")
                twin = CTF / "ctf1" / folder.name.replace("CTF2-7.0-", "succeed_")
                if twin.is_dir():
                    want = self.check(run(*PRINT, twin), 0)
                    self.assertEqual(self.events(want), self.events(read))

    @staticmethod
    def events(result):
        """Names, times and fields, as text; enumerations of CTF 1.8 that CTF 2 does not have as such count as integers."""
        lines = []
        for line in result.stdout.decode().splitlines():
            event = json.loads(line.replace("/libhello-so", "/libhello_so"))  # recorded twice
            lines.append((event.get("name"), event.get("time"), event.get("fields")))
        return lines


class Cases(CtfTest):
    def one(self, path):
        case = ctf_cases.read_case(path)
        trace = case.write(self.folder / "trace")
        if case.args is None:
            result = run(*PRINT, trace)
        else:
            args = case.args if "{trace}" in case.args else [*case.args, "{trace}"]
            result = run(*["trace" if arg == "{trace}" else arg for arg in args], cwd=self.folder)
        self.check(result, case.code)
        if case.lines is not None:
            want = parse_lines("\n".join(case.lines).encode())
            said = first_difference(want, parse_lines(result.stdout))
            self.assertIsNone(said, f"{said}\n{result.stderr[:600]!r}")
        for words in case.said:
            self.assertIn(words, result.stderr.decode())
        if case.findings is not None:
            self.found(case, trace)

    def found(self, case, trace):
        code, found = self.findings(trace)
        got = sorted([f["file"], f["offset"], f["severity"], f["section"].split(" ", 1)[1]] for f in found)
        want = sorted([str(trace / file), *more] for file, *more in case.findings)
        for wanted, have in zip(want, got):
            if wanted[1] == "*":
                wanted[1] = have[1]
        self.assertEqual(want, got)
        self.assertEqual(code, 1 if any(severity == "error" for _, _, severity, _ in want) else 0)


class CasesAndOracle(CommandTest):
    """The oracle reads the cases of CTF 2 as they say, so that the cases are right as well."""

    def test_all(self):
        for path in ctf_cases.CASES:
            case = ctf_cases.read_case(path)
            if case.args is None and "metadata" in case.files and case.lines is not None and case.code in (0, 4):
                with self.subTest(path.name):
                    trace = Trace(case.write(self.folder / path.stem))
                    want = parse_lines("\n".join(case.lines).encode())
                    self.assertIsNone(first_difference(want, trace.lines))
                    self.assertEqual(bool(trace.faulty), case.code == 4)


def add_cases():
    for path in ctf_cases.CASES:

        def test(self, path=path):
            self.one(path)

        test.__doc__ = path.name
        setattr(Cases, "test_" + re.sub(r"\W", "_", path.stem), test)


add_cases()


if __name__ == "__main__":
    unittest.main()
