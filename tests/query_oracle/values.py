"""The values of an event, from its JSON line and the classes that `schema --json` prints.

    integers, reals, booleans    int, float, bool
    texts and blobs              bytes
    Enumeration, Flags, Named    an integer and its labels; what a number is called
    Array, Structure, Map        elements; members in order; entries in order
    UNKNOWN                      what is not there
    UNSURE                       what JSON does not say: text that was no UTF-8, one of several options
"""

import base64
import binascii
import dataclasses

from command import Pairs

UNKNOWN = None
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
REALS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class Unsure:
    def __repr__(self):
        return "UNSURE"


UNSURE = Unsure()


@dataclasses.dataclass(frozen=True)
class Labelled:
    """A number with names."""

    value: int
    labels: tuple


class Enumeration(Labelled):
    pass


class Flags(Labelled):
    pass


class Named(Labelled):
    pass


@dataclasses.dataclass(frozen=True)
class Array:
    elements: tuple


@dataclasses.dataclass(frozen=True)
class Structure:
    members: tuple  # of (name, value)

    def has(self, name):
        return any(member == name for member, _ in self.members)

    def get(self, name):
        return next((value for member, value in self.members if member == name), UNKNOWN)


@dataclasses.dataclass(frozen=True)
class Map:
    entries: tuple  # of (key, value)

    def get(self, name):
        name = name.encode("utf-8", "surrogateescape")
        return self.entry(name)

    def entry(self, wanted):
        """Of a key that is repeated the first entry counts."""
        for key, value in self.entries:
            if key is UNSURE:
                return UNSURE
            if key == wanted and type(key) is type(wanted):
                return value
        return UNKNOWN


class Mismatch(Exception):
    """A JSON value is none of a class."""


def of_class(json, field_class):
    """A JSON value as a value of a field class; Mismatch when it is none."""
    return READERS[field_class["type"]](json, field_class)


def need(condition):
    if not condition:
        raise Mismatch


def is_integer(json):
    return isinstance(json, int) and not isinstance(json, bool)


def boolean(json, _):
    need(isinstance(json, bool))
    return json


def real(json, _):
    if isinstance(json, str):
        need(json in REALS)
        return REALS[json]
    need(isinstance(json, float))
    return json


def integer(json, field_class):
    need(is_integer(json))
    width = field_class.get("width")
    if width:
        is_signed = field_class["type"].startswith("signed")
        need(-(2 ** (width - 1)) <= json < 2 ** (width - 1) if is_signed else 0 <= json < 2**width)
    elif not field_class["type"].startswith("signed"):
        need(json >= 0)
    return json


def enumeration(json, field_class):
    need(isinstance(json, Pairs) and [key for key, _ in json] == ["value", "labels"])
    value, labels = json[0][1], json[1][1]
    need(is_integer(value) and isinstance(labels, list))
    names = [mapping["label"] for mapping in field_class.get("mappings", [])]
    need(all(label in names for label in labels))
    return Enumeration(value, tuple(label.encode() for label in labels))


def bit_map(json, field_class):
    need(is_integer(json) and json >= 0)
    bits = {bit for bit in range(json.bit_length()) if json >> bit & 1}
    active = [
        mapping["label"].encode()
        for mapping in field_class.get("mappings", [])
        if any(first <= bit <= last for first, last in mapping["ranges"] for bit in bits)
    ]
    return Flags(json, tuple(active))


def unresolved(json):
    return isinstance(json, Pairs) and [key for key, _ in json] == ["unresolved"]


def string(json, _):
    if unresolved(json):
        return UNKNOWN
    need(isinstance(json, str))
    return UNSURE if REPLACEMENT in json else json.encode()


def blob(json, _):
    need(isinstance(json, str))
    try:
        return base64.b64decode(json, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Mismatch from error


def array(json, field_class):
    if unresolved(json):
        return UNKNOWN
    need(isinstance(json, list) and not isinstance(json, Pairs))
    return Array(tuple(of_class(element, field_class["element"]) for element in json))


def structure(json, field_class):
    need(isinstance(json, Pairs) and len(json) == len(field_class["members"]))
    made = []
    for (name, value), member in zip(json, field_class["members"]):
        need(name == member["name"])
        made.append((name, of_class(value, member["class"])))
    return Structure(tuple(made))


def mapping(json, field_class):
    if isinstance(json, Pairs):
        pairs = json
    else:
        need(isinstance(json, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in json))
        pairs = json
    key_class, value_class = field_class["key"], field_class["value"]
    return Map(tuple((of_class(key, key_class), of_class(value, value_class)) for key, value in pairs))


def optional(json, field_class):
    return UNKNOWN if json is None else of_class(json, field_class["value"])


def variant(json, field_class):
    """Which option was chosen is not said: it is one that the value can be of."""
    made = []
    for option in field_class["options"]:
        try:
            value = of_class(json, option["class"])
        except Mismatch:
            continue
        if repr(value) not in [repr(other) for other in made]:
            made.append(value)
    need(made)
    return made[0] if len(made) == 1 else UNSURE


def is_base64(text):
    try:
        return text != "" and base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except (binascii.Error, ValueError):
        return False


def dynamic(json, _):
    """Text that reads as base64 may have been a blob, and a list of pairs a map."""
    if json is None or unresolved(json):
        return UNKNOWN
    if isinstance(json, str):
        return UNSURE if json in REALS or REPLACEMENT in json or is_base64(json) else json.encode()
    if isinstance(json, Pairs):
        return Map(tuple((dynamic(key, None), dynamic(value, None)) for key, value in json))
    if isinstance(json, list):
        if all(isinstance(pair, list) and len(pair) == 2 for pair in json):
            return UNSURE
        return Array(tuple(dynamic(element, None) for element in json))
    return json


READERS = {
    "boolean": boolean,
    "real": real,
    "unsigned-integer": integer,
    "signed-integer": integer,
    "address": integer,
    "bit-array": integer,
    "unsigned-enumeration": enumeration,
    "signed-enumeration": enumeration,
    "bit-map": bit_map,
    "string": string,
    "blob": blob,
    "array": array,
    "structure": structure,
    "map": mapping,
    "optional": optional,
    "variant": variant,
    "dynamic": dynamic,
}


def found(field_class, steps):
    """Whether values of a class may have a part there."""
    if field_class is None:
        return False
    kind = field_class["type"]
    if kind == "optional":
        return found(field_class["value"], steps)
    if kind == "variant":
        return any(found(option["class"], steps) for option in field_class["options"])
    if not steps or kind == "dynamic":
        return True
    step, rest = steps[0], steps[1:]
    if kind == "structure" and isinstance(step, str):
        return any(member["name"] == step and found(member["class"], rest) for member in field_class["members"])
    if kind == "map" and not isinstance(step, tuple):
        return found(field_class["value"], rest)
    return kind == "array" and not isinstance(step, str) and found(field_class["element"], rest)


def places_of(event_class):
    """The class of each part of an event, or None."""
    return {
        "fields": event_class.get("payload"),
        "specific": event_class.get("specific_context"),
        "common": event_class["stream"].get("common_context"),
        "packet": event_class["stream"].get("packet_context"),
    }


class Event:
    """A line of `print --output jsonl`: properties, keys of the stream, and fields by place. UNSURE is one of which no
    class is found that it can be of."""

    def __init__(self, line, classes):
        self.properties = {}
        self.stream = {}
        json = dict(line)
        for key in ("time", "duration", "id", "name", "trace"):
            if key in json:
                self.properties[key] = text_or_number(json[key])
        self.stream = {key: value for key, value in json.get("stream", ())}
        context = dict(json.get("context", ()))
        roots = {"fields": json.get("fields"), **{key: context.get(key) for key in ("specific", "common", "packet")}}
        self.fields = self.typed(roots, self.candidates(json, classes))

    def candidates(self, json, classes):
        for made in classes:
            if made.get("name") == json.get("name") and made.get("id") == json.get("id"):
                if made["file"].endswith(json.get("trace", "")):
                    yield made

    def typed(self, roots, classes):
        found = []
        self.roots = {}
        for made in classes:
            wanted, stream_id = places_of(made), made["stream"].get("id")
            if self.stream.get("class", stream_id) != stream_id:
                continue
            # The common context of Heph is shown with the keys of the stream.
            if roots["common"] is None and wanted["common"] is not None:
                wanted["common"] = None
            try:
                typed = {place: self.root(roots[place], wanted[place]) for place in roots}
            except Mismatch:
                continue
            # Where classes differ, their values do too; what they can have beside is the same.
            self.roots = self.roots or wanted
            if repr(typed) not in [repr(other) for other in found]:
                found.append(typed)
        return found[0] if len(found) == 1 else UNSURE

    @staticmethod
    def root(json, field_class):
        if json is None:
            need(field_class is None or field_class["type"] == "structure" and not field_class["members"])
            return UNKNOWN
        need(field_class is not None)
        return of_class(json, field_class)


def text_or_number(json):
    if isinstance(json, str):
        return UNSURE if REPLACEMENT in json else json.encode()
    return json
