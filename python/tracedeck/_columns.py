"""Columns of Arrow's C data interface as values of Python and as arrays of NumPy."""

from __future__ import annotations

import ctypes
import json
import struct
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ._library import ArrowArray, ArrowSchema

# Formats of values of a fixed size, as `memoryview` and NumPy call them.
_FIXED = {"c": "b", "C": "B", "s": "h", "S": "H", "i": "i", "I": "I", "l": "q", "L": "Q", "f": "f", "g": "d"}
_NULLABLE = 2


class Map(dict):
    """A map of a trace. Keys may come several times there: a dict has the last value of each, and
    `pairs` has all of them, in their order."""

    def __init__(self, pairs: List[Tuple[Any, Any]]) -> None:
        super().__init__((_hashable(key), value) for key, value in pairs)
        self.pairs = pairs


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(map(_hashable, key))
    if isinstance(key, dict):
        return tuple((name, _hashable(value)) for name, value in key.items())
    return key


def _metadata(address: Optional[int]) -> Dict[str, str]:
    if not address:
        return {}
    pairs, at = {}, address + 4

    def text() -> str:
        nonlocal at
        size = ctypes.c_int32.from_address(at).value
        at += 4 + size
        return ctypes.string_at(at - size, size).decode()

    for _ in range(ctypes.c_int32.from_address(address).value):
        key = text()
        pairs[key] = text()
    return pairs


class Column:
    """The type of a column."""

    __slots__ = ("name", "format", "nullable", "kind", "field", "is_field", "children", "has_words")

    def __init__(self, schema: ArrowSchema) -> None:
        metadata = _metadata(schema.metadata)
        self.name: str = schema.name.decode()
        self.format: str = schema.format.decode()
        self.nullable = bool(schema.flags & _NULLABLE)
        self.kind: str = metadata.get("tracedeck:kind", "")
        self.field: str = metadata.get("tracedeck:name", self.name)
        self.is_field = "tracedeck:field" in metadata
        self.has_words = bool(schema.dictionary)
        self.children = [Column(schema.children[i].contents) for i in range(schema.n_children)]

    @property
    def type(self) -> str:
        """What values are, in words."""
        if self.has_words:
            return "text"
        return {
            "b": "bool", "c": "int8", "C": "uint8", "s": "int16", "S": "uint16", "i": "int32", "I": "uint32",
            "l": "int64", "L": "uint64", "f": "float32", "g": "float64", "u": "text", "z": "bytes",
            "d:38,0": "integer", "+l": "list", "+s": "structure",
        }[self.format] if not self.kind or self.kind == "label" else self.kind  # fmt: skip

    def __repr__(self) -> str:
        return f"<column {self.name}: {self.type}{' or null' if self.nullable else ''}>"


class Rows:
    """The rows of one batch. They own the memory that the library handed out."""

    __slots__ = ("columns", "array", "length", "_released")

    def __init__(self, columns: List[Column], array: ArrowArray) -> None:
        self.columns = columns
        self.array = array
        self.length: int = array.length
        self._released = False

    def __del__(self) -> None:
        if not self._released:
            self._released = True
            self.array.release(ctypes.byref(self.array))

    def child(self, number: int) -> ArrowArray:
        return self.array.children[number].contents

    def values(self, number: int) -> List[Any]:
        """A column as a list of Python's values; None where there is none."""
        return _values(self.columns[number], self.child(number))


def _fixed(array: ArrowArray, letter: str, buffer: int = 1, count: Optional[int] = None) -> List[Any]:
    count = array.length if count is None else count
    if count == 0:
        return []
    size = count * struct.calcsize("=" + letter)
    return memoryview((ctypes.c_char * size).from_address(array.buffers[buffer])).cast("B").cast(letter).tolist()


def _bits(address: int, count: int) -> List[bool]:
    data = int.from_bytes(ctypes.string_at(address, (count + 7) // 8), "little")
    return [digit == "1" for digit in reversed(format(data, f"0{count}b"))] if count else []


def _texts(array: ArrowArray) -> List[str]:
    ends = _fixed(array, "i", count=array.length + 1)
    data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    text = data.decode()
    if len(text) == len(data):
        return [text[begin:end] for begin, end in zip(ends, ends[1:])]
    return [data[begin:end].decode() for begin, end in zip(ends, ends[1:])]


def _blobs(array: ArrowArray) -> List[bytes]:
    ends = _fixed(array, "i", count=array.length + 1)
    data = ctypes.string_at(array.buffers[2], ends[-1]) if ends[-1] else b""
    return [data[begin:end] for begin, end in zip(ends, ends[1:])]


def _there(array: ArrowArray) -> Optional[List[bool]]:
    """Which values there are; None: all."""
    if array.null_count == 0 or not array.buffers[0]:
        return None
    return _bits(array.buffers[0], array.length)


def _members(column: Column, array: ArrowArray) -> Iterator[Tuple[Column, ArrowArray]]:
    for number, child in enumerate(column.children):
        yield child, array.children[number].contents


def _structures(column: Column, array: ArrowArray) -> List[Any]:
    if column.kind == "empty":
        return [{} for _ in range(array.length)]
    if column.kind in ("labelled", "wrapped"):
        return _values(column.children[0], array.children[0].contents)
    if column.kind == "variant":
        tags = _fixed(array.children[0].contents, "i")
        options = [_values(child, each) for child, each in list(_members(column, array))[1:]]
        return [options[tag][row] if tag < len(options) else None for row, tag in enumerate(tags)]
    wanted = [(child, each) for child, each in _members(column, array) if child.kind != "label"]
    names = [child.field for child, _ in wanted]
    if not names:
        return [{} for _ in range(array.length)]
    return [dict(zip(names, row)) for row in zip(*(_values(child, each) for child, each in wanted))]


def place_of(columns: List[Column], name: str) -> Optional[List[int]]:
    """The numbers that lead to a column of that name, or by dots to a member of a structure: common.vpid."""
    for number, column in enumerate(columns):
        if column.name == name:
            return [number]
    for number, column in enumerate(columns):
        if column.format == "+s" and column.kind in ("", "context") and name.startswith(column.name + "."):
            place = place_of(column.children, name[len(column.name) + 1 :])
            if place is not None:
                return [number, *place]
    return None


def _lists(column: Column, array: ArrowArray) -> List[Any]:
    ends = _fixed(array, "i", count=array.length + 1)
    element, elements = column.children[0], array.children[0].contents
    if column.kind == "map":
        keys, values = (_values(child, each) for child, each in _members(element, elements))
        pairs = list(zip(keys, values))
        return [Map(pairs[begin:end]) for begin, end in zip(ends, ends[1:])]
    values = _values(element, elements)
    return [values[begin:end] for begin, end in zip(ends, ends[1:])]


def _values(column: Column, array: ArrowArray) -> List[Any]:
    form = column.format
    if column.has_words:
        words = _texts(array.dictionary.contents)
        there = _there(array)
        numbers = _fixed(array, "i")
        if there is not None:
            return [words[number] if is_there else None for number, is_there in zip(numbers, there)]
        return [words[number] for number in numbers]
    if form in _FIXED:
        values: List[Any] = _fixed(array, _FIXED[form])
    elif form == "u":
        values = list(_texts(array))
    elif form == "z":
        values = list(_blobs(array))
    elif form == "b":
        values = list(_bits(array.buffers[1], array.length))
    elif form == "+s":
        values = _structures(column, array)
    elif form == "+l":
        values = _lists(column, array)
    else:  # decimals
        data = ctypes.string_at(array.buffers[1], 16 * array.length) if array.length else b""
        values = [int.from_bytes(data[at : at + 16], "little", signed=True) for at in range(0, len(data), 16)]
    there = _there(array)
    if there is not None:
        values = [value if is_there else None for value, is_there in zip(values, there)]
    if column.kind == "json":
        values = [None if value is None else json.loads(value) for value in values]
    elif column.kind == "digits":
        values = [None if value is None else int(value) for value in values]
    return values


class Words:
    """Texts as numbers and what these stand for; -1: none."""

    def __init__(self, numbers: Any, texts: List[str]) -> None:
        self.numbers = numbers
        self.texts = texts


def piece(columns: List[Column], array: ArrowArray, place: List[int], numpy: Any) -> Tuple[Any, Any]:
    """The column at a place as an array of NumPy or `Words`, and which values there are, or None: all.

    Arrays of values of a fixed size look into the memory of the batch.
    """
    column, array = columns[place[0]], array.children[place[0]].contents
    there = _known(array, numpy)
    for number in place[1:]:
        column, array = column.children[number], array.children[number].contents
        known = _known(array, numpy)
        there = known if there is None else there if known is None else there & known
    if column.has_words:
        numbers = _view(array, numpy.dtype("i4"), numpy)
        if there is not None:
            numbers = numpy.where(there, numbers, -1).astype("i4")
        return Words(numbers, _texts(array.dictionary.contents)), None
    if column.format in _FIXED:
        return _view(array, numpy.dtype(_FIXED[column.format]), numpy), there
    if column.format == "b":
        return _flags(array.buffers[1], array.length, numpy), there
    values = numpy.empty(array.length, dtype=object)
    for row, value in enumerate(_values(column, array)):
        values[row] = value
    if there is not None:
        values[~there] = None
    return values, None


def _known(array: ArrowArray, numpy: Any) -> Any:
    """Which values there are, as an array of NumPy; None: all."""
    return _flags(array.buffers[0], array.length, numpy) if array.null_count and array.buffers[0] else None


def _flags(address: int, count: int, numpy: Any) -> Any:
    if count == 0:
        return numpy.zeros(0, bool)
    bits = numpy.frombuffer((ctypes.c_char * ((count + 7) // 8)).from_address(address), numpy.uint8)
    return numpy.unpackbits(bits, bitorder="little")[:count].astype(bool)


def _view(array: ArrowArray, dtype: Any, numpy: Any) -> Any:
    if array.length == 0:
        return numpy.zeros(0, dtype)
    size = array.length * dtype.itemsize
    return numpy.frombuffer((ctypes.c_char * size).from_address(array.buffers[1]), dtype)
