"""Writes traces whose classes take megabytes to describe, and which have next to no events."""

import json
import struct

import dial9_writer as w

TSDL_HEAD = '/* CTF 1.8 */\ntypealias integer { size = 8; align = 8; signed = false; } := u8;\n'
TSDL_TRACE = "trace { major = 1; minor = 8; byte_order = le; };\n"
TSDL_IDS = "stream { event.header := struct { integer { size = 32; align = 8; signed = false; } id; }; };\n"
U8 = {"type": "fixed-length-unsigned-integer", "length": 8, "byte-order": "little-endian", "alignment": 8}
U32 = {**U8, "length": 32}


def dial9_schemas(count, fields, alike=False):
    """A file of `count` schemas, each with `fields` fields, of their own names unless `alike`."""
    frames = [w.header()]
    for i in range(count):
        of = 0 if alike else i
        frames.append(w.schema(i, f"EventClass{i:05}", [(f"{of:05}field_{j}", w.VARINT) for j in range(fields)]))
    frames.append(w.event(0, b"\1" * fields, delta=5))
    return b"".join(frames)


def tsdl_options(count):
    """A variant of `count` options, selected by an enumeration of as many labels."""
    labels = ",".join(f"opt_{i:06}" for i in range(count))
    options = "".join(f"u8 opt_{i:06};" for i in range(count))
    integer = "integer { size = 32; align = 8; signed = false; }"
    fields = f"enum : {integer} {{ {labels} }} tag; variant <tag> {{ {options} }} value;"
    text = TSDL_HEAD + TSDL_TRACE + f'event {{ name = "e"; fields := struct {{ {fields} }}; }};\n'
    return {"metadata": text.encode(), "stream": bytes(5)}


def tsdl_labels(count):
    """An enumeration of `count` labels."""
    labels = ",".join(f"LABEL_{i:07} = {i * 37}" for i in range(count))
    integer = "integer { size = 32; align = 8; signed = false; }"
    text = TSDL_HEAD + TSDL_TRACE + f'event {{ name = "e"; fields := struct {{ enum : {integer} {{ {labels} }} tag; }}; }};\n'
    return {"metadata": text.encode(), "stream": bytes(4)}


def tsdl_events(count, fields):
    """`count` event classes, each with `fields` fields of its own names."""
    text = [TSDL_HEAD, TSDL_TRACE, TSDL_IDS]
    for i in range(count):
        members = " ".join(f"u8 field_{i}_of_{j};" for j in range(fields))
        text.append(f'event {{ name = "event_{i}"; id = {i}; fields := struct {{ {members} }}; }};\n')
    return {"metadata": "".join(text).encode(), "stream": bytes(4 + fields)}


def tsdl_named_events(names):
    """An event class of one field for each name, and an event of each, which have times."""
    text = [
        TSDL_HEAD, TSDL_TRACE, "clock { name = c; freq = 1000000000; };\n",
        "stream { event.header := struct { integer { size = 32; align = 8; } id;\n",
        "integer { size = 64; align = 8; map = clock.c.value; } timestamp; }; };\n"
    ]
    text += [f'event {{ name = "{name}"; id = {i}; fields := struct {{ u8 v; }}; }};\n' for i, name in enumerate(names)]
    return {
        "metadata": "".join(text).encode(),
        "stream": b"".join(struct.pack("<IQB", i, 1000 * i, 1) for i in range(len(names))),
    }


def json_trace(fragments, stream):
    """The files of a trace of CTF 2."""
    head = [{"type": "preamble", "version": 2}, {"type": "trace-class"}]
    texts = ["\x1e" + json.dumps(each, separators=(",", ":")) + "\n" for each in [*head, *fragments]]
    return {"metadata": "".join(texts).encode(), "stream": stream}


def structure(members):
    return {"type": "structure", "member-classes": [{"name": name, "field-class": each} for name, each in members]}


def json_options(count):
    selector = {"path": ["tag"], "origin": "event-record-payload"}
    options = [{"name": f"o{i:06}", "selector-field-ranges": [[i, i]], "field-class": U8} for i in range(count)]
    variant = {"type": "variant", "selector-field-location": selector, "options": options}
    payload = structure([("tag", U32), ("value", variant)])
    return json_trace([{"type": "data-stream-class"}, {"type": "event-record-class", "name": "e", "payload-field-class": payload}], bytes(5))


def json_labels(count):
    mappings = {f"LABEL_{i:07}": [[i * 37, i * 37]] for i in range(count)}
    payload = structure([("tag", {**U32, "mappings": mappings})])
    return json_trace([{"type": "data-stream-class"}, {"type": "event-record-class", "name": "e", "payload-field-class": payload}], bytes(4))


def json_events(count, fields):
    header = structure([("id", {**U32, "roles": ["event-record-class-id"]})])
    fragments = [{"type": "data-stream-class", "event-record-header-field-class": header}]
    for i in range(count):
        payload = structure([(f"field_{i}_of_{j}", U8) for j in range(fields)])
        fragments.append({"type": "event-record-class", "id": i, "name": f"event_{i}", "payload-field-class": payload})
    return json_trace(fragments, bytes(4 + fields))


def records(count, fields, rounds=1):
    """An event record of each class, round by round: id, clock value, fields."""
    numbers = range(rounds * count)
    return b"".join(struct.pack("<IQ", i % count, 1000 + 10 * i) + struct.pack("<I", i) * fields for i in numbers)


def tsdl_recorded(count, fields, rounds=1):
    """`count` event classes of `fields` fields, and an event of each in each round."""
    integer = "typealias integer {{ size = {0}; align = 8; signed = false;{1} }} := u{0};\n"
    text = ["/* CTF 1.8 */\n", TSDL_TRACE, "clock { name = monotonic; freq = 1000000000; };\n", integer.format(32, "")]
    text.append(integer.format(64, " map = clock.monotonic.value;"))
    text.append("stream { event.header := struct { u32 id; u64 timestamp; }; };\n")
    members = " ".join(f"u32 field_{j};" for j in range(fields))
    for i in range(count):
        text.append(f'event {{ name = "event_{i}"; id = {i}; fields := struct {{ {members} }}; }};\n')
    return {"metadata": "".join(text).encode(), "stream": records(count, fields, rounds)}


def json_recorded(count, fields):
    """The same of CTF 2."""
    time = {**U8, "length": 64, "roles": ["default-clock-timestamp"]}
    header = structure([("id", {**U32, "roles": ["event-record-class-id"]}), ("timestamp", time)])
    fragments = [{"type": "clock-class", "id": "monotonic", "frequency": 1_000_000_000}]
    fragments.append({"type": "data-stream-class", "default-clock-class-id": "monotonic", "event-record-header-field-class": header})
    payload = structure([(f"field_{j}", U32) for j in range(fields)])
    for i in range(count):
        fragments.append({"type": "event-record-class", "id": i, "name": f"event_{i}", "payload-field-class": payload})
    return json_trace(fragments, records(count, fields))
