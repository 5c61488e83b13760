"""What the command makes of a condition, beside what it means."""

from command import run

from .corpus import PRINT
from .evaluator import Doubt, true_of
from .lexer import Real, Strange, Whole
from .parser import parse
from .times import Times, unit
from .values import REPLACEMENT


class Answer:
    """What is wanted: `error`, or for each line whether it comes out (None: not known). Strange where the document does
    not say."""

    def __init__(self, trace, texts):
        self.trace, self.error, self.verdicts = trace, None, []
        # Whether a name is missing is said at once, or at the end where classes come with the events.
        self.misses_name = False
        try:
            trees = [parse(text) for text in texts]
            self.nodes = [node for tree in trees for node in nodes(tree)]
            self.check_strange()
            self.check_times(trees)
            self.check_names()
        except SyntaxError as error:
            self.error = str(error)
            return
        for event in trace.events:
            self.verdicts.append(self.verdict(trees, event))

    def check_strange(self):
        """Times in packets that are not read, and names that JSON does not say."""
        if self.trace.has_odd_times and ("event", "time") in self.nodes:
            raise Strange
        if any(node[0] == "field" and REPLACEMENT in repr(node) for node in self.nodes):
            raise Strange
        # JSON lines do not say what fields count, and what a sum of them does.
        for node in self.nodes:
            if node[0] in ("compare", "in") and has_unit(node) and not all(is_measured(part, node) for part in sides(node)):
                raise Strange

    def check_names(self):
        fields = [node for node in self.nodes if node[0] == "field"]
        self.misses_name = not all(self.trace.has_path(place, steps) for _, place, steps in fields)
        if self.misses_name and self.trace.format == "ctf" and self.trace.is_alone:
            raise SyntaxError("no event class has a field")

    def kind(self):
        if self.error is not None:
            return "error"
        return "some" if True in self.verdicts else "doubt" if None in self.verdicts else "none"

    def check_times(self, trees):
        """Texts beside a time are times, and beside a duration none stands."""
        for tree in trees:
            for text in texts_beside("time", tree):
                Times(0, 0, False)(text)
            for _ in texts_beside("duration", tree):
                raise SyntaxError("a duration is no text")

    def verdict(self, trees, event):
        made = []
        for tree in trees:
            try:
                made.append(true_of(tree, event, self.trace.times))
            except Doubt:
                made.append(None)
        return False if False in made else None if None in made else True

    def difference(self, printed):
        """What to say when the lines printed are not those wanted, or None."""
        lines = [line for line in printed.split(b"\n") if line]
        at = 0
        for line, verdict in zip(self.trace.lines, self.verdicts, strict=True):
            comes = at < len(lines) and lines[at] == line
            if comes and verdict is not False:
                at += 1
            elif verdict is True:
                return f"missing: {line.decode()[:700]}"
        return None if at == len(lines) else f"not wanted: {lines[at].decode()[:700]}"


def sides(node):
    """What is compared."""
    return node[2:] if node[0] == "compare" else [node[1], *ends(node)]


def ends(node):
    return [end for item in node[2] for end in (item if isinstance(item[0], tuple) else [item])]


def has_unit(node):
    return any(isinstance(part, (Whole, Real)) for side in sides(node) for inner in nodes(side) for part in inner)


def is_measured(side, node):
    """Whether it is in ns in every event; or a number, a text or the like, beside which no other side is a field."""
    return unit(side) is not None or not any(inner[0] in ("field", "event", "stream", "element") for inner in nodes(side))


def nodes(tree):
    """A tree and all trees in it."""
    yield tree
    for part in tree[1:]:
        for inner in part if isinstance(part, list) and tree[0] == "in" else [part]:
            for end in inner if isinstance(inner, tuple) and isinstance(inner[0], tuple) else [inner]:
                if isinstance(end, tuple):
                    yield from nodes(end)


def texts_beside(measure, tree):
    """All texts that stand beside what measures that in a tree."""
    for node in nodes(tree):
        beside = ()
        if node[0] == "compare" and node[1] in ORDERS and measure in map(unit, node[2:]):
            beside = node[2:]
        if node[0] == "in" and measure in map(unit, (node[1], *node[2])):
            beside = [node[1]] + [end for item in node[2] for end in (item if isinstance(item[0], tuple) else [item])]
        yield from (operand[1] for operand in beside if operand[0] == "text")


ORDERS = ("==", "!=", "<", "<=", ">", ">=")


def in_file(folder, text):
    path = folder / f"condition{hash(text)}"
    path.write_text(text)
    return f"@{path}"


def difference(answer, texts, folder=None):
    """What to say when the command does not do with conditions what they mean, or None. With a folder they are given
    as files in it."""
    trace = answer.trace
    options = [option for text in texts for option in ("--where", text if folder is None else in_file(folder, text))]
    result = run(*PRINT, *options, *trace.operands)
    said = result.stderr.decode(errors="replace")
    if answer.error is not None or result.returncode == 2:
        if answer.error is None:
            return f"an error: {said[:500]}"
        return None if result.returncode == 2 else f"no error, exit {result.returncode}; wanted: {answer.error}"
    # What lies outside of the times is not read, damaged or not.
    codes = (trace.code, 0) if ("event", "time") in answer.nodes else (trace.code,)
    if ("no event class has" in said) != answer.misses_name:
        return f"{'no' if answer.misses_name else 'a'} name is missing: {said[:500]}"
    if result.returncode not in codes:
        return f"exit {result.returncode}, not {trace.code}: {said[:500]}"
    return answer.difference(result.stdout)
