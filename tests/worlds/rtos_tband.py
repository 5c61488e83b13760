"""Tonbandgerät: COBS frames of FreeRTOS's hooks (the manual's trace format, and its table of events)."""

def varint(value):
    result = bytearray()
    while True:
        result.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(result)


def cobs(payload):
    result = bytearray()
    for block in payload.split(b"\0"):
        while len(block) >= 254:
            result += b"\xff" + block[:254]
            block = block[254:]
        result += bytes([len(block) + 1]) + block
    return bytes(result) + b"\0"


def frame(number, *values):
    return cobs(bytes([number]) + b"".join(v if isinstance(v, bytes) else varint(v) for v in values))


ISR_NAMES = {9: "UART", 10: "DMA"}


def tband_frames(event):
    """The frames of an event: a creation is several."""
    time, fields = event.time, event.fields
    task, thing = fields.get("task"), fields.get("thing")
    name = event.name
    if name == "created":
        created = frame(0x5E, time, task.number)
        known = fields["priority"] is not None
        return [created, frame(0x5B, time, task.number, fields["priority"])] if known else [created]
    one = {
        "ready": lambda: frame(0x55, time, task.number),
        "deleted": lambda: frame(0x62, time, task.number),
        "suspended": lambda: frame(0x58, time, task.number),
        "resumed": lambda: frame(0x56, time, task.number),
        "switched_in": lambda: frame(0x54, time, task.number),
        "delay": lambda: frame(0x59, time, fields["ticks"]),
        "took": lambda: frame(0x6A, time, thing.number, fields["level"]),
        "gave": lambda: frame(0x66, time, thing.number, fields["level"]),
        "gave_isr": lambda: frame(0x67, time, thing.number, fields["level"]),
        "block_take": lambda: frame(0x6F, time, thing.number, 0xFFFFFFFF),
        "block_send": lambda: frame(0x6E, time, thing.number, 0xFFFFFFFF),
        "inherit": lambda: frame(0x5C, time, task.number, fields["priority"]),
        "disinherit": lambda: frame(0x5D, time, task.number, fields["priority"]),
        "isr_enter": lambda: frame(0x04, time, fields["isr"]),
        "isr_exit": lambda: frame(0x05, time, fields["isr"]),
        "marker_begin": lambda: frame(0x7C, time, 0, b"go"),
        "marker_end": lambda: frame(0x7D, time, 0),
        "dropped": lambda: frame(0x01, time, fields["count"]),
        "core": lambda: frame(0x00, time, event.core),
    }[name]
    return [one()]


TBAND_CLASSES = {
    "deleted": ("task_deleted",), "suspended": ("task_suspended",), "resumed": ("task_resumed",),
    "created": ("task_created", "task_priority_set"), "ready": ("task_to_rdy_state",), "switched_in": ("task_switched_in",),
    "delay": ("curtask_delay",), "took": ("queue_receive",), "gave": ("queue_send",), "gave_isr": ("queue_send_from_isr",),
    "block_take": ("curtask_block_on_queue_receive",), "block_send": ("curtask_block_on_queue_send",), "inherit": ("task_priority_inherit",),
    "disinherit": ("task_priority_disinherit",), "isr_enter": ("isr_enter",), "isr_exit": ("isr_exit",),
    "marker_begin": ("task_evtmarker_begin",), "marker_end": ("task_evtmarker_end",), "dropped": ("dropped_evt_cnt",),
    "core": ("core_id",),
}
