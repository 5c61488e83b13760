"""What Arrow's own library (apache-arrow of npm) reads of an Arrow C stream.

That library has no way into another process, so the arrays go to it as they are: the schema, and the bytes of each buffer. It
makes its own table of them, writes that as IPC and reads it again (tests/columns/read.mjs stream)."""

import ctypes
import json
import pathlib
import struct
import subprocess

import tracedeck
from tracedeck._columns import Column, Map
from tracedeck._library import ArrowArray, ArrowArrayStream, ArrowSchema

READER = pathlib.Path(__file__).resolve().parent.parent / "columns/read.mjs"
# Bits of a value in the buffer behind the one of what is valid.
BITS = {"b": 1, "c": 8, "C": 8, "s": 16, "S": 16, "i": 32, "I": 32, "l": 64, "L": 64, "f": 32, "g": 64, "d:38,0": 128}


def batches(capsule):
    """The columns of a stream, and each of its arrays, which is released behind its turn."""
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ArrowArrayStream.from_address(get(capsule, b"arrow_array_stream"))

    def call(function, out):
        called = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(function)
        if called(ctypes.addressof(stream), ctypes.addressof(out)) != 0:
            why = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)(stream.get_last_error)
            raise tracedeck.ArgumentError(why(ctypes.addressof(stream)).decode())

    schema = ArrowSchema()
    call(stream.get_schema, schema)
    column = Column(schema)
    schema.release(ctypes.byref(schema))
    while True:
        array = ArrowArray()
        call(stream.get_next, array)
        if not array.release:
            return
        yield column, array
        array.release(ctypes.byref(array))


def described(column, array, data):
    """A column as JSON, whose buffers are places in `data`, to which they are added."""
    assert array.offset == 0, "the whole of each buffer is handed over"

    def buffer(number, size):
        if size and array.buffers[number]:
            data.extend(bytes(-len(data) % 8))
            data.extend(ctypes.string_at(array.buffers[number], size))
            return [len(data) - size, size]
        return None

    places = [buffer(0, (array.length + 7) // 8)]
    form = "i" if column.has_words else column.format
    if form in BITS:
        places.append(buffer(1, (array.length * BITS[form] + 7) // 8))
    elif form != "+s":
        places.append(buffer(1, 4 * (array.length + 1)))
        if form in "uz":
            ends = (ctypes.c_int32 * (array.length + 1)).from_address(array.buffers[1])
            places.append(buffer(2, ends[array.length]))
    node = {"name": column.name, "format": form, "nullable": column.nullable, "length": array.length, "nulls": array.null_count,
            "buffers": places, "children": [described(child, array.children[i].contents, data) for i, child in enumerate(column.children)]}
    if column.has_words:
        node["dictionary"] = described(Words, array.dictionary.contents, data)
    return node


class Words:
    """The column that a dictionary is."""

    name, format, nullable, has_words, children = "", "u", False, False, ()


def real(value):
    return float(value["$real"]) if isinstance(value, dict) else float(value)


def value_of(column, value):
    """A value of a JSON line as the package has it, by the rules of docs/python.md."""
    if value is None:
        return None
    if column.kind == "json":
        return json.loads(value)
    if column.kind == "digits":
        return int(value)
    if column.kind == "empty":
        return {}
    if column.kind in ("labelled", "wrapped"):
        return value_of(column.children[0], value[column.children[0].name])
    if column.kind == "variant":
        chosen = [value_of(child, value[child.name]) for child in column.children[1:]]
        return next((each for each in chosen if each is not None), None)
    if column.kind == "map":
        key, mapped = column.children[0].children
        return Map([(value_of(key, each[key.name]), value_of(mapped, each[mapped.name])) for each in value])
    if column.format == "+l":
        return [value_of(column.children[0], each) for each in value]
    if column.format == "+s":
        return {child.field: value_of(child, value[child.name]) for child in column.children if child.kind != "label"}
    if column.format in ("f", "g"):
        return real(value)
    if column.format == "z":
        return bytes.fromhex(value["$bytes"])
    return value


class Reader:
    """A process of that library."""

    def __init__(self):
        self.process = subprocess.Popen(["node", READER, "stream"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def rows(self, capsule):
        """The rows of a stream, each a dict of columns."""
        for column, array in batches(capsule):
            data = bytearray()
            message = json.dumps(described(column, array, data)).encode()
            self.process.stdin.write(struct.pack("<II", len(message), len(data)) + message + data)
            self.process.stdin.flush()
            for line in iter(self.process.stdout.readline, b"null\n"):
                if not line:
                    raise RuntimeError(f"the reader ended: {self.process.wait()}")
                row = json.loads(line)
                yield {child.name: value_of(child, row[child.name]) for child in column.children}
