"""Answers about traces that are read for them alone."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Union

from ._library import Request, answer, library

Path = Union[str, "os.PathLike[str]"]
_OPTIONS = ("where", "begin", "end", "order", "jobs", "limit", "findings", "progress")


def path_list(paths: Union[Path, Sequence[Path]]) -> List[str]:
    one = isinstance(paths, (str, os.PathLike))
    return [os.fspath(path) for path in ([paths] if one else paths)]  # type: ignore[list-item, union-attr]


def options_of(given: Dict[str, Any]) -> Dict[str, Any]:
    return {name: given[name] for name in _OPTIONS}


class Answer(List[Dict[str, Any]]):
    """The rows of an answer, each a dict. `counts` says what it was made of: events read, and lost."""

    counts: Dict[str, Any] = {}

    def to_pandas(self) -> Any:
        """The rows as a data frame of pandas."""
        import pandas

        return pandas.DataFrame(list(self))


def query(paths: Union[Path, Sequence[Path]], stages: str, **options: Any) -> Answer:
    """What `tracedeck query` answers: "p99(duration) by worker_id | top 10 by p99" (docs/query.md).

    Options are those of `tracedeck.open`. Durations are in ns. Raises ArgumentError for a query that
    cannot be read, with a caret under the place."""
    if not isinstance(stages, str):
        raise TypeError(f"stages are a str, not {type(stages).__name__}")
    lines = answer(library.td_query, Request(path_list(paths), **options), stages.encode()).splitlines()
    rows = Answer(map(json.loads, lines))
    rows.counts = rows.pop() if rows else {}
    return rows


def latency(paths: Union[Path, Sequence[Path]], by: Optional[str] = None, **options: Any) -> Dict[str, Any]:
    """How long slices and waits took: what `tracedeck latency --json` prints, as a dict.

    `where` is a condition on slices and waits ("category == 'poll'"), `by` what rows are grouped by.
    Other options are those of `tracedeck.open`. Durations are in ns."""
    encoded = None if by is None else by.encode()
    return json.loads(answer(library.td_latency, Request(path_list(paths), **options), encoded))


def validate(paths: Union[Path, Sequence[Path]], **options: Any) -> List[Dict[str, Any]]:
    """What is against the specifications: a dict for each finding, as of `tracedeck validate --json`.

    Empty: nothing was found. What cannot be opened or read is a finding, too."""
    lines = answer(library.td_validate, Request(path_list(paths), **options)).splitlines()
    return [json.loads(line) for line in lines]
