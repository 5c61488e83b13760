"""What `print --output jsonl --order recorded` says about a trace, as parsed JSON: objects are `Pairs`."""

import base64
import math
import json
import pathlib

from command import Pairs

from .metadata import Metadata, nanoseconds
from .procedure import DataStream, in_ranges
from .values import Array, BitArray, Blob, Boolean, Integer, Nil, Real, String, unsigned


def shown_real(value):
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def shown_integer(value):
    mappings = value.field_class.get("mappings")
    if mappings is None:
        return value.value
    labels = [name for name, ranges in mappings.items() if in_ranges(value.value, ranges)]
    return Pairs((("value", value.value), ("labels", labels)))


def shown(value):
    if isinstance(value, Nil):
        return None
    if isinstance(value, Integer):
        return shown_integer(value)
    if isinstance(value, (Boolean, String)):
        return value.value
    if isinstance(value, BitArray):
        return unsigned(value.bits)
    if isinstance(value, Real):
        return shown_real(value.value)
    if isinstance(value, Blob):
        return base64.b64encode(value.value).decode()
    if isinstance(value, Array):
        return [shown(element.value) for element in value.elements]
    return Pairs((name, shown(member.value)) for name, member in value.members.items())


def shown_event(metadata, event):
    packet, pairs = event.packet, []
    clock_class = metadata.clock_class(packet.data_stream_class)
    if clock_class is not None:
        pairs.append(("time", nanoseconds(clock_class, event.clock_value)))
    if "name" in event.event_record_class:
        pairs.append(("name", event.event_record_class["name"]))
    pairs.append(("id", event.event_record_class.get("id", 0)))
    stream = [("class", packet.data_stream_class.get("id", 0))]
    if packet.data_stream_id is not None:
        stream.append(("id", packet.data_stream_id))
    pairs.append(("stream", Pairs(stream)))
    contexts = (("packet", packet.context), ("common", event.common), ("specific", event.specific))
    context = Pairs((name, shown(value)) for name, value in contexts if value is not None)
    if context:
        pairs.append(("context", context))
    if event.payload is not None:
        pairs.append(("fields", shown(event.payload)))
    return Pairs(pairs)


def begins_auxiliary_stream(content):
    """Whether the first element is a JSON object of one property; no data stream of CTF2-SPEC-2.0 here looks so."""
    if content[:1] != b"\x1e":
        return False
    try:
        element = json.loads(content.lstrip(b"\x1e").split(b"\x1e")[0].decode())
    except ValueError:
        return False
    return isinstance(element, dict) and len(element) == 1


class DataStreamFile:
    """A file of a trace: its packets, in the order of the file."""

    def __init__(self, metadata, path):
        self.metadata = metadata
        self.path = path
        self.packets = list(DataStream(metadata, path.read_bytes()).packets())

    @property
    def lines(self):
        return [shown_event(self.metadata, event) for packet in self.packets for event in packet.events]

    @property
    def faulty(self):
        return [packet for packet in self.packets if packet.fault is not None]

    @property
    def odd_times(self):
        return [time for packet in self.packets for time in packet.odd_times]


class Trace:
    """A trace directory. An extension that it declares is not known here either."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.metadata = Metadata((folder / "metadata").read_bytes())
        files = sorted((path for path in folder.iterdir() if self.is_data_stream(path)), key=lambda path: bytes(path))
        self.files = [DataStreamFile(self.metadata, path) for path in files]

    @staticmethod
    def is_data_stream(path):
        if path.name == "metadata" or path.name.startswith(".") or not path.is_file():
            return False
        return not path.name.endswith(".json-seq") and not begins_auxiliary_stream(path.read_bytes())

    @property
    def lines(self):
        return [line for file in self.files for line in file.lines]

    @property
    def faulty(self):
        return [packet for file in self.files for packet in file.faulty]

    @property
    def damaged(self):
        """Whether anything must be reported as damage. An event outside its packet's times is an error of its producer,
        which no event is lost for."""
        return any(file.faulty or any(rule == "ctf/packet-times" for rule, _ in file.odd_times) for file in self.files)
