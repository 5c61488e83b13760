"""Runs the traces that stand beside the demands in tests/conformance: `validate` finds the rules that they break.

Kinds of dial9, Heph and Tonbandgerät, the formats of which have tables of their own:

    bytes       the trace, as in tests/golden (hex digits, "text", N*[ bytes ])

Kinds of CTF 2; JSON stands in lines:

    class       a field class, behind the members `n` (unsigned), `s` (signed) and `b` (boolean) of a payload
    header      members of a packet header
    context     members of a packet context
    event       members of an event record header
    fragments   fragments between the preamble and a data stream class
    more        fragments behind a preamble and a data stream class
    lines       all fragments
    stream      the metadata stream, as bytes
    auxiliary   elements of an auxiliary stream
    trace       all fragments, and lines `NAME = bytes` of data stream files

Kinds of CTF 1.8:

    text        declarations behind a trace block, which is little-endian, and a type `u8`
    fields      fields of an event
    tsdl        all of the metadata; lines `NAME = bytes` are data stream files
    bytes       the file of metadata, as bytes
"""

import json
import re
import unittest

import conformance_table
from case_test import read_bytes
from command import CommandTest, run

FORMATS = {"dial9": "dial9", "heph": "heph", "tband": "tband"}
STREAM = re.compile(r"(?P<name>\w+) = (?P<bytes>[^;]*)$")
STARTS = {
    "rc3": '{"type":"preamble","version":2,"user-attributes":{}}',
    "final": '{"type":"preamble","version":2,"attributes":{}}',
}
BEFORE = (
    '{"name":"n","field-class":{"type":"variable-length-unsigned-integer"}},'
    '{"name":"s","field-class":{"type":"variable-length-signed-integer"}},'
    '{"name":"b","field-class":{"type":"fixed-length-boolean","length":8,"byte-order":"big-endian"}}'
)
PLAIN = '{"type":"data-stream-class"}'
TRACE_BLOCK = (
    "/* CTF 1.8 */\n"
    "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
    "trace { major = 1; minor = 8; byte_order = le; };\n"
)


def structure(members):
    return '{"type":"structure","member-classes":[' + members + "]}"


def fragments_of(kind, text, specification):
    """The fragments of CTF 2 metadata of a sample."""
    start = STARTS[specification]
    body = "".join(text)
    if kind == "class":
        members = BEFORE + ',{"name":"x","field-class":' + body + "}"
        return [start, PLAIN, '{"type":"event-record-class","payload-field-class":' + structure(members) + "}"]
    if kind == "header":
        return [start, '{"type":"trace-class","packet-header-field-class":' + structure(body) + "}", PLAIN]
    if kind in ("context", "event"):
        root = "packet-context" if kind == "context" else "event-record-header"
        clock = '"id"' if specification == "final" else '"name"'
        uses = "default-clock-class-id" if specification == "final" else "default-clock-class-name"
        return [
            start,
            '{"type":"clock-class",' + clock + ':"clock","frequency":1}',
            '{"type":"data-stream-class","' + uses + f'":"clock","{root}-field-class":' + structure(body) + "}",
        ]
    if kind == "fragments":
        return [start, *text, PLAIN]
    if kind == "more":
        return [start, PLAIN, *text]
    if kind in ("lines", "trace"):
        return text
    raise ValueError(f"no kind of CTF 2: {kind}")


def as_sequence(lines):
    return "".join(f"\x1e{line}\n" for line in lines).encode()


def ctf2_files(kind, text, specification):
    if kind == "stream":
        return {"metadata": read_bytes(text)}
    if kind == "auxiliary":
        return {"metadata": as_sequence([STARTS[specification], PLAIN]), "notes.json-seq": as_sequence(text)}
    streams = [match for match in map(STREAM.match, text) if match and kind == "trace"]
    lines = [line for line in text if not (kind == "trace" and STREAM.match(line))]
    files = {match["name"]: read_bytes([match["bytes"]]) for match in streams}
    return {"metadata": as_sequence(fragments_of(kind, lines, specification)), **files}


def ctf1_files(kind, text):
    streams = [match for match in map(STREAM.match, text) if match and kind == "tsdl"]
    body = "".join(line + "\n" for line in text if not (kind == "tsdl" and STREAM.match(line)))
    if kind == "fields":
        body = 'stream { };\nevent { name = "e"; fields := struct {\n' + body + "}; };\n"
    if kind in ("text", "fields"):
        body = TRACE_BLOCK + body
    files = {match["name"]: read_bytes([match["bytes"]]) for match in streams}
    if kind == "bytes":
        return {"metadata": read_bytes(text)}
    return {"metadata": body.encode(), **files}


class Conformance(CommandTest):
    def found(self, specification, sample):
        """The rules of what `validate` finds in a sample's trace, and all that it said."""
        if specification in FORMATS:
            trace = self.file("trace", read_bytes(sample.text))
            arguments = ["--format", FORMATS[specification], trace]
        else:
            if specification == "ctf1":
                files = ctf1_files(sample.kind, sample.text)
            else:
                files = ctf2_files(sample.kind, sample.text, specification)
            folder = self.folder / f"trace-{sample.line}"
            folder.mkdir()
            for name, content in files.items():
                (folder / name).write_bytes(content)
            arguments = [folder]
        result = run("validate", "--json", *arguments)
        self.assertIn(result.returncode, (0, 1), result.stderr)
        rules = sorted({json.loads(line)["rule"] for line in result.stdout.splitlines()})
        return rules, result.stdout.decode()

    def demand(self, specification, demand):
        for sample in demand.samples:
            with self.subTest(f"{specification}.txt:{sample.line}"):
                rules, said = self.found(specification, sample)
                self.assertEqual(rules, sorted(set(demand.rules_of(sample))), said)


def add_tests():
    for table in conformance_table.read_tables():
        for demand in [*table.demands(), *table.own]:
            if demand.samples:

                def test(self, specification=table.name, demand=demand):
                    self.demand(specification, demand)

                test.__doc__ = demand.text
                setattr(Conformance, "test_" + re.sub(r"\W", "_", f"{table.name}_{demand.name}"), test)


add_tests()


if __name__ == "__main__":
    unittest.main()
