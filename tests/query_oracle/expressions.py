"""Random conditions about the events of a trace. Each is made about one event, so that a good share is true of it."""

import random
import re

from .lexer import NAME, NANOSECONDS, WORDS
from .times import spelled
from .values import UNKNOWN, UNSURE, Array, Labelled, Map, Structure

COMPARISONS = ("==", "==", "==", "!=", "<", "<=", ">", ">=")
PLACES = {
    "fields": ("fields.", "."),
    "specific": ("specific.", "context.specific.", "$ctx."),
    "common": ("common.", "context.common.", "$ctx."),
    "packet": ("packet.", "context.packet.", "$ctx."),
}
EVENT_WORDS = {"name", "id", "time", "duration", "offset", "size", "trace"}
RESERVED = EVENT_WORDS | {"stream", "context", "packet", "common", "specific", "fields"}
PATTERNS = ("a", "^a", "b$", ".", "^$", "[a-c]+", "é", "x*", "^(Poll|a)", r"\d+", r"\w", "a.b", "(?i)POLL", "o{2}")
PATTERNS += (r"\/", r"\.", "^[^a]*$")
BROKEN_PATTERNS = ("(", "a{2", "[", "*a", r"\1", "(?=a)", "a**")
# What is put into conditions to break them.
SPLINTERS = ("(", ")", "[", "]", "*", "not", "!", "..", " in ", "5", "1x", '"', "/", "|", "=", "-", "~", ",", " and ")
SPLINTERS += ("[*]", "$", ".", "??", "5ms", "#", " x ")
EDGES = (0, 1, -1, 2, 5, 255, 2**31, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), 2**127, 2**128 - 1, 2**53 + 1)


class Expressions:
    def __init__(self, seed, trace):
        self.rng = random.Random(seed)
        self.trace = trace
        self.measures = False  # whether literals may have units

    def chance(self, probability):
        return self.rng.random() < probability

    def pick(self, *choices):
        return self.rng.choice(choices)

    # The whole.

    def condition(self):
        self.event = self.rng.choice(self.trace.events)
        self.leaves = list(self.of_event(self.event))
        text = self.logic(self.rng.choice((0, 1, 1, 2, 3)))
        if self.chance(0.08):
            text = self.broken(text)
        return text.replace("\0", "")

    def logic(self, depth):
        if depth == 0:
            return self.leaf()
        kind = self.rng.random()
        if kind < 0.35:
            return f"{self.logic(depth - 1)} {self.pick('&&', 'and')} {self.logic(depth - 1)}"
        if kind < 0.65:
            return f"{self.logic(depth - 1)} {self.pick('||', 'or')} {self.logic(depth - 1)}"
        if kind < 0.75:
            return f"{self.pick('!', 'not ', '! ')}{self.logic(depth - 1)}"
        if kind < 0.9:
            return f"({self.logic(depth - 1)})"
        if kind < 0.95:
            return f"({self.logic(depth - 1)}) {self.pick('==', '!=')} {self.pick('true', 'false')}"
        return self.leaf()

    def leaf(self):
        kind = self.rng.random()
        if kind < 0.08:
            return f"has({self.path(*self.any_leaf()[:2])})"
        if kind < 0.2:
            made = self.through_array()
            if made:
                return made
        if kind < 0.24 and self.trace.times:
            return self.about_time()
        if kind < 0.26:
            return self.pick("true", "false", "1", "name", "fields.x", '"a"', "len(name)", "abs(id)")
        place, steps, value = self.any_leaf()
        return self.about(self.operand_of(place, steps, value), value)

    def about(self, operand, value):
        """A comparison that has a chance to be true, when the operand has this value."""
        kind = self.rng.random()
        if kind < 0.06:
            return f"{operand} {self.pick(*COMPARISONS)} {self.literal(self.any_leaf()[2])}"
        if kind < 0.2:
            return f"{operand} {self.pick('in', 'in', 'not in')} [{self.items(value)}]"
        if isinstance(value, bytes) or isinstance(value, Labelled) and value.labels and self.chance(0.6):
            return self.about_text(operand, value if isinstance(value, bytes) else self.rng.choice(value.labels))
        if isinstance(value, bool) and self.chance(0.4):
            return operand
        if isinstance(value, (Array, Structure, Map)):
            if self.chance(0.2):
                return f"{operand} {self.pick(*COMPARISONS)} {self.literal(3)}"
            count = len(getattr(value, "elements", getattr(value, "members", getattr(value, "entries", ()))))
            return f"len({operand}) {self.pick(*COMPARISONS)} {count + self.pick(0, 0, 1, -1)}"
        self.measures = operand in ("time", "duration")
        sides = [operand, self.number(value)]
        self.measures = False
        if self.chance(0.1):
            sides.reverse()
        return f"{sides[0]} {self.pick(*COMPARISONS)} {sides[1]}"

    def about_text(self, operand, text):
        kind = self.rng.random()
        if kind < 0.27:
            return f"{operand} {self.pick(*COMPARISONS)} {self.quoted(text)}"
        if kind < 0.3:
            return f"{self.quoted(text + self.pick(b'', b' more'))} {self.pick('==', '!=', 'contains')} {operand}"
        cut = self.rng.randint(0, len(text))
        try:
            part = text.decode()[cut:][:5].encode()
        except UnicodeDecodeError:
            part = text[cut : cut + 3]
        if kind < 0.5:
            return f"{operand} contains {self.quoted(part)}"
        if kind < 0.75:
            forms = (b"*%b", b"%b*", b"*%b*", text[:1] + b"*%b", b"?*%b?")
            forms = (*(form.replace(b"%b", part) for form in forms), b"?" + text[1:], b"*", text)
            return f"{operand} ~ {self.quoted(self.rng.choice(forms))}"
        if kind < 0.78:
            return f"{operand} {self.pick('=~', '!~')} /{self.rng.choice(BROKEN_PATTERNS)}/"
        pattern = self.rng.choice(PATTERNS)
        if self.chance(0.4):
            pattern = re.escape(part.decode("utf-8", "replace")).replace("/", "\\/").replace("\\\n", "\n")
        return f"{operand} {self.pick('=~', '!~')} /{pattern}/{self.pick('', '', 'i')}"

    def items(self, value):
        made = []
        for _ in range(self.rng.randint(1, 4)):
            other = value if self.chance(0.5) else self.any_leaf()[2]
            item = self.literal(other)
            made.append(f"{item}..{self.literal(other)}" if self.chance(0.3) else item)
        return ", ".join(made)

    def about_time(self):
        time = self.event.properties.get("time")
        if time is None:
            return "has(time)"
        text = self.quoted(spelled(self.rng, time, self.trace.times).encode())
        if self.chance(0.1):
            return f"time in [{text}..{text}, {text}]"
        sides = ["time", text] if self.chance(0.9) else [text, "time"]
        return f" {self.pick(*COMPARISONS)} ".join(sides)

    def through_array(self):
        """any() or all() of an array of the event, or None."""
        arrays = [leaf for leaf in self.leaves if isinstance(leaf[2], Array) and "*" not in str(leaf[1])]
        if not arrays:
            return None
        place, steps, array = self.rng.choice(arrays)
        path = self.path(place, steps)
        if not array.elements:
            return f"{self.pick('any', 'all')}({path}[*] > 0)"
        parts = list(self.parts((), self.rng.choice(array.elements)))
        if not parts:
            return None
        rest, value = self.rng.choice(parts)
        operand = path + "[*]" + self.steps(rest)
        text = self.about(operand, value)
        if self.chance(0.3):
            text = f"{text} {self.pick('&&', '||')} {self.leaf() if self.chance(0.5) else self.about(operand, value)}"
        return f"{self.pick('any', 'all')}({text})"

    # Operands.

    def any_leaf(self):
        """A place, steps and a value: most times of the event that the condition is about."""
        kind = self.rng.random()
        if kind < 0.12:
            names = list(self.event.properties)
            if self.chance(0.1):
                names = ["name", "id", "time", "duration", "trace"]
            name = self.rng.choice(names or ["name"])
            return "event", (name,), self.event.properties.get(name, UNKNOWN)
        if kind < 0.16 and self.event.stream:
            key = self.rng.choice(list(self.event.stream))
            return "stream", (key,), self.event.stream[key]
        if kind < 0.28:
            leaves = list(self.of_event(self.rng.choice(self.trace.events)))
            if leaves:
                return self.rng.choice(leaves)
        if kind < 0.3:
            return "any", (self.pick("missing", "depth", "a", "value"),), 5
        return self.rng.choice(self.leaves) if self.leaves else ("event", ("name",), b"a")

    def of_event(self, event):
        if event.fields is UNSURE:
            return
        for place, root in event.fields.items():
            if isinstance(root, Structure):
                for name, value in root.members:
                    for steps, part in self.parts((name,), value):
                        yield place, steps, part

    def parts(self, steps, value):
        if value is UNSURE:
            return
        yield steps, value
        if isinstance(value, Array):
            for i, element in list(enumerate(value.elements))[:4]:
                yield from self.parts((*steps, i if self.chance(0.7) else i - len(value.elements)), element)
            yield (*steps, len(value.elements)), UNKNOWN
        if isinstance(value, Structure):
            for name, member in value.members:
                yield from self.parts((*steps, name), member)
        if isinstance(value, Map):
            for key, entry in value.entries:
                if isinstance(key, bytes):
                    yield from self.parts((*steps, key.decode()), entry)

    def path(self, place, steps):
        if place in ("event", "stream"):
            return steps[0] if place == "event" else f"stream.{steps[0]}"
        bare = bool(NAME.fullmatch(steps[0]))
        odd = self.steps(steps)
        if place == "any":
            return odd.removeprefix(".")
        if bare and self.chance(0.75) and steps[0] not in WORDS and (steps[0] not in RESERVED or self.chance(0.2)):
            return odd.removeprefix(".") if odd.startswith(".") else PLACES[place][0].rstrip(".") + odd
        prefix = self.rng.choice(PLACES[place])
        if odd.startswith("["):
            return (prefix if prefix != "." else "fields.").rstrip(".") + odd
        return prefix + odd.removeprefix(".")

    def steps(self, steps):
        made = ""
        for step in steps:
            if isinstance(step, str):
                dotted = NAME.fullmatch(step) and self.chance(0.95)
                made += f".{step}" if dotted else f"[{self.quoted(step.encode())}]"
            else:
                made += f"[{step}]"
        return made

    def operand_of(self, place, steps, value):
        text = self.path(place, steps)
        kind = self.rng.random()
        if kind < 0.7:
            return text
        if kind < 0.76:
            return f"({text} ?? {self.literal(value)})"
        if kind < 0.8:
            return f"{text} ?? {self.literal(self.any_leaf()[2])}"
        if kind < 0.84:
            return f"{self.pick('len', 'lower', 'abs', 'label', 'abs', 'lower')}({text})"
        if kind < 0.88:
            return self.pick("-", "~", "- ") + text
        if kind < 0.9:
            return f"({text} | {self.number(value)})"
        other = self.number(value) if self.chance(0.6) else self.path(*self.any_leaf()[:2])
        made = f"{text} {self.pick('+', '-', '*', '/', '%', '&', '^', '<<', '>>')} {other}"
        return f"({made})" if self.chance(0.4) else made

    # Literals.

    def literal(self, value):
        if isinstance(value, Labelled):
            named = value.labels and self.chance(0.6)
            return self.quoted(self.rng.choice(value.labels)) if named else self.number(value)
        if isinstance(value, bytes):
            return self.quoted(value)
        if isinstance(value, bool) and self.chance(0.7):
            return "true" if value else "false"
        return self.number(value)

    def number(self, value):
        if isinstance(value, Labelled):
            value = value.value
        if isinstance(value, bool):
            return self.pick("0", "1", "true", "false")
        if isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                return self.pick("1e308", "0.0", "-1e308", "0")
            value = self.pick(value, value, value / 2, value + 1)
            if value.is_integer() and abs(value) < 2**100 and self.chance(0.3):
                return str(int(value))
            text = repr(value)
            return text if text not in ("inf", "-inf") else "1e308"
        if not isinstance(value, int) or self.chance(0.05):
            value = self.rng.choice(EDGES)
        value += self.pick(0, 0, 0, 0, 1, -1)
        sign, size = "-" if value < 0 else "", abs(value)
        kind = self.rng.random()
        if kind < 0.06:
            return f"{sign}0x{size:x}"
        if kind < 0.1:
            return f"{sign}0b{size:b}"
        if kind < 0.16:
            return f"{sign}{size:_}"
        if kind < 0.3 and self.measures:
            unit, of = self.rng.choice(list(NANOSECONDS.items()))
            if size % of == 0:
                return f"{sign}{size // of}{unit}"
            if unit == "us":
                return f"{sign}{size // of}.{size % of:03}{unit}"
        if kind < 0.35 and size < 2**53:
            return f"{sign}{size}.5"
        return f"{sign}{size}"

    def quoted(self, text):
        quote = self.pick('"', '"', "'")
        try:
            chars = text.decode()
        except UnicodeDecodeError:
            return quote + "".join(f"\\x{byte:02x}" for byte in text) + quote
        made = ""
        for char in chars:
            if char in "\\\0" + quote:
                made += "\\" + char.replace("\0", "0")
            elif char == "\n" and self.chance(0.5):
                made += "\\n"
            elif char.isascii() and self.chance(0.03):
                made += f"\\x{ord(char):02X}"
            else:
                made += char
        return quote + made + quote

    # Errors.

    def broken(self, text):
        """The text with something taken out, put in or exchanged."""
        words = re.findall(r"\w+|\s+|[^\w\s]", text) or [""]
        for _ in range(self.pick(1, 1, 2)):
            at = self.rng.randrange(len(words))
            kind = self.rng.random()
            if kind < 0.4:
                words[at] = ""
            elif kind < 0.7:
                words.insert(at, self.rng.choice(SPLINTERS))
            else:
                other = self.rng.randrange(len(words))
                words[at], words[other] = words[other], words[at]
        return "".join(words)

