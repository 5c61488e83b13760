"""The characters that no text for people may hold: what steers a terminal, reorders text or shows nothing.

Written from Unicode's own properties (general categories Cc, Cf, Zl, Zp, and Default_Ignorable_Code_Point), not from
the command's sources. A line end is of the text's own.
"""

import functools
import unicodedata

# Default_Ignorable_Code_Point beyond the format characters (Cf), but for the variation selectors 15 and 16, which choose
# how an emoji looks.
IGNORABLE = [
    (0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x3164, 0x3164),
    (0xFE00, 0xFE0D), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0xE0000, 0xE0FFF),
]
# Format characters that have a glyph: signs before numbers and words of some scripts.
SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}


def is_hidden(code):
    category = unicodedata.category(chr(code))
    if category in {"Cc", "Zl", "Zp"} or (category == "Cf" and code not in SEEN):
        return True
    return any(first <= code <= last for first, last in IGNORABLE)


def all_hidden():
    return [chr(code) for code in range(0x110000) if is_hidden(code)]


@functools.cache
def is_shown(character):
    return character == "\n" or not is_hidden(ord(character))


def hidden(text, most=None):
    """The hidden characters of a text of bytes, of the first `most` if given, as U+XXXX; and whether it is UTF-8 at all."""
    looked_at = text[:most]
    try:
        decoded = looked_at.decode()
    except UnicodeDecodeError as error:
        # Only where the text goes on may a character be cut.
        if len(looked_at) == len(text) or error.reason != "unexpected end of data":
            return [f"byte {text[error.start]:#x}, which is no UTF-8"]
        decoded = looked_at[: error.start].decode()
    return [f"U+{ord(each):04X}" for each in sorted(set(decoded)) if not is_shown(each)]
