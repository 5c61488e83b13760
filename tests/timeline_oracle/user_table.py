"""A user's table, as the TOML says it: `UserTable(tomllib.load(...))` stands beside the modules of the built-in tables."""

import re
from fnmatch import fnmatchcase

from .table import Base, is_integer, label, member, number, text, thread_name, thread_of

FORMATS = {"segment": "dial9", "substream": "heph", "core": "tband", "class": "ctf"}
PLACES = {"fields": "fields", "common": "common", "specific": "specific", "packet": "packet"}


class UserTable:
    def __init__(self, content):
        self.content = content
        self.name = content["table"]

    def applies(self, event):
        wanted = self.content.get("applies", {})
        name = event.get("name")
        if "format" in wanted and wanted["format"] not in (FORMATS.get(key) for key in event.get("stream", {})):
            return False
        if "class" in wanted:
            return is_of(event, wanted["class"])
        return any(is_of(event, pattern) for pattern in self.classes())

    def classes(self):
        for kind, members in (
            ("slice", ("begin", "end")), ("counter", ("event",)), ("flow", ("from", "to")), ("state", ("event",)), ("wait", ("from", "to")),
        ):
            for rule in self.content.get(kind, ()):
                yield from (rule[one] for one in members)

    def Table(self, sheet, events):
        return Rules(sheet, events, self.content)


def is_of(event, pattern):
    if isinstance(pattern, list):
        return any(is_of(event, one) for one in pattern)
    return isinstance(event.get("name"), str) and fnmatchcase(event["name"], pattern.replace("[", "[[]"))


def at(event, path):
    """The value of a path, None where there is none; of an enumeration its first label."""
    path = path.removeprefix(".")
    first, _, rest = path.partition(".")
    if first == "stream":
        return event.get("stream", {}).get(rest)
    if first in PLACES and rest:
        place = event.get("fields") if first == "fields" else event.get("context", {}).get(first)
        value, rest = place or {}, rest
    else:
        value, rest = {first: member(event, first)}, path
    for step in rest.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return label(value)


def sides(match):
    """Of `req_id` and of `a.tid == b.next_tid`: what the first event has, and what the second."""
    pairs = []
    for one in [match] if isinstance(match, str) else match:
        first, is_two, second = (part.strip() for part in one.partition("=="))
        pairs.append((first.removeprefix("a."), second.removeprefix("b.")) if is_two else (first, first))
    return [first for first, second in pairs], [second for first, second in pairs]


def filled(template, event):
    return re.sub(r"\{([^}]*)\}", lambda one: shown(at(event, one[1])), template)


def shown(value):
    return "?" if value is None else str(value)


class Rules(Base):
    def __init__(self, sheet, events, content):
        super().__init__(sheet, events)
        self.content = content
        self.tracks = {one["id"]: one for one in content.get("track", ())}

    def event(self, event):
        if event.get("time") is None:
            return
        for index, rule in enumerate(self.content.get("slice", ())):
            self.slice(index, rule, event)
        for rule in self.content.get("counter", ()):
            if is_of(event, rule["event"]):
                self.counter(rule, event)
        for index, rule in enumerate(self.content.get("flow", ())):
            self.flow(index, rule, event)
        for index, rule in enumerate(self.content.get("wait", ())):
            self.wait(index, rule, event)
        for rule in self.content.get("state", ()):
            if is_of(event, rule["event"]):
                self.state(rule, event)

    def keys(self, event, paths):
        """The values of equal keys, or None (and an instant) when one is not there."""
        values = tuple(at(event, path) for path in paths)
        if None in values:
            self.sheet.instant("lacking", text(event["name"]), "lacking")
            return None
        return values

    def track(self, rule, event):
        track = self.tracks.get(rule.get("track"))
        if track is None:
            return thread_name(thread_of(event, self.sheet.stream))
        return " ".join([track.get("name", track["id"]), *(shown(at(event, path)) for path in track.get("key", ()))])

    def slice(self, index, rule, event):
        first, second = sides(rule.get("match", ()))
        kind = rule.get("category", "slice")
        name = filled(rule.get("name", rule["begin"]), event)
        args = {path: value for path in rule.get("args", ()) if (value := at(event, path)) is not None}
        # A class that both begins and ends: what is open ends first.
        if is_of(event, rule["end"]):
            keys = self.keys(event, second)
            if keys is not None and (rule["begin"] != rule["end"] or self.sheet.open[kind, (self.content["table"], index, keys)]):
                self.sheet.end(kind, (self.content["table"], index, keys), self.track(rule, event), name, args)
        if is_of(event, rule["begin"]):
            keys = self.keys(event, first)
            if keys is not None:
                self.sheet.begin(kind, (self.content["table"], index, keys), name, self.track(rule, event), args)

    def counter(self, rule, event):
        value = number(at(event, rule["value"]))
        if is_integer(value) or isinstance(value, float):
            name = filled(rule["name"], event)
            self.sheet.counter(name, name, value)
        else:
            self.sheet.instant("lacking", text(event["name"]), "lacking")

    def flow(self, index, rule, event):
        first, second = sides(rule.get("match", ()))
        name = f"{rule['from']} -> {rule['to']}"
        if is_of(event, rule["to"]) and (keys := self.keys(event, second)) is not None:
            self.sheet.bounds()
            if self.sheet.waited(name, (index, keys), thread_name(thread_of(event, self.sheet.stream))) is not None:
                self.sheet.flow(name)
        if is_of(event, rule["from"]) and (keys := self.keys(event, first)) is not None:
            self.sheet.bounds()
            self.sheet.wait(name, (index, keys), is_last=True, is_awaited=False)

    def wait(self, index, rule, event):
        first, second = sides(rule.get("match", ()))
        key = (self.content["table"], index)
        if is_of(event, rule["to"]) and (keys := self.keys(event, second)) is not None:
            self.sheet.bounds()
            self.sheet.waited(rule["name"], (key, keys), self.track(rule, event))
        if is_of(event, rule["from"]) and (keys := self.keys(event, first)) is not None:
            self.sheet.bounds()
            self.sheet.wait(rule["name"], (key, keys), is_last=rule.get("last", False), is_shown_open="state" not in rule)

    def state(self, rule, event):
        """By the keys of tables: a `track` of the table and a `name`; by the design's example a name and a `value`."""
        if "value" in rule:
            self.sheet.state(filled(rule["track"], event), shown(at(event, rule["value"])))
        else:
            self.sheet.state(self.track(rule, event), filled(rule["name"], event))
