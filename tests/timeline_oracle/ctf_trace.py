"""Writes CTF 1.8 traces of two CPUs, a data stream file each, with lost events."""

import struct


class Ctf:
    """`classes`: name -> members, integers of 64 bits or (`NAME:s`) texts."""

    def __init__(self, classes, has_thread):
        self.classes, self.has_thread = classes, has_thread
        self.packets = {0: [], 1: []}
        self.events = {0: [], 1: []}
        self.discarded = {0: 0, 1: 0}
        self.end = 0  # of all

    def event(self, cpu, time, name, values, thread):
        made = struct.pack("<IQ", list(self.classes).index(name), time)
        if self.has_thread:
            made += struct.pack("<QQ", 100 + thread % 2, thread)
        for member in self.classes[name]:
            key, _, is_text = member.partition(":")
            made += values[key].encode() + b"\0" if is_text else struct.pack("<Q", values[key])
        self.events[cpu].append((time, made))
        self.end = max(self.end, time)

    def packet(self, cpu, discarded=0, end=0):
        """Ends the packet of a CPU; so many events were lost in it. `end`: it does not end before."""
        events, self.events[cpu] = self.events[cpu], []
        if not events and (end == 0 or not self.packets[cpu]):
            return
        self.discarded[cpu] += discarded
        content = b"".join(made for time, made in events)
        size = 8 * (12 + 44 + len(content))
        head = struct.pack("<III", 0xC1FC1FC1, 0, cpu)
        head += struct.pack("<QQQQQI", events[0][0] if events else end, max(end, events[-1][0] if events else 0), size, size, self.discarded[cpu], cpu)
        self.packets[cpu].append(head + content)

    def write(self, folder):
        folder.mkdir()
        (folder / "metadata").write_text(self.metadata())
        for cpu in self.packets:
            self.packet(cpu, end=self.end)  # all buffers are flushed at once
            (folder / f"channel0_{cpu}").write_bytes(b"".join(self.packets[cpu]))

    def metadata(self):
        u64, u32 = "integer { size = 64; align = 8; }", "integer { size = 32; align = 8; }"
        text = "/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le;\n"
        text += f"  packet.header := struct {{ {u32} magic; {u32} stream_id; {u32} stream_instance_id; }}; }};\n"
        text += "clock { name = monotonic; freq = 1000000000; };\n"
        text += "typealias integer { size = 64; align = 8; map = clock.monotonic.value; } := time_t;\nstream { id = 0;\n"
        text += f"  packet.context := struct {{ time_t timestamp_begin; time_t timestamp_end; {u64} content_size; {u64} packet_size; {u64} events_discarded; {u32} cpu_id; }};\n"
        text += f"  event.header := struct {{ {u32} id; time_t timestamp; }};\n"
        if self.has_thread:
            text += f"  event.context := struct {{ {u64} vpid; {u64} vtid; }};\n"
        text += "};\n"
        for number, (name, members) in enumerate(self.classes.items()):
            fields = " ".join(f"string {one.partition(':')[0]};" if ":" in one else f"{u64} {one};" for one in members)
            text += f'event {{ name = "{name}"; id = {number}; stream_id = 0; fields := struct {{ {fields} }}; }};\n'
        return text
