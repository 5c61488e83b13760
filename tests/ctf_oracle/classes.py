"""Random field classes, and their JSON in both spellings."""

import dataclasses
import itertools
import json

FIXED = ("bits", "bitmap", "bool", "uint", "sint", "real")
INTEGERS = ("uint", "sint", "vuint", "vsint")
REAL_WIDTHS = (16, 32, 64, 128, 160, 192, 256)
ENCODINGS = ("utf-8", "utf-16be", "utf-16le", "utf-32be", "utf-32le")
# The greatest bounds of integer ranges, either sign.
MOST_BOUND = 2**128 - 1
LEAST_BOUND = -(2**127)
NAMES = ("a", "b", "c", "len", "x y", "é", "日本", "", "-", 'q"', "A", "_a", "type", "path", "\U0001f600", "v\t")
TYPES = {
    "bits": "fixed-length-bit-array",
    "bitmap": "fixed-length-bit-map",
    "bool": "fixed-length-boolean",
    "uint": "fixed-length-unsigned-integer",
    "sint": "fixed-length-signed-integer",
    "real": "fixed-length-floating-point-number",
    "vbits": "variable-length-bit-array",
    "vuint": "variable-length-unsigned-integer",
    "vsint": "variable-length-signed-integer",
    "zstr": "null-terminated-string",
    "sstr": "static-length-string",
    "dstr": "dynamic-length-string",
    "sblob": "static-length-blob",
    "dblob": "dynamic-length-blob",
    "struct": "structure",
    "sarray": "static-length-array",
    "darray": "dynamic-length-array",
    "optional": "optional",
    "variant": "variant",
}


@dataclasses.dataclass
class FieldClass:
    """A field class as both spellings have it; `kind` is a key of TYPES."""

    kind: str
    width: int = 0  # bits of fixed-length classes
    big: bool = False
    reverse: bool = False  # the unusual bit order
    alignment: int = 1  # or minimum alignment
    base: int = 10
    mappings: dict = None
    length: int = 0  # static length
    location: object = None
    encoding: str = "utf-8"
    members: list = None  # of a structure: [(name, class)]
    element: object = None  # of an array or optional
    options: list = None  # of a variant: [(name or None, ranges, class)]
    ranges: list = None  # of an optional
    media: str = None
    roles: tuple = ()
    attributes: object = None
    # What the encoder writes into it.
    choices: tuple = None  # one of these values
    key: object = None  # remembered under this key, which `location.key` asks for
    source: str = None  # a value that the trace decides

    def requirement(self):
        """Its alignment requirement in bits."""
        if self.kind in FIXED:
            return self.alignment
        if self.kind == "struct":
            return max([self.alignment] + [member.requirement() for _, member in self.members])
        if self.kind in ("sarray", "darray"):
            return max(self.alignment, self.element.requirement())
        return 1 if self.kind in ("optional", "variant") else 8


@dataclasses.dataclass
class Location:
    root: str
    path: tuple
    key: object
    relative: tuple = None  # path from the enclosing structure, None: absolute


@dataclasses.dataclass
class Target:
    """A field that a location may lead to."""

    root: str
    path: tuple
    kind: str  # "uint", "sint" or "bool"
    key: object
    choices: tuple


def limits(field_class):
    """The least and the greatest value of an integer class; of variable-length ones, some."""
    width = field_class.width if field_class.kind in FIXED else 7 * 20
    if field_class.kind in ("sint", "vsint"):
        return -(2 ** (width - 1)), 2 ** (width - 1) - 1
    return 0, 2**width - 1


class Maker:
    """Makes field classes. `wild` ones may ask for what makes a packet faulty: byte orders that change inside a
    byte, selectors that select nothing, locations through disabled optionals."""

    def __init__(self, rng, final, size, wild=False, words=False):
        self.rng = rng
        self.final = final
        self.size = size
        self.wild = wild
        self.words = words  # bytes only: every field begins and ends at one
        self.big = rng.random() < 0.5
        self.root = None
        self.structures = []
        self.targets = []
        self.keys = itertools.count()
        self.arrays = 0

    def chance(self, probability):
        return self.rng.random() < probability

    # Scalars.

    def width(self):
        kind = self.rng.random()
        if self.words:
            return self.rng.choice((8, 16, 24, 32, 64, 72, 128))
        if kind < 0.4:
            return self.rng.choice((1, 3, 5, 7, 8, 12, 16, 27, 32, 63, 64, 65))
        return self.rng.randint(1, 64) if kind < 0.85 else self.rng.randint(65, 200)

    def fixed(self, kind, width=None, **more):
        made = FieldClass(kind, width=width or self.width(), big=self.big, **more)
        if self.words:
            made.alignment, made.width = 8, -(-made.width // 8) * 8
            made.big = self.chance(0.5)
        elif self.wild and self.chance(0.1):
            made.big = self.chance(0.5)
        elif self.chance(0.3) and (width is None or width % 8 == 0):
            # The other byte order begins and ends at a byte.
            made.big = not self.big
            made.width = -(-made.width // 8) * 8
            made.alignment = self.rng.choice((8, 8, 8, 16, 32))
        elif self.chance(0.3):
            made.alignment = self.rng.choice((1, 2, 4, 8, 8, 16, 32, 64, 128, 4096))
            if made.alignment == 4096 and (self.arrays or self.chance(0.8)):
                made.alignment = 8
        if self.final and self.chance(0.2):
            made.reverse = True
        return made

    def integer(self, signed, variable=None, width=None, **more):
        if self.chance(0.3) if variable is None else variable:
            made = FieldClass("vsint" if signed else "vuint", **more)
        else:
            made = self.fixed("sint" if signed else "uint", width, **more)
        made.base = self.rng.choice((2, 8, 10, 10, 16))
        if self.chance(0.25):
            made.mappings = self.mappings(made)
        return made

    def mappings(self, field_class):
        low, high = limits(field_class)
        made = {}
        for _ in range(self.rng.randint(0 if self.final else 1, 4)):
            ranges = []
            for _ in range(self.rng.randint(1, 3)):
                ends = [self.some_value(low, high), self.some_value(low, high)]
                if self.chance(0.5):
                    ends[1] = ends[0] + self.rng.randint(0, 3)
                ranges.append(sorted(max(LEAST_BOUND, min(end, MOST_BOUND)) for end in ends))
            made[self.rng.choice(NAMES)] = ranges
        return made

    def some_value(self, low, high):
        kind = self.rng.random()
        if kind < 0.3:
            return self.rng.choice((low, high, max(low, min(high, 0)), max(low, min(high, 1))))
        if kind < 0.7:
            return max(low, min(high, self.rng.randint(-4, 20)))
        return self.rng.randint(low, high)

    def bitmap(self):
        made = self.fixed("bitmap")
        flags = {}
        for _ in range(self.rng.randint(1, 4)):
            ends = sorted(self.rng.randrange(made.width) for _ in range(2))
            flags[self.rng.choice(NAMES)] = [ends]
        made.mappings = flags
        return made

    def scalar(self):
        kind = self.rng.choice(
            ("bits", "bool", "uint", "uint", "sint", "sint", "real", "zstr", "sstr", "sblob")
            + (("bitmap",) if self.final else ("vbits",))
        )
        if kind in ("uint", "sint"):
            return self.integer(kind == "sint")
        if kind == "real":
            return self.fixed("real", self.rng.choice(REAL_WIDTHS))
        if kind == "bitmap":
            return self.bitmap()
        if kind in ("bits", "bool"):
            return self.fixed(kind)
        made = FieldClass(kind)
        if kind in ("sstr", "sblob"):
            made.length = self.rng.choice((0, 1, 2, 3, 4, 7, 8, 16, 33))
        if kind in ("zstr", "sstr"):
            made.encoding = self.encoding((made.length,))
        if kind == "sblob" and self.chance(0.3):
            made.media = "image/png"
        return made

    def encoding(self, lengths):
        """An encoding of strings of these lengths, which hold a code unit if they are not empty."""
        if not self.final or self.chance(0.4) or not self.wild and any(0 < length < 4 for length in lengths):
            return "utf-8"
        return self.rng.choice(ENCODINGS)

    # Fields that others depend on.

    def target_class(self, kind, choices=None, key=None):
        """A class of a field that may be a length or a selector."""
        key = next(self.keys) if key is None else key
        if kind == "bool":
            return self.fixed("bool", key=key)
        if choices is None:
            choices = self.choices(kind)
        made = self.integer(kind == "sint", key=key, choices=choices)
        if made.kind in FIXED:
            need = max((value if value >= 0 else ~value).bit_length() for value in choices) + (kind == "sint")
            made.width = max(made.width, need, 1)
            if made.big != self.big or self.words:
                made.width = -(-made.width // 8) * 8
        return made

    def choices(self, kind):
        most = 3 if self.arrays else 6
        if kind == "uint" and self.chance(0.75):
            return tuple(sorted({self.rng.randint(0, most) for _ in range(self.rng.randint(1, 4))}))
        bits = self.rng.choice((3, 8, 31, 32, 63, 64, 65, 126, 127, 128))
        low, high = (0, 2**bits - 1) if kind == "uint" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return tuple(sorted({self.some_value(low, high) for _ in range(self.rng.randint(1, 5))}))

    def target(self, path, kind, made, choices):
        self.targets.append(Target(self.root, tuple(path), kind, made.key, choices))

    def locate(self, kinds, small=False):
        """A location of some target and the target; None when there is none."""
        found = [
            target
            for target in self.targets
            if target.kind in kinds
            and (target.root != "packet-header" or target.root == self.root or self.chance(0.3))
            and not (small and (target.kind != "uint" or target.choices[-1] > 8))
        ]
        if not found:
            return None, None
        # Nearer ones are likelier.
        target = found[-1] if self.chance(0.4) else self.rng.choice(found)
        location = Location(target.root, target.path, target.key)
        if self.final and target.root == self.root and self.chance(0.6):
            ups = [
                up
                for up, structure in enumerate(reversed(self.structures))
                if target.path[: len(structure)] == structure
            ]
            if ups:
                up = self.rng.choice(ups)
                location.relative = (None,) * up + target.path[len(self.structures[-1 - up]) :]
        return location, target

    # Compounds.

    def structure(self, path, depth, least=0, first=()):
        """A structure at a path; `first` are members to begin with."""
        made = FieldClass("struct", members=[])
        if self.chance(0.2):
            made.alignment = self.rng.choice((1, 2, 8, 16, 64))
        self.structures.append(tuple(path))
        names = {name for name, _ in first}
        made.members += first
        count = self.rng.randint(least, max(least, self.size + (2 if depth == 0 else 0)))
        while len(made.members) < count + len(first):
            name = self.rng.choice(NAMES) + str(self.rng.randint(0, 9) if self.chance(0.6) else "")
            if name in names:
                continue
            names.add(name)
            made.members.append((name, self.member([*path, name], depth + 1)))
        self.structures.pop()
        return made

    def member(self, path, depth):
        kind = self.rng.random()
        if kind < 0.25:
            word = self.rng.choice(("uint", "uint", "uint", "sint", "bool"))
            made = self.target_class(word)
            self.target(path, word, made, made.choices or ())
            return made
        return self.any(path, depth)

    def any(self, path, depth):
        if depth > 4 or self.chance(0.4):
            return self.scalar()
        kind = self.rng.choice(("struct", "sarray", "darray", "darray", "dstr", "dblob", "optional", "variant", "variant"))
        return getattr(self, "make_" + kind)(path, depth) or self.scalar()

    def make_struct(self, path, depth):
        return self.structure(path, depth)

    def make_dstr(self, path, depth):
        location, target = self.locate(("uint",), small=True)
        return location and FieldClass("dstr", location=location, encoding=self.encoding(target.choices))

    def make_dblob(self, path, depth):
        location, _ = self.locate(("uint",), small=True)
        return location and FieldClass("dblob", location=location)

    def array_element(self, path, depth):
        mark = len(self.targets)
        self.arrays += 1
        made = self.any(path, depth + 1)
        self.arrays -= 1
        del self.targets[mark:]
        return made

    def array_alignment(self):
        return self.rng.choice((1, 8, 16, 64)) if self.chance(0.2) else 1

    def make_sarray(self, path, depth):
        length = self.rng.randint(0, 2 if self.arrays else 5)
        element = self.array_element(path, depth)
        return FieldClass("sarray", length=length, element=element, alignment=self.array_alignment())

    def make_darray(self, path, depth):
        location, _ = self.locate(("uint",), small=True)
        if location is None:
            return None
        element = self.array_element(path, depth)
        return FieldClass("darray", location=location, element=element, alignment=self.array_alignment())

    def make_optional(self, path, depth):
        location, target = self.locate(("uint", "sint", "bool"))
        if location is None:
            return None
        made = FieldClass("optional", location=location)
        if target.kind != "bool":
            parts = self.split(target.choices, 2)
            made.ranges = parts[self.rng.randrange(len(parts))]
        mark = len(self.targets)
        made.element = self.any(path, depth + 1)
        if not (self.wild and self.chance(0.5)):
            del self.targets[mark:]
        return made

    def split(self, choices, count):
        """Ranges for up to `count` options, such that each choice is in those of just one."""
        parts = [[] for _ in range(count)]
        for i, value in enumerate(choices):
            upper = value
            if self.chance(0.4):
                beyond = min(value + 2 ** self.rng.choice((1, 8, 64, 120)), MOST_BOUND)
                upper = choices[i + 1] - 1 if i + 1 < len(choices) else beyond
            lower = value
            if i == 0 and self.chance(0.2):
                lower = max(value - 2 ** self.rng.choice((1, 8, 64, 120)), LEAST_BOUND)
            parts[self.rng.randrange(count)].append([lower, upper])
        parts = [part for part in parts if part]
        for part in parts:
            self.rng.shuffle(part)
        return parts

    def make_variant(self, path, depth):
        location, target = self.locate(("uint", "sint"))
        if location is None:
            return None
        made = FieldClass("variant", location=location, options=[])
        parts = self.split(target.choices, self.rng.randint(1, 4))
        if self.wild and len(parts) > 1 and self.chance(0.3):
            parts.pop()
        # Options that are alike enough for other fields to depend on the variant.
        style = self.rng.choice(("number", "eagle", "any", "any", "any"))
        word = self.rng.choice(("uint", "uint", "sint"))
        key, choices = next(self.keys), self.choices(word)
        names = set()
        for ranges in parts:
            mark = len(self.targets)
            if style == "number":
                option = self.target_class(word, choices, key)
            elif style == "eagle":
                eagle = self.target_class(word, choices, key)
                self.target([*path, "eagle"], word, eagle, choices)
                option = self.structure(path, depth + 1, first=[("eagle", eagle)])
            else:
                option = self.any(path, depth + 1)
            del self.targets[mark:]
            name = self.rng.choice(NAMES) if self.chance(0.6) else None
            name = None if name in names else name
            names.add(name)
            made.options.append((name, ranges, option))
        if style == "number":
            self.targets.append(Target(self.root, tuple(path), word, key, choices))
        elif style == "eagle":
            self.targets.append(Target(self.root, (*path, "eagle"), word, key, choices))
        return made


class Printer:
    """Writes field classes as JSON values of one spelling; aliases become fragments of their own."""

    def __init__(self, rng, final, aliases):
        self.rng = rng
        self.final = final
        self.aliases = aliases  # probability of an alias
        self.known = {}
        self.fragments = []

    def root(self, made):
        return self.json(made)

    def json(self, made):
        value = self.value(made)
        if not self.final or self.rng.random() >= self.aliases:
            return value
        text = json.dumps(value)
        if text not in self.known:
            name = self.rng.choice(("alias", "é", "a b", "")) + str(len(self.known))
            self.known[text] = name
            self.fragments.append({"type": "field-class-alias", "name": name, "field-class": value})
        return self.known[text]

    def location(self, location):
        if not self.final:
            return [location.root, *location.path]
        if location.relative is not None:
            return {"path": list(location.relative)}
        return {"origin": location.root, "path": list(location.path)}

    def type_name(self, made):
        if made.kind in INTEGERS and made.mappings is not None and not self.final:
            return TYPES[made.kind].replace("integer", "enumeration")
        return TYPES[made.kind]

    def value(self, made):
        kind = made.kind
        value = {"type": self.type_name(made)}
        if kind in FIXED:
            value.update(self.fixed(made))
        if kind in INTEGERS and (made.base != 10 or self.rng.random() < 0.1):
            value["preferred-display-base"] = made.base
        if made.mappings is not None:
            value["flags" if kind == "bitmap" else "mappings"] = made.mappings
        if kind in ("zstr", "sstr", "dstr") and (made.encoding != "utf-8" or self.final and self.rng.random() < 0.1):
            value["encoding"] = made.encoding
        if kind in ("sstr", "sblob", "sarray"):
            value["length"] = made.length
        if kind in ("dstr", "dblob", "darray"):
            value["length-field-location"] = self.location(made.location)
        if made.media:
            value["media-type"] = made.media
        if kind in ("struct", "sarray", "darray") and (made.alignment != 1 or self.rng.random() < 0.1):
            value["minimum-alignment"] = made.alignment
        if kind in ("sarray", "darray"):
            value["element-field-class"] = self.json(made.element)
        if kind == "struct" and (made.members or self.rng.random() < 0.5):
            value["member-classes"] = [self.member(name, member) for name, member in made.members]
        if kind in ("optional", "variant"):
            value["selector-field-location"] = self.location(made.location)
        if kind == "optional":
            if made.ranges is not None:
                value["selector-field-ranges"] = made.ranges
            value["field-class"] = self.json(made.element)
        if kind == "variant":
            value["options"] = [self.option(*option) for option in made.options]
        if made.roles:
            value["roles"] = list(made.roles)
        return self.shuffled(self.attributed(value))

    def fixed(self, made):
        value = {"length": made.width, "byte-order": "big-endian" if made.big else "little-endian"}
        if made.alignment != 1 or self.rng.random() < 0.1:
            value["alignment"] = made.alignment
        if made.reverse or self.final and self.rng.random() < 0.05:
            value["bit-order"] = "first-to-last" if made.reverse == made.big else "last-to-first"
        return value

    def member(self, name, made):
        return self.attributed({"name": name, "field-class": self.json(made)})

    def option(self, name, ranges, made):
        value = {"selector-field-ranges": ranges, "field-class": self.json(made)}
        if name is not None:
            value["name"] = name
        return self.attributed(value)

    def attributed(self, value):
        if self.rng.random() < 0.03:
            value["attributes" if self.final else "user-attributes"] = {"my.ns": {"k": [1, None, {"é": True}]}}
        return value

    def shuffled(self, value):
        """The same properties in another order."""
        items = list(value.items())
        if self.rng.random() < 0.1:
            self.rng.shuffle(items)
        return dict(items)
