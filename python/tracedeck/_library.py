"""The shared library: its structures, its functions, and its errors as exceptions."""

from __future__ import annotations

import ctypes
import difflib
import inspect
import os
import pathlib
from typing import Any, Callable, List, Optional, Sequence, Tuple, Union

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]

OK, END = 0, 1
ABI_VERSION = 1
FILE_NAME = "libtracedeck_c.so.1"


class TracedeckError(Exception):
    """What the library could not do. `code` is the name of the reason, for programs."""

    code = "error"


class ArgumentError(TracedeckError, ValueError):
    """A value that was handed in breaks a rule: a condition that cannot be read, an unknown order."""

    code = "argument"


class ClosedError(TracedeckError, ValueError):
    """The trace was closed."""

    code = "closed"


class BusyError(TracedeckError, RuntimeError):
    """Another thread works with the same iterator."""

    code = "busy"


class CannotOpenError(TracedeckError, OSError):
    """There is no such input, or the file system refused."""

    code = "cannot-open"


class UnrecognisedError(TracedeckError, ValueError):
    """The bytes belong to no format at hand."""

    code = "unrecognised"


class RejectedError(TracedeckError, ValueError):
    """The specification of the format demands that the input is rejected."""

    code = "rejected"


class UnsupportedError(TracedeckError, ValueError):
    """What was asked for cannot be done."""

    code = "unsupported"


class InputError(TracedeckError, OSError):
    """Reading failed, or compressed data are damaged."""

    code = "input"


class LimitError(TracedeckError, MemoryError):
    """A limit of the library was reached, or memory."""

    code = "limit"


class CancelledError(TracedeckError, RuntimeError):
    """The call was cancelled."""

    code = "cancelled"


class InternalError(TracedeckError, RuntimeError):
    """A mistake in the library."""

    code = "internal"


class TracedeckWarning(UserWarning):
    """Something is missing from what was read: a trace that ended early, a field that nothing has."""


_ERRORS = {
    -1: ArgumentError, -2: ClosedError, -3: BusyError, -4: CannotOpenError, -5: UnrecognisedError,
    -6: RejectedError, -7: UnsupportedError, -8: InputError, -9: LimitError, -10: CancelledError,
    -11: InternalError,
}  # fmt: skip


class ErrorStructure(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("code", ctypes.c_int32), ("message", ctypes.c_char * 1016)]


class ProgressStructure(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("events", ctypes.c_uint64),
        ("user", ctypes.c_void_p),
    ]


GO_ON = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ProgressStructure))
WRITE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


NOTE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class PartStructure(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class OptionsStructure(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("jobs", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("where", ctypes.c_char_p),
        ("begin", ctypes.c_char_p),
        ("end", ctypes.c_char_p),
        ("order", ctypes.c_char_p),
        ("names", ctypes.POINTER(ctypes.c_char_p)),
        ("name_count", ctypes.c_size_t),
        ("limit", ctypes.c_uint64),
        ("go_on", GO_ON),
        ("user", ctypes.c_void_p),
        ("note", NOTE),
        ("tables", ctypes.POINTER(ctypes.c_char_p)),
        ("table_count", ctypes.c_size_t),
        ("format", ctypes.c_char_p),
        ("clock", ctypes.c_char_p),
        ("metadata", ctypes.c_char_p),
    ]


class WhyStructure(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("slice", ctypes.c_char_p),
        ("at", ctypes.c_char_p),
        ("track", ctypes.c_char_p),
    ]


class ConvertStructure(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("what", ctypes.c_char_p),
        ("layout", ctypes.c_char_p),
        ("partition", ctypes.c_char_p),
        ("segment", ctypes.c_char_p),
        ("tags", ctypes.POINTER(ctypes.c_char_p)),
        ("tag_count", ctypes.c_size_t),
        ("drop", ctypes.POINTER(ctypes.c_char_p)),
        ("drop_count", ctypes.c_size_t),
        ("mask", ctypes.POINTER(ctypes.c_char_p)),
        ("mask_count", ctypes.c_size_t),
        ("mask_key", ctypes.c_char_p),
        ("dial9_version", ctypes.c_char_p),
        ("packet_size", ctypes.c_uint64),
        ("split_size", ctypes.c_uint64),
        ("split_duration", ctypes.c_uint64),
        ("min_duration", ctypes.c_uint64),
        ("max_size", ctypes.c_uint64),
        ("weight", ctypes.c_char_p),
        ("perfetto_level", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.POINTER(ArrowSchema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p),
]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.POINTER(ArrowArray)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))),
    ("private_data", ctypes.c_void_p),
]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


_Paths = (ctypes.POINTER(ctypes.c_char_p), ctypes.c_size_t, ctypes.POINTER(OptionsStructure))
_Error = ctypes.POINTER(ErrorStructure)
_Writer = (WRITE, ctypes.c_void_p, _Error)
_Trace = ctypes.c_uint64

_FUNCTIONS = {
    "td_open": (*_Paths, ctypes.POINTER(_Trace), _Error),
    "td_close": (_Trace, _Error),
    "td_cancel": (_Trace, _Error),
    "td_next_batch": (
        _Trace, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32), ctypes.POINTER(ctypes.c_int),
        ctypes.POINTER(ArrowArray), _Error,
    ),
    "td_class_count": (_Trace, ctypes.POINTER(ctypes.c_uint32), _Error),
    "td_class_schema": (_Trace, ctypes.c_uint32, ctypes.POINTER(ArrowSchema), _Error),
    "td_class_json": (_Trace, ctypes.c_uint32, *_Writer),
    "td_report": (_Trace, *_Writer),
    "td_schema": (_Trace, *_Writer),
    "td_stream": (*_Paths, ctypes.c_char_p, ctypes.POINTER(ArrowArrayStream), _Error),
    "td_query": (*_Paths, ctypes.c_char_p, *_Writer),
    "td_partial": (*_Paths, ctypes.c_char_p, *_Writer),
    "td_merge": (ctypes.POINTER(PartStructure), ctypes.c_size_t, ctypes.c_int, *_Writer),
    "td_latency": (*_Paths, ctypes.c_char_p, *_Writer),
    "td_diff": (*_Paths, ctypes.c_char_p, *_Writer),
    "td_why": (*_Paths, ctypes.POINTER(WhyStructure), *_Writer),
    "td_convert": (*_Paths, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ConvertStructure), *_Writer),
    "td_validate": (*_Paths, *_Writer),
}  # fmt: skip


def _load() -> ctypes.CDLL:
    given = os.environ.get("TRACEDECK_LIBRARY")
    beside = pathlib.Path(__file__).with_name(FILE_NAME)
    name = given or (str(beside) if beside.exists() else FILE_NAME)
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"the shared library of tracedeck cannot be loaded ({error}); "
            "`make python` builds a package that has it inside, TRACEDECK_LIBRARY names another"
        ) from None
    library.td_abi_version.restype = ctypes.c_uint32
    if library.td_abi_version() != ABI_VERSION:
        raise ImportError(f"{name} has another interface (ABI {library.td_abi_version()}) than this package")
    library.td_version.restype = ctypes.c_char_p
    for function, arguments in _FUNCTIONS.items():
        getattr(library, function).argtypes = arguments
        getattr(library, function).restype = ctypes.c_int
    return library


library = _load()


def encoded(value: Optional[str], name: str) -> Optional[bytes]:
    if value is None:
        return None
    if not isinstance(value, str):
        raise TypeError(f"{name} is a str, not {type(value).__name__}")
    if "\0" in value:
        raise ArgumentError(f"{name} contains a zero character")
    return value.encode()


def _watch(raised: List[BaseException], progress: Optional[Callable[[int], Any]]):
    """A generator that answers the library whether to go on. What is raised in it is put in `raised`.

    A signal's handler runs where the generator goes on, which is within its `try`.
    """
    answer = 0
    while True:
        try:
            state = yield answer
            if progress is not None:
                progress(state.contents.events)
            answer = 0
        except GeneratorExit:
            return
        except BaseException as error:  # noqa: B902: it is raised again behind the call
            raised.append(error)
            answer = 1


def _noting(notes: List[str]) -> Callable[[Any, int, int], None]:
    """A function that the library calls with sentences."""

    def note(_user: Any, sentence: int, size: int) -> None:
        notes.append(ctypes.string_at(sentence, size).decode("utf-8", "replace"))

    return note


class Request:
    """Paths and options in the form that the library takes, and what the callbacks met.

    No callback may hold the request: `byref` holds the options out of the garbage collector's sight.
    """

    def __init__(
        self,
        paths: Sequence[str],
        *,
        where: Optional[str] = None,
        begin: Optional[str] = None,
        end: Optional[str] = None,
        order: Optional[str] = None,
        jobs: int = 1,
        limit: Optional[int] = None,
        names: Optional[Sequence[str]] = None,
        findings: bool = False,
        progress: Optional[Callable[[int], Any]] = None,
        tables: Paths = (),
        format: Optional[str] = None,  # noqa: A002: as of the command
        clock: Optional[str] = None,
        metadata: Optional[Path] = None,
        **unknown: Any,
    ) -> None:
        for name in unknown:
            known = [each for each in inspect.signature(Request).parameters if each not in ("paths", "unknown")]
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else f"there are {', '.join(known)}"
            raise TypeError(f"there is no option `{name}`; {hint}")
        self.raised: List[BaseException] = []
        self._paths = path_array(paths)
        self._names = text_array(names or (), "names")
        self._watch = _watch(self.raised, progress)
        next(self._watch)
        options = OptionsStructure()
        options.struct_size = ctypes.sizeof(options)
        options.flags = 1 if findings else 0
        options.jobs = jobs
        options.where = encoded(where, "where")
        options.begin = encoded(begin, "begin")
        options.end = encoded(end, "end")
        options.order = encoded(order, "order")
        options.names = ctypes.cast(self._names, ctypes.POINTER(ctypes.c_char_p))
        options.name_count = len(names or ())
        options.limit = limit or 0
        options.go_on = GO_ON(self._watch.send)
        self.notes: List[str] = []
        options.note = NOTE(_noting(self.notes))
        named = path_list(tables)
        self._tables = path_array(named)
        options.tables = ctypes.cast(self._tables, ctypes.POINTER(ctypes.c_char_p))
        options.table_count = len(named)
        options.format = encoded(format, "format")
        options.clock = encoded(clock, "clock")
        options.metadata = None if metadata is None else os.fsencode(metadata)
        self._options = options
        self.arguments: Tuple[Any, ...] = (self._paths, len(paths), ctypes.byref(options))

    def check(self, status: int, error: ErrorStructure) -> int:
        """The status, or what it stands for is raised."""
        if self.raised:
            raise self.raised.pop()
        return check(status, error)


def path_list(paths: Paths) -> List[str]:
    one = isinstance(paths, (str, os.PathLike))
    return [os.fspath(path) for path in ([paths] if one else paths)]  # type: ignore[list-item, union-attr]


def path_array(paths: Sequence[str]) -> Any:
    """The paths as C has them. Keep it as long as the pointer."""
    encoded_paths = [os.fsencode(path) for path in paths]
    if any(b"\0" in path for path in encoded_paths):
        raise ArgumentError("a path contains a zero character")
    return (ctypes.c_char_p * max(len(paths), 1))(*encoded_paths)


def text_array(texts: Sequence[str], name: str) -> Any:
    """The texts as C has them. Keep it as long as the pointer."""
    if isinstance(texts, str):
        raise TypeError(f"{name} is a list of texts, not one")
    return (ctypes.c_char_p * max(len(texts), 1))(*[encoded(each, name) for each in texts])


def new_error() -> ErrorStructure:
    error = ErrorStructure()
    error.struct_size = ctypes.sizeof(error)
    return error


def check(status: int, error: ErrorStructure) -> int:
    if status >= 0:
        return status
    kind = _ERRORS.get(status, InternalError)
    raise kind(error.message.decode("utf-8", "replace"))


class Text:
    """Collects the parts of a text that the library writes."""

    def __init__(self) -> None:
        self._parts: List[bytes] = []
        self.write = WRITE(self._take)

    def _take(self, _user: Any, data: int, size: int) -> int:
        if size:
            self._parts.append(ctypes.string_at(data, size))
        return 0

    def __bytes__(self) -> bytes:
        return b"".join(self._parts)

    def __str__(self) -> str:
        return bytes(self).decode()


def answer(function: Any, request: Request, *arguments: Any) -> Text:
    """What a function writes about the paths of a request."""
    text, error = Text(), new_error()
    request.check(function(*request.arguments, *arguments, text.write, None, ctypes.byref(error)), error)
    return text
