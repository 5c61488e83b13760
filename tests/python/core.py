#!/usr/bin/env python3
"""What the package for Python does without NumPy and pandas: core.py TRACE DAMAGED, of ten ticks and of five before damage."""

import importlib.util
import sys
import warnings

assert all(importlib.util.find_spec(name) is None for name in ("numpy", "pandas", "pyarrow", "dask")), sys.path

import tracedeck  # noqa: E402: what it finds is looked at first

path, damaged = sys.argv[1:]
with tracedeck.open(path) as trace:
    events = list(trace)
    assert [event["n"] for event in events] == list(range(10))
    assert trace.names() == {"Tick": 10} and trace.complete and trace.losses == []
    assert trace["Tick"].columns[-1].name == "n"
    assert trace["Tick"].__arrow_c_stream__() is not None
    assert "Tick" in trace._repr_html_()
    assert trace.schema[0]["format"] == "dial9"
assert [event["n"] for event in tracedeck.open(path, where="n > 7", jobs=2)] == [8, 9]
assert tracedeck.query(path, "count(), max(n)") == [{"count()": 10, "max(n)": 9}]
parts = [tracedeck.partial(path, "count()")] * 2
assert tracedeck.merge([tracedeck.merge_to_part(parts)])[0] == {"count()": 20}
assert "rows" in tracedeck.latency(path) and tracedeck.diff(path, path) is not None
assert tracedeck.validate(path) == [] and len(tracedeck.validate(damaged)) == 1
with warnings.catch_warnings():
    warnings.simplefilter("ignore", tracedeck.TracedeckWarning)
    assert len(list(tracedeck.open(damaged))) == 5
for wrong, error in (
    (lambda: list(trace), tracedeck.ClosedError),
    (lambda: tracedeck.open("missing"), tracedeck.CannotOpenError),
    (lambda: tracedeck.open(path, where="n >"), tracedeck.ArgumentError),
    (lambda: tracedeck.open(path).to_numpy("Tick"), ModuleNotFoundError),
    (lambda: tracedeck.open(path).to_pandas("Tick"), ModuleNotFoundError),
    (lambda: next(tracedeck.open(path).batches()), ModuleNotFoundError),
    (lambda: tracedeck.query(path, "count()").to_pandas(), ModuleNotFoundError),
):
    try:
        wrong()
    except error:
        continue
    raise AssertionError(wrong)
assert "numpy" not in sys.modules
print("ok")
