"""Classes that our CTF 1.8 keeps in its environment (`tracedeck_metadata_N`), broken in every way.

What does not fit is ignored with a finding, and the events are delivered as they are recorded.
"""

import json
import re
import shutil

from command import CommandTest, run
from large_metadata import U8, json_trace, structure

U16 = {**U8, "length": 16}
SELECTED_BY = {"origin": "event-record-payload"}
LENGTH = {"length-field-location": {**SELECTED_BY, "path": ["count"]}}
FIELDS = [
    ("flag", {**U8, "type": "fixed-length-boolean"}),
    ("count", U8),
    ("half", {"type": "optional", "selector-field-location": {**SELECTED_BY, "path": ["flag"]}, "field-class": U16}),
    ("bytes", {"type": "dynamic-length-blob", **LENGTH}),
    ("steps", {"type": "dynamic-length-array", **LENGTH, "element-field-class": U8}),
    ("long", {"type": "variable-length-unsigned-integer"}),
    ("kind", {**U8, "mappings": {"number": [[0, 0]], "text": [[1, 1]]}}),
    ("what", {"type": "variant", "selector-field-location": {**SELECTED_BY, "path": ["kind"]}, "options": [
        {"name": "number", "selector-field-ranges": [[0, 0]], "field-class": U16},
        {"name": "text", "selector-field-ranges": [[1, 1]], "field-class": {"type": "null-terminated-string"}}]}),
    ("wide", {**U8, "length": 128}),
]
HEADER = [("id", {**U8, "roles": ["event-record-class-id"]})]
STREAM = (
    b"\0" + b"\1\2" + b"\x34\x12" + b"ab" + b"\5\6" + b"\xff\1" + b"\1one\0" + bytes(range(16))
    + b"\1" + b"\7" + b"\1\x09" + b"xyz"
    + b"\0" + b"\0\0" + b"\7" + b"\0\1\1" + bytes(16)
)
FRAGMENTS = [
    {"type": "data-stream-class", "event-record-header-field-class": structure(HEADER)},
    {"type": "event-record-class", "id": 0, "name": "all", "payload-field-class": structure(FIELDS)},
    {"type": "event-record-class", "id": 1, "name": "other", "payload-field-class": structure(
        [("plain", U8), ("sure", {**U8, "type": "fixed-length-boolean"}),
         ("maybe", {"type": "optional", "selector-field-location": {**SELECTED_BY, "path": ["sure"]}, "field-class": U8}),
         ("none", {"type": "static-length-blob", "length": 0}),
         ("rest", {"type": "static-length-blob", "length": 3}), ]) },
]
ENTRY = re.compile(r'^\ttracedeck_metadata_(\w+) = (.*);$', re.M)


def member(entry, name):
    """The member class of that name in an entry."""
    return next(each for each in entry["payload-field-class"]["member-classes"] if each["name"] == name)


class Entries:
    """The entries of a metadata text, to be edited: `values` has JSON or text by number."""

    def __init__(self, text):
        self.text = text
        self.values = {name: json.loads(json.loads(value)) for name, value in ENTRY.findall(text)}

    def numbers(self, kind):
        return [name for name, value in self.values.items() if value["type"] == kind]

    def write(self, rename=None):
        """The text with the entries as they are now; those that are None are gone."""

        def spelt(match):
            value = self.values[match[1]]
            if value is None:
                return ""
            text = value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
            text = text if text.isdigit() else json.dumps(text)
            return f"\ttracedeck_metadata_{(rename or {}).get(match[1], match[1])} = {text};"

        return ENTRY.sub(spelt, self.text)


def change(name, **properties):
    """Another class for a field of the event class `all`."""

    def edit(entry):
        member(entry, name)["field-class"].update(properties)

    return edit


def replace(name, field_class):
    def edit(entry):
        member(entry, name)["field-class"] = field_class

    return edit


def rename(name, other):
    def edit(entry):
        member(entry, name)["name"] = other

    return edit


def without(name):
    def edit(entry):
        entry["payload-field-class"]["member-classes"].remove(member(entry, name))

    return edit


def reorder(entry):
    members = entry["payload-field-class"]["member-classes"]
    members[0], members[1] = members[1], members[0]


def select_by(name, path):
    def edit(entry):
        member(entry, name)["field-class"]["selector-field-location"]["path"] = [path]

    return edit


def measure_by(name, path):
    def edit(entry):
        member(entry, name)["field-class"]["length-field-location"]["path"] = [path]

    return edit


# What is done to the entry of the event class `all`.
EDITS = {
    "a field that is not there": lambda entry: entry["payload-field-class"]["member-classes"].append(
        {"name": "more", "field-class": U8}),
    "a field that is gone": without("wide"),
    "no fields": lambda entry: entry.pop("payload-field-class"),
    "another order": reorder,
    "other names": lambda entry: (rename("flag", "count2")(entry), rename("count", "flag2")(entry)),
    "another name of the class": lambda entry: entry.update(name="some"),
    "another id": lambda entry: entry.update(id=77),
    "another data stream class": lambda entry: entry.update({"data-stream-class-id": 5}),
    "too wide": change("count", length=64),
    "too narrow": change("count", length=4),
    "a sign": change("count", type="fixed-length-signed-integer"),
    "a wide integer of other bytes": change("wide", length=256),
    "a narrow one of bytes": change("wide", length=32),
    "another type": replace("count", {"type": "null-terminated-string"}),
    "a structure": replace("count", structure([("inner", U8)])),
    "a real": replace("wide", {**U8, "type": "fixed-length-floating-point-number", "length": 64}),
    "an array for bytes of another length": replace("bytes", {"type": "static-length-blob", "length": 7}),
    "a string for bytes": change("bytes", type="dynamic-length-string"),
    "elements of another type": lambda entry: member(entry, "steps")["field-class"].update(
        {"element-field-class": U16}),
    "elements that are structures": lambda entry: member(entry, "steps")["field-class"].update(
        {"element-field-class": structure([("x", U8)])}),
    "another length field": measure_by("steps", "flag2"),
    "a length of another field that is there": lambda entry: (
        replace("flag", U8)(entry), measure_by("steps", "flag")(entry)),
    "another selector": select_by("what", "count"),
    "a selector that is not there": select_by("what", "nothing"),
    "an optional of another class": lambda entry: member(entry, "half")["field-class"].update(
        {"field-class": U8}),
    "no optional": replace("half", U16),
    "other labels": lambda entry: member(entry, "kind")["field-class"].update(
        {"mappings": {"number": [[0, 0]], "text": [[2, 2]]}}),
    "other ranges of options": lambda entry: member(entry, "what")["field-class"]["options"][1].update(
        {"selector-field-ranges": [[9, 9]]}),
    "one option less": lambda entry: member(entry, "what")["field-class"]["options"].pop(),
    "other options": lambda entry: member(entry, "what")["field-class"]["options"].reverse(),
    "an option of another class": lambda entry: member(entry, "what")["field-class"]["options"][0].update(
        {"field-class": {"type": "null-terminated-string"}}),
    "nothing of a class": lambda entry: entry.clear(),
    "another type of fragment": lambda entry: entry.update(type="field-class-alias"),
    "a field class that does not exist": replace("count", {"type": "fixed-length-wish"}),
}
TEXTS = {
    "no JSON": "{",
    "empty": "",
    "no object": "[1]",
    "a number": "17",
    "two texts": '{"type":"event-record-class"}\n{}',
    "a separator": "\x1e\x1e",
    "deep": "[" * 3000,
}


class Broken(CommandTest):
    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        self.source.mkdir()
        for name, content in json_trace(FRAGMENTS, STREAM).items():
            (self.source / name).write_bytes(content)
        self.recorded = self.convert(self.source, "ctf1", "recorded")
        self.events = self.lines(self.recorded)
        self.assertEqual(len(self.events), 3)

    def convert(self, trace, target, name):
        out = self.folder / name
        shutil.rmtree(out, ignore_errors=True)
        # A packet size, so that it is not copied packet by packet.
        more = ("--packet-size", "8K") if target == "ctf1" else ()
        result = self.check(run("convert", "-v", "--to", target, *more, "-o", out, trace), 0)
        self.said = result.stderr.decode()
        self.assertNotIn("lost", self.said)
        return out

    def lines(self, trace):
        result = run("print", "-q", "--output", "jsonl", trace)
        self.assertEqual(result.returncode, 0)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def findings(self, trace):
        result = run("validate", "--json", trace)
        self.assertEqual(result.returncode, 0, result.stdout)
        return [each["text"] for each in map(json.loads, result.stdout.splitlines()) if each["rule"] == "ctf/tsdl-kept-classes"]

    def copy(self, text):
        trace = self.folder / "broken"
        run_copy = {path.name: path.read_bytes() for path in self.recorded.iterdir()}
        trace.mkdir(exist_ok=True)
        for name, content in run_copy.items():
            (trace / name).write_bytes(text.encode() if name == "metadata" else content)
        return trace

    def entries(self):
        return Entries((self.recorded / "metadata").read_text())

    def check_ignored(self, text, *names, restored=()):
        """Of these entries findings say that they are ignored; events of classes in `restored` are as before."""
        trace = self.copy(text)
        findings = self.findings(trace)
        for name in names:
            self.assertTrue(any(f"`tracedeck_metadata_{name}`" in each for each in findings), findings)
        self.assertTrue(findings)
        self.assertEqual(self.lines(trace), self.events)
        before = self.lines(self.source)
        for number, target in enumerate(("ctf2", "ctf2rc", "ctf1")):
            out = self.convert(trace, target, f"out{number}")
            self.assertIn("ctf/tsdl-kept-classes", self.said)
            self.assertEqual(run("validate", "-q", out).returncode, 0)
            for want, was, got in zip(self.events, before, self.lines(out), strict=True):
                want = was if want["name"] in restored and target != "ctf1" else want
                self.assertEqual(got["fields"], want["fields"])

    def test_what_is_not_broken_is_restored(self):
        self.assertEqual(self.findings(self.recorded), [])
        for target in ("ctf2", "ctf2rc"):
            restored = self.lines(self.convert(self.recorded, target, target))
            self.assertEqual([each["fields"] for each in restored], [each["fields"] for each in self.lines(self.source)])

    def test_each_is_ignored_with_a_finding(self):
        for what, edit in EDITS.items():
            with self.subTest(what):
                entries = self.entries()
                number = entries.numbers("event-record-class")[0]
                edit(entries.values[number])
                self.check_ignored(entries.write(), number, restored=["other"])
        for what, text in TEXTS.items():
            with self.subTest(what):
                entries = self.entries()
                number = entries.numbers("event-record-class")[0]
                entries.values[number] = text
                self.check_ignored(entries.write(), number, restored=["other"])

    def test_what_others_depend_on(self):
        for kind in ("preamble", "trace-class", "data-stream-class"):
            for text in (*TEXTS.values(), None):
                with self.subTest(kind, text=text and text[:40]):
                    entries = self.entries()
                    (number,) = entries.numbers(kind)
                    entries.values[number] = text
                    if kind == "trace-class" and text is None:
                        continue
                    # This trace has no packet header, so that nothing is missing in the others.
                    restored = ["all", "other"] if kind == "trace-class" else []
                    self.check_ignored(entries.write(), number, restored=restored)

    def test_headers_of_another_trace(self):
        entries = self.entries()
        (number,) = entries.numbers("data-stream-class")
        entries.values[number]["event-record-header-field-class"] = structure([("id", {**U16, "roles": ["event-record-class-id"]})])
        self.check_ignored(entries.write(), number, *entries.numbers("event-record-class"))

    def test_wrong_numbers(self):
        entries = self.entries()
        _, second = entries.numbers("event-record-class")
        for other in ("x", "007", "99999999999999999999999"):
            with self.subTest(other):
                self.check_ignored(self.entries().write({second: other}), other, restored=["all"])

    def test_a_gap_is_named(self):
        entries = self.entries()
        first, _ = entries.numbers("event-record-class")
        entries.values[first] = None
        self.check_ignored(entries.write(), first, restored=["other"])

    def test_classes_without_end(self):
        """Aliases of aliases, which would be a thousand million fields."""
        entries = self.entries()
        number = entries.numbers("event-record-class")[0]
        aliases = [{"type": "field-class-alias", "name": "a0", "field-class": U8}]
        for i in range(30):
            aliases.append({"type": "field-class-alias", "name": f"a{i + 1}", "field-class": structure([("x", f"a{i}"), ("y", f"a{i}")])})
        event = entries.values[number]
        event["payload-field-class"]["member-classes"].append({"name": "many", "field-class": "a30"})
        entries.values[number] = "\n\x1e".join(map(json.dumps, [*aliases, event]))
        self.check_ignored(entries.write(), number)


if __name__ == "__main__":
    import unittest

    unittest.main()
