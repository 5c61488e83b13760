"""Whether a condition is true of an event: True, False, or UNKNOWN. Doubt is raised where JSON does not say enough."""

import math
import operator
import re
from fractions import Fraction

from .lexer import MOST
from .parser import STAR
from .times import unit
from .values import UNKNOWN, UNSURE, Array, Labelled, Map, Structure, found


class Doubt(Exception):
    """What decides is not in the JSON line."""


def true_of(tree, event, times=None):
    return truth(Evaluator(event, times).value(tree)) is True


def truth(value):
    return value if isinstance(value, bool) else UNKNOWN


def not_(a):
    return UNKNOWN if a is UNKNOWN else not a


def and_(a, b):
    if a is False or b is False:
        return False
    return UNKNOWN if a is UNKNOWN or b is UNKNOWN else True


def or_(a, b):
    return not_(and_(not_(a), not_(b)))


PLAIN = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
ORDERS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def number(value):
    """A value as a number, or UNKNOWN."""
    if isinstance(value, Labelled):
        return value.value
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else UNKNOWN


def comparable(value):
    """The same, and booleans as 0 and 1."""
    return int(value) if isinstance(value, bool) else number(value)


def exact(value):
    return value if isinstance(value, int) or math.isinf(value) else Fraction(value)


def compare_numbers(sign, a, b):
    if any(isinstance(value, float) and math.isnan(value) for value in (a, b)):
        return sign == "!="
    a, b = exact(a), exact(b)
    if sign in ORDERS:
        return ORDERS[sign](a, b)
    return (a == b) == (sign == "==")


def compare_texts(sign, a, b):
    if sign in ORDERS:
        return ORDERS[sign](a, b)
    if sign in ("==", "!="):
        return (a == b) == (sign == "==")
    if sign == "contains":
        return b in a
    return glob(b, a)


def glob(pattern, text):
    r"""`*` any bytes, `?` one character; a backslash takes the meaning from what is behind it."""
    try:
        pattern, text = pattern.decode(), text.decode()
    except UnicodeDecodeError:
        if b"?" in pattern:
            raise Doubt from None
        pattern, text = pattern.decode("latin1"), text.decode("latin1")
    wild = {"*": ".*", "?": "."}
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    made = "".join(wild.get(part) or re.escape(part[-1]) for part in parts)
    return re.fullmatch(made, text, re.DOTALL) is not None


def search(tree, text):
    """RE2 knows ASCII classes, and `$` is the end of the text."""
    _, pattern, folded = tree
    try:
        text = text.decode()
    except UnicodeDecodeError:
        raise Doubt from None
    made = re.sub(r"(\\.)|\$", lambda match: match[1] or r"\Z", pattern)
    return re.search(made, text, re.ASCII | (re.IGNORECASE if folded else 0)) is not None


def is_real(*values):
    return any(isinstance(value, float) for value in values)


def is_wide(*values):
    """Integers of more than 128 bits compare with others, and nothing else."""
    return any(isinstance(value, int) and abs(value) > MOST for value in values)


def within(value):
    return value if abs(value) <= MOST else UNKNOWN


def to_zero(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def real_arithmetic(sign, a, b):
    try:
        a, b = float(a), float(b)
    except OverflowError:
        return UNKNOWN
    if sign in ("+", "-", "*"):
        return {"+": a + b, "-": a - b, "*": a * b}[sign]
    if sign not in ("/", "%") or b == 0:
        return UNKNOWN
    if sign == "/":
        return a / b
    return math.nan if math.isinf(a) else math.fmod(a, b)


def arithmetic(sign, a, b):
    a, b = number(a), number(b)
    if a is UNKNOWN or b is UNKNOWN or is_wide(a, b):
        return UNKNOWN
    if is_real(a, b):
        return real_arithmetic(sign, a, b)
    if sign in ("/", "%") and b == 0:
        return UNKNOWN
    if sign == "/":
        return within(to_zero(a, b))
    if sign == "%":
        return within(a - b * to_zero(a, b))
    if sign in ("<<", ">>"):
        if b < 0:
            return UNKNOWN
        if sign == ">>":
            return within(a >> min(b, 1000))
        return 0 if a == 0 else UNKNOWN if b > 128 else within(a << b)
    return within(PLAIN[sign](a, b))


def sure(value):
    if value is UNSURE:
        raise Doubt
    return value


class Evaluator:
    def __init__(self, event, times=None):
        self.event = event
        # From the text of a time to ns, as the trace has it.
        self.times = times
        # The element that any() or all() is at.
        self.element = None

    def value(self, tree):
        return getattr(self, "of_" + tree[0])(*tree[1:])

    def known(self, tree):
        """The value of an operand that is looked at."""
        return sure(self.value(tree))

    # Logic. What is decided without an operand in doubt is decided.

    def in_doubt(self, tree):
        try:
            return truth(self.known(tree)), None
        except Doubt as doubt:
            return UNKNOWN, doubt

    def logical(self, a, b, decides):
        (left, left_doubt), (right, right_doubt) = self.in_doubt(a), self.in_doubt(b)
        if left_doubt or right_doubt:
            if (not left_doubt and left is decides) or (not right_doubt and right is decides):
                return decides
            raise left_doubt or right_doubt
        return (and_ if decides is False else or_)(left, right)

    def of_and(self, a, b):
        return self.logical(a, b, False)

    def of_or(self, a, b):
        return self.logical(a, b, True)

    def of_not(self, a):
        return not_(truth(self.known(a)))

    # Comparisons.

    def of_compare(self, sign, a, b):
        if sign in ("=~", "!~"):
            found = self.matches(self.known(a), b)
            return found if sign == "=~" else not_(found)
        timed = "time" in (unit(a), unit(b)) and sign in (*ORDERS, "==", "!=")
        return self.compare(sign, self.timed(a, timed), self.timed(b, timed))

    def timed(self, tree, beside_time):
        """The value of what stands beside a time or does not."""
        if not beside_time or tree[0] != "text":
            return self.known(tree)
        if self.times is None:
            raise Doubt
        return self.times(tree[1])

    def of_in(self, a, items, negated):
        timed = "time" in map(unit, (a, *items))
        value, found = self.timed(a, timed), False
        for item in items:
            if isinstance(item[0], tuple):
                low, high = (self.timed(end, timed) for end in item)
                both = and_(self.compare(">=", value, low), self.compare("<=", value, high))
                found = or_(found, both)
            else:
                found = or_(found, self.compare("==", value, self.timed(item, timed)))
        return not_(found) if negated else found

    def compare(self, sign, a, b):
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        if isinstance(a, Labelled) and isinstance(b, bytes):
            return self.labels(sign, a, lambda label: compare_texts("==" if sign == "!=" else sign, label, b))
        if isinstance(b, Labelled) and isinstance(a, bytes):
            return self.labels(sign, b, lambda label: compare_texts("==" if sign == "!=" else sign, a, label))
        if isinstance(a, bytes) and isinstance(b, bytes):
            return compare_texts(sign, a, b)
        a, b = comparable(a), comparable(b)
        if a is UNKNOWN or b is UNKNOWN or sign in ("~", "contains"):
            return UNKNOWN
        return UNKNOWN if is_wide(a, b) and is_real(a, b) else compare_numbers(sign, a, b)

    def matches(self, value, regex):
        if isinstance(value, bytes):
            return search(regex, value)
        if isinstance(value, Labelled):
            return self.labels("=~", value, lambda label: search(regex, label))
        return UNKNOWN

    @staticmethod
    def labels(sign, labelled, holds):
        """Any label. Labels have no order."""
        if sign in ORDERS:
            return UNKNOWN
        found = any(holds(label) for label in labelled.labels)
        return not found if sign == "!=" else found

    # Numbers.

    def of_arithmetic(self, sign, a, b):
        return arithmetic(sign, self.known(a), self.known(b))

    def of_negative(self, a):
        value = number(self.known(a))
        return UNKNOWN if value is UNKNOWN or is_wide(value) else -value

    def of_inverted(self, a):
        value = number(self.known(a))
        return UNKNOWN if value is UNKNOWN or is_real(value) or is_wide(value) else within(~value)

    def of_else(self, a, b):
        value = self.known(a)
        return self.value(b) if value is UNKNOWN else value

    def of_number(self, value):
        return value

    of_text = of_boolean = of_number

    # Calls.

    def of_call(self, name, argument):
        return getattr(self, "call_" + name)(argument)

    def call_has(self, argument):
        return self.known(argument) is not UNKNOWN

    def call_len(self, argument):
        value = self.known(argument)
        if isinstance(value, bytes):
            return len(value)
        if isinstance(value, Array):
            return len(value.elements)
        if isinstance(value, Structure):
            return len(value.members)
        return len(value.entries) if isinstance(value, Map) else UNKNOWN

    def call_lower(self, argument):
        value = self.known(argument)
        if isinstance(value, Labelled):
            value = value.labels[0] if value.labels else UNKNOWN
        return value.lower() if isinstance(value, bytes) else UNKNOWN

    def call_abs(self, argument):
        value = number(self.known(argument))
        return UNKNOWN if value is UNKNOWN or is_wide(value) else abs(value)

    def call_label(self, argument):
        value = self.known(argument)
        return value.labels[0] if isinstance(value, Labelled) and value.labels else UNKNOWN

    def each(self, argument):
        """The truth of the argument for each element of its array, UNKNOWN if there is no array."""
        around = self.element
        array = sure(self.array(argument))
        if not isinstance(array, Array):
            return UNKNOWN
        made, doubts = [], []
        for self.element in array.elements:
            value, doubt = self.in_doubt(argument)
            (doubts if doubt else made).append(doubt or value)
        self.element = around
        return made, doubts

    def call_any(self, argument, decides=True):
        each = self.each(argument)
        if each is UNKNOWN:
            return UNKNOWN
        made, doubts = each
        if decides in made:
            return decides
        if doubts:
            raise doubts[0]
        return UNKNOWN if UNKNOWN in made else not decides

    def call_all(self, argument):
        return self.call_any(argument, decides=False)

    def array(self, tree):
        """The array of the first [*] in a tree, not in calls that have their own."""
        if tree[0] == "field" and STAR in tree[2]:
            return self.walk(self.root(tree[1], tree[2]), tree[2][1 : tree[2].index(STAR)])
        for part in tree[1:]:
            for inner in part if isinstance(part, list) else [part]:
                if isinstance(inner, tuple) and inner and not (inner[0] == "call" and inner[1] in ("any", "all")):
                    array = self.array(inner) if isinstance(inner[0], str) else self.array(("items", *inner))
                    if array is not NOWHERE:
                        return array
        return NOWHERE

    # Values of events.

    def of_event(self, name):
        return self.event.properties.get(name, UNKNOWN)

    def of_stream(self, key):
        return self.event.stream.get(key, UNKNOWN)

    def of_field(self, place, steps):
        if STAR in steps:
            return self.walk(self.element, steps[steps.index(STAR) + 1 :])
        return self.walk(self.root(place, steps), steps[1:])

    def root(self, place, steps):
        fields = sure(self.event.fields)
        places = {"any": ("fields", "specific", "common", "packet"), "context": ("specific", "common", "packet")}
        for one in places.get(place, (place,)):
            root = sure(fields[one])
            if isinstance(root, Structure) and found(self.event.roots[one], steps):
                return root.get(steps[0])
        return UNKNOWN

    @staticmethod
    def walk(value, steps):
        for step in steps:
            sure(value)
            if isinstance(step, str):
                value = value.get(step) if isinstance(value, (Structure, Map)) else UNKNOWN
            elif isinstance(value, Map):
                value = value.entry(step)
            else:
                elements = value.elements if isinstance(value, Array) else ()
                value = elements[step] if -len(elements) <= step < len(elements) else UNKNOWN
        return value


NOWHERE = object()
