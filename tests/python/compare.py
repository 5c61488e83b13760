#!/usr/bin/env python3
"""Compares what the package for Python reads with JSON lines of `tracedeck print`.

compare.py WAY LIST LIMIT
                       WAY: events, numpy, pandas, arrow. LIST: a file of lines TRACE<TAB>FILE, where FILE has the JSON lines of
                       TRACE. LIMIT: how many events of each are compared; 0: all. Prints the first differences of each trace, and exits with 1 if there is one.
"""

import base64
import functools
import gc
import json
import math
import sys
import warnings

import tracedeck

sys.setrecursionlimit(20000)
warnings.simplefilter("ignore", tracedeck.TracedeckWarning)


class Pairs(list):
    """A JSON object as its members in order."""


def same_real(want, got):
    if isinstance(want, str):
        want = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(want)
    if not isinstance(want, (int, float)) or isinstance(want, bool):
        return False
    # Reals wider than 64 bits are rounded to the nearest, which JSON lines have as well.
    return repr(float(want)) == repr(got)


def same(want, got):
    if isinstance(want, Pairs) and [key for key, _ in want] == ["value", "labels"]:
        # An enumeration or a bit map.
        return same(want[0][1], got)
    if isinstance(want, Pairs) and [key for key, _ in want] == ["unresolved"] and not isinstance(got, dict):
        # A text or a list of a pool that is not known.
        return got is None or json.loads(got) == {"unresolved": want[0][1]}
    if isinstance(got, tracedeck.Map):
        return len(want) == len(got.pairs) and all(
            same(w[0], g[0]) and same(w[1], g[1]) for w, g in zip(want, got.pairs)
        )
    if isinstance(got, dict):
        if not isinstance(want, Pairs):
            return False
        members = dict(want)
        return list(members) == list(got) and all(same(value, got[key]) for key, value in members.items())
    if isinstance(got, list):
        return isinstance(want, list) and len(want) == len(got) and all(map(same, want, got))
    if isinstance(got, bytes):
        return isinstance(want, str) and base64.b64decode(want) == got
    if isinstance(got, float):
        return same_real(want, got)
    if isinstance(got, bool) or isinstance(want, bool):
        return want is got
    return want == got


def plain(value):
    """What NumPy and pandas have in place of a value of Python."""
    import numpy

    if value is numpy.ma.masked:
        return None
    if isinstance(value, numpy.generic):
        return value.item()
    try:
        import pandas

        return None if value is pandas.NA else value
    except ImportError:
        return value


def wanted(line):
    members = dict(line)
    context = {name: value for name, value in members.get("context", [])}
    return members, context


def compare_event(line, event):
    """What differs, or ""."""
    want, context = wanted(line)
    if want.get("name", "") != event.name:
        return f"name: {want.get('name')!r} {event.name!r}"
    if want.get("time") != event.time or want.get("duration") != event.duration:
        return f"time: {want.get('time')} {event.time}"
    stream = dict(want["stream"]) if "stream" in want else None
    got = event.stream
    common = event.context.get("common")
    if got is not None and common is not None and "common" not in context:
        got = {**got, **common}  # a part of the identity of the stream
    if stream != got:
        return f"stream: {stream} {got}"
    for part, value in context.items():
        if not same(value, event.context.get(part)) and value:
            return f"context {part}: {value} {event.context.get(part)}"
    fields = dict(want.get("fields", []))
    if list(fields) != event.keys():
        return f"fields: {list(fields)} {event.keys()}"
    for name, value in fields.items():
        if not same(value, event[name]):
            return f"{name}: {value!r} {event[name]!r}"
        if isinstance(value, Pairs) and [key for key, _ in value] == ["value", "labels"]:
            labels = value[1][1]
            if name in event._batch.labels.numbers and event.label(name) != (labels[0] if labels else None):
                return f"label of {name}: {labels} {event.label(name)}"
    return ""


def compare_events(trace, lines, limit):
    count = 0
    for event in tracedeck.open(trace, limit=limit):
        if count == len(lines):
            return "there are more events"
        if difference := compare_event(lines[count], event):
            return f"event {count}: {difference}"
        if event.seq != count:
            return f"event {count}: seq {event.seq}"
        count += 1
    return "" if count == len(lines) else f"{count} events instead of {len(lines)}"


@functools.cache
def arrow_reader():
    import apache_arrow

    return apache_arrow.Reader()


def columns_of(way, opened):
    """The rows of all columns: pairs of columns and a dict of lists."""
    if way == "pandas":
        for name in opened.names():
            columns = opened[name].columns
            frame = opened.to_pandas(name)
            yield columns, {key: [plain(value) for value in frame[key]] for key in frame}
        return
    if way == "arrow":
        for name in opened.names():
            rows = list(arrow_reader().rows(opened[name].__arrow_c_stream__()))
            yield opened[name].columns, {key: [row[key] for row in rows] for key in rows[0]}
        return
    for name, arrays in opened.batches():
        yield None, {key: [plain(value) for value in each] for key, each in arrays.items()}


def compare_columns(way, trace, lines, limit):
    opened = tracedeck.open(trace, limit=limit)
    seen = 0
    for columns, rows in columns_of(way, opened):
        for row, number in enumerate(rows["seq"]):
            want, _ = wanted(lines[number])
            seen += 1
            if want.get("time") != rows["time_ns"][row]:
                return f"event {number}: time {want.get('time')} {rows['time_ns'][row]}"
            for name, value in want.get("fields", []):
                # Columns of these names are those that every event has, or have another one's name.
                if name in rows and name not in ("time_ns", "duration_ns", "trace", "stream", "seq", "packet", "common", "specific"):
                    if [key for key, _ in want["fields"]].count(name) == 1 and not same(value, rows[name][row]):
                        if columns is None and isinstance(rows[name][row], str) and not isinstance(value, str):
                            continue  # JSON
                        return f"event {number}: {name}: {value!r} {rows[name][row]!r}"
    return "" if seen == len(lines) else f"{seen} rows instead of {len(lines)}"


def main():
    way, listed, limit = sys.argv[1], sys.argv[2], int(sys.argv[3]) or None
    gc.disable()  # there are millions of small objects, and hardly a cycle
    failed = 0
    with open(listed, encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    for trace, expected in pairs:
        with open(expected, encoding="utf-8") as file:
            lines = [json.loads(line, object_pairs_hook=Pairs) for line in file]
        try:
            if way == "events":
                difference = compare_events(trace, lines, limit)
            else:
                difference = compare_columns(way, trace, lines, limit)
        except tracedeck.ArgumentError as error:
            # Events of one name with several columns are no frame.
            one_frame = {"pandas": "several columns", "arrow": "other columns from here on"}
            difference = "" if way in one_frame and one_frame[way] in str(error) else repr(error)
        except tracedeck.TracedeckError as error:
            difference = "" if not lines else repr(error)
        if difference:
            failed += 1
            print(f"{trace}: {difference}"[:1000])
    print(f"{len(pairs)} traces, {failed} differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
