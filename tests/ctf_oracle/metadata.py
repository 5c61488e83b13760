"""The metadata stream of a trace, as its JSON says. Valid metadata only: nothing is checked."""

import json


class Metadata:
    """The fragments of a metadata stream, by what they are looked up by."""

    def __init__(self, data):
        self.preamble = {}
        self.trace_class = {}
        self.clock_classes = {}
        self.data_stream_classes = {}
        self.event_record_classes = {}
        self.aliases = {}
        for text in data.decode("utf-8").split("\x1e")[1:]:
            self.add(json.loads(text))

    def add(self, fragment):
        kind = fragment["type"]
        if kind == "preamble":
            self.preamble = fragment
        elif kind == "trace-class":
            self.trace_class = fragment
        elif kind == "clock-class":
            self.clock_classes[fragment["id"] if "id" in fragment else fragment["name"]] = fragment
        elif kind == "data-stream-class":
            self.data_stream_classes[fragment.get("id", 0)] = fragment
        elif kind == "event-record-class":
            self.event_record_classes[fragment.get("data-stream-class-id", 0), fragment.get("id", 0)] = fragment
        elif kind == "field-class-alias":
            self.aliases[fragment["name"]] = fragment["field-class"]
        else:
            raise ValueError(f"fragment of type {kind}")

    @property
    def uuid(self):
        """What fields with the role of a UUID must hold: sixteen bytes or None."""
        uuid = self.preamble.get("uuid", self.trace_class.get("uuid"))
        return None if uuid is None else bytes(uuid)

    def clock_class(self, data_stream_class):
        """The default clock's class, None when there is none."""
        key = data_stream_class.get("default-clock-class-id", data_stream_class.get("default-clock-class-name"))
        return None if key is None else self.clock_classes[key]

    def field_class(self, field_class):
        """The field class that an alias, or an alias of one, stands for."""
        while isinstance(field_class, str):
            field_class = self.aliases[field_class]
        return field_class


def nanoseconds(clock_class, cycles):
    """The time of a clock's value: ns since its origin, rounded down."""
    frequency = clock_class["frequency"]
    offset = clock_class.get("offset", clock_class.get("offset-from-origin", {}))
    return ((offset.get("seconds", 0) * frequency + offset.get("cycles", 0) + cycles) * 10**9) // frequency
