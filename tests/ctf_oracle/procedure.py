"""The data stream decoding procedure: CTF2-SPECRC-3.0, section 6; CTF2-SPEC-2.0, section 6.

The names are the specification's (RC 3.0: O, PO, PKT_TOTAL_SZ; 2.0 calls O - PO X, and sizes lengths). Where the
release candidate has a slip that 2.0 mends, the text of 2.0 is followed: the first bit of a big-endian bit array
is its most significant one, and no field goes past the packet's content.
"""

import math

from .values import Array, BitArray, Blob, Boolean, Cell, Integer, Nil, Real, String, Structure, real, signed, text
from .values import unsigned

INFINITY = math.inf
MAGIC = 0xC1FC1FC1
CLOCK_MASK = 2**64 - 1

# Limits of the reader's own.
MOST_BITS = 65536
MOST_EMPTY_ELEMENTS = 65536

UNIT = {"utf-8": 1, "utf-16be": 2, "utf-16le": 2, "utf-32be": 4, "utf-32le": 4}
TOTAL = {"packet-total-size", "packet-total-length"}
CONTENT = {"packet-content-size", "packet-content-length"}
UUID = {"trace-class-uuid", "metadata-stream-uuid"}
FIXED = "fixed-length-"
VARIABLE = "variable-length-"


class Abort(Exception):
    """`Report an error and abort the data stream decoding process.`"""


class Fault:
    """An error in a packet; `offset`: the byte that was reached."""

    def __init__(self, offset, sentence):
        self.offset = offset
        self.sentence = sentence


class Event:
    def __init__(self, packet, event_record_class, clock_value, roots):
        self.packet = packet
        self.event_record_class = event_record_class
        self.clock_value = clock_value
        self.common = roots.get("event-record-common-context")
        self.specific = roots.get("event-record-specific-context")
        self.payload = roots.get("event-record-payload")


class Packet:
    """One packet: its bytes [begin, end) of the data stream, its events, and the first fault, None when there is
    none. `end` is where the next packet begins. `odd_times`: rule and byte offset of times that the packet's begin
    and end rule out (pkt-ctx-roles), the first event record's alone."""

    def __init__(self, begin):
        self.begin = begin
        self.end = begin
        self.events = []
        self.fault = None
        self.odd_times = []
        self.data_stream_class = None
        self.data_stream_id = None
        self.context = None


def in_ranges(value, ranges):
    return any(lower <= value <= upper for lower, upper in ranges)


class DataStream:
    """Decodes a data stream S."""

    def __init__(self, metadata, S):
        self.metadata = metadata
        self.S = S
        self.O = 0
        self.alignments = {}

    def packets(self):
        # While there's remaining data in S: decode a packet.
        while self.O < len(self.S) * 8:
            yield self.packet()

    # Packet decoding procedure (pkt-dec).

    def packet(self):
        self.DEF_CLK_VAL = 0
        self.DSC_ID = 0
        self.DS_ID = None
        self.PKT_TOTAL_SZ = INFINITY
        self.PKT_CONTENT_SZ = INFINITY
        self.LAST_BO = None
        self.invalid = None
        self.begin_time = None
        self.end_time = None
        self.PO = self.O
        self.roots = {}
        packet = Packet(self.PO // 8)
        try:
            self.packet_fields(packet)
            self.event_records(packet)
        except Abort as error:
            packet.fault = Fault(min(self.O // 8, len(self.S)), str(error))
        end = self.PO + self.PKT_TOTAL_SZ
        if packet.fault is None and self.PKT_TOTAL_SZ is not INFINITY and end > len(self.S) * 8:
            packet.fault = Fault(len(self.S), "the data stream ends within the packet")
        # 8. If PKT_TOTAL_SZ and PKT_CONTENT_SZ both are not infinite, then set O to PO + PKT_TOTAL_SZ.
        if self.PKT_TOTAL_SZ is not INFINITY and (packet.fault is None or self.possible_total()):
            self.O = min(end, len(self.S) * 8)
        elif packet.fault is not None:
            self.O = len(self.S) * 8
        packet.end = self.O // 8
        return packet

    def possible_total(self):
        """Whether the next packet can begin where the total size says: at a byte, behind what was read of the
        header and context, and behind the content."""
        least = max(self.fields_end - self.PO, 1)
        if self.PKT_CONTENT_SZ is not INFINITY:
            least = max(least, self.PKT_CONTENT_SZ)
        return self.PKT_TOTAL_SZ % 8 == 0 and self.PKT_TOTAL_SZ >= least

    def packet_fields(self, packet):
        # 2.
        self.fields_end = self.PO
        field_class = self.metadata.trace_class.get("packet-header-field-class")
        if field_class is not None:
            self.root("packet-header", field_class)
        header_end = self.fields_end = self.O
        packet.data_stream_id = self.DS_ID
        # 3.
        DSC = self.metadata.data_stream_classes.get(self.DSC_ID)
        if DSC is None:
            raise Abort(f"no data stream class has the ID {self.DSC_ID}")
        packet.data_stream_class = DSC
        # 4.
        field_class = DSC.get("packet-context-field-class")
        if field_class is not None:
            self.root("packet-context", field_class)
            packet.context = self.roots["packet-context"]
        self.fields_end = self.O
        # 5.
        if self.PKT_TOTAL_SZ is INFINITY and self.PKT_CONTENT_SZ is not INFINITY:
            self.PKT_TOTAL_SZ = self.PKT_CONTENT_SZ
        # 6.
        if self.PKT_CONTENT_SZ is INFINITY and self.PKT_TOTAL_SZ is not INFINITY:
            self.PKT_CONTENT_SZ = self.PKT_TOTAL_SZ
        if self.PKT_CONTENT_SZ > self.PKT_TOTAL_SZ:
            raise Abort("the content size is greater than the total size")
        if self.PKT_TOTAL_SZ is not INFINITY and self.PKT_TOTAL_SZ % 8 != 0:
            raise Abort("the total size is no multiple of 8")
        if self.PKT_CONTENT_SZ < self.O - self.PO:
            raise Abort("the content ends before the packet context does")
        if self.PKT_TOTAL_SZ == 0:
            raise Abort("a packet contains one or more bytes")
        if self.invalid is not None:
            raise Abort(self.invalid)
        if None not in (self.begin_time, self.end_time) and self.begin_time > self.end_time:
            packet.odd_times.append(("ctf/packet-times", header_end // 8))

    def event_records(self, packet):
        # 7.
        odd = False
        while self.O < self.PO + self.PKT_CONTENT_SZ and self.O < len(self.S) * 8:
            begin = self.O
            event = self.event_record(packet)
            if self.O == begin:
                raise Abort("an event record contains one or more bits")
            packet.events.append(event)
            if not odd and not self.holds(event.clock_value):
                packet.odd_times.append(("ctf/event-time", begin // 8))
                odd = True

    def holds(self, time):
        """Whether an event record of that time can be in the packet."""
        if self.begin_time is not None and time < self.begin_time:
            return False
        return self.end_time is None or time <= self.end_time

    # Event record decoding procedure (er-dec).

    def event_record(self, packet):
        DSC = packet.data_stream_class
        self.ERC_ID = 0
        self.empty_elements = 0
        for origin in [origin for origin in self.roots if origin.startswith("event-record")]:
            del self.roots[origin]
        # 1.
        field_class = DSC.get("event-record-header-field-class")
        if field_class is not None:
            self.root("event-record-header", field_class)
        # 2.
        ERC = self.metadata.event_record_classes.get((self.DSC_ID, self.ERC_ID))
        if ERC is None:
            raise Abort(f"no event record class has the ID {self.ERC_ID}")
        # 3. to 5.
        for origin, owner, name in (
            ("event-record-common-context", DSC, "event-record-common-context-field-class"),
            ("event-record-specific-context", ERC, "specific-context-field-class"),
            ("event-record-payload", ERC, "payload-field-class"),
        ):
            field_class = owner.get(name)
            if field_class is not None:
                self.root(origin, field_class)
        return Event(packet, ERC, self.DEF_CLK_VAL, self.roots)

    def root(self, origin, field_class):
        self.empty_elements = 0 if origin.startswith("packet") else self.empty_elements
        self.origin = origin
        self.field(field_class, RootCell(self.roots, origin), None)

    def role(self, role, F):
        """What is done after having decoded a field F having a class with a role."""
        if self.origin == "packet-header":
            if role == "packet-magic-number" and F.value != MAGIC:
                self.invalid = "the packet magic number is not 0xc1fc1fc1"
            elif role in UUID and F.value != self.metadata.uuid:
                self.invalid = "the UUID is not the one of the metadata stream"
            elif role == "data-stream-class-id":
                self.DSC_ID = F.value
            elif role == "data-stream-id":
                self.DS_ID = F.value
        elif self.origin == "packet-context":
            if role in TOTAL:
                self.PKT_TOTAL_SZ = F.value
            elif role in CONTENT:
                self.PKT_CONTENT_SZ = F.value
            elif role == "packet-beginning-default-clock-timestamp":
                self.DEF_CLK_VAL = self.begin_time = F.value & CLOCK_MASK
            elif role == "packet-end-default-clock-timestamp":
                self.end_time = F.value & CLOCK_MASK
            elif role == "default-clock-timestamp":
                self.update_clock(F)
                self.begin_time = self.DEF_CLK_VAL
        elif self.origin == "event-record-header":
            if role == "event-record-class-id":
                self.ERC_ID = F.value
            elif role == "default-clock-timestamp":
                self.update_clock(F)

    def update_clock(self, F):
        # Clock value update procedure (clk-val-update), in 64 bits.
        V = F.value & CLOCK_MASK
        L = F.size * 7 if F.size is not None else F.field_class["length"]
        MASK = (2**L - 1) & CLOCK_MASK
        H = self.DEF_CLK_VAL & ~MASK
        CUR = self.DEF_CLK_VAL & MASK
        if V >= CUR:
            self.DEF_CLK_VAL = H + V
        else:
            self.DEF_CLK_VAL = H + MASK + 1 + V
        self.DEF_CLK_VAL &= CLOCK_MASK

    # Field decoding procedure (field-dec).

    def field(self, field_class, cell, parent):
        """Decodes one instance of a field class into a cell; `parent` is the structure it is in."""
        F = self.metadata.field_class(field_class)
        kind = F["type"]
        if kind.startswith(FIXED):
            cell.value = self.fixed_length(F)
        elif kind.startswith(VARIABLE):
            cell.value = self.variable_length(F)
        elif kind.endswith("-string"):
            cell.value = self.string(F, parent)
        elif kind.endswith("-blob"):
            cell.value = self.blob(F, parent)
        elif kind == "structure":
            self.structure(F, cell, parent)
        elif kind.endswith("-array"):
            self.array(F, cell, parent)
        elif kind == "optional":
            self.optional(F, cell, parent)
        elif kind == "variant":
            self.variant(F, cell, parent)
        else:
            raise ValueError(f"field class of type {kind}")
        for role in F.get("roles", ()):
            self.role(role, cell.value)

    # Alignment procedure (align-dec).

    def alignment(self, field_class):
        F = self.metadata.field_class(field_class)
        known = self.alignments.get(id(F))
        if known is None:
            known = self.alignments[id(F)] = self.alignment_requirement(F)
        return known

    def alignment_requirement(self, F):
        kind = F["type"]
        if kind.startswith(FIXED):
            return F.get("alignment", 1)
        if kind == "structure":
            members = [self.alignment(member["field-class"]) for member in F.get("member-classes", [])]
            return max([F.get("minimum-alignment", 1), *members])
        if kind in ("static-length-array", "dynamic-length-array"):
            return max(F.get("minimum-alignment", 1), self.alignment(F["element-field-class"]))
        if kind in ("optional", "variant"):
            return 1
        return 8

    def align(self, F):
        A = self.alignment(F)
        self.O = self.PO + ((self.O - self.PO + A - 1) & -A)
        self.need(0)

    def need(self, bits):
        """Neither the packet's content nor the data stream may end before `bits` bits from here."""
        if self.O + bits > self.PO + self.PKT_CONTENT_SZ:
            raise Abort("a field goes past the packet's content")
        if self.O + bits > len(self.S) * 8:
            raise Abort("a field goes past the data stream's end")

    def byte(self):
        self.need(8)
        B = self.S[self.O // 8]
        self.O += 8
        return B

    def bytes(self, count):
        self.need(count * 8)
        A = self.S[self.O // 8 : self.O // 8 + count]
        self.O += count * 8
        return A

    # Field location procedure (field-loc-dec).

    def locate(self, FL, parent):
        if isinstance(FL, dict):
            origin, path = FL.get("origin"), FL["path"]
        else:
            origin, path = FL[0], FL[1:]
        V = parent if origin is None else self.roots.get(origin)
        if V is None:
            raise Abort(f"there is no {origin}")
        for i, FLE in enumerate(path):
            if FLE is None:
                V = V.parent
                if V is None:
                    raise Abort("no structure contains the root")
            else:
                cell = V.members.get(FLE)
                if cell is None or cell.value is None:
                    raise Abort(f"no member named {FLE} is decoded or being decoded")
                V = cell.value
            while isinstance(V, Array):
                if not V.being_decoded:
                    raise Abort(f"the array {FLE} is not being decoded")
                V = V.elements[-1].value
            if isinstance(V, (Boolean, Integer)):
                if i + 1 < len(path):
                    raise Abort(f"{FLE} is no structure")
            elif not isinstance(V, Structure):
                raise Abort(f"{FLE} is neither a boolean, an integer, a structure nor an array")
        return V

    def length(self, F, parent):
        if "length" in F:
            return F["length"]
        V = self.locate(F["length-field-location"], parent)
        if not isinstance(V, Integer) or V.signed:
            raise Abort("the length is no unsigned integer")
        return V.value

    # Fixed-length bit array field decoding procedure (fl-ba-field-dec), and those made from it.

    def bit_array(self, F):
        BO = F["byte-order"]
        BIT_ORDER = F.get("bit-order", "first-to-last" if BO == "little-endian" else "last-to-first")
        L = F["length"]
        V = [False] * L
        self.align(F)
        self.need(L)
        if (self.O - self.PO) % 8 != 0 and self.LAST_BO != BO:
            raise Abort("the byte order changes within a byte")
        S, O, PO = self.S, self.O, self.PO
        for I in range(L):
            X = O + I - PO
            BYTE_I = X // 8
            BIT_I = 7 - X % 8 if BO == "big-endian" else X % 8
            DI = I if BIT_ORDER == "first-to-last" else L - I - 1
            V[DI] = S[PO // 8 + BYTE_I] >> BIT_I & 1 == 1
        self.O = O + L
        self.LAST_BO = BO
        return V

    def fixed_length(self, F):
        V = self.bit_array(F)
        kind = F["type"][len(FIXED) :]
        if kind == "boolean":
            return Boolean(F, any(V))
        if kind in ("unsigned-integer", "unsigned-enumeration"):
            return Integer(F, unsigned(V), False)
        if kind in ("signed-integer", "signed-enumeration"):
            return Integer(F, signed(V), True)
        if kind == "floating-point-number":
            return Real(F, real(V))
        return BitArray(F, V)

    # Variable-length bit array field decoding procedure (vl-ba-field-dec), and those made from it.

    def variable_length(self, F):
        V = []
        N = 0
        self.align(F)
        more = True
        while more:
            B = self.byte()
            N += 1
            V += [B >> i & 1 == 1 for i in range(7)]
            if len(V) > MOST_BITS:
                raise Abort(f"an integer of more than {MOST_BITS} bits")
            more = B >= 0x80
        kind = F["type"][len(VARIABLE) :]
        if kind in ("unsigned-integer", "unsigned-enumeration"):
            return Integer(F, unsigned(V), False, N)
        if kind in ("signed-integer", "signed-enumeration"):
            return Integer(F, signed(V), True, N)
        return BitArray(F, V)

    # Strings (str-field-dec, sl-str-field-dec, dl-str-field-dec) and BLOBs (sl-blob-field-dec, dl-blob-field-dec).

    def string(self, F, parent):
        encoding = F.get("encoding", "utf-8")
        UL = UNIT[encoding]
        A = b""
        if F["type"] == "null-terminated-string":
            self.align(F)
            B = self.bytes(UL)
            while any(B):
                A += B
                B = self.bytes(UL)
            return String(F, text(A, encoding))
        L = self.length(F, parent)
        self.align(F)
        self.need(L * 8)
        XI = self.O
        while self.O < XI + L * 8:
            if self.O + UL * 8 > XI + L * 8:
                raise Abort("a code unit goes past the string's end")
            B = self.bytes(UL)
            if any(B):
                A += B
            else:
                self.O = XI + L * 8
        return String(F, text(A, encoding))

    def blob(self, F, parent):
        L = self.length(F, parent)
        self.align(F)
        return Blob(F, self.bytes(L))

    # Compound fields (struct-field-dec, sl-array-field-dec, dl-array-field-dec, opt-field-dec, var-field-dec).

    def structure(self, F, cell, parent):
        V = cell.value = Structure(F, parent)
        self.align(F)
        for MC in F.get("member-classes", []):
            member = V.members[MC["name"]] = Cell()
            self.field(MC["field-class"], member, V)

    def array(self, F, cell, parent):
        L = self.length(F, parent)
        EF = F["element-field-class"]
        V = cell.value = Array(F)
        self.align(F)
        I = 0
        while I < L:
            begin = self.O
            V.elements.append(Cell())
            self.field(EF, V.elements[-1], parent)
            I += 1
            if self.O == begin:
                self.empty_elements += 1
                if self.empty_elements > MOST_EMPTY_ELEMENTS:
                    raise Abort(f"more than {MOST_EMPTY_ELEMENTS} elements that take no bits")
        V.being_decoded = False

    def optional(self, F, cell, parent):
        SEL = self.locate(F["selector-field-location"], parent)
        if isinstance(SEL, Boolean):
            enabled = SEL.value
        elif isinstance(SEL, Integer):
            enabled = in_ranges(SEL.value, F["selector-field-ranges"])
        else:
            raise Abort("the selector is neither a boolean nor an integer")
        if enabled:
            self.field(F["field-class"], cell, parent)
        else:
            cell.value = Nil(F)

    def variant(self, F, cell, parent):
        SEL = self.locate(F["selector-field-location"], parent)
        if not isinstance(SEL, Integer):
            raise Abort("the selector is no integer")
        for OPT in F["options"]:
            if in_ranges(SEL.value, OPT["selector-field-ranges"]):
                self.field(OPT["field-class"], cell, parent)
                return
        raise Abort(f"no option is selected by {SEL.value}")


class RootCell:
    """A cell for a root structure, which can be located while it is being decoded."""

    def __init__(self, roots, origin):
        self.roots = roots
        self.origin = origin

    @property
    def value(self):
        return self.roots[self.origin]

    @value.setter
    def value(self, value):
        self.roots[self.origin] = value
