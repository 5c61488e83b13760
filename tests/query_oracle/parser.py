"""A condition as a tree of tuples:

    ("or" | "and", a, b)  ("not", a)  ("compare", operator, a, b)  ("in", a, [item or (low, high)], negated)
    ("arithmetic", operator, a, b)  ("negative", a)  ("inverted", a)  ("else", a, b)
    ("number", n)  ("text", bytes)  ("regex", pattern, folded)  ("boolean", b)
    ("call", name, argument)  ("event", property)  ("stream", key)  ("field", place, [step])

A step is a name, an index, or STAR; a place is one of PLACES.
"""

import re

from .lexer import Lexer, Strange

EVENT = {"name", "id", "time", "duration", "offset", "size", "trace"}
PLACES = {"any", "fields", "specific", "common", "packet", "context"}
COMPARISONS = {"==", "!=", "<", "<=", ">", ">=", "=~", "!~", "~", "contains"}
CALLS = {"has", "len", "any", "all", "lower", "abs", "label"}
STAR = ("*",)
# Words that mean something in other places of the language, or may one day.
RESERVED = {"by", "every", "event", "span", "env", "now"}
MOST_INDEX = 2**63 - 1


LONGEST = 1 << 20


def parse(text):
    """The tree of a condition; SyntaxError if it is none."""
    if len(text.encode(errors="surrogatepass")) > LONGEST:
        raise SyntaxError("too long")
    return Parser(text).whole()


class Parser:
    def __init__(self, text):
        self.tokens = Lexer(text).tokens()
        self.at = 0
        self.parentheses = 0
        # How many [*] each call around has seen.
        self.arrays = []

    # Tokens.

    def peek(self, *values, kinds=("sign", "word")):
        kind, value, _ = self.tokens[self.at]
        return kind in kinds and value in values

    def take(self, *values):
        if not self.peek(*values):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, value):
        if self.take(value) is None:
            self.fail(f"{value} is missing")

    def fail(self, why):
        raise SyntaxError(f"{why} at {self.tokens[min(self.at, len(self.tokens) - 1)][2]}")

    # From the loosest to the tightest.

    def whole(self):
        tree = self.either()
        if self.tokens[self.at][0] != "end":
            self.fail("the end was expected")
        return self.condition(tree)

    def condition(self, tree):
        """A tree whose value must be true or false."""
        if never_true(tree):
            self.fail("no condition")
        return tree

    def either(self):
        tree = self.both()
        while self.take("||", "or"):
            tree = ("or", self.condition(tree), self.condition(self.both()))
        return tree

    def both(self):
        tree = self.negated()
        while self.take("&&", "and"):
            tree = ("and", self.condition(tree), self.condition(self.negated()))
        return tree

    def negated(self):
        if self.take("!", "not"):
            return ("not", self.condition(self.negated()))
        return self.comparison()

    def comparison(self):
        left = self.sum()
        if self.peek(*COMPARISONS):
            operator = self.take(*COMPARISONS)
            is_opposite = operator == "!~" and self.tokens[self.at][0] == "text"
            right = self.pattern() if operator in ("=~", "!~") and not is_opposite else self.sum()
            if operator == "~" and right[0] != "text":
                self.fail("a text is missing")
            self.end_comparison()
            return ("not", ("compare", "~", left, right)) if is_opposite else ("compare", operator, left, right)
        negated = self.take("not") is not None
        if negated or self.peek("in"):
            self.need("in")
            self.need("[")
            self.parentheses += 1
            items = [self.item()]
            while self.take(","):
                items.append(self.item())
            self.parentheses -= 1
            self.need("]")
            self.end_comparison()
            return ("in", left, items, negated)
        return left

    def end_comparison(self):
        if self.peek(*COMPARISONS, "in", "not"):
            self.fail("comparisons do not chain")

    def pattern(self):
        kind, value, _ = self.tokens[self.at]
        if kind != "regex":
            self.fail("a regular expression is missing")
        self.at += 1
        checked(value[0])
        return ("regex", *value)

    def item(self):
        low = self.sum()
        return (low, self.sum()) if self.take("..") else low

    def sum(self):
        tree = self.term()
        while self.peek("+", "-", "^") or self.parentheses and self.peek("|"):
            operator = self.take("+", "-", "^", "|")
            tree = ("arithmetic", operator, tree, self.term())
        return tree

    def term(self):
        tree = self.signed()
        while operator := self.take("*", "/", "%", "&", "<<", ">>"):
            tree = ("arithmetic", operator, tree, self.signed())
        return tree

    def signed(self):
        if self.take("-"):
            return ("negative", self.signed())
        if self.take("~"):
            return ("inverted", self.signed())
        return self.first_known()

    def first_known(self):
        tree = self.primary()
        while self.take("??"):
            tree = ("else", tree, self.primary())
        return tree

    def primary(self):
        kind, value, _ = self.tokens[self.at]
        if kind in ("number", "text"):
            self.at += 1
            return (kind, value)
        if self.take("true"):
            return ("boolean", True)
        if self.take("false"):
            return ("boolean", False)
        if self.take("("):
            self.parentheses += 1
            tree = self.either()
            self.parentheses -= 1
            self.need(")")
            return tree
        following = self.tokens[self.at + 1][:2] if kind != "end" else None
        if kind == "name" and following == ("sign", "("):
            return self.call(value)
        return self.path()

    def call(self, name):
        if name not in CALLS:
            self.fail("no such call")
        if name in ("any", "all") and any(arrays is not None for arrays in self.arrays):
            self.fail("any() and all() do not nest")
        self.at += 2
        self.arrays.append(set() if name in ("any", "all") else None)
        self.parentheses += 1
        argument = self.either()
        self.parentheses -= 1
        arrays = self.arrays.pop()
        self.need(")")
        if name == "has" and argument[0] not in ("field", "event", "stream"):
            self.fail("has() asks for a field")
        if name in ("any", "all"):
            self.condition(argument)
            if len(arrays) != 1:
                self.fail("a call goes through one array")
        return ("call", name, argument)

    # Paths.

    def name(self):
        if self.tokens[self.at][0] != "name":
            self.fail("a name is missing")
        self.at += 1
        return self.tokens[self.at - 1][1]

    def path(self):
        if self.take("."):
            return self.field("fields", [self.name(), *self.steps(0)])
        word = self.name()
        is_part = self.peek(".", "[")
        if word in RESERVED:
            self.fail("a word of the language")
        if word == "$ctx" and is_part:
            return self.field("context", self.steps(1))
        if word in EVENT:
            if self.peek(".", "["):
                self.fail("values of events hold no fields")
            return ("event", word)
        if word == "stream" and is_part:
            steps = self.steps(1)
            self.note_array(word, steps)
            return ("stream", steps[0] if len(steps) == 1 and isinstance(steps[0], str) else "")
        if word == "context" and is_part:
            self.need(".")
            word = self.name()
            if word not in ("specific", "common", "packet"):
                self.fail("no such context")
        if word in PLACES - {"any", "context"} and self.peek(".", "["):
            return self.field(word, self.steps(1))
        return self.field("any", [word, *self.steps(0)])

    def steps(self, least):
        made = []
        while True:
            if self.take("."):
                made.append(self.name())
            elif self.take("["):
                made.append(self.subscript())
                self.need("]")
            else:
                break
        if len(made) < least:
            self.fail("a name is missing")
        return made

    def subscript(self):
        if self.take("*"):
            return STAR
        minus = self.take("-") is not None
        kind, value, _ = self.tokens[self.at]
        self.at += 1
        if kind == "number" and isinstance(value, int) and value <= MOST_INDEX + minus:
            return -value if minus else value
        if kind == "text" and not minus:
            return value.decode("utf-8", "surrogateescape")
        self.fail("an index or a name is missing")

    def field(self, place, steps):
        self.note_array(place, steps)
        return ("field", place, steps)

    def note_array(self, place, steps):
        if STAR in steps:
            around = [arrays for arrays in self.arrays if arrays is not None]
            if not around or steps.count(STAR) > 1:
                self.fail("[*] stands in any() or all(), once")
            around[-1].add((place, tuple(steps[: steps.index(STAR)])))


def never_true(tree):
    """Whether a value is a number or a text of every event."""
    if tree[0] == "else":
        return never_true(tree[1]) and never_true(tree[2])
    if tree[0] == "call":
        return tree[1] in ("len", "lower", "abs", "label")
    return tree[0] in ("number", "text", "arithmetic", "negative", "inverted", "event", "stream")


def checked(pattern):
    """What RE2 does not know is an error; so is what is broken."""
    if re.search(r".\(\?i|\(\?[a-hj-zA-Z)]|\[\[|\\[a-zA-Z]|\\[0-9][0-9]|[$^][*+?{]", re.sub(r"\\[dwsDWSnt]", "", pattern)):
        raise Strange
    try:
        re.compile(pattern)
    except re.error as error:
        raise SyntaxError(f"the regular expression is broken: {error}") from error
    if re.search(r"\(\?[=!<#(]|\\[1-9]|[*+?}]\+", pattern):
        raise SyntaxError("RE2 does not know that")
