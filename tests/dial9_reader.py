"""Reads dial9 traces frame by frame, from the specification and independent of the library: valid ones of version 0.3."""

import struct

import dial9_writer as w


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        taken = self.data[self.at : self.at + count]
        if len(taken) != count:
            raise ValueError(f"the trace ends within a frame, at {self.at}")
        self.at += count
        return taken

    def number(self, layout):
        return struct.unpack("<" + layout, self.take(struct.calcsize(layout)))[0]

    def name(self):
        return self.take(self.number("H")).decode()

    def varint(self):
        value = shift = 0
        while True:
            byte = self.number("B")
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def value(self, tag):
        if tag & w.OPTIONAL:
            return self.value(tag & ~w.OPTIONAL) if self.number("B") else None
        if tag in (w.STRING, w.BYTES):
            content = self.take(self.number("I"))
            return content.decode() if tag == w.STRING else content
        if tag == w.STRING_MAP:
            return [(self.value(w.STRING), self.value(w.STRING)) for _ in range(self.number("I"))]
        if tag == w.VARINT:
            return self.varint()
        if tag == w.BOOL:
            return self.number("B") != 0
        return self.number({w.I64: "q", w.F64: "d", w.U8: "B", w.U16: "H", w.U32: "I"}[tag])


def events(data):
    """Of each event: the name of its schema, its timestamp or None, and its fields by name."""
    source = Bytes(data)
    schemas, base = {}, 0
    if source.take(5) != w.header():
        raise ValueError("no header")
    while source.at < len(data):
        frame = source.number("B")
        if frame == 1:
            type_id, schema_name, timed = source.number("H"), source.name(), source.number("B")
            fields = [(source.name(), source.number("B")) for _ in range(source.number("H"))]
            schemas[type_id] = (schema_name, timed, fields)
        elif frame == 2:
            schema_name, timed, fields = schemas[source.number("H")]
            if timed:
                base += int.from_bytes(source.take(3), "little")
            yield schema_name, base if timed else None, {name: source.value(tag) for name, tag in fields}
        elif frame == 5:
            base = source.number("Q")
        else:
            raise ValueError(f"a frame of kind {frame}, at {source.at - 1}")
