"""A second opinion on what the events of a trace mean: slices, states, counters, instants, flows and pairs.

Written from the design alone; README.md lists how it was read. Clear rather than fast.
"""

from .interpret import TABLES, interpret, interpret_each
from .sheet import OUTSIDE, Pair, Slice, State, Timeline

__all__ = ["OUTSIDE", "TABLES", "Pair", "Slice", "State", "Timeline", "interpret", "interpret_each"]
