"""Reads traces of dial9, Heph, Tonbandgerät and the Common Trace Format.

    import tracedeck

    trace = tracedeck.open("run.bin", where="worker_id == 3")

Events, one by one:

    for event in trace:
        print(event.time, event.name, event["depth"])

Columns, which are what is fast: millions of events a second.

    columns = trace.to_numpy("PollStartEvent", ["time_ns", "worker_id"])  # a dict of arrays
    frame = trace.to_pandas("PollStartEvent")                             # a data frame
    table = pyarrow.table(trace["PollStartEvent"])                        # or polars, or DuckDB

Questions that the library answers itself, in memory that does not grow with the trace:

    tracedeck.query("run.bin", "p99(duration) by worker_id | top 3 by p99")
    tracedeck.latency("run.bin")
    tracedeck.why("run.bin", "poll")                    # the longest one: what it waited for, and who had that
    tracedeck.diff("before.bin", "after.bin")
    tracedeck.validate("run.bin")
    tracedeck.convert("run.bin", "run.ctf2")            # a receipt: what was written, adapted and lost

What is missing stands beside what was read:

    trace.losses, trace.problems, trace.errors, trace.complete

Times and durations are integers of nanoseconds. Every error is a TracedeckError; reading goes on
behind damage, which is in `problems`. help(tracedeck.open) says what can be selected.

NumPy and pandas are imported by the functions that make their arrays; nothing else is needed.
"""

from ._answers import Answer, convert, diff, latency, merge, merge_to_part, partial, query, validate, why
from ._columns import Column, Map
from ._library import (
    ArgumentError,
    BusyError,
    CancelledError,
    CannotOpenError,
    ClosedError,
    InputError,
    InternalError,
    LimitError,
    RejectedError,
    TracedeckError,
    TracedeckWarning,
    UnrecognisedError,
    UnsupportedError,
    library as _library_handle,
)
from ._trace import Event, Events, Loss, Problem, Trace, open

__version__ = _library_handle.td_version().decode()

__all__ = [
    "Answer", "ArgumentError", "BusyError", "CancelledError", "CannotOpenError", "ClosedError", "Column", "Event",
    "Events", "InputError", "InternalError", "LimitError", "Loss", "Map", "Problem", "RejectedError", "Trace",
    "TracedeckError", "TracedeckWarning", "UnrecognisedError", "UnsupportedError", "convert", "diff", "latency", "merge",
    "merge_to_part", "open", "partial", "query", "validate", "why",
]  # fmt: skip
