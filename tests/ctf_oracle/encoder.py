"""Random fields of given classes, bit by bit, and what they must be read as."""

import base64
import math
import struct

from command import Pairs

from .classes import FIXED, limits

FLAWS = {  # no code points, and how many U+FFFD they are; some character follows them
    "utf-8": [(b"\xff", 1), (b"\xe2\x82", 1), (b"\xed\xa0\x80", 3), (b"\xf0\x9f\x98", 1), (b"\xc0\xaf", 2)]
    + [(b"\xf4\x90\x80\x80", 4), (b"\x80\x80", 2)],
    "utf-16be": [(b"\xd8\x00", 1), (b"\xdf\xff", 1), (b"\xdc\x00\xdc\x00", 2)],
    "utf-16le": [(b"\x00\xd8", 1), (b"\xff\xdf", 1), (b"\x00\xdc\x00\xdc", 2)],
    "utf-32be": [(b"\x00\x11\x00\x00", 1), (b"\x00\x00\xd8\x00", 1), (b"\xff\xff\xff\xff", 1)],
    "utf-32le": [(b"\x00\x00\x11\x00", 1), (b"\x00\xd8\x00\x00", 1), (b"\xff\xff\xff\xff", 1)],
}
LETTERS = "abz~\x01\x7f\x80é߿ࠀ日\uffff\U00010000\U0010ffff\U0001f600\"\\/\n\u2028"


class Bits:
    """A packet that grows bit by bit; what is never written is garbage."""

    def __init__(self, rng):
        self.rng = rng
        self.data = bytearray()
        self.at = 0

    def reach(self, end):
        missing = -(-end // 8) - len(self.data)
        if missing > 0:
            self.data += self.rng.randbytes(missing)
        self.at = end

    def align(self, alignment):
        self.reach(-(-self.at // alignment) * alignment)

    def put(self, value, width, big, reverse):
        """The lowest `width` bits of a value."""
        order = format(value % 2**width, f"0{width}b")
        if big == reverse:
            order = order[::-1]
        begin = self.at
        self.reach(begin + width)
        # The bytes concerned as one number, in which the first of all bits is the highest, or the lowest.
        first, last = begin // 8, -(-self.at // 8)
        name, shift = ("big", last * 8 - self.at) if big else ("little", begin % 8)
        around = int.from_bytes(self.data[first:last], name) & ~((1 << width) - 1 << shift)
        value = int(order if big else order[::-1], 2) << shift
        self.data[first:last] = (around | value).to_bytes(last - first, name)

    def bytes(self, data):
        begin = self.at // 8
        self.reach(self.at + 8 * len(data))
        self.data[begin : begin + len(data)] = data


def nearest_double(pattern, width):
    """The binary64 number nearest to a binary interchange number, by rounding its significand as an integer."""
    if width <= 64:
        return struct.unpack({16: ">e", 32: ">f", 64: ">d"}[width], pattern.to_bytes(width // 8, "big"))[0]
    exponent_width = {128: 15, 160: 16, 192: 17, 256: 19}[width]
    stored = width - 1 - exponent_width
    sign = -1.0 if pattern >> (width - 1) else 1.0
    exponent = pattern >> stored & (2**exponent_width - 1)
    significand = pattern & (2**stored - 1)
    if exponent == 2**exponent_width - 1:
        return math.nan if significand else sign * math.inf
    if exponent:
        significand |= 1 << stored
    power = max(exponent, 1) - (2 ** (exponent_width - 1) - 1) - stored
    if significand == 0:
        return sign * 0.0
    # The last bit that a double of this size keeps.
    last = max(significand.bit_length() - 53, -1074 - power)
    if last > significand.bit_length():
        return sign * 0.0
    if last > 0:
        kept, rest, half = significand >> last, significand & (2**last - 1), 1 << (last - 1)
        significand = kept + (rest > half or rest == half and kept & 1)
        power += last
    try:
        return sign * math.ldexp(significand, power)
    except OverflowError:
        return sign * math.inf


def shown_real(value):
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


class Encoder:
    """Writes random fields; `sources` gives the values of fields that the trace decides, by their source."""

    def __init__(self, rng, bits, sources):
        self.rng = rng
        self.bits = bits
        self.sources = sources
        self.last = {}

    def field(self, made):
        """Writes a field and returns what its JSON must be."""
        return getattr(self, "put_" + made.kind)(made)

    def located(self, made):
        """The value of the field that a field's location leads to; nothing may be there in a wild trace."""
        return self.last.get(made.location.key, 0)

    def integer_value(self, made):
        low, high = limits(made)
        if made.source:
            # A clock's field holds what fits; all others are made wide enough.
            value = self.sources[made.source](made)
        elif made.choices is not None:
            value = self.rng.choice(made.choices)
        elif made.kind in FIXED or self.rng.random() < 0.2:
            kind = self.rng.random()
            value = self.rng.choice((low, high, 0, 1)) if kind < 0.3 else self.rng.randint(low, high)
            value = min(value, high)
        else:
            size = self.rng.choice((3, 7, 8, 14, 32, 63, 64, 65, 70))
            value = self.rng.randint(-(2**size) if low else 0, 2**size - 1)
        if made.key is not None:
            self.last[made.key] = value
        return value

    def shown_integer(self, made, value):
        if made.mappings is None:
            return value
        labels = []
        for name, ranges in made.mappings.items():
            if [1 for first, last in ranges if value in range(first, last + 1)]:
                labels.append(name)
        return Pairs((("value", value), ("labels", labels)))

    def fixed_bits(self, made, value):
        self.bits.align(made.alignment)
        self.bits.put(value, made.width, made.big, made.reverse)

    def put_uint(self, made):
        value = self.integer_value(made)
        self.fixed_bits(made, value)
        return self.shown_integer(made, value)

    put_sint = put_uint

    def put_bits(self, made):
        value = self.rng.getrandbits(made.width)
        self.fixed_bits(made, value)
        return value

    put_bitmap = put_bits

    def put_bool(self, made):
        value = self.rng.choice((0, 1 << self.rng.randrange(made.width), self.rng.getrandbits(made.width)))
        self.fixed_bits(made, value)
        if made.key is not None:
            self.last[made.key] = value != 0
        return value != 0

    def put_real(self, made):
        width = made.width
        value = self.rng.getrandbits(width)
        if width > 64 and self.rng.random() < 0.8:
            value = self.wide_real(width)
        elif self.rng.random() < 0.2:
            value = self.rng.choice((0, 1, 1 << (width - 1), 2**width - 1, 2 ** (width - 1) - 1))
        self.fixed_bits(made, value)
        return shown_real(nearest_double(value, width))

    def wide_real(self, width):
        """Near the numbers of binary64, and half way between them."""
        exponent_width = {128: 15, 160: 16, 192: 17, 256: 19}[width]
        stored = width - 1 - exponent_width
        bias = 2 ** (exponent_width - 1) - 1
        power = self.rng.choice((0, 1, -1, 1023, 1024, -1022, -1023, -1050, -1074, -1075, -1076, self.rng.randint(-1100, 1100)))
        tail = stored - 52
        high = self.rng.choice((0, 1, 2**52 - 1, 2**52 - 2, self.rng.getrandbits(52)))
        low = self.rng.choice((0, 1, 1 << (tail - 1), (1 << (tail - 1)) + 1, (1 << (tail - 1)) - 1, 2**tail - 1))
        return self.rng.getrandbits(1) << (width - 1) | (bias + power) << stored | high << tail | low

    def leb128(self, value, signed, least=1):
        """The groups of seven bits of a value, and some that it does not need."""
        groups = least
        while not (-(2 ** (7 * groups - 1)) <= value < 2 ** (7 * groups - 1) if signed else value < 2 ** (7 * groups)):
            groups += 1
        data = bytes(value >> 7 * i & 0x7F | (0x80 if i + 1 < groups else 0) for i in range(groups))
        self.bits.align(8)
        self.bits.bytes(data)

    def spare_groups(self):
        return self.rng.choice((1, 1, 1, 2, 5, 10, 11, 30))

    def put_vuint(self, made):
        value = self.integer_value(made)
        self.leb128(value, False, self.spare_groups())
        return self.shown_integer(made, value)

    def put_vsint(self, made):
        value = self.integer_value(made)
        self.leb128(value, True, self.spare_groups())
        return self.shown_integer(made, value)

    def put_vbits(self, made):
        value = self.rng.getrandbits(self.rng.choice((1, 7, 8, 63, 64, 65, 100)))
        self.leb128(value, False, self.spare_groups())
        return value

    # Strings and BLOBs.

    def text(self, most, encoding):
        """At most so many bytes of text, and what they are read as."""
        data, shown = b"", ""
        while self.rng.random() < 0.8:
            if self.rng.random() < 0.06:
                flaw, count = self.rng.choice(FLAWS[encoding])
                more, say = flaw + "x".encode(encoding), "\ufffd" * count + "x"
            else:
                say = self.rng.choice(LETTERS)
                more = say.encode(encoding)
            if len(data + more) > most:
                break
            data, shown = data + more, shown + say
        return data, shown

    def put_zstr(self, made):
        data, shown = self.text(100, made.encoding)
        self.bits.align(8)
        self.bits.bytes(data + "\0".encode(made.encoding))
        return shown

    def sized_string(self, length, encoding):
        self.bits.align(8)
        data, shown = self.text(length, encoding)
        zero = "\0".encode(encoding)
        if length - len(data) >= len(zero):
            data += zero
        elif len(data) < length:
            # The rest is no whole code unit: such a string needs its end marked before.
            data, shown = (zero, "") if length >= len(zero) else (data, shown)
        rest = length - len(data)
        self.bits.bytes(data + (self.rng.randbytes(rest) if self.rng.random() < 0.5 else bytes(rest)))
        return shown

    def put_sstr(self, made):
        return self.sized_string(made.length, made.encoding)

    def put_dstr(self, made):
        return self.sized_string(self.located(made), made.encoding)

    def blob(self, length):
        self.bits.align(8)
        data = self.rng.randbytes(length)
        self.bits.bytes(data)
        return base64.b64encode(data).decode()

    def put_sblob(self, made):
        if made.source:
            data = self.sources[made.source](made)
            self.bits.align(8)
            self.bits.bytes(data)
            return base64.b64encode(data).decode()
        return self.blob(made.length)

    def put_dblob(self, made):
        return self.blob(self.located(made))

    # Compounds.

    def put_struct(self, made):
        self.bits.align(made.requirement())
        return Pairs([(name, self.field(member)) for name, member in made.members])

    def array(self, made, length):
        self.bits.align(made.requirement())
        return [self.field(made.element) for _ in range(length)]

    def put_sarray(self, made):
        return self.array(made, made.length)

    def put_darray(self, made):
        return self.array(made, self.located(made))

    def put_optional(self, made):
        value = self.located(made)
        if made.ranges is None:
            enabled = value
        else:
            enabled = any(first <= value <= last for first, last in made.ranges)
        return self.field(made.element) if enabled else None

    def put_variant(self, made):
        value = self.located(made)
        for _, ranges, option in made.options:
            if any(first <= value <= last for first, last in ranges):
                return self.field(option)
        # Of a wild trace: such a packet is faulty.
        return None
