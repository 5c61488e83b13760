"""Decoded values (dec-val-type): what fields hold, as far as other fields and the output ask."""

from fractions import Fraction


class Value:
    """A decoded value and the class of its field."""

    def __init__(self, field_class):
        self.field_class = field_class


class Nil(Value):
    pass


class Boolean(Value):
    def __init__(self, field_class, value):
        super().__init__(field_class)
        self.value = value


class BitArray(Value):
    """Bit arrays and bit maps; element 0 is the least significant one."""

    def __init__(self, field_class, bits):
        super().__init__(field_class)
        self.bits = bits


class Integer(Value):
    """An integer; `size` is how many bytes a variable-length one took."""

    def __init__(self, field_class, value, signed, size=None):
        super().__init__(field_class)
        self.value = value
        self.signed = signed
        self.size = size


class Real(Value):
    def __init__(self, field_class, value):
        super().__init__(field_class)
        self.value = value


class String(Value):
    def __init__(self, field_class, value):
        super().__init__(field_class)
        self.value = value


class Blob(Value):
    def __init__(self, field_class, value):
        super().__init__(field_class)
        self.value = value


class Cell:
    """Where a value will be: empty until its field is decoded, or being decoded when it is a compound one."""

    def __init__(self):
        self.value = None


class Array(Value):
    def __init__(self, field_class):
        super().__init__(field_class)
        self.elements = []
        self.being_decoded = True


class Structure(Value):
    """`parent` is the most nested structure that contains this one, None for a root."""

    def __init__(self, field_class, parent):
        super().__init__(field_class)
        self.members = {}
        self.parent = parent


def unsigned(bits):
    """The integer of which bits[0] is the least significant bit."""
    value = 0
    for i, bit in enumerate(bits):
        if bit:
            value += 2**i
    return value


def signed(bits):
    """The same in two's complement: the last bit counts negative."""
    return unsigned(bits[:-1]) - (2 ** (len(bits) - 1) if bits[-1] else 0)


# Bits of the exponent of the binary interchange formats (IEEE 754-2008, table 3.5).
EXPONENT_BITS = {16: 5, 32: 8, 64: 11, 128: 15, 160: 16, 192: 17, 224: 18, 256: 19, 288: 20, 320: 20}


def exponent_bits(length):
    """round(4 * log2(length)) - 13 above 128 bits, in integers: the w with 2^(w-1/2) <= length^4 / 2^13 < 2^(w+1/2)."""
    if length in EXPONENT_BITS:
        return EXPONENT_BITS[length]
    w = 0
    while length**8 >= 2 ** (2 * (w + 13) + 1):
        w += 1
    return w


def real(bits):
    """The binary64 number nearest to an IEEE 754-2008 binary interchange number, ties to even."""
    w = exponent_bits(len(bits))
    t = len(bits) - 1 - w
    fraction, exponent, negative = unsigned(bits[:t]), unsigned(bits[t : t + w]), bits[-1]
    bias = 2 ** (w - 1) - 1
    if exponent == 2**w - 1:
        value = float("nan") if fraction else float("inf")
    else:
        significand = Fraction(fraction, 2**t) + (1 if exponent else 0)
        power = max(exponent, 1) - bias
        # Far outside binary64, so that no number of a hundred thousand bits needs to be made.
        if power > 1100:
            value = float("inf") if significand else 0.0
        elif power < -1200:
            value = 0.0
        else:
            try:
                value = float(significand * Fraction(2) ** power)
            except OverflowError:
                value = float("inf")
    return -value if negative else value


REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def text(data, encoding):
    """Code units as a string, U+FFFD for what is no code point: in UTF-8 one for each maximal invalid sequence."""
    if encoding == "utf-8":
        return data.decode("utf-8", "replace")
    order = "big" if encoding.endswith("be") else "little"
    size = 4 if "32" in encoding else 2
    units = [int.from_bytes(data[i : i + size], order) for i in range(0, len(data), size)]
    out, i = [], 0
    while i < len(units):
        unit = units[i]
        i += 1
        if size == 2 and 0xD800 <= unit < 0xDC00 and i < len(units) and 0xDC00 <= units[i] < 0xE000:
            out.append(chr(0x10000 + ((unit - 0xD800) << 10) + (units[i] - 0xDC00)))
            i += 1
        elif 0xD800 <= unit < 0xE000 or unit > 0x10FFFF:
            out.append(REPLACEMENT)
        else:
            out.append(chr(unit))
    return "".join(out)
