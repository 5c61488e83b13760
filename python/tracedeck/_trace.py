"""Traces: events one by one, and the columns of their classes."""

from __future__ import annotations

import ctypes
import html
import json
import threading
import warnings
import weakref
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence

from . import _answers
from ._columns import Column, Rows, Words, piece, place_of
from ._paths import at_path
from ._library import (
    ArgumentError,
    ArrowArray,
    ArrowArrayStream,
    ArrowSchema,
    ClosedError,
    END,
    Path,
    Paths,
    Request,
    Text,
    TracedeckWarning,
    check,
    library,
    new_error,
)


_LOSSES, _PROBLEMS = "__loss", "__problem"
_EVENT_ROWS = 8192
_COLUMN_ROWS = 131072


class Loss(NamedTuple):
    """What a producer threw away, as the trace says. What is not known is None."""

    trace: str
    stream: Optional[Dict[str, int]]
    #: How many events were read before.
    seq: int
    events: Optional[int]
    packets: Optional[int]
    #: An earlier loss of so many came after all.
    taken_back: bool
    #: ns
    begin: Optional[int]
    end: Optional[int]


class Problem(NamedTuple):
    """Bytes that could not be read (`damage`), or something that is against the specification."""

    trace: str
    seq: int
    severity: str
    damage: bool
    rule: str
    #: In bytes, of the input as it is decompressed.
    offset: int
    length: int
    text: str


class _Class:
    """The columns of a class, as one handle numbers it."""

    def __init__(self, handle: "_Handle", number: int) -> None:
        schema, error = ArrowSchema(), new_error()
        check(library.td_class_schema(handle.value, number, ctypes.byref(schema), ctypes.byref(error)), error)
        try:
            self.columns: List[Column] = Column(schema).children
        finally:
            schema.release(ctypes.byref(schema))
        facts = json.loads(handle.text(library.td_class_json, number))
        self.name: str = facts["name"]
        self.is_event: bool = facts["is_event"]
        self.self_described: bool = facts["self_described"]
        self.numbers = {column.name: number for number, column in enumerate(self.columns)}
        self.places: Dict[str, List[int]] = {}
        self.fields: Dict[str, int] = {}
        self.labels: Dict[str, int] = {}
        self.contexts: Dict[str, int] = {}
        for place, column in enumerate(self.columns):
            if column.is_field:
                self.fields.setdefault(column.field, place)
            elif column.kind == "label":
                self.labels.setdefault(column.field, place)
            elif column.kind == "context":
                self.contexts.setdefault(column.name, place)

    def place(self, name: str) -> List[int]:
        """The numbers that lead to a column. KeyError: there is none of that name."""
        found = self.places.get(name) or place_of(self.columns, name)
        if found is None:
            known = ", ".join(column.name for column in self.columns)
            raise KeyError(f"events of the name {self.name} have no column {name}, but {known}")
        self.places[name] = found
        return found


class _Handle:
    """A trace that is open, for one pass through it."""

    def __init__(self, request: Request) -> None:
        value, error = ctypes.c_uint64(), new_error()
        request.check(library.td_open(*request.arguments, ctypes.byref(value), ctypes.byref(error)), error)
        self.value: int = value.value
        self.request = request
        self.classes: List[_Class] = []
        self._finalize = weakref.finalize(self, library.td_close, value.value, None)

    def close(self) -> None:
        self._finalize()

    def text(self, function: Any, *arguments: Any) -> str:
        text, error = Text(), new_error()
        check(function(self.value, *arguments, text.write, None, ctypes.byref(error)), error)
        return str(text)

    def groups(self, rows: int) -> Iterator[List["_Batch"]]:
        """All rows in groups: one batch of each class."""
        group: List[_Batch] = []
        number, last = ctypes.c_uint32(), ctypes.c_int()
        error = new_error()
        while True:
            array = ArrowArray()
            status = library.td_next_batch(
                self.value, rows, ctypes.byref(number), ctypes.byref(last), ctypes.byref(array), ctypes.byref(error)
            )
            if self.request.check(status, error) == END:
                return
            while number.value >= len(self.classes):
                self.classes.append(_Class(self, len(self.classes)))
            group.append(_Batch(self.classes[number.value], array))
            if last.value:
                yield group
                group = []


class _Lists(dict):
    """Values of a batch by the names of fields, made when they are first asked for."""

    __slots__ = ("rows", "numbers")

    def __missing__(self, name: str) -> List[Any]:
        values = self[name] = self.rows.values(self.numbers[name])
        return values


class _Batch:
    """Rows of one class."""

    __slots__ = ("of", "rows", "fields", "common", "labels", "__weakref__")

    def __init__(self, of: _Class, array: ArrowArray) -> None:
        self.of = of
        self.rows = Rows(of.columns, array)
        self.fields = self._lists(of.fields)
        self.common = self._lists(of.numbers)
        self.labels = self._lists(of.labels)

    def _lists(self, numbers: Dict[str, int]) -> _Lists:
        lists = _Lists()
        lists.rows, lists.numbers = self.rows, numbers
        return lists


class Event:
    """One event. It may be kept; it keeps the few thousand events that were read with it.

    `event["field"]` is a field of the payload: an int, a float, a bool, a str, bytes, a list, a dict,
    or None where an optional field is not there. KeyError: events of this name have no such field.
    `event["http.status"]` is the field of that name, else `status` in `http`; `event["list[-1]"]` the last
    of its elements: paths are those of conditions (docs/query.md).
    """

    __slots__ = ("_batch", "_row")

    def __init__(self, batch: _Batch, row: int) -> None:
        self._batch = batch
        self._row = row

    def __getitem__(self, name: str) -> Any:
        try:
            return self._batch.fields[name][self._row]
        except KeyError:
            if not self._batch.of.self_described and "." not in name and "[" not in name:
                raise
            return at_path(self.fields, name)

    @property
    def name(self) -> str:
        """The name of its class; "" where the format gives events no name."""
        if self._batch.of.self_described:
            return self._batch.fields[next(iter(self._batch.of.fields))][self._row]
        return self._batch.of.name

    @property
    def time(self) -> Optional[int]:
        """When it began, in ns since the Unix epoch or the clock's own origin; None without a clock."""
        return self._batch.common["time_ns"][self._row]

    @property
    def duration(self) -> Optional[int]:
        """How long it took, in ns, of events with a begin and an end; else None."""
        if "duration_ns" not in self._batch.of.numbers:
            return None
        return self._batch.common["duration_ns"][self._row]

    @property
    def trace(self) -> str:
        """The name of its trace among those that were opened."""
        return self._batch.common["trace"][self._row]

    @property
    def stream(self) -> Optional[Dict[str, int]]:
        """The keys of its data stream, for example {"segment": 0}."""
        keys = self._batch.common["stream"][self._row]
        return None if keys is None else json.loads(keys)

    @property
    def seq(self) -> int:
        """How many events were read before it."""
        return self._batch.common["seq"][self._row]

    @property
    def context(self) -> Dict[str, Any]:
        """The contexts that it has, of "packet", "common" and "specific": each a dict, or None."""
        return {name: self._batch.common[name][self._row] for name in self._batch.of.contexts}

    @property
    def fields(self) -> Dict[str, Any]:
        """All fields of the payload, in their order."""
        if self._batch.of.self_described:
            names = list(self._batch.of.fields)
            return dict(self._batch.fields[names[1]][self._row] or {}) if len(names) > 1 else {}
        return {name: self._batch.fields[name][self._row] for name in self._batch.of.fields}

    def keys(self) -> List[str]:
        """The names of its fields."""
        return list(self.fields) if self._batch.of.self_described else list(self._batch.of.fields)

    def __contains__(self, name: object) -> bool:
        return name in self.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def get(self, name: str, otherwise: Any = None) -> Any:
        """`event[name]`, or `otherwise` where there is no such field."""
        try:
            return self[name]
        except KeyError:
            return otherwise

    def label(self, name: str) -> Optional[str]:
        """The first label of an enumeration's value; None where it has none.

        KeyError: there is no such field, or it is no enumeration."""
        return self._batch.labels[name][self._row]

    def __repr__(self) -> str:
        return f"<event {self.name} at {self.time} {self.fields}>"


class Events:
    """The events of one name, as columns. `trace["PollStartEvent"]` is one."""

    def __init__(self, trace: "Trace", name: str) -> None:
        self._trace = trace
        self.name = name

    def to_numpy(self, columns: Optional[Sequence[str]] = None) -> Dict[str, Any]:
        """See `Trace.to_numpy`."""
        return self._trace.to_numpy(self.name, columns)

    def to_pandas(self, columns: Optional[Sequence[str]] = None) -> Any:
        """See `Trace.to_pandas`."""
        return self._trace.to_pandas(self.name, columns)

    def __iter__(self) -> Iterator[Event]:
        """The events of this name alone."""
        return self._trace._events((self.name,))

    @property
    def columns(self) -> List[Column]:
        """The columns, as the first event of this name has them. KeyError: there is none."""
        for group in self._trace._groups((self.name,), _EVENT_ROWS):
            return list(group[0].of.columns)
        raise KeyError(self.name)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """A stream of Arrow, which pyarrow, polars and DuckDB take: `pyarrow.table(trace["PollStartEvent"])`.

        What is read when the stream is read; its types are those of docs/columns.md."""
        stream, error, request = ArrowArrayStream(), new_error(), self._trace._request()
        status = library.td_stream(
            *request.arguments, self.name.encode(), ctypes.byref(stream), ctypes.byref(error)
        )
        request.check(status, error)
        return _capsule(stream, request)

    def __repr__(self) -> str:
        return f"<events {self.name} of {self._trace!r}>"


_Release = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))
_CAPSULE_NAME = b"arrow_array_stream"
_streams: Dict[int, Any] = {}


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def _release_capsule(capsule: int) -> None:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]
    address = get(capsule, _CAPSULE_NAME)
    stream, _ = _streams.pop(address)
    if stream.release:
        _Release(stream.release)(ctypes.byref(stream))


def _capsule(stream: ArrowArrayStream, request: Request) -> object:
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    _streams[ctypes.addressof(stream)] = (stream, request)
    return make(ctypes.addressof(stream), _CAPSULE_NAME, ctypes.cast(_release_capsule, ctypes.c_void_p))


class Trace:
    """Traces that were opened: see `tracedeck.open`. Each loop and each call reads them anew, but for
    what can be read once ("-"), and sees the same events.

    A trace may be used by several threads; what `iter` returns by one at a time.
    """

    def __init__(self, paths: List[str], options: Dict[str, Any]) -> None:
        self._paths = paths
        self._options = options
        self._lock = threading.Lock()
        self._facts: Optional[Dict[str, Any]] = None
        self._schema: Optional[List[Dict[str, Any]]] = None
        self._closed = False
        self._first: Optional[_Handle] = _Handle(self._request())

    def close(self) -> None:
        """Frees what it has. Events and arrays that were made of it live on."""
        self._closed = True
        with self._lock:
            first, self._first = self._first, None
        if first is not None:
            first.close()

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        """The events, one by one, merged by time unless `order` said otherwise."""
        return self._events(None)

    def __getitem__(self, name: str) -> Events:
        """The events of one name, as columns. Whether there are any, only reading tells."""
        if not isinstance(name, str):
            raise TypeError("events are had by the names of their classes, or in a loop")
        return Events(self, name)

    def to_numpy(self, name: Optional[str] = None, columns: Optional[Sequence[str]] = None) -> Dict[str, Any]:
        """The columns of the events of a name as arrays of NumPy, by the names of docs/columns.md.

        `columns` says which; else all, among them `time_ns`, `trace`, `stream` and `seq`. "common.vpid" is a
        member of a context or another structure. Without a name a dict of such dicts, by the names of all
        classes. Integers and reals have arrays of their size; of a column where some are absent a masked array.
        Texts, bytes, lists and dicts are arrays of objects, with None for what is absent.

        Raises KeyError for a name or a column that is not there, and ArgumentError where events of that
        name have other columns from some event on: `batches` has both.
        """
        import numpy

        wanted = None if columns is None else list(columns)
        found = self._columns(name, wanted, numpy)
        if name is None:
            return found
        if name not in found:
            raise KeyError(f"no event has the name {name}; `names()` has those that there are")
        return found[name]

    def to_pandas(self, name: str, columns: Optional[Sequence[str]] = None) -> Any:
        """The columns of the events of a name as a data frame of pandas.

        As `to_numpy`; integers of which some are absent have pandas' nullable types.
        """
        import pandas

        arrays = self.to_numpy(name, columns)
        return pandas.DataFrame({key: _series(values, pandas) for key, values in arrays.items()})

    def batches(self, name: Optional[str] = None, columns: Optional[Sequence[str]] = None) -> Iterator[Any]:
        """The same as pairs of a name and a dict of arrays, some 100,000 rows at a time.

        Memory does not grow with the trace."""
        import numpy

        for group in self._groups(None if name is None else (name,), _COLUMN_ROWS):
            for batch in group:
                if not batch.of.is_event:
                    continue
                pieces = _pieces(batch, columns, numpy).items()
                yield batch.of.name, {key: _copied(values, there, numpy) for key, (values, there) in pieces}

    def names(self) -> Dict[str, int]:
        """How many events of each name there are. Reads the traces."""
        return dict(self._known()["names"])

    @property
    def losses(self) -> List[Loss]:
        """What producers threw away. Reads the traces, unless that was done."""
        return list(self._known()["losses"])

    @property
    def problems(self) -> List[Problem]:
        """What could not be read, and with `findings=True` what is against the specification. Reads the
        traces, unless that was done."""
        return list(self._known()["problems"])

    @property
    def lost_events(self) -> int:
        """How many events producers say that they threw away."""
        return self._known()["report"]["lost_events"]

    @property
    def complete(self) -> bool:
        """Whether all was read: there was no error and no damage."""
        return self._known()["report"]["complete"]

    @property
    def errors(self) -> List[str]:
        """Sentences about traces that could not be opened, or not be read to their end."""
        return list(self._known()["report"]["errors"])

    @property
    def schema(self) -> List[Dict[str, Any]]:
        """What each trace says of itself: clocks, environment, classes, as `tracedeck schema --json`."""
        self._known()
        assert self._schema is not None
        return self._schema

    def query(self, stages: str) -> "_answers.Answer":
        """See `tracedeck.query`."""
        return _answers.query(self._paths, stages, **self._options)

    def spans(self) -> "_answers.Answer":
        """Slices and waits that ended, as the rows of `tracedeck query spans`: `duration` in ns, `name`,
        `track` and others."""
        return self.query("spans")

    def latency(self, by: Optional[str] = None) -> Dict[str, Any]:
        """See `tracedeck.latency`."""
        options = {key: value for key, value in self._options.items() if key != "where"}
        return _answers.latency(self._paths, by=by, **options)

    def why(
        self, slice: Optional[str] = None, *, at: Optional[str] = None, rank: int = 1, track: Optional[str] = None
    ) -> Dict[str, Any]:
        """See `tracedeck.why`. Raises ArgumentError for a trace that was opened with a selection."""
        return _answers.why(self._paths, slice, at=at, rank=rank, track=track, **self._options)

    def convert(self, out: Path, to: Optional[str] = None, **options: Any) -> Dict[str, Any]:
        """See `tracedeck.convert`: the events that are selected, as `out`."""
        return _answers.convert(self._paths, out, to, **{**self._options, **options})

    def __repr__(self) -> str:
        named = self._paths[0] if len(self._paths) == 1 else f"{self._paths[0]} and {len(self._paths) - 1} more"
        return f"<trace {named}>"

    def _repr_html_(self) -> str:
        """A summary for notebooks: events by name, and what is missing."""
        known = self._known()
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(name) or '<i>without a name</i>'}</td><td>{count:,}</td></tr>"
            for name, count in sorted(known["names"].items(), key=lambda each: (-each[1], each[0]))[:20]
        )
        left_out = len(known["names"]) - 20
        more = f"<tr><td colspan=2>and {left_out} more names</td></tr>" if left_out > 0 else ""
        report = known["report"]
        missing = [html.escape(each) for each in report["errors"]]
        if report["lost_events"]:
            missing.append(f"{report['lost_events']:,} events were lost")
        if known["problems"]:
            missing.append(f"{len(known['problems']):,} problems, the first: {html.escape(known['problems'][0].text)}")
        return (
            f"<b>{html.escape(repr(self)[1:-1])}</b>: {sum(known['names'].values()):,} events"
            f"<table><tr><th>event</th><th>count</th></tr>{rows}{more}</table>" + "".join(f"<p>{each}</p>" for each in missing)
        )

    def _request(self, names: Optional[Sequence[str]] = None) -> Request:
        if self._closed:
            raise ClosedError("the trace was closed")
        return Request(self._paths, names=names, **self._options)

    def _handle(self, names: Optional[Sequence[str]]) -> _Handle:
        if names is None:
            with self._lock:
                first, self._first = self._first, None
            if first is not None and not self._closed:
                return first
        return _Handle(self._request(names))

    def _groups(self, names: Optional[Sequence[str]], rows: int) -> Iterator[List[_Batch]]:
        """All rows of events of these names. What else there is becomes known at the end."""
        if "" in (names or ()):
            names = None
        handle = self._handle(None if names is None else [*names, _LOSSES, _PROBLEMS])
        losses: List[Loss] = []
        problems: List[Problem] = []
        counts: Dict[str, int] = {}
        try:
            for group in handle.groups(rows):
                events = []
                for batch in group:
                    if batch.of.is_event:
                        events.append(batch)
                        counts[batch.of.name] = counts.get(batch.of.name, 0) + batch.rows.length
                    elif batch.of.name == _LOSSES:
                        losses += _losses(batch)
                    else:
                        problems += _problems(batch)
                if events:
                    yield events
            report = json.loads(handle.text(library.td_report))
            if self._schema is None:
                self._schema = json.loads(handle.text(library.td_schema))
        finally:
            handle.close()
        if self._facts is None:
            for sentence in report["errors"] + report["notes"]:
                warnings.warn(sentence, TracedeckWarning, stacklevel=4)
        if names is None or self._facts is None:
            names_known = counts if names is None else None
            self._facts = {"report": report, "losses": losses, "problems": problems, "names": names_known}

    def _known(self) -> Dict[str, Any]:
        if self._facts is None or self._facts["names"] is None:
            for _ in self._groups(None, _COLUMN_ROWS):
                pass
        assert self._facts is not None
        return self._facts

    def _events(self, names: Optional[Sequence[str]]) -> Iterator[Event]:
        for group in self._groups(names, _EVENT_ROWS):
            if len(group) == 1:
                batch = group[0]
                for row in range(batch.rows.length):
                    yield Event(batch, row)
            else:
                yield from _in_order(group)

    def _columns(self, name: Optional[str], columns: Optional[List[str]], numpy: Any) -> Dict[str, Dict[str, Any]]:
        joined: Dict[str, Dict[str, _Joined]] = {}
        classes: Dict[str, _Class] = {}
        for group in self._groups(None if name is None else (name,), _COLUMN_ROWS):
            while group:
                batch = group.pop()  # its memory goes as soon as it was copied
                of = batch.of
                if name is not None and of.name != name:
                    continue
                if classes.setdefault(of.name, of) is not of:
                    raise ArgumentError(
                        f"events of the name {of.name} have several columns; `batches` and loops have all of them"
                    )
                into = joined.setdefault(of.name, {})
                for key, (values, there) in _pieces(batch, columns, numpy).items():
                    if key not in into:
                        into[key] = _Joined(numpy)
                    into[key].append(values, there)
                del batch
        return {each: {key: them.array() for key, them in of.items()} for each, of in joined.items()}


def _in_order(group: List[_Batch]) -> Iterator[Event]:
    """The events of a group as they were recorded."""
    count = sum(batch.rows.length for batch in group)
    numbers = [batch.common["seq"] for batch in group]
    first = min(each[0] for each in numbers)
    if max(each[-1] for each in numbers) - first + 1 == count:
        events: List[Any] = [None] * count
        for batch, each in zip(group, numbers):
            for row, number in enumerate(each):
                events[number - first] = Event(batch, row)
        return iter(events)
    places = [(number, at, row) for at, each in enumerate(numbers) for row, number in enumerate(each)]
    return iter([Event(group[at], row) for _, at, row in sorted(places)])


def _pieces(batch: _Batch, columns: Optional[Sequence[str]], numpy: Any) -> Dict[str, Any]:
    of = batch.of
    names = [column.name for column in of.columns] if columns is None else columns
    return {name: piece(of.columns, batch.rows.array, of.place(name), numpy) for name in names}


class _Joined:
    """One array of pieces. It doubles by `numpy.empty`, which asks for huge pages, as neither many small
    pieces nor `resize` do: touching memory by small pages takes as long as all else."""

    def __init__(self, numpy: Any) -> None:
        self._numpy = numpy
        self._values: Any = None
        self._there: List[Any] = []
        self._masked = False
        self._objects: List[Any] = []
        self._words: Dict[str, int] = {}
        self._is_words = False
        self._size = 0

    def append(self, values: Any, there: Any) -> None:
        if isinstance(values, Words):
            self._is_words = True
            values = self._own_numbers(values)
        elif values.dtype == object:
            self._objects.append(values)
            return
        end = self._size + len(values)
        if self._values is None:
            self._values = self._numpy.empty(end, values.dtype)
        elif end > len(self._values):
            self._move(max(end, 2 * len(self._values)))
        self._values[self._size : end] = values
        self._masked = self._masked or there is not None
        self._there.append((len(values), there))
        self._size = end

    def _move(self, size: int) -> None:
        moved = self._numpy.empty(size, self._values.dtype)
        moved[: self._size] = self._values[: self._size]
        self._values = moved

    def _own_numbers(self, words: Words) -> Any:
        """The numbers that this array has for the texts."""
        own = [self._words.setdefault(text, len(self._words)) for text in words.texts]
        if own == list(range(len(own))):
            return words.numbers
        return self._numpy.array([*own, -1], "i4")[words.numbers]

    def array(self) -> Any:
        numpy = self._numpy
        if self._objects:
            return numpy.concatenate(self._objects)
        if self._size < len(self._values):
            self._move(self._size)
        if self._is_words:
            return self._texts()
        if not self._masked:
            return self._values
        there = numpy.concatenate([numpy.ones(size, bool) if each is None else each for size, each in self._there])
        return numpy.ma.MaskedArray(self._values, mask=~there)

    def _texts(self) -> Any:
        numpy, texts = self._numpy, list(self._words)
        if len(texts) == 1 and not (self._values < 0).any():
            same = numpy.empty(self._size, object)
            same[:] = texts[0]  # numpy.full takes 30 times as long
            return same
        return numpy.array([*texts, None], object)[self._values]


def _copied(values: Any, there: Any, numpy: Any) -> Any:
    """A piece with memory of its own."""
    joined = _Joined(numpy)
    joined.append(values, there)
    return joined.array()


def _series(values: Any, pandas: Any) -> Any:
    import numpy

    if not isinstance(values, numpy.ma.MaskedArray):
        return values
    mask = numpy.ma.getmaskarray(values)
    kind = values.dtype.kind
    if kind in "iu":
        return pandas.arrays.IntegerArray(values.data, mask)
    if kind == "b":
        return pandas.arrays.BooleanArray(values.data, mask)
    objects = values.data.astype(object)
    objects[mask] = None
    return objects


def _losses(batch: _Batch) -> List[Loss]:
    column = batch.common
    return [
        Loss(trace, None if stream is None else json.loads(stream), *rest)
        for trace, stream, *rest in zip(
            column["trace"], column["stream"], column["seq"], column["events"], column["packets"], column["taken_back"],
            column["begin_ns"], column["end_ns"],
        )
    ]  # fmt: skip


def _problems(batch: _Batch) -> List[Problem]:
    column = batch.common
    names = ("trace", "seq", "severity", "damage", "rule", "offset", "length", "text")
    return [Problem(*row) for row in zip(*(column[name] for name in names))]


def open(  # noqa: A001: as of gzip and others
    paths: Paths,
    *,
    where: Optional[str] = None,
    begin: Optional[str] = None,
    end: Optional[str] = None,
    order: Optional[str] = None,
    jobs: int = 1,
    limit: Optional[int] = None,
    findings: bool = False,
    progress: Optional[Callable[[int], Any]] = None,
    tables: Paths = (),
    format: Optional[str] = None,  # noqa: A002: as of the command
    clock: Optional[str] = None,
    metadata: Optional[Path] = None,
) -> Trace:
    """Opens traces of any format: files, directories, trees of directories, or "-".

    where     only events for which this is true: "duration > 5ms && worker_id == 3" (docs/query.md)
    begin     only events from this time on, and up to `end`: ns from the clock's origin ("1700000000"),
    end       "12.5s", "+5s" (after the first event), "end-2s", "22:13:20", or RFC 3339 in UTC
    order     "merged" by time (the default), "recorded", or "time", which sorts everything
    jobs      threads that decode
    limit     only so many events
    findings  whether `problems` has what is against the specification, too
    progress  is called with the number of events read so far, some times a second
    tables    rules of what events mean, for `spans`, `latency`, `why` and time lines, beside the built-in ones:
              a file, the name of a built-in table, or a list of them (docs/timeline.md)
    format    "dial9", "heph", "tband", "ctf"; without it the format is recognised
    clock     "trace", times as recorded, or "wall", UTC where a trace relates its clock to it; without it as
              recorded, but for traces of several hosts that all relate theirs
    metadata  the file with the metadata of `paths` that are bare data streams of CTF

    Raises CannotOpenError, UnrecognisedError and others below TracedeckError where no trace can be
    opened, and ArgumentError for options that cannot be. Where some of several cannot be opened, the
    others are read, and a TracedeckWarning says so.
    """
    return Trace(_answers.path_list(paths), _answers.options_of(locals()))
