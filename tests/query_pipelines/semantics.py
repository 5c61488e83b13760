"""What the stages of a query make of a trace.

Stages are tuples, their expressions texts:

    ("where", expression)                        ("let", name, expression)
    ("select", [(expression, name or None)])     ("limit", n)
    ("pair", a, b, [(name, a, b)], nested, within)       a, b: conditions; of keys: expressions
    ("group", [(word, expression or None, name)], [(expression, name)], every)
    ("sort", [(expression, descending)])         ("top", n, expression or None)

Rows are lists of (column, value); values are those of query_oracle.
"""

import collections
import dataclasses
import functools
import math
from fractions import Fraction

from query_oracle.evaluator import Evaluator
from query_oracle.parser import Parser
from query_oracle.values import UNKNOWN, Labelled, Structure


def tree_of(text, names=()):
    parser = Parser(text)
    tree = parser.either()
    if parser.tokens[parser.at][0] != "end":
        raise SyntaxError(text)
    return replaced(tree, dict(names))


def replaced(tree, names):
    """A tree in which names that `let` gave are what they stand for."""
    if tree[0] == "field" and tree[1] == "any" and len(tree[2]) == 1 and tree[2][0] in names:
        return names[tree[2][0]]
    if tree[0] == "field":
        return tree
    return tuple(
        [replaced(item, names) for item in part] if isinstance(part, list) else
        replaced(part, names) if isinstance(part, tuple) and part else part
        for part in tree
    )


# Where expressions find values.


class OfEvent(Evaluator):
    """`event`: a line of `print --output jsonl`, as a dictionary."""

    PLACES = {"any": ("fields", "specific", "common", "packet"), "context": ("specific", "common", "packet")}

    def of_event(self, name):
        return typed(self.event.get(name))

    def of_stream(self, key):
        return typed(self.event.get("stream", {}).get(key))

    def of_field(self, place, steps):
        places = {"fields": self.event.get("fields", {}), **self.event.get("context", {})}
        for one in self.PLACES.get(place, (place,)):
            if steps[0] in places.get(one, {}):
                return self.walk(typed(places[one]), steps)
        return UNKNOWN


class OfRow(Evaluator):
    """`event`: a dictionary of columns."""

    def of_event(self, name):
        return self.event[name]

    def of_stream(self, key):
        return self.event["stream." + key]

    def of_field(self, place, steps):
        name = ".".join(steps)
        return self.event[name if name in self.event else next(key for key in self.event if key.startswith(name + "("))]


def typed(json):
    if isinstance(json, str):
        return {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}.get(json) or json.encode()
    if isinstance(json, dict) and list(json) == ["value", "labels"]:
        return Labelled(json["value"], tuple(label.encode() for label in json["labels"]))
    if isinstance(json, dict):
        return Structure(tuple((key, typed(value)) for key, value in json.items()))
    return json


# Order and equality.


def number(value):
    """What a value counts as a number, or None."""
    if isinstance(value, Labelled):
        return value.value
    if isinstance(value, bool):
        return int(value)
    return value if isinstance(value, (int, float)) else None


def is_nan(value):
    return isinstance(value, float) and math.isnan(value)


def rank(value):
    """Unknown, then numbers by value and NaN before them, then texts."""
    if value is UNKNOWN:
        return (0,)
    if number(value) is None:
        return (2, value)
    return (1, 0, 0) if is_nan(value) else (1, 1, exact(number(value)))


def exact(value):
    return value if isinstance(value, int) or math.isinf(value) else Fraction(value)


# Groups whose keys are equal by value come in this order.
KINDS = (type(None), bool, int, Labelled, float, bytes)


def group_key(value):
    """What is grouped by: numbers by value, but reals, integers and booleans are different."""
    if isinstance(value, Labelled):
        value = value.value
    return (type(value).__name__, "nan" if is_nan(value) else value)


# Aggregates.


@dataclasses.dataclass(frozen=True)
class Quantile:
    """A value that is right within 0.4 %."""

    value: object


@dataclasses.dataclass(frozen=True)
class Real:
    """A real that is right but for the last digits."""

    value: float
    scale: float = 0  # of what was added up


@dataclasses.dataclass(frozen=True)
class Spread:
    """A histogram of these values."""

    values: tuple


@dataclasses.dataclass(frozen=True)
class Different:
    """A count that is right up to 1,024 and then about 2 % off."""

    value: int


def quantile(values, percent):
    values = sorted((number(value) for value in values), key=exact)
    at = math.ceil(Fraction(percent) / 100 * len(values))
    return Quantile(values[max(at, 1) - 1])


def total(values):
    numbers = [number(value) for value in values]
    reals = [value for value in numbers if isinstance(value, float)]
    if not reals:
        return sum(numbers)
    if any(not math.isfinite(value) for value in reals):
        return Real(sum(reals))
    return Real(float(sum(map(Fraction, numbers))), float(sum(abs(Fraction(value)) for value in numbers)))


def aggregate(word, values, seconds):
    """`values`: of all rows, UNKNOWN too."""
    if word == "count":
        return len(values)
    if word == "rate":
        return Real(len(values) / seconds) if seconds > 0 else UNKNOWN
    known = [value for value in values if value is not UNKNOWN]
    if word == "first" or word == "last":
        return (known or [UNKNOWN])[0 if word == "first" else -1]
    if word == "distinct":
        return Different(len({group_key(value) for value in known}))
    if word in ("min", "max"):
        ordered = [value for value in known if not is_nan(value)] or known
        return (min if word == "min" else max)(ordered, key=rank) if ordered else UNKNOWN
    numbers = [value for value in known if number(value) is not None]
    if word in ("sum", "avg"):
        if not numbers:
            return UNKNOWN
        made = total(numbers)
        if word == "sum":
            return made
        if isinstance(made, Real):
            return Real(made.value / len(numbers), made.scale)
        return Real(float(Fraction(made) / len(numbers)))
    ordered = [value for value in numbers if not is_nan(value)]
    if word == "hist":
        return Spread(tuple(number(value) for value in ordered))
    return quantile(ordered, word[1:]) if ordered else UNKNOWN


# Stages.


class Pairs:
    """`pair A B on KEYS` over the lines of a trace, in the order of time."""

    def __init__(self, stage, names, kept):
        _, a, b, keys, self.nested, self.within = stage
        self.a, self.b = tree_of(a, names), tree_of(b, names)
        self.names = [name for name, _, _ in keys]
        self.keys = [[tree_of(key[side], names) for key in keys] for side in (1, 2)]
        self.by_stream = any("stream." in key[1] for key in keys)
        kept = [name for name in kept if name not in self.names]
        self.kept = {side: {name: tree_of(name[2:]) for name in kept if name[0] == side} for side in "ab"}
        self.open = collections.defaultdict(list)
        self.counts = collections.Counter()
        self.rows = []

    def key_of(self, trees, evaluator):
        """Numbers are equal by value, whatever they are called, and nothing is equal to what is unknown."""
        made = [evaluator.value(tree) for tree in trees]
        if any(value is UNKNOWN or is_nan(value) for value in made):
            return None
        return tuple(value if isinstance(value, bytes) else exact(number(value)) for value in made)

    def event(self, line):
        if "time" not in line:
            self.counts["without_time"] += 1
            return
        self.last = line["time"]
        evaluator = OfEvent(line)
        has_keys = True
        if evaluator.value(self.b) is True:
            has_keys = self.end(line, evaluator)
        if evaluator.value(self.a) is True:
            has_keys = self.begin(line, evaluator) and has_keys
        self.counts["without_key"] += not has_keys

    def begin(self, line, evaluator):
        key = self.key_of(self.keys[0], evaluator)
        if key is None:
            return False
        kept = {name: evaluator.value(tree) for name, tree in self.kept["a"].items()}
        begun = {"time": line["time"], "stream": line.get("stream", {}), "kept": kept, "void": False}
        if self.open[key] and not self.nested:
            self.counts["replaced"] += 1
            self.open[key].clear()
        self.open[key].append(begun)
        return True

    def end(self, line, evaluator):
        key = self.key_of(self.keys[1], evaluator)
        if key is None:
            return False
        if not self.open[key]:
            self.counts["without_begin"] += 1
            return True
        begun = self.open[key].pop()
        duration = line["time"] - begun["time"]
        if self.is_void(begun, line["time"]):
            self.counts["void"] += 1
        elif self.within is not None and duration > self.within:
            self.counts["too_long"] += 1
        else:
            self.counts["complete"] += 1
            row = [("time", begun["time"]), ("end", line["time"]), ("duration", duration)]
            row += [(name, evaluator.value(tree)) for name, tree in zip(self.names, self.keys[1])]
            row += begun["kept"].items()
            row += [(name, evaluator.value(tree)) for name, tree in self.kept["b"].items()]
            self.rows.append(row)
        return True

    lost = ()

    def is_void(self, begun, end):
        """A loss that was reported so far voids what waited during it; one that does not say until when, what waited."""
        return begun["void"] or any(
            self.concerns(loss, begun) and "end" in loss and begun["time"] <= loss["end"] and loss.get("begin", end) <= end
            for loss in self.lost
        )

    def concerns(self, loss, begun):
        where = loss.get("stream")
        return not self.by_stream or where is None or where.items() <= begun["stream"].items()

    def loss(self, loss):
        if loss.get("taken_back"):
            return
        self.lost = [*self.lost, loss]
        for stack in self.open.values():
            for begun in stack:
                if "end" not in loss and self.concerns(loss, begun):
                    begun["void"] = True

    def finish(self):
        for stack in self.open.values():
            for begun in stack:
                self.counts["void" if self.is_void(begun, self.last) else "without_end"] += 1
        return self.rows


def sides_in(trees):
    """The names `a.x` and `b.x` in trees, sorted."""
    found = set()

    def look(tree):
        if tree[0] == "field" and tree[1] == "any" and tree[2][0] in ("a", "b") and len(tree[2]) > 1:
            found.add(".".join(tree[2]))
            return
        for part in tree[1:]:
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, tuple) and inner:
                    look(inner)

    for tree in trees:
        look(tree)
    return sorted(found)


def expressions_of(stage):
    kind = stage[0]
    if kind == "where":
        return [stage[1]]
    if kind == "let":
        return [stage[2]]
    if kind in ("select", "sort"):
        return [each[0] for each in stage[1]]
    if kind == "top":
        return [stage[2]] if stage[2] else []
    if kind == "group":
        return [each[1] for each in stage[1] if each[1]] + [key for key, _ in stage[2]]
    return []


class Answer:
    """The answer to a pipeline about the lines of a trace (`--records all`): `rows`, `counts` of pairs, and `columns`."""

    def __init__(self, stages, lines):
        self.names, self.pairs = {}, None
        rows = [line for line in lines if "name" in line or "fields" in line or "id" in line]
        rows = [line for line in rows if not {"stream", "packet", "loss"} >= set(line)]
        self.selected = None
        self.losses = [line["loss"] for line in lines if "loss" in line]
        self.evaluator, self.rows = OfEvent, rows
        for i, stage in enumerate(stages):
            if stage[0] == "pair":
                trees = [tree_of(each) for later in stages[i + 1 :] for each in expressions_of(later)]
                self.pair(stage, sides_in(trees), lines)
            else:
                getattr(self, stage[0])(*stage[1:])
        self.columns = [name for name, _ in self.rows[0]] if self.rows and isinstance(self.rows[0], list) else None

    def value(self, tree, row):
        return self.evaluator(row if self.evaluator is OfEvent else dict(reversed(row))).value(tree)

    def tree(self, text):
        return tree_of(text, self.names)

    def made(self, rows):
        """Rows of columns, from here on."""
        self.evaluator, self.names, self.rows = OfRow, {}, rows

    def where(self, text):
        tree = self.tree(text)
        self.rows = [row for row in self.rows if self.value(tree, row) is True]

    def let(self, name, text):
        self.names[name] = self.tree(text)

    def select(self, columns):
        trees = [(name or text, self.tree(text)) for text, name in columns]
        self.made([[(name, self.value(tree, row)) for name, tree in trees] for row in self.rows])

    def limit(self, count):
        self.rows = self.rows[:count]

    def pair(self, stage, kept, lines):
        pairs = Pairs(stage, self.names, kept)
        wanted = {id(row) for row in self.rows}
        for line in lines:
            if id(line) in wanted:
                pairs.event(line)
            elif "loss" in line:
                pairs.loss(line["loss"])
        self.made(pairs.finish())
        self.pairs = pairs.counts

    def group(self, aggregates, keys, every):
        trees = [(word, tree and self.tree(tree), name) for word, tree, name in aggregates]
        key_trees = [(name, self.tree(text)) for text, name in keys]
        time = self.tree("time") if every or any(word == "rate" for word, _, _ in aggregates) else None
        groups, times = {}, []
        for row in self.rows:
            made = [(name, self.value(tree, row)) for name, tree in key_trees]
            if time is not None:
                at = self.value(time, row)
                if at is not UNKNOWN:
                    times.append(at)
                if every:
                    made.insert(0, ("time", UNKNOWN if at is UNKNOWN else at // every * every))
            key = tuple(group_key(value) for _, value in made)
            groups.setdefault(key, (made, []))[1].append(row)
        if not keys and not every and not groups:
            groups[()] = ([], [])
        seconds = every / 1e9 if every else (max(times) - min(times)) / 1e9 if times else 0
        rows = []
        for made, members in groups.values():
            results = []
            for word, tree, name in trees:
                values = [None if tree is None else self.value(tree, row) for row in members]
                results.append((name, aggregate(word, values, seconds)))
            rows.append(made + results)

        def order(row):
            values = [plain(value) for _, value in row[: len(keys) + bool(every)]]
            return [rank(value) for value in values], [KINDS.index(type(value)) for value in values]

        rows.sort(key=order)
        self.made(rows)

    def usual_columns(self):
        if self.evaluator is OfEvent:
            self.select([("time", None), ("name", None), ("duration", None)])

    def sort(self, keys, most=None):
        self.usual_columns()
        trees = [(self.tree(text), descending) for text, descending in keys]

        def compare(a, b):
            for tree, descending in trees:
                x, y = (rank(plain(self.value(tree, row))) for row in (a, b))
                if x != y:
                    return -1 if (x < y) != descending else 1
            return 0

        self.rows = sorted(self.rows, key=functools.cmp_to_key(compare))[:most]

    def top(self, count, text):
        self.usual_columns()
        if not self.rows:
            return
        if text is not None:
            return self.sort([(text, True)], count)
        column = len(self.rows[0]) - 1
        self.rows = sorted(self.rows, key=lambda row: Descending(rank(plain(row[column][1]))))[:count]


@functools.total_ordering
class Descending:
    def __init__(self, rank):
        self.rank = rank

    def __eq__(self, other):
        return self.rank == other.rank

    def __lt__(self, other):
        return self.rank > other.rank


def plain(value):
    return value.value if isinstance(value, (Quantile, Real, Different)) else value
