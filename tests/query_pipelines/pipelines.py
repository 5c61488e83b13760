"""Random pipelines about the events of a trace."""

import random

AGGREGATES = ("count", "sum", "min", "max", "avg", "first", "last", "rate", "hist", "distinct", "p50", "p99", "p99.9", "p0", "p7", "p100", "p55")
# What may be computed with further, and compared.
EXACT = ("count", "min", "max", "first", "last")
UNITS = {"": 1, "ns": 1, "us": 1000, "ms": 10**6}


class Pipelines:
    def __init__(self, seed, kind):
        self.rng, self.kind = random.Random(seed), kind
        self.columns = None  # of rows; None: events

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, choices):
        return self.rng.choice(list(choices))

    def pipeline(self):
        stages = []
        if self.chance(0.3):
            stages.append(("where", self.condition()))
        if self.chance(0.15):
            stages.append(("let", "twice", f"{self.operand()} * 2"))
            self.let = "twice"
        if self.chance(0.1):
            stages.append(("limit", self.pick((0, 1, 7, 100, 10**6))))
            if self.chance(0.5):
                stages += [("where", self.condition())] * self.pick((1, 1, 2))
                stages += [("limit", self.pick((3, 20)))] * self.pick((0, 1))
        front = self.rng.random()
        if front < 0.45:
            stages.append(self.pair())
        elif front < 0.55:
            stages.append(self.select())
        self.let = None if self.columns else self.let
        for _ in range(self.pick((0, 1, 1, 2)) if stages else 1):
            stages.append(self.next())
        return stages

    let = None
    # Whether the last column is.
    is_exact = True

    def next(self):
        kind = self.rng.random()
        if kind < 0.55:
            return self.group()
        if kind < 0.65 and self.columns:
            return ("where", f"{self.operand()} {self.pick(('>', '<=', '!='))} {self.pick((0, 1, 3, 500))}")
        if kind < 0.75 and self.columns:
            return self.select()
        if kind < 0.8:
            return ("limit", self.pick((0, 1, 5)))
        if not self.columns:
            self.columns = ["time", "duration"]
        if kind < 0.9:
            return ("sort", [(self.operand(), self.chance(0.5)) for _ in range(self.pick((1, 1, 2)))])
        return ("top", self.pick((0, 1, 3, 10)), self.operand() if self.chance(0.7) or not self.is_exact else None)

    # Expressions.

    def operand(self):
        if self.columns is not None:
            return self.pick(self.columns)
        if self.let and self.chance(0.3):
            return self.let
        return self.pick((*self.kind.numbers, *self.kind.numbers, *self.kind.texts, *self.kind.booleans, "time", "name", *self.streams()))

    def streams(self):
        return [f"stream.{key}" for key in self.kind.stream]

    def argument(self):
        operand = self.operand()
        if self.columns is None and self.chance(0.2):
            return self.pick((f"{operand} ?? 0", f"{operand} / 2", f"-{operand}", "5", f"{self.pick(self.kind.numbers)} + {self.pick(self.kind.numbers)}"))
        return operand

    def condition(self):
        return self.pick(
            (
                f'name == "{self.pick(self.kind.names)}"',
                f'name in ["{self.kind.names[0]}", "{self.kind.names[1]}"]',
                f"{self.pick(self.kind.numbers)} > {self.pick((0, 2, 3))}",
                f"has({self.pick(self.kind.numbers)})",
                f"!({self.pick(self.kind.integers)} == 1) || has(duration)",
                f"({self.pick(self.kind.integers)} ?? 3) < 3",
            )
        )

    def pair(self):
        if self.chance(0.15):
            a = b = f'name == "{self.pick(self.kind.names)}"'
        elif self.chance(0.2):
            a, b = self.condition(), self.condition()
        else:
            a, b = (f'name == "{name}"' for name in self.rng.sample(self.kind.names, 2))
        keys, sides = [], []
        if self.chance(0.8):
            for x, y in self.rng.sample(self.kind.pairs, self.pick((1, 1, 1, 2))):
                keys.append((x if x == y else self.pick((f"a.{x}", f"b.{y}")), x, y))
                sides += [f"a.{x}", f"b.{y}"] if "." not in x else []
        self.columns = ["time", "end", "duration", *(key[0] for key in keys), *sides, "a.name", "b.time"]
        self.is_exact = True
        self.columns += [f"{side}.{field}" for side in "ab" for field in self.rng.sample(self.kind.numbers, 1)]
        self.let = None
        return ("pair", a, b, keys, self.chance(0.3), self.pick((None, None, None, 1000, 20_000)))

    def select(self):
        columns = []
        for i in range(self.pick((1, 2, 3))):
            columns.append((self.argument(), f"c{i}" if self.chance(0.6) else None))
        if self.chance(0.3) and (self.columns is None or "time" in self.columns):
            columns.append(("time", None))
        made = dict((name or text, (text, name)) for text, name in columns)
        self.is_exact = True
        self.columns = [f"c{i}" for i in range(3) if f"c{i}" in made] + [each for each in made if each in ("time", "duration", "end")]
        if not self.columns:
            made["c0"] = (columns[0][0], "c0")
            self.columns = ["c0"]
        return ("select", list(made.values()))

    def group(self):
        every = self.pick((None, None, None, 1000, 7, 100_000)) if self.columns is None or "time" in self.columns else None
        keys = {}
        for _ in range(self.pick((0, 1, 1, 2))):
            key = self.operand()
            keys[key] = (key, None if self.chance(0.8) else f"k{len(keys)}")
        aggregates = {}
        for i in range(self.pick((1, 2, 3))):
            word = self.pick(AGGREGATES)
            if word == "rate" and every is None and self.columns is not None and "time" not in self.columns:
                word = "count"
            argument = None if word in ("count", "rate") else self.argument()
            aggregates[word + str(argument)] = (word, argument, f"g{i}" if self.chance(0.4) else None)
        made = [(word, argument, name or (f"{word}({argument})" if argument else word)) for word, argument, name in aggregates.values()]
        keys = [(text, name or text) for text, name in keys.values()]
        self.is_exact = made[-1][0] in EXACT
        self.columns = [name for _, name in keys if not name.startswith("stream.")]
        self.columns += [name for word, argument, name in made if word in EXACT and (argument is None or name.startswith("g"))]
        self.columns += ["time"] * bool(every)
        if not self.columns:
            made.append(("count", None, "n"))
            self.columns, self.is_exact = ["n"], True
        self.let = None
        return ("group", made, keys, every)


def text_of(stages, rng):
    return " | ".join(stage_text(stage, rng) for stage in stages)


def named(text, name):
    return text if name in (None, text) else f"{text} as {name}"


def interval(rng, nanoseconds):
    unit = rng.choice([unit for unit, size in UNITS.items() if nanoseconds % size == 0])
    return f"{nanoseconds // UNITS[unit]}{unit}"


def stage_text(stage, rng):
    kind = stage[0]
    if kind == "let":
        return f"let {stage[1]} = {stage[2]}"
    if kind == "select":
        return "select " + ", ".join(named(*column) for column in stage[1])
    if kind == "sort":
        return "sort " + ", ".join(text + (" desc" if descending else "") for text, descending in stage[1])
    if kind == "top":
        return f"top {stage[1]}" + (f" by {stage[2]}" if stage[2] else "")
    if kind == "group":
        return group_text(stage, rng)
    if kind == "pair":
        return pair_text(stage, rng)
    return f"{kind} {stage[1]}"


def group_text(stage, rng):
    _, aggregates, keys, every = stage
    made = ", ".join(named(f"{word}({argument})" if argument else word, name) for word, argument, name in aggregates)
    by = "by " + ", ".join(named(*key) for key in keys) if keys else ""
    if keys and not every and rng.random() < 0.3:
        return f"{by} | {made}"
    last = f"every {interval(rng, every)}" if every else ""
    comma = "," if every and keys and rng.random() < 0.5 else ""
    return " ".join(part for part in (made, by + comma, last) if part)


def pair_text(stage, rng):
    _, a, b, keys, nested, within = stage
    parts = ["pair", condition_text(a, rng), condition_text(b, rng)]
    if keys:
        written = [x if x == y else f"a.{x} == b.{y}" if name[0] == "a" else f"b.{y} == a.{x}" for name, x, y in keys]
        parts += ["on", ", ".join(written)]
    parts += ["nested"] * nested + ([f"within {interval(rng, within)}"] if within else [])
    return " ".join(parts)


def condition_text(condition, rng):
    if condition.startswith('name == "') and rng.random() < 0.7:
        name = condition.removeprefix("name == ")
        return name if rng.random() < 0.3 else name.strip('"')
    return f"({condition})"
