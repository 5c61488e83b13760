"""From the lines of `print --output jsonl --records all` to a time line."""

import functools
import json

from . import dial9, fallback, heph, lttng_kernel, lttng_ust, perf, ros2, tband, zephyr
from .sheet import Sheet
from .user_table import UserTable

# In the order in which they are asked; several may apply.
TABLES = {
    "dial9": dial9,
    "tband": tband,
    "heph": heph,
    "lttng_kernel": lttng_kernel,
    "lttng_ust": lttng_ust,
    "perf": perf,
    "ros2": ros2,
    "zephyr": zephyr,
}

# Events of dial9 that say the same at any time.
NOMINAL = ("SymbolTableEntry",)


def interpret(records, user=(), begin=None, end=None, classes=(), environment=None, in_order=False):
    """`records`: dictionaries, in the order of the command's lines. `user`: tables, as `tomllib` loads them.
    `classes`: names with the members of their payloads, of which the trace may have no event.

    `in_order`: they were sorted, so that a clock goes back only where it begins anew.
    What is after `end` is not looked at; what is before `begin` is, but what is over by then is not shown.
    """
    records = list(records)
    known = TABLES | {one["table"]: UserTable(one) for one in user}
    events = [one for one in records if "fields" in one or "name" in one]
    known_classes = [{"name": name, "fields": dict.fromkeys(members)} for name, members in dict(classes).items()]
    names = {table: module for table, module in known.items() if any(map(module.applies, known_classes + events))} or {"fallback": fallback}
    sheet = Sheet()
    sheet.cut = begin
    sheet.in_order = in_order
    sheet.environment = environment or {}
    sheet.line.tables = list(names)
    tables = [module.Table(sheet, known_classes + events if module in (fallback, lttng_kernel) else events) for module in names.values()]
    sheet.tables = tables
    for record in records:
        time = record["loss"].get("begin") if "loss" in record else record.get("time")
        if None not in (time, end) and time > end:
            continue
        if "loss" in record:
            sheet.line.losses += 1
            loss = record["loss"]
            is_wide = any(table.WIDE for table in tables)
            stream = None if is_wide else stream_of(loss)
            sheet.lossy.add(stream)
            begin = loss.get("begin")
            begin = sheet.latest.get(stream_of(loss), sheet.time) if begin is None else begin
            # What is lost of one stream may be of any, and lies behind the last event of all before the report.
            last = sheet.line.end
            if is_wide and None not in (begin, last) and (loss.get("end") is None or last < loss["end"]):
                begin = max(begin, last)
            sheet.loss(stream, begin, loss.get("end"))
            for table in tables:
                table.lost(stream)
        elif "problem" in record:
            sheet.line.problems += 1
            sheet.lossy.add(None)
            if any(table.IN_PARTS for table in tables):
                sheet.lose_rest(sheet.last_event)
            else:
                sheet.loss(None, sheet.last_event)
            for table in tables:
                table.lost(None)
        elif "packet" in record:
            sheet.packet_begins.setdefault(stream_of(record["packet"]), record["packet"].get("time"))
        elif "fields" in record or "name" in record:
            sheet.line.events += 1
            # What an event says of a stream while more of it is lost is over at the next event.
            for stream in sheet.losing:
                for table in tables:
                    table.lost(stream)
            sheet.at(record.get("time"), stream_of(record), record.get("name") in NOMINAL)
            for table in tables:
                table.event(record)
    for table in tables:
        table.finish()
    return sheet.finish()


def interpret_each(records, user=()):
    """Of several traces each by itself: name -> time line.

    Damage is of those traces whose name its file ends with, else of all.
    """
    records = list(records)
    traces = {record["trace"]: [] for record in records if "trace" in record}
    for record in records:
        if "trace" in record:
            traces[record["trace"]].append(record)
        elif "problem" in record:
            file = record["problem"].get("file", "")
            for name in [one for one in traces if file.endswith(one)] or traces:
                traces[name].append(record)
    return {name: interpret(ones, user) for name, ones in traces.items()}


def stream_of(record):
    """What tells streams apart; a counter of Heph does not."""
    stream = record.get("stream", {})
    return spelt(record.get("trace"), tuple((key, value) for key, value in stream.items() if key not in ("counter", "substream")))


@functools.cache
def spelt(trace, stream):
    return json.dumps([trace, dict(stream)])
