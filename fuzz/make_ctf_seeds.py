#!/usr/bin/env python3
"""Writes the seed corpora of the CTF fuzz targets: make_ctf_seeds.py TRACEDECK TRACES [FOLDER]

Small traces of both documents of CTF 2 from the reference traces, the same as CTF 1.8 from the writer (TRACEDECK is the
command), and texts in TSDL that no writer makes. The corpora are checked in; run this again after adding a seed.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

MARKER = b"\n%%\n"
RC3 = """003-ba-user-attrs 005-ba-padding-be 012-bool-minimal 020-int-odd-lengths-be 021-int-64bit-unaligned
    027-uenum-hex 030-enum-64bit-limits 033-fp-32-64 034-fp-16 041-vl-sint 049-sl-str-garbage 099-many-packets-padding
    116-clock-class-offset-seconds-only 120-lttng-like-header 081-opt-nested""".split()
OFTEN = ("align", "array", "blob", "str", "opt", "var", "role", "clock", "pkt", "packet", "dsc", "vl-", "sl-", "dl-")
MOST = 2400  # bytes of a trace

TSDL = {
    "types": """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 027; align = 1; signed = true; base = x; byte_order = le; } := odd *const;
typealias floating_point { exp_dig = 8; mant_dig = 24; align = 32; } := float;
typedef uint8_t byte, bytes[3];
struct pair { uint8_t a; struct { string { encoding = ASCII; } b; } c; } align(16);
enum color : uint8_t { RED, GREEN = 5 ... 9, "DARK \\"BLUE\\"", RED = 200 };
variant <tag> choice { uint8_t RED; string GREEN; };
trace { major = 1; minor = 8; byte_order = be; uuid = "12345678-1234-1234-1234-123456789abc";
  packet.header := struct { integer { size = 32; align = 32; } magic; uint8_t uuid[16]; uint8_t stream_id; }; };
env { host = "h\\x41\\101"; level = -3; };
clock { name = mono; freq = 1000; offset_s = 5; offset = 0x10; precision = 2; absolute = TRUE; description = "d"; };
stream { id = 1; event.header := struct { uint8_t id; integer { size = 48; map = clock.mono.value; } timestamp; };
  packet.context := struct { uint8_t n; integer { size = 16; align = 16; } content_size; uint8_t events_discarded; };
  event.context := struct { uint8_t vpid; }; };
event { name = "e"; id = 2; stream_id = 1; loglevel = 6; model.emf.uri = "u"; context := struct { uint8_t len; };
  fields := struct { uint8_t n; bytes fixed; byte seq[n]; byte other[stream.packet.context.n]; struct pair p;
    enum color tag; choice v; integer { size = 8; encoding = UTF8; } text[event.context.len]; // a comment
    enum : uint8_t { OTHER } t2; variant <t2> { float OTHER; } w; } align(8); };
""",
    "wire": """/* CTF 1.8 */
typealias integer { size = 32; align = 8; } := u32;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { u32 magic; }; };
stream { packet.context := struct { u32 content_size; u32 packet_size; u32 packet_seq_num; u32 events_discarded; };
  event.header := struct { integer { size = 8; align = 8; } id; }; };
event { id = 1; name = "e"; fields := struct { string s; }; };
""",
    "callsite": '/* CTF 1.8 */\ntrace { major = 1; minor = 8; byte_order = le; };\ncallsite { name = "f"; func = "g"; };\n',
    "faults": """/* CTF 1.8 */
trace { major = 2; minor = 8; byte_order = middle; };
stream { id = 1; id = 2; event.header := struct { int x[y]; variant <z> { } v; }; };
event { fields := struct { integer { size = 0; align = 3; } a; enum : string { A = 9 ... 1 } e; }; }
/* never ends """,
}


def files_of(trace):
    return [path for path in sorted(trace.iterdir()) if path.is_file() and path.name != "metadata"]


def joined(metadata, files):
    return MARKER.join([metadata, *(path.read_bytes() for path in files[:2])])


def packets(text, uuid=b"\x11" * 16):
    """TSDL in two packets, with padding."""
    half = len(text) // 2
    stream = b""
    for part, order in ((text[:half], "<"), (text[half:], "<")):
        size = 37 + len(part)
        stream += struct.pack(order + "I", 0x75D11D57) + uuid
        stream += struct.pack(order + "IIIBBBBB", 0, size * 8, (size + 11) * 8, 0, 0, 0, 1, 8) + part + bytes(11)
    return stream


def wire():
    """Packets of the metadata of that name as a wire delivers them: begun before, with bytes lost and made up."""

    def packet(events, sequence):
        size = 8 * (20 + len(events))
        return struct.pack("<IIIII", 0xC1FC1FC1, size, size + 32, sequence, sequence // 3) + events + bytes(4)

    whole = [packet(b"\1one\0\1two\0", i) for i in range(5)]
    lost = whole[1][:25] + whole[1][28:]
    return whole[0][9:] + whole[0] + lost + whole[2] + whole[0][:4] * 3 + packet(b"\2?\0", 3) + whole[4][:-3]


def chosen(traces):
    """Small traces: those named, and of each family that a word stands for the first few."""
    folders = [path for path in sorted(traces.iterdir()) if path.is_dir()]
    small = [path for path in folders if sum(file.stat().st_size for file in path.iterdir()) <= MOST]
    picked = [path for path in small if path.name in RC3]
    for word in OFTEN:
        picked += [path for path in small if word in path.name][:2]
    return sorted(set(picked))


def main():
    command, traces = sys.argv[1], pathlib.Path(sys.argv[2]) / "ctf"
    corpus = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else pathlib.Path(__file__).parent / "corpus")

    def put_trace(name, content):
        put("ctf_packets", name, content)
        if sum(map(ord, name)) % 4 == 0:
            put("ctf_command", name, content)

    def put(target, name, content):
        (corpus / target).mkdir(parents=True, exist_ok=True)
        (corpus / target / name).write_bytes(content)

    for part in ("rc3", "final", "rc3-decode-error"):
        for i, trace in enumerate(chosen(traces / part)):
            metadata = (trace / "metadata").read_bytes()
            if i % 3 == 0:
                put("ctf_json_metadata", f"{part}-{trace.name}", metadata)
            put_trace(f"{part}-{trace.name}", joined(metadata, files_of(trace)))
    for i, trace in enumerate(chosen(traces / "rc3-invalid-metadata")):
        put("ctf_json_metadata", f"invalid-{trace.name}", (trace / "metadata").read_bytes())
    with tempfile.TemporaryDirectory() as folder:
        for i, trace in enumerate(chosen(traces / "rc3")):
            out = pathlib.Path(folder) / trace.name
            done = subprocess.run([command, "convert", "--to", "ctf1", "-o", out, trace], capture_output=True)
            if done.returncode != 0:
                continue
            metadata = (out / "metadata").read_bytes()
            put_trace(f"ctf1-{trace.name}", joined(metadata, files_of(out)))
            if i % 3 == 0:
                put("ctf_tsdl_metadata", f"written-{trace.name}", metadata)
            if i == 1:
                put("ctf_tsdl_metadata", "packets", packets(metadata))
    for name, text in TSDL.items():
        put("ctf_tsdl_metadata", name, text.encode())
    put_trace("ctf1-types", joined(TSDL["types"].encode(), []) + MARKER + bytes(64))
    put("ctf_packets", "ctf1-wire", TSDL["wire"].encode() + MARKER + wire())
    put_trace("two-files", MARKER.join([(traces / "rc3/012-bool-minimal/metadata").read_bytes(), bytes(9), b"\1"]))


if __name__ == "__main__":
    main()
