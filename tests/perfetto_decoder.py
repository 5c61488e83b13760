"""A reader of Perfetto traces, written from the numbers of its messages alone (tests/perfetto.proto): rebuilds tracks,
nesting of slices, states, counters and flows. `problems` is what Perfetto would drop or misread.

perfetto_decoder.py FILE...     what is in each
"""

import collections
import pathlib
import re
import struct
import sys

BEGIN, END, INSTANT, COUNTER, STATE = 1, 2, 3, 4, 5
RUNNING = 3
CLEARED, NEEDS = 1, 2
MOST_DEPTH = 512


def load_messages():
    """Message → number → (name, type, repeated), from the .proto file."""
    text = (pathlib.Path(__file__).parent / "perfetto.proto").read_text(encoding="utf-8")
    field = re.compile(r"(optional|repeated) (\w+) (\w+) = (\d+);")
    return {
        name: {int(n): (member, kind, label == "repeated") for label, kind, member, n in field.findall(body)}
        for name, body in re.findall(r"message (\w+) \{([^}]*)\}", text)
    }


MESSAGES = load_messages()


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value & (1 << 64) - 1, at


def value_of(kind, wire, raw, data, problems):
    if wire == 2 and kind == "string":
        return data.decode()  # raises where it is no UTF-8
    if wire == 1 and kind in ("fixed64", "double"):
        return struct.unpack("<Q" if kind == "fixed64" else "<d", data)[0]
    if wire == 0 and kind in ("int32", "int64"):
        return raw - (1 << 64) if raw >> 63 else raw
    if wire == 0 and kind == "bool":
        return bool(raw)
    problems.append(f"{kind} with wire type {wire}")
    return None


def decode(message, data, problems):
    """A message as a dictionary of its members; of repeated ones lists."""
    result, at, end, known = {}, 0, len(data), MESSAGES[message]
    while at < end:
        # Nearly all tags and lengths are of one byte, and there are millions of them.
        tag, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
        number, wire, raw, part = tag >> 3, tag & 7, 8, b""
        if wire != 1:
            raw, at = (data[at], at + 1) if data[at] < 0x80 else varint(data, at)
        if wire != 0:
            part, at = data[at : at + raw], at + raw
        if at > end:
            problems.append(f"{message}: field {number} reaches beyond its end")
            break
        if number not in known:
            problems.append(f"{message}: unknown field {number}")
            continue
        name, kind, repeated = known[number]
        if wire == 2 and kind in MESSAGES:
            value = decode(kind, part, problems)
        elif wire == 0 and kind in ("uint32", "uint64"):
            value = raw
        else:
            value = value_of(kind, wire, raw, part, problems)
        if repeated:
            result.setdefault(name, []).append(value)
        else:
            result[name] = value
    return result


Slice = collections.namedtuple("Slice", "track name category begin end depth args")  # end None: it did not end
State = collections.namedtuple("State", "track name begin end args")
Task = collections.namedtuple("Task", "time tid comm state cpu")


class Trace:
    def __init__(self, data):
        self.problems, self.tracks, self.attributes, self.clocks = [], {}, {}, {}
        self.callstacks = []  # (time, functions from the outermost on; addresses where there is no name)
        self.slices, self.states, self.counters, self.flows, self.tasks = [], [], [], [], []
        self.instants = {}  # track → the time of the last one, and how many there were
        self.task_states = {}  # tid → state
        self.names = collections.defaultdict(dict)  # kind → iid → name
        self.packets = decode("Trace", data, self.problems).get("packet", [])
        events = []
        for packet in self.packets:
            time = self.packet(packet)
            if time is not None:
                events.append((time, packet))
        self.end = max((time for time, _ in events), default=0)
        self.replay(sorted(events, key=lambda event: event[0]))

    def packet(self, packet):
        """What a packet says of the sequence. Returns the time of what happens in it."""
        if packet.get("trusted_packet_sequence_id") != 1:
            self.problems.append("packet of another sequence")
        if packet.get("sequence_flags", 0) & CLEARED:
            self.names.clear()
        if "clock_snapshot" in packet:
            self.clocks = {c["clock_id"]: c["timestamp"] for c in packet["clock_snapshot"]["clocks"]}
            self.counting = {c["clock_id"] for c in packet["clock_snapshot"]["clocks"] if c.get("is_incremental")}
            self.default = packet["trace_packet_defaults"]["timestamp_clock_id"]
        for kind, entries in packet.get("interned_data", {}).items():
            for entry in entries:
                if entry["iid"] == 0 or entry["iid"] in self.names[kind]:
                    self.problems.append(f"{kind} {entry['iid']} is 0 or given twice")
                self.names[kind][entry["iid"]] = entry.get("name", entry)
        for attribute in packet.get("trace_attributes", {}).get("attribute", []):
            self.attributes[attribute["key"]] = attribute.get("long_value", attribute.get("string_value"))
        if "track_descriptor" in packet:
            self.describe(packet["track_descriptor"])
        if "timestamp" not in packet:
            return None
        if not packet.get("sequence_flags", 0) & NEEDS:
            self.problems.append("a time of a clock of the sequence without the flag for it")
        clock = packet.get("timestamp_clock_id", self.default)
        time = packet["timestamp"]
        if clock in self.counting:
            time = self.clocks[clock] = self.clocks[clock] + time
        if time >> 63:
            self.problems.append(f"time {time} is negative")
        event = packet.get("track_event")
        if event is not None:  # names are known when the packet comes, not when it is sorted in
            event["name"] = self.name(event, "event_names")
            event["args"] = dict(map(self.annotation, event.get("debug_annotations", [])))
            iids = [self.names["event_categories"][i] for i in event.get("category_iids", [])]
            event["categories"] = event.get("categories", []) + iids
            if "callstack_iid" in event:
                self.callstacks.append((time, self.stack(event["callstack_iid"])))
        return time

    def describe(self, track):
        if "uuid" not in track or track["uuid"] in self.tracks:
            self.problems.append(f"track {track.get('uuid')} has no number or comes twice")
        if track.get("parent_uuid", 0) and track["parent_uuid"] not in self.tracks:
            self.problems.append(f"track {track['uuid']} comes before its parent")
        if "thread" in track and not track["thread"].keys() >= {"pid", "tid"}:
            self.problems.append("a thread lacks one of its numbers")
        self.tracks[track["uuid"]] = track

    def stack(self, iid):
        frames = []
        for frame in (self.names["frames"][i] for i in self.names["callstacks"][iid]["frame_ids"]):
            if frame["mapping_id"] not in self.names["mappings"]:
                self.problems.append(f"frame {frame['iid']} is of no mapping")
            function = frame.get("function_name_id")
            frames.append(frame["rel_pc"] if function is None else self.names["function_names"][function])
        return tuple(frames)

    def name(self, message, kind):
        return self.names[kind][message["name_iid"]] if "name_iid" in message else message.get("name")

    def annotation(self, annotation):
        values = [v for k, v in annotation.items() if k.endswith("_value")]
        if len(values) != 1:
            self.problems.append("an annotation without one value")
        return self.name(annotation, "debug_annotation_names"), values[0]

    def replay(self, events):
        open_slices, open_states, active, running = collections.defaultdict(list), {}, {}, {}
        for time, packet in events:
            if "generic_kernel_task_state_event" in packet:
                self.task(time, packet["generic_kernel_task_state_event"], running)
            if "track_event" in packet:
                self.event(time, packet["track_event"], open_slices, open_states, active)
        for track, stack in open_slices.items():
            self.slices += [Slice(track, *rest) for rest in stack]
        self.states += [State(t, n, b, None, a) for t, (n, b, a) in open_states.items() if n is not None]

    def event(self, time, event, open_slices, open_states, active):
        track, kind = event["track_uuid"], event["type"]
        sort = self.tracks.get(track, {})
        if not sort or ("counter" in sort) != (kind == COUNTER) or ("state" in sort) != (kind == STATE):
            self.problems.append(f"an event of type {kind} on track {track}")
        stack = open_slices[track]
        # Instants of one time lie in each other.
        last, count = self.instants.get(track, (None, 0))
        count = count if last == time and kind == INSTANT else 0
        if kind in (BEGIN, END, INSTANT):
            self.instants[track] = (time if kind == INSTANT else None, count + 1)
        if kind in (BEGIN, INSTANT):
            depth = len(stack) + count
            if depth >= MOST_DEPTH:
                self.problems.append("a slice is too deep")
            category = ",".join(event["categories"]) or None
            end = time if kind == INSTANT else None
            stack.append([event["name"], category, time, end, depth, event["args"]])
            self.flow(time, event, (track, event["name"]), active)
        if kind in (END, INSTANT):
            if not stack:
                return self.problems.append(f"an end without a begin on track {track}")
            stack[-1][3] = time
            stack[-1][5].update(event["args"])
            self.slices.append(Slice(track, *stack.pop()))
        if kind == STATE:
            name, begin, args = open_states.get(track, (None, 0, {}))
            if name is not None and name == event["name"]:
                return args.update(event["args"])  # the same again goes on
            if name is not None:
                self.states.append(State(track, name, begin, time, args))
            open_states[track] = (event["name"], time, event["args"])
        if kind == COUNTER:
            self.counters.append((track, time, event.get("counter_value", event.get("double_counter_value"))))
        values = event.get("extra_counter_values", [])
        tracks = event.get("extra_counter_track_uuids", [])
        if len(values) != len(tracks) or any("counter" not in self.tracks[t] for t in tracks):
            self.problems.append("values and tracks of counters do not go together")
        self.counters += [(t, time, v) for t, v in zip(tracks, values)]
        return None

    def flow(self, time, event, place, active):
        for ident in event.get("terminating_flow_ids", []):
            if ident in active:
                self.flows.append((*active.pop(ident), time, *place))
        for ident in event.get("flow_ids", []):
            active[ident] = (time, *place)

    def task(self, time, event, running):
        cpu, tid = event["cpu"], event["tid"]
        before = self.task_states.get(tid)
        self.task_states[tid] = event["state"]
        if not 1 <= event["state"] <= 8 or event["state"] == before == RUNNING:
            self.problems.append(f"task {tid} cannot be in state {event['state']} now")
        if event["state"] == RUNNING and running.get(cpu, tid) != tid:
            self.problems.append(f"task {tid} runs on processor {cpu} beside {running[cpu]}")
        if event["state"] == RUNNING:
            running[cpu] = tid
        elif before == RUNNING and running.pop(cpu, None) != tid:
            self.problems.append(f"task {tid} leaves processor {cpu}, on which it does not run")
        self.tasks.append(Task(time, tid, event.get("comm"), event["state"], cpu))


def main():
    for file in sys.argv[1:]:
        trace = Trace(pathlib.Path(file).read_bytes())
        for what in ("tracks", "callstacks", "slices", "states", "counters", "flows", "tasks"):
            print(f"{file}: {len(getattr(trace, what))} {what}")
        for problem, count in collections.Counter(trace.problems).most_common(20):
            print(f"{file}: problem: {problem} ({count} times)")


if __name__ == "__main__":
    main()
