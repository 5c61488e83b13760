"""Zephyr's CTF: no packets, no clock, a time in ns and an id before the fields of each event (subsys/tracing/ctf).

A thread is switched out and the next one in. Why it does not run is known only by the hooks for pending and ready. Nothing says which
processor an event is of, unless a board adds a cpu_id.
"""

import struct

from .rtos_kernel import MUTEX

ZEPHYR_HEAD = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = true; } := int8_t;
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 32; align = 8; signed = true; } := int32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
typealias integer { size = 8; align = 8; signed = false; encoding = ASCII; } := ctf_bounded_string_t;

"""
THREAD = "uint32_t thread_id; ctf_bounded_string_t name[20];"
ZEPHYR_CLASSES = {
    "thread_switched_out": (0x10, THREAD), "thread_switched_in": (0x11, THREAD),
    "thread_priority_set": (0x12, THREAD + " int8_t prio;"), "thread_create": (0x13, THREAD), "thread_abort": (0x14, THREAD),
    "thread_suspend": (0x15, THREAD), "thread_resume": (0x16, THREAD),
    "thread_ready": (0x17, THREAD), "thread_pending": (0x18, THREAD),
    "isr_enter": (0x1B, ""), "isr_exit": (0x1C, ""), "idle": (0x1E, ""),
    "semaphore_give_enter": (0x22, "uint32_t id;"), "semaphore_give_exit": (0x23, "uint32_t id;"),
    "semaphore_take_enter": (0x24, "uint32_t id; uint32_t timeout;"),
    "semaphore_take_blocking": (0x25, "uint32_t id; uint32_t timeout;"),
    "semaphore_take_exit": (0x26, "uint32_t id; uint32_t timeout; int32_t ret;"),
    "mutex_lock_enter": (0x29, "uint32_t id; uint32_t timeout;"),
    "mutex_lock_blocking": (0x2A, "uint32_t id; uint32_t timeout;"),
    "mutex_lock_exit": (0x2B, "uint32_t id; uint32_t timeout; int32_t ret;"),
    "mutex_unlock_enter": (0x2C, "uint32_t id;"), "mutex_unlock_exit": (0x2D, "uint32_t id; int32_t ret;"),
}


def zephyr_class(event):
    """The class that an event is written as, or None."""
    thing = event.fields.get("thing")
    call = "mutex_lock" if thing is not None and thing.kind == MUTEX else "semaphore_take"
    back = "mutex_unlock" if thing is not None and thing.kind == MUTEX else "semaphore_give"
    return {
        "deleted": "thread_abort", "suspended": "thread_suspend", "resumed": "thread_resume", "created": "thread_create", "ready": "thread_ready", "pending": "thread_pending", "switched_in": "thread_switched_in",
        "switched_out": "thread_switched_out", "isr_enter": "isr_enter", "isr_exit": "isr_exit", "idle": "idle",
        "take_enter": call + "_enter", "block_take": call + "_blocking", "take_exit": call + "_exit",
        "give_enter": back + "_enter", "give_exit": back + "_exit", "inherit": "thread_priority_set",
        "disinherit": "thread_priority_set",
    }.get(event.name)


def thread_fields(task):
    return struct.pack("<I", task.number) + task.name.encode().ljust(20, b"\0")


def metadata(wide, payload, context):
    """`wide`: 64-bit times; `payload`, `context`: where the processor is said."""
    lines = [ZEPHYR_HEAD, f"struct event_header {{ {'uint64_t' if wide else 'uint32_t'} timestamp; uint8_t id; }};"]
    lines.append("trace { major = 1; minor = 8; byte_order = le; };")
    more = " event.context := struct { uint8_t cpu_id; };" if context else ""
    lines.append(f"stream {{ event.header := struct event_header;{more} }};")
    for name, (number, fields) in ZEPHYR_CLASSES.items():
        if payload and name.startswith("thread_switched"):
            fields += " uint8_t cpu_id;"
        body = f" fields := struct {{ {fields} }};" if fields else ""
        lines.append(f"event {{ name = {name}; id = {number:#x};{body} }};")
    return "\n".join(lines) + "\n"


def encoded(event, time, wide, payload, context):
    name, fields = zephyr_class(event), event.fields
    body = struct.pack("<QB" if wide else "<IB", time, ZEPHYR_CLASSES[name][0])
    if context:
        body += bytes([event.core])
    if name.startswith("thread_"):
        body += thread_fields(fields["task"])
        if name == "thread_priority_set":
            body += struct.pack("<b", -fields["priority"])
    if name.startswith("thread_switched") and payload:
        body += bytes([event.core])
    if "thing" in fields:
        body += struct.pack("<I", fields["thing"].number)
        if "_take_" in name or "_lock_" in name:
            body += struct.pack("<I", 0xFFFFFFFF)
        if name.endswith(("take_exit", "lock_exit")) and "unlock" not in name:
            body += struct.pack("<i", fields.get("ret", 0))
        if name == "mutex_unlock_exit":
            body += struct.pack("<i", 0)
    return body
