"""One question over traces on many machines, by Dask.

    from dask.distributed import Client
    import tracedeck.distributed

    answer = tracedeck.distributed.query("p99(duration) by worker_id", paths, Client("scheduler:8786"))

Each task answers partially over some of the paths, which its worker must be able to read, and parts are
merged in a tree: the answer is that of one process. A task that is lost with its worker is done again, and
counted once. A trace that cannot be read is named in `answer.notes`, and ends nothing.
"""

from __future__ import annotations

import os
from typing import Any, List, Sequence, Tuple

from ._answers import Answer, merge, merge_to_part, partial_with_missing
from ._library import ArgumentError, TracedeckError, UnsupportedError

#: A part, or none, and what is missing from it.
Part = Tuple[List[bytes], List[str]]

_MERGED_AT_ONCE = 16


def query(stages: str, paths: Sequence[str], client: Any, tasks_per_thread: int = 4, **options: Any) -> Answer:
    """The answer of `tracedeck.query` over all paths, each by itself a trace, computed by a client of Dask.

    Options are those of `tracedeck.open`, but `progress`. Raises ArgumentError for a question that cannot
    be read, and UnsupportedError where no trace could be read."""
    threads = max(sum(client.nthreads().values()), 1)
    groups = _groups([os.fspath(path) for path in paths], threads * tasks_per_thread)
    parts = [client.submit(_answer, stages, group, options, pure=False) for group in groups]
    while len(parts) > 1:
        parts = [
            client.submit(_merge, parts[at : at + _MERGED_AT_ONCE], pure=False)
            for at in range(0, len(parts), _MERGED_AT_ONCE)
        ]
    found, missing = client.gather(parts[0]) if parts else ([], [])
    if not found:
        raise UnsupportedError("; ".join(missing[:3]) or "there are no traces")
    answer = merge(found)
    answer.notes = missing
    return answer


def _groups(paths: List[str], count: int) -> List[List[str]]:
    """The paths in at most `count` groups of about the same size: the largest first, each to the smallest group."""
    groups: List[List[str]] = [[] for _ in range(max(1, min(count, len(paths))))]
    sizes = [0] * len(groups)
    for size, path in sorted(((_size(path), path) for path in paths), reverse=True):
        smallest = sizes.index(min(sizes))
        groups[smallest].append(path)
        sizes[smallest] += size + 1
    return [sorted(group) for group in groups if group]


def _size(path: str) -> int:
    try:
        if os.path.isdir(path):
            return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())
        return os.path.getsize(path)
    except OSError:
        return 0  # who reads it will say


def _answer(stages: str, paths: List[str], options: Any) -> Part:
    parts: List[bytes] = []
    missing: List[str] = []
    for path in paths:
        try:
            part, sentences = partial_with_missing([path], stages, **options)
        except ArgumentError:
            raise  # the question is wrong, and so it is for all
        except TracedeckError as error:
            missing.append(str(error))
            continue
        parts.append(part)
        missing += sentences
    return ([merge_to_part(parts)] if parts else []), missing


def _merge(answers: List[Part]) -> Part:
    parts = [part for found, _ in answers for part in found]
    missing = [sentence for _, sentences in answers for sentence in sentences]
    return ([merge_to_part(parts)] if parts else []), missing
