"""Answers about traces that are read for them alone."""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from typing import Any, Dict, List, Mapping, Optional, Sequence

from ._library import ConvertStructure, PartStructure, Path, Paths, Request, Text, TracedeckWarning, WhyStructure
from ._library import answer, check, encoded, library, new_error, path_list, text_array

_OPTIONS = (
    "where", "begin", "end", "order", "jobs", "limit", "findings", "progress", "tables", "format", "clock", "metadata",
)  # fmt: skip


def options_of(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: given[name] for name in _OPTIONS}


class Answer(List[Dict[str, Any]]):
    """The rows of an answer, each a dict. `columns` are their keys, also where there is no row. `counts`
    says what it was made of: events read, and lost. `notes` has a sentence for each trace that could not be
    read, for each range of bytes, and for what else is to be known: a field that no event has."""

    columns: List[str]
    counts: Dict[str, Any]
    notes: List[str]

    def __init__(self, text: str, notes: Sequence[str]) -> None:
        lines = [json.loads(line) for line in text.splitlines()]
        super().__init__(lines[:-1])
        self.counts = lines[-1]["answer"]
        self.columns = list(dict.fromkeys(self.counts["columns"]))
        self.notes = list(notes)

    def to_pandas(self) -> Any:
        """The rows as a data frame of pandas."""
        import pandas

        return pandas.DataFrame(list(self), columns=self.columns)


def query(paths: Paths, stages: str, **options: Any) -> Answer:
    """What `tracedeck query` answers: "p99(duration) by worker_id | top 10 by p99" (docs/query.md).

    Options are those of `tracedeck.open`. Durations are in ns. Raises ArgumentError for a query that
    cannot be read, with a caret under the place."""
    if not isinstance(stages, str):
        raise TypeError(f"stages are a str, not {type(stages).__name__}")
    request = Request(path_list(paths), **options)
    text = answer(library.td_query, request, stages.encode())
    _warn(request.notes)
    return Answer(str(text), request.notes)


def partial(paths: Paths, stages: str, **options: Any) -> bytes:
    """What is known of these traces for an answer over many: a part, which `merge` takes. Parts of one
    question add up, wherever they were made; docs/query.md says which questions have parts."""
    part, missing = partial_with_missing(paths, stages, **options)
    _warn(missing)
    return part


def partial_with_missing(paths: Paths, stages: str, **options: Any) -> Any:
    request = Request(path_list(paths), **options)
    return bytes(answer(library.td_partial, request, stages.encode())), request.notes


def merge(parts: Sequence[bytes]) -> Answer:
    """The answer that parts add up to. Raises RejectedError for one that is damaged or of another question."""
    return Answer(str(_merged(parts, False)), [])


def merge_to_part(parts: Sequence[bytes]) -> bytes:
    """The parts as one, for a tree of merges."""
    return bytes(_merged(parts, True))


def _merged(parts: Sequence[bytes], as_part: bool) -> Text:
    if any(not isinstance(part, bytes) for part in parts):
        raise TypeError("parts are bytes")
    all_parts = (PartStructure * max(len(parts), 1))(*[PartStructure(part, len(part)) for part in parts])
    text, error = Text(), new_error()
    check(library.td_merge(all_parts, len(parts), as_part, text.write, None, ctypes.byref(error)), error)
    return text


def _warn(sentences: Sequence[str]) -> None:
    for sentence in sentences:
        warnings.warn(sentence, TracedeckWarning, stacklevel=3)


def latency(paths: Paths, by: Optional[str] = None, **options: Any) -> Dict[str, Any]:
    """How long slices and waits took: what `tracedeck latency --json` prints, as a dict.

    `where` is a condition on slices and waits ("category == 'poll'"), `by` what rows are grouped by.
    Other options are those of `tracedeck.open`. Durations are in ns."""
    encoded = None if by is None else by.encode()
    request = Request(path_list(paths), **options)
    text = answer(library.td_latency, request, encoded)
    _warn(request.notes)
    return json.loads(str(text))


def diff(a: Path, b: Path, by: Optional[str] = None, **options: Any) -> Dict[str, Any]:
    """What differs between two traces: what `tracedeck diff --json` prints, as a dict.

    `where` and `by` as of `latency`; other options are those of `tracedeck.open`. Durations are in ns."""
    request = Request(path_list([a, b]), **options)
    text = answer(library.td_diff, request, None if by is None else by.encode())
    _warn(request.notes)
    return json.loads(str(text))


def why(
    paths: Paths,
    slice: Optional[str] = None,  # noqa: A002: the term of the field
    *,
    at: Optional[str] = None,
    rank: int = 1,
    track: Optional[str] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Why one slice, wait or state took as long as it did: what `tracedeck why --json` prints, as a dict.

    `slice` is a name, a category, or a glob over both: the longest of them is explained, or the one of a `rank`
    (1 to 1000). `at` is a time ("+12ms"): what lasts then is explained. `track` is a name or a glob. Options are
    those of `tracedeck.open` that select nothing. Where there is nothing such, "found" is False, and "reason"
    says why. The traces are read twice. Durations are in ns."""
    if not isinstance(rank, int) or rank < 1:
        raise ValueError(f"rank is 1 (the longest) or more, not {rank!r}")
    question = WhyStructure()
    question.struct_size = ctypes.sizeof(question)
    question.rank = rank
    question.slice = encoded(slice, "slice")
    question.at = encoded(at, "at")
    question.track = encoded(track, "track")
    request = Request(path_list(paths), **options)
    text = answer(library.td_why, request, ctypes.byref(question))
    _warn(request.notes)
    return json.loads(str(text))


def convert(
    paths: Paths,
    out: Path,
    to: Optional[str] = None,
    *,
    what: Optional[str] = None,
    layout: Optional[str] = None,
    partition: Optional[str] = None,
    timestamps: bool = False,
    raw: bool = False,
    segment: Optional[str] = None,
    tags: Optional[Mapping[str, str]] = None,
    flat: bool = False,
    drop: Sequence[str] = (),
    mask: Sequence[str] = (),
    mask_key: Optional[Path] = None,
    share: bool = False,
    dial9_version: Optional[str] = None,
    packet_size: Optional[int] = None,
    split_size: Optional[int] = None,
    split_duration: Optional[int] = None,
    spans: bool = False,
    all_flows: bool = False,
    all_arguments: bool = False,
    min_duration: Optional[int] = None,
    max_size: Optional[int] = None,
    weight: Optional[str] = None,
    perfetto_level: Optional[int] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Writes traces as `out` in another format: what `tracedeck convert` does. Returns the receipt, a dict.

    `to` is a target ("ctf2", "dial9", "parquet", "sqlite", "jsonl", "html", "perfetto", "chrome", "folded", "pprof");
    without it the ending of `out` says which.
    `out` gets its name when the result is complete. The receipt says how many "events" were written, whether it
    is "lossy", and in "entries" what was adapted or lost. Tables: `what` ("events", "spans", "all"), `layout`
    ("class", "schema", "one"), `partition`, `timestamps`, `raw` (columns of timestamps and of clock values), `segment`, `tags`; `flat` of csv. `drop`, `mask`, `mask_key` and
    `share` hide fields and texts. `packet_size` and `split_size` are bytes, `split_duration` is ns. Time lines:
    slices shorter than `min_duration` (ns) are left out, or as many of the shortest as `max_size` bytes ask for, and
    `all_flows`, of html, perfetto and chrome; `all_arguments` of html, `weight` of folded ("time", "samples", "bytes", "live-bytes"),
    `perfetto_level` (57 or 50) of perfetto, and `spans` of heph: slices in place of events. Other options are those of
    `tracedeck.open`. Raises an error where there is no result; what could not be read of the traces is a
    TracedeckWarning."""
    request = Request(path_list(paths), **options)
    pairs = [f"{name}={value}" for name, value in (tags or {}).items()]
    arrays = [(len(texts), text_array(texts, name)) for name, texts in (("tags", pairs), ("drop", drop), ("mask", mask))]
    given = ConvertStructure()
    given.struct_size = ctypes.sizeof(given)
    flags = (flat, share, spans, all_flows, all_arguments, timestamps, raw)
    given.flags = sum(1 << bit for bit, is_set in enumerate(flags) if is_set)
    given.what = encoded(what, "what")
    given.layout = encoded(layout, "layout")
    given.partition = encoded(partition, "partition")
    given.segment = encoded(segment, "segment")
    for name, (count, array) in zip(("tag", "drop", "mask"), arrays):
        setattr(given, "tags" if name == "tag" else name, ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)))
        setattr(given, f"{name}_count", count)
    given.mask_key = None if mask_key is None else os.fsencode(mask_key)
    given.dial9_version = encoded(dial9_version, "dial9_version")
    given.weight = encoded(weight, "weight")
    if perfetto_level not in (None, 50, 57):
        raise ValueError(f"perfetto_level is 57 or 50, not {perfetto_level!r}")
    given.perfetto_level = perfetto_level or 0
    for name, number, unit in (
        ("packet_size", packet_size, "bytes"), ("split_size", split_size, "bytes"), ("split_duration", split_duration, "ns"),
        ("min_duration", min_duration, "ns"), ("max_size", max_size, "bytes"),
    ):  # fmt: skip
        if number is not None and (not isinstance(number, int) or isinstance(number, bool)):
            raise TypeError(f"{name} is a number of {unit}, not {number!r}")
        if number is not None and not 0 < number < 1 << 63:
            raise ValueError(f"{name} is above 0, and below 2**63")
        setattr(given, name, number or 0)
    text = answer(library.td_convert, request, encoded(to, "to"), os.fsencode(out), ctypes.byref(given))
    _warn(request.notes)
    return json.loads(str(text))


def validate(paths: Paths, **options: Any) -> List[Dict[str, Any]]:
    """What is against the specifications: a dict for each finding, as of `tracedeck validate --json`.

    Empty: nothing was found. What cannot be opened or read is a finding, too."""
    lines = str(answer(library.td_validate, Request(path_list(paths), **options))).splitlines()
    return [json.loads(line) for line in lines]
