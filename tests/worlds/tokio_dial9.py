"""dial9's events and the bytes of a recorder's batch: tests/dial9_writer.py makes the frames.

Classes of events and their fields are those of dial9 0.3 and 0.4.
"""

import dial9_writer as wire

V, S, K = wire.VARINT, wire.POOLED_STRING, wire.POOLED_STACK
CLASSES = {
    "ClockSyncEvent": [("realtime_ns", V)],
    "SegmentMetadataEvent": [("entries", wire.STRING_MAP)],
    "PollStartEvent": [("worker_id", V), ("local_queue", wire.U8), ("task_id", V), ("spawn_loc", S)],
    "PollEndEvent": [("worker_id", V)],
    "WorkerParkEvent": [("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("tid", wire.U32)],
    "WorkerUnparkEvent": [
        ("worker_id", V), ("local_queue", wire.U8), ("cpu_time_ns", V), ("sched_wait_ns", V), ("tid", wire.U32),
    ],
    "TaskSpawnEvent": [("task_id", V), ("spawn_loc", S), ("instrumented", wire.BOOL)],
    "TaskTerminateEvent": [("task_id", V)],
    "WakeEventEvent": [("waker_task_id", V), ("woken_task_id", V), ("target_worker", wire.U8)],
    "TaskDumpEvent": [("task_id", V), ("callchain", K)],
    "SpanCloseEvent": [("span_id", V)],
    "CpuSampleEvent": [
        ("worker_id", V), ("tid", wire.U32), ("source", wire.U8), ("thread_name", wire.OPTIONAL | S), ("callchain", K),
        ("cpu", wire.OPTIONAL | V),
    ],
    "SymbolTableEntry": [
        ("addr", V), ("size", V), ("symbol_name", S), ("inline_depth", V), ("source_file", S), ("source_line", V),
    ],
    "AllocEvent": [("tid", wire.U32), ("size", V), ("addr", V), ("callchain", K)],
    "FreeEvent": [("tid", wire.U32), ("addr", V), ("size", V), ("alloc_timestamp_ns", V)],
    "JobStart": [("job", V), ("worker", V)],
    "JobEnd": [("job", V), ("worker", V)],
}
ENTER = [("worker_id", V), ("span_id", V), ("parent_span_id", wire.OPTIONAL | V), ("span_name", S)]
EXIT = [("worker_id", V), ("span_id", V), ("span_name", S)]


def encoded(kind, value, strings, stacks):
    if kind & wire.OPTIONAL:
        return wire.ABSENT if value is None else wire.present(encoded(kind & ~wire.OPTIONAL, value, strings, stacks))
    if kind == S:
        return wire.u32(strings.setdefault(value, len(strings)))
    if kind == K:
        return wire.u32(stacks.setdefault(value, len(stacks)))
    if kind == wire.STRING_MAP:
        return wire.string_map(*value)
    return {V: wire.varint, wire.U8: wire.u8, wire.U32: wire.u32, wire.BOOL: wire.u8}[kind](value)


def fields_of(name):
    return ENTER if name.startswith("SpanEnter:") else EXIT if name.startswith("SpanExit:") else CLASSES[name]


def batch(events):
    """The frames of a batch: [(bytes, event or None)]."""
    frames, numbers, strings, stacks, base = [(wire.header(), None)], {}, {}, {}, 0
    for event in events:
        fields = fields_of(event.name)
        if event.name not in numbers:
            numbers[event.name] = len(numbers)
            frames.append((wire.schema(numbers[event.name], event.name, fields), None))
        known = len(strings), len(stacks)
        values = b"".join(encoded(kind, event.fields[field], strings, stacks) for field, kind in fields)
        if len(strings) > known[0]:
            frames.append((wire.string_pool(*((i, text) for text, i in list(strings.items())[known[0] :])), None))
        if len(stacks) > known[1]:
            frames.append((wire.stack_pool(*((i, stack) for stack, i in list(stacks.items())[known[1] :])), None))
        if not 0 <= event.time - base <= 0xFFFFFF:
            frames.append((wire.reset(event.time), None))
            base = event.time
        frames.append((wire.event(numbers[event.name], values, event.time - base), event))
        base = event.time
    return frames
