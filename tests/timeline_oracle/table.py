"""What the tables have in common."""

import re


class Base:
    """One table at work: `event` is asked for each event, in order. `events`: all of the trace, to look ahead in."""

    # name -> the integers of the payload without which a rule cannot be applied
    NEEDS = {}
    # Whether a loss of one stream may be of any.
    WIDE = False
    # Whether the clock of one stream that begins anew is that of all.
    ONE_CLOCK = False
    # Whether data streams are parts of a file that overlap in time: what damage leaves out is from any time after it.
    IN_PARTS = False
    # The tracks of which all that can become comes of the streams of their events.
    OF_STREAM = None

    def __init__(self, sheet, events):
        self.sheet = sheet
        self.prepare(events)

    def prepare(self, events):
        pass

    def is_of_stream(self, track):
        return self.OF_STREAM is not None and re.fullmatch(self.OF_STREAM, track) is not None

    def event(self, event):
        name = event.get("name")
        rule = self.rule(name)
        if rule is None or event.get("time") is None:
            return
        fields = event.get("fields") or {}
        if not all(is_integer(number(fields.get(need))) for need in self.needs(name)):
            self.sheet.instant("lacking", name, "lacking")
            return
        self.sheet.bounds()
        rule(event, fields)

    def needs(self, name):
        return self.NEEDS.get(name, ())

    def rule(self, name):
        return getattr(self, f"on_{name}", None) if isinstance(name, str) else None

    def began_anew(self, stream):
        """The clock of a stream."""
        self.lost(stream)

    def lost(self, stream):
        """Something is missing of a stream, or of all (None); the sheet knows already."""

    def finish(self):
        pass


def member(event, name):
    """A member as a condition finds it: payload, specific, common, packet context."""
    context = event.get("context", {})
    for part in (event.get("fields"), context.get("specific"), context.get("common"), context.get("packet")):
        if part and name in part:
            return part[name]
    return None


def in_context(event, name):
    context = event.get("context", {})
    for part in ("specific", "common", "packet"):
        if name in (context.get(part) or {}):
            return context[part][name]
    return None


def thread_of(event, stream):
    """The thread of an event of user space: (vpid, vtid), as far as there are such contexts, else its CPU or stream."""
    vpid, vtid = in_context(event, "vpid"), in_context(event, "vtid")
    if vtid is not None:
        return (vpid, vtid)
    cpu = in_context(event, "cpu_id")
    return ("cpu", cpu) if cpu is not None else ("stream", stream)


def thread_name(thread):
    first, second = thread
    if first == "cpu":
        return f"cpu {second}"
    if first == "stream":
        return f"stream {second}"
    return f"thread {second}" if first is None else f"thread {first}/{second}"


def text(value):
    """A name: what is no text has none."""
    return value if isinstance(value, str) else "?"


def label(value):
    """An enumeration by its first label, anything else as it is."""
    if isinstance(value, dict) and "labels" in value:
        return value["labels"][0] if value["labels"] else value["value"]
    return value


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def number(value):
    return value["value"] if isinstance(value, dict) and "value" in value else value
