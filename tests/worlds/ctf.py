"""Writes CTF 1.8 traces: metadata as TSDL text and one data stream file a stream. Written from the CTF 1.8.3 specification.

Everything is aligned to bytes and little-endian. A field class is a word: u8 to u64, i8 to i64, x32 and x64 (shown in
hexadecimal), string, char16 (text in an array of 16 bytes, as of the kernel's task names).
"""

import dataclasses
import struct

INTEGERS = {
    f"{sign}{bits}": (bits, sign == "i", code if sign == "i" else code.upper())
    for bits, code in ((8, "b"), (16, "h"), (32, "i"), (64, "q"))
    for sign in "uix"
}
MAGIC = 0xC1FC1FC1


@dataclasses.dataclass
class Event:
    """An event as a world knows it, and as a recorder writes it. `context`: what the recorder adds of who writes it."""

    time: int
    cpu: int
    name: str
    fields: dict
    context: dict
    order: int  # of all events of the world


def escaped(text):
    return text.replace("\\", "\\\\").replace('"', '\\"')


def declaration(kind, name, clock=None):
    """TSDL of a field. Names get the `_` that LTTng puts before them, which readers take off."""
    if kind == "string":
        return f"string {name};"
    if kind == "char16":
        return f"integer {{ size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; }} {name}[16];"
    bits, signed, _ = INTEGERS[kind]
    more = f" map = clock.{clock}.value;" if clock else ""
    base = " base = 16;" if kind[0] == "x" else ""
    return f"integer {{ size = {bits}; align = 8; signed = {int(signed)};{base}{more} }} {name};"


def encoded(kind, value):
    if kind == "string":
        return value.encode() + b"\0"
    if kind == "char16":
        return value.encode()[:15].ljust(16, b"\0")
    bits, signed, code = INTEGERS[kind]
    if not signed:
        value &= (1 << bits) - 1
    return struct.pack("<" + code, value)


class Trace:
    """`classes`: {event class: {field: kind}}; `contexts`: fields that each event has before its own.

    `packet`: further fields of each packet's context, such as cpu_id.
    """

    def __init__(self, classes, *, env, clock="monotonic", offset=0, uuid=None, clock_uuid=None, contexts=None,
                 packet=("cpu_id",), frequency=1_000_000_000, sequence=True, prefix="_"):
        self.classes, self.env, self.contexts, self.packet = classes, env, contexts or {}, packet
        self.clock, self.offset, self.uuid, self.clock_uuid = clock, offset, uuid, clock_uuid
        self.frequency, self.sequence, self.prefix = frequency, sequence, prefix
        self.numbers = {name: number for number, name in enumerate(classes)}

    def metadata(self):
        uuid = f' uuid = "{self.uuid}";' if self.uuid else ""
        head = "integer { size = 32; align = 8; signed = 0; } magic; "
        if self.uuid:
            head += "integer { size = 8; align = 8; signed = 0; } uuid[16]; "
        head += "integer { size = 32; align = 8; signed = 0; } stream_id;"
        lines = [
            "/* CTF 1.8 */",
            f"trace {{ major = 1; minor = 8;{uuid} byte_order = le; packet.header := struct {{ {head} }}; }};",
            "env {",
            *(
                f'  {key} = "{escaped(value)}";' if isinstance(value, str) else f"  {key} = {value};"
                for key, value in self.env.items()
            ),
            "};",
        ]
        clock_uuid = f' uuid = "{self.clock_uuid}";' if self.clock_uuid else ""
        lines.append(
            f"clock {{ name = {self.clock};{clock_uuid} freq = {self.frequency}; offset = {self.offset}; }};"
        )
        context = [declaration("u64", "timestamp_begin", self.clock), declaration("u64", "timestamp_end", self.clock)]
        context += [declaration("u64", "content_size"), declaration("u64", "packet_size")]
        if self.sequence:
            context.append(declaration("u64", "packet_seq_num"))
        context.append(declaration("u64", "events_discarded"))
        context += [declaration("u32", name) for name in self.packet]
        header = declaration("u16", "id") + " " + declaration("u64", "timestamp", self.clock)
        lines.append(
            f"stream {{ id = 0; packet.context := struct {{ {' '.join(context)} }}; event.header := struct {{ {header} }};"
        )
        if self.contexts:
            fields = " ".join(declaration(kind, self.prefix + name) for name, kind in self.contexts.items())
            lines.append(f" event.context := struct {{ {fields} }};")
        lines.append("};")
        for name, fields in self.classes.items():
            members = " ".join(declaration(kind, self.prefix + field) for field, kind in fields.items())
            lines.append(
                f'event {{ name = "{name}"; id = {self.numbers[name]}; stream_id = 0; fields := struct {{ {members} }}; }};'
            )
        return "\n".join(lines) + "\n"

    def event(self, event):
        """`event` has time, name, fields and, where the trace has contexts, context."""
        parts = [struct.pack("<HQ", self.numbers[event.name], event.time)]
        parts += [encoded(kind, event.context[name]) for name, kind in self.contexts.items()]
        parts += [encoded(kind, event.fields[field]) for field, kind in self.classes[event.name].items()]
        return b"".join(parts)

    def packets(self, number, packets):
        """The bytes of a data stream: `packets` are loss.Packet, `number` its processor."""
        result, discarded = [], 0
        uuid = bytes.fromhex(self.uuid.replace("-", "")) if self.uuid else b""
        head = struct.pack("<I", MAGIC) + uuid + struct.pack("<I", 0)
        size = len(head) + 8 * (5 + self.sequence) + 4 * len(self.packet)
        for packet in packets:
            discarded += packet.discarded
            body = b"".join(map(self.event, packet.events))
            bits = 8 * (size + len(body))
            context = struct.pack("<QQQQ", packet.begin, packet.end, bits, bits)
            if self.sequence:
                context += struct.pack("<Q", packet.sequence)
            context += struct.pack("<Q", discarded) + struct.pack("<I", number) * len(self.packet)
            result.append(head + context + body)
        return b"".join(result)

    def write(self, folder, streams):
        """`streams`: {processor: [loss.Packet]}. Streams without a packet have no file."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metadata").write_text(self.metadata(), encoding="utf-8")
        for number, packets in streams.items():
            if packets:
                (folder / f"channel0_{number}").write_bytes(self.packets(number, packets))
        return folder
