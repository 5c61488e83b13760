"""Random traces: metadata of either spelling, data streams, and the lines that must be printed of them."""

import dataclasses
import json
import random

from command import Pairs

from .classes import FieldClass, Location, Maker, Printer, Target
from .encoder import Bits, Encoder

MAGIC = 0xC1FC1FC1
AUXILIARY = b"\x1e"  # a file that begins so is no data stream
FREQUENCIES = (1, 3, 1000, 32768, 1000000, 333333333, 999999937, 1000000000, 1000000000, 2400000000, 2**40 + 15)
STREAM_FILES = ("stream", "s0", "s1", "S", "a.ctf", "é", "z z", "channel0_0", "channel0_1", "~")
SIZE = "packet-{}-{}"


@dataclasses.dataclass
class Stream:
    """A data stream class and its event record classes."""

    id: int
    clock: str = None
    context: FieldClass = None
    header: FieldClass = None
    common: FieldClass = None
    events: dict = None  # id: Event
    has_total: bool = False
    has_content: bool = False


@dataclasses.dataclass
class Event:
    id: int
    name: str = None
    specific: FieldClass = None
    payload: FieldClass = None


@dataclasses.dataclass
class Clock:
    name: str
    frequency: int
    seconds: int
    cycles: int


class RandomTrace:
    """A trace made from a seed. `size` grows what is in it, so that the first seed that fails can be made smaller.

    wild: packets may be faulty; `files` is all there is to compare then. Otherwise `lines` must be printed.
    plain: one data stream, nothing that a writer must rename.
    """

    def __init__(self, seed, final, size=3, wild=False, plain=False):
        self.rng = rng = random.Random(f"{seed} {final} {size} {wild} {plain}")
        self.final, self.size, self.wild, self.plain = final, size, wild, plain
        self.words = rng.random() < 0.15
        self.maker = Maker(rng, final, size, wild, self.words)
        self.uuid = rng.randbytes(16) if rng.random() < 0.5 else None
        self.clocks = [self.clock(name) for name in ("c", "the clock")[: rng.choice((0, 1, 1, 2))]]
        self.header = self.packet_header()
        self.streams = [self.stream(id) for id in self.stream_ids()]
        self.metadata = self.metadata_bytes()
        self.lines = []
        self.files = {}
        for name in sorted(self.file_names(), key=str.encode):
            mark = len(self.lines)
            self.files[name] = self.data_stream()
            if self.files[name].startswith(AUXILIARY):
                del self.lines[mark:], self.files[name]

    def __repr__(self):
        return f"RandomTrace(final={self.final}, size={self.size}, wild={self.wild}, plain={self.plain})"

    def write(self, folder):
        folder.mkdir()
        (folder / "metadata").write_bytes(self.metadata)
        for name, content in self.files.items():
            (folder / name).write_bytes(content)
        return folder

    def chance(self, probability):
        return self.rng.random() < probability

    # Classes.

    def clock(self, name):
        frequency = self.rng.choice(FREQUENCIES)
        seconds = self.rng.choice((0, 0, 1, -1, 1605112699, -18003, self.rng.randint(-(2**33), 2**33)))
        return Clock(name, frequency, seconds, self.rng.choice((0, self.rng.randrange(frequency))))

    def number(self, source, roles, value_bits, variable=None):
        """An unsigned integer field with a role, wide enough."""
        made = self.maker.integer(False, variable, self.role_width(value_bits), source=source, roles=tuple(roles))
        if made.kind == "uint" and made.width < value_bits:
            made.width = -(-value_bits // 8) * 8
        return made

    def role_width(self, least):
        widths = [width for width in (8, 16, 27, 32, 48, 64) if width >= least]
        return self.rng.choice(widths) if self.chance(0.95) else self.rng.randint(65, 128)

    def nested(self, members):
        """The members as they are, or some of them in structures in the structure."""
        made = []
        while members:
            take = self.rng.choice((1, 1, 1, 2))
            part, members = members[:take], members[take:]
            if self.chance(0.2):
                made.append((f"in{len(made)}", FieldClass("struct", members=part)))
            else:
                made += part
        return FieldClass("struct", members=made, alignment=self.rng.choice((1, 1, 1, 8, 64)))

    def packet_header(self):
        self.has_class_id = False
        if self.chance(0.25):
            return None
        members = []
        if self.uuid and self.chance(0.6):
            role = "metadata-stream-uuid" if self.final else "trace-class-uuid"
            members.append(("uuid", FieldClass("sblob", length=16, source="uuid", roles=(role,))))
        for source, role in (("class_id", "data-stream-class-id"), ("stream_id", "data-stream-id")):
            if self.chance(0.6):
                # The last one counts.
                if self.chance(0.15):
                    members.append((source + " not", self.number("any8", (role,), 8)))
                members.append((source, self.number(source, (role,), 8)))
                self.has_class_id |= source == "class_id"
        made = self.nested(members)
        if self.chance(0.6):
            made.members.insert(0, ("magic", self.maker.fixed("uint", 32, source="magic", roles=("packet-magic-number",))))
        self.maker.root = "packet-header"
        if self.chance(0.3):
            made.members += self.selected(lambda: self.number("stream_id", ("data-stream-id",), 8))
        for name, member in made.members:
            if member.source == "stream_id":
                member.key = "stream id"
                self.maker.targets.append(Target("packet-header", (name,), "uint", member.key, tuple(range(6))))
        return made

    def selected(self, make):
        """Members of a header: a selector, and an optional or variant field of classes that `make` makes."""
        word = self.rng.choice(("bool", "uint", "sint"))
        selector = self.maker.target_class(word)
        choices = selector.choices or ()
        self.maker.target(["selector"], word, selector, choices)
        location = Location(self.maker.root, ("selector",), selector.key)
        if self.final and self.chance(0.5):
            location.relative = ("selector",)
        if word == "bool":
            chosen = FieldClass("optional", location=location, element=make())
        elif self.chance(0.5):
            chosen = FieldClass("optional", location=location, element=make(), ranges=self.maker.split(choices, 2)[0])
        else:
            options = [(None, ranges, make()) for ranges in self.maker.split(choices, 3)]
            chosen = FieldClass("variant", location=location, options=options)
        return [("selector", selector), ("chosen", chosen)]

    def stream_ids(self):
        if not self.has_class_id:
            return [0]
        ids = [0, 1, 7, 200]
        return self.rng.sample(ids, 1 if self.plain else self.rng.randint(1, 3))

    def stream(self, id):
        maker = self.maker
        mark = len(maker.targets)
        made = Stream(id, events={})
        made.clock = self.rng.choice(self.clocks) if self.clocks and self.chance(0.9) else None
        maker.root = "packet-context"
        made.context = self.packet_context(made)
        maker.root = "event-record-header"
        event_ids = self.event_ids(made)
        if made.header is not None and made.clock and "v" not in dict(made.header.members) and self.chance(0.3):
            made.header.members += self.selected(lambda: self.number("time", ("default-clock-timestamp",), 1))
        if self.chance(0.4):
            maker.root = "event-record-common-context"
            made.common = maker.structure([], 0)
        inner = len(maker.targets)
        for event_id in event_ids:
            event = Event(event_id, self.rng.choice((None, "", "e", "é:v", "sched_switch", "a b")))
            if self.chance(0.3):
                maker.root = "event-record-specific-context"
                event.specific = maker.structure([], 0)
            if self.chance(0.95) or made.header is None:
                maker.root = "event-record-payload"
                first = [("first", maker.fixed("uint", 8))] if made.header is None or self.words else []
                event.payload = maker.structure([], 0, 1, first)
            made.events[event_id] = event
            del maker.targets[inner:]
        del maker.targets[mark:]
        return made

    def packet_context(self, stream):
        stream.has_total, stream.has_content = self.rng.choice(
            ((True, True), (True, True), (True, True), (True, False), (False, True), (False, False))
        )
        # Without a content size the padding at the end would be event records.
        if not self.words:
            stream.has_total = stream.has_content = True
        word = "length" if self.final else "size"
        members = []
        for has, source, which in ((stream.has_total, "total", "total"), (stream.has_content, "content", "content")):
            if has:
                members.append((source, self.size_field(source, SIZE.format(which, word))))
        if stream.clock and self.chance(0.5):
            begin = "default-clock-timestamp" if self.final else "packet-beginning-default-clock-timestamp"
            members.append(("begin", self.number("time" if self.final else "set_time", (begin,), 1)))
        if stream.clock and self.chance(0.3):
            members.append(("end", self.number("any8", ("packet-end-default-clock-timestamp",), 8)))
        if self.chance(0.2):
            members.append(("lost", self.number("any8", ("discarded-event-record-counter-snapshot",), 8)))
        if self.chance(0.2):
            members.append(("number", self.number("any8", ("packet-sequence-number",), 8)))
        if not members and self.chance(0.5):
            return None
        self.rng.shuffle(members)
        made = self.nested(members)
        if self.chance(0.5):
            user = self.maker.structure(["user"], 1)
            made.members.append(("user", user))
        return made

    def size_field(self, source, role):
        if self.chance(0.25) and not self.words:
            return FieldClass("vuint", source=source, roles=(role,))
        made = self.maker.fixed("uint", self.rng.choice((32, 64)), source=source, roles=(role,))
        return made

    def event_ids(self, stream):
        kind = self.rng.random()
        many = self.rng.sample((0, 1, 2, 3, 29, 31, 200, 2**31, 2**40, 2**63, 2**64 - 1), self.rng.randint(1, 4))
        times = [self.number("time", ("default-clock-timestamp",), 1)] if stream.clock and self.chance(0.8) else []
        if times and self.chance(0.2):
            times.append(self.number("time", ("default-clock-timestamp",), 1))
        times = [(f"t{i}", time) for i, time in enumerate(times)]
        if kind < 0.2 and not times:
            return [0]
        if kind < 0.35:
            stream.header = self.nested(times)
            return [0]
        if kind < 0.55 and not self.words:
            stream.header = self.lttng_header(stream, max(many))
            return many
        members = times + [("id", self.number("event_id", ("event-record-class-id",), max(8, max(many).bit_length())))]
        self.rng.shuffle(members)
        if self.chance(0.15):
            members.insert(0, ("not id", self.number("any8", ("event-record-class-id",), 8)))
        stream.header = self.nested(members)
        return many

    def lttng_header(self, stream, most):
        """A short id and time, or 31 and the whole ones."""
        key = object()
        small = self.maker.fixed("uint", 5, source="short_id", roles=("event-record-class-id",), key=key)
        small.width, small.alignment, small.big = 5, 1, self.maker.big
        times = [] if stream.clock is None else [("t", self.number("time", ("default-clock-timestamp",), 27, False))]
        whole = [("id", self.number("event_id", ("event-record-class-id",), max(8, most.bit_length())))]
        if stream.clock is not None:
            whole.append(("t", self.number("time", ("default-clock-timestamp",), 64)))
        # The compact option ends at a byte, as does every field of the other byte order.
        compact = FieldClass("struct", members=times, alignment=8)
        location = Location("event-record-header", ("id",), key)
        options = [("compact", [[0, 30]], compact), ("extended", [[31, 31]], FieldClass("struct", members=whole, alignment=8))]
        return FieldClass("struct", members=[("id", small), ("v", FieldClass("variant", location=location, options=options))])

    # Metadata.

    def metadata_bytes(self):
        printer = Printer(self.rng, self.final, self.rng.choice((0, 0, 0.1, 0.5)))
        fragments = []

        def add(fragment):
            fragments.extend(printer.fragments)
            printer.fragments = []
            fragments.append(printer.attributed({k: v for k, v in fragment.items() if v is not None}))

        def classes(**roots):
            return {
                name.replace("_", "-") + "-field-class": printer.root(made) for name, made in roots.items() if made is not None
            }

        uuid = list(self.uuid) if self.uuid else None
        add({"type": "preamble", "version": 2, "uuid": uuid if self.final else None})
        if self.header or not self.final and uuid or self.chance(0.3):
            add({"type": "trace-class", **({} if self.final else {"uuid": uuid}), **classes(packet_header=self.header)})
        for clock in self.clocks:
            offset = {"seconds": clock.seconds, "cycles": clock.cycles}
            offset = {name: value for name, value in offset.items() if value or self.chance(0.5)}
            add(
                {
                    "type": "clock-class",
                    "id" if self.final else "name": clock.name,
                    "frequency": clock.frequency,
                    "offset-from-origin" if self.final else "offset": offset if offset or self.chance(0.3) else None,
                }
            )
        for stream in self.streams:
            clock = stream.clock and stream.clock.name
            roots = classes(
                packet_context=stream.context,
                event_record_header=stream.header,
                event_record_common_context=stream.common,
            )
            add(
                {
                    "type": "data-stream-class",
                    "id": stream.id if stream.id or self.chance(0.5) else None,
                    "default-clock-class-id" if self.final else "default-clock-class-name": clock,
                    **roots,
                }
            )
            for event in stream.events.values():
                add(
                    {
                        "type": "event-record-class",
                        "id": event.id if event.id or self.chance(0.5) else None,
                        "data-stream-class-id": stream.id if stream.id or self.chance(0.5) else None,
                        "name": event.name,
                        **classes(specific_context=event.specific, payload=event.payload),
                    }
                )
        plain = self.chance(0.5)
        indent = self.rng.choice((None, None, 1))
        texts = [json.dumps(fragment, ensure_ascii=plain, indent=indent) for fragment in fragments]
        return "".join("\x1e" + text + "\n" for text in texts).encode()

    # Data streams.

    def file_names(self):
        return self.rng.sample(STREAM_FILES, 1 if self.plain else self.rng.choice((1, 1, 2, 3)))

    def data_stream(self):
        stream = self.rng.choice(self.streams)
        id = self.rng.randint(0, 5)
        # A packet of unknown size is the whole data stream.
        count = self.rng.randint(1, 3) if stream.has_total or stream.has_content else 1
        if self.chance(0.02):
            count = 0
        return b"".join(self.packet(stream, id) for _ in range(count))

    def packet(self, stream, id):
        """A packet, written twice: the first time to learn its size."""
        seed = self.rng.getrandbits(64)
        events = self.rng.randint(0, 2 + 2 * self.size)
        first = PacketWriter(self, random.Random(seed), stream, id, 0, 0, events)
        content, padding = first.content, first.padding
        writer = PacketWriter(self, random.Random(seed), stream, id, content + padding, content, events)
        assert writer.content == content
        self.lines += writer.lines
        return bytes(writer.bits.data)


class PacketWriter:
    def __init__(self, trace, rng, stream, id, total, content, events):
        self.trace, self.rng, self.stream, self.id = trace, rng, stream, id
        self.total_size, self.content_size = total, content
        self.clock = 0
        self.has_id = False
        self.event = None
        self.lines = []
        self.bits = Bits(rng)
        sources = {
            name: getattr(self, "the_" + name)
            for name in "magic uuid class_id stream_id total content time set_time event_id short_id any8".split()
        }
        self.encoder = Encoder(rng, self.bits, sources)
        self.encoder.spare_groups = self.spare_groups
        self.groups = None
        if trace.header is not None:
            self.encoder.field(trace.header)
        self.context = None if stream.context is None else self.encoder.field(stream.context)
        for _ in range(events):
            self.write_event()
        self.content = self.bits.at
        self.padding = -self.content % 8
        if stream.has_total and stream.has_content:
            self.padding += rng.choice((0, 0, 8, 32, 800))
        self.bits.reach(self.content + self.padding)

    def write_event(self):
        begin = self.bits.at
        self.event = event = self.stream.events[self.rng.choice(list(self.stream.events))]
        roots = [self.stream.header, self.stream.common, event.specific, event.payload]
        _, common, specific, payload = [None if root is None else self.encoder.field(root) for root in roots]
        if self.bits.at == begin:
            return  # No event record at all.
        pairs = []
        if self.stream.clock is not None:
            pairs.append(("time", self.time()))
        if event.name is not None:
            pairs.append(("name", event.name))
        pairs.append(("id", event.id))
        id = (("id", self.id),) if self.has_id else ()
        pairs.append(("stream", Pairs((("class", self.stream.id), *id))))
        contexts = (("packet", self.context), ("common", common), ("specific", specific))
        context = Pairs((name, value) for name, value in contexts if value is not None)
        if context:
            pairs.append(("context", context))
        if payload is not None:
            pairs.append(("fields", payload))
        self.lines.append(Pairs(pairs))

    def time(self):
        """ns since the origin: whole seconds apart, so that only a part of a second is multiplied."""
        clock = self.stream.clock
        seconds, cycles = divmod(self.clock + clock.cycles, clock.frequency)
        return (clock.seconds + seconds) * 10**9 + cycles * 10**9 // clock.frequency

    # Values of fields with roles.

    def the_magic(self, _):
        return MAGIC

    def the_uuid(self, _):
        return self.trace.uuid

    def the_class_id(self, _):
        return self.stream.id

    def the_stream_id(self, _):
        self.has_id = True
        return self.id

    def the_total(self, made):
        self.groups = 10 if made.kind == "vuint" else None
        return self.total_size

    def the_content(self, made):
        self.groups = 10 if made.kind == "vuint" else None
        return self.content_size

    def the_any8(self, _):
        return self.rng.getrandbits(8)

    def the_event_id(self, _):
        return self.event.id

    def the_short_id(self, _):
        return self.event.id if self.event.id < 31 and self.rng.random() < 0.7 else 31

    def bits_of(self, made):
        """How many bits of the clock a field holds; of a LEB128 one, chosen now."""
        if made.kind == "uint":
            return made.width
        self.groups = self.rng.choice((1, 2, 4, 9, 10))
        return 7 * self.groups

    def the_time(self, made):
        width = min(self.bits_of(made), 64)
        step = self.rng.choice((0, 1, self.rng.getrandbits(width), self.rng.randrange(1 + 2 ** (width // 2))))
        self.clock = (self.clock + step % 2**width) % 2**64
        return self.clock % 2**width

    def the_set_time(self, made):
        self.clock = self.rng.getrandbits(min(self.bits_of(made), self.rng.choice((8, 40, 64))))
        return self.clock

    def spare_groups(self):
        groups, self.groups = self.groups, None
        return groups or self.rng.choice((1, 1, 1, 2, 5, 10, 11, 30))
