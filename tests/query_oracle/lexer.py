"""Words of a condition. A token is (kind, value, place); kinds: number, text, regex, name, word, sign, end."""

import math
import re
from fractions import Fraction

NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
BYTES = {"B": 1, "bytes": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
UNITS = NANOSECONDS | BYTES
WORDS = {"or", "and", "not", "in", "contains", "true", "false"}
SIGNS = (
    "|| && == != <= >= =~ !~ << >> ?? .. ! < > ~ + - | ^ * / % & ( ) [ ] , .".split()
)
ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "0": b"\0", "\\": b"\\", '"': b'"', "'": b"'"}
# Every character beyond ASCII belongs to names.
NAME = re.compile(r"[A-Za-z_$\x80-\U0010ffff][A-Za-z0-9_$\x80-\U0010ffff]*")
DIGITS = r"[0-9][0-9_]*"
NUMBER = re.compile(
    rf"0x(?P<hex>[0-9a-fA-F_]+)|0b(?P<binary>[01_]+)|0o(?P<octal>[0-7_]+)"
    rf"|(?P<whole>{DIGITS})(?P<fraction>\.{DIGITS})?(?P<exponent>[eE][+-]?{DIGITS})?(?P<unit>{NAME.pattern})?"
)
# The greatest magnitude of an integer: 128 bits beside the sign.
MOST = 2**128 - 1


class Strange(Exception):
    """What the document does not decide."""


class Whole(int):
    """An integer that was written with a unit."""


class Real(float):
    """A real that was."""


class Lexer:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def fail(self, why, at=None):
        raise SyntaxError(f"{why} at {self.at if at is None else at}")

    def tokens(self):
        made = []
        while True:
            while self.at < len(self.text) and self.text[self.at] in " \t\n\v\f\r":
                self.at += 1
            begin = self.at
            if begin == len(self.text):
                made.append(("end", None, begin))
                return made
            made.append((*self.token(made[-1] if made else None), begin))

    def token(self, before):
        char = self.text[self.at]
        if char.isdigit() and char.isascii():
            return self.number()
        if char in "\"'":
            return ("text", self.quoted(char))
        if char == "/" and not self.ends_operand(before):
            return self.regex()
        name = NAME.match(self.text, self.at)
        if name:
            self.at = name.end()
            # Behind a dot it is a name, whatever word it is.
            behind_dot = before is not None and before[:2] == ("sign", ".")
            return ("word" if name[0] in WORDS and not behind_dot else "name", name[0])
        for sign in SIGNS:
            if self.text.startswith(sign, self.at):
                self.at += len(sign)
                return ("sign", sign)
        self.fail("no word of the language")

    @staticmethod
    def ends_operand(token):
        """Whether a slash behind it divides."""
        if token is None:
            return False
        kind, value = token[:2]
        return kind in ("number", "text", "regex", "name") or value in ("true", "false", ")", "]")

    def number(self):
        match = NUMBER.match(self.text, self.at)
        begin, self.at = self.at, match.end()
        rest = self.text[self.at : self.at + 1]
        if NAME.match(rest) or rest.isdigit():
            self.fail("no number", begin)
        for name, base in (("hex", 16), ("binary", 2), ("octal", 8)):
            if match[name]:
                value = int(match[name].replace("_", "") or "0", base)
                break
        else:
            value = self.decimal(match, begin)
        if isinstance(value, int) and value > MOST:
            self.fail("a number of more than 128 bits", begin)
        return ("number", value)

    def decimal(self, match, begin):
        text = match["whole"] + (match["fraction"] or "")
        if match["unit"] is None:
            if match["fraction"] is None and match["exponent"] is None:
                return int(text.replace("_", ""))
            real = float((text + (match["exponent"] or "")).replace("_", ""))
            if math.isinf(real):
                raise SyntaxError("beyond the range of reals")
            return real
        if match["unit"] not in UNITS:
            self.fail("no unit", begin)
        # Exactly so many nanoseconds or bytes.
        number, factor = (text + (match["exponent"] or "")).replace("_", ""), UNITS[match["unit"]]
        exact = Fraction(number) * factor
        if match["exponent"] is None and exact.denominator == 1 and exact > MOST and match["fraction"]:
            raise Strange
        if match["exponent"] is None and exact.denominator == 1:
            return Whole(exact)
        return Real(float(number) * factor)

    def quoted(self, quote):
        begin, made = self.at, b""
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == quote:
                return made
            if char != "\\":
                made += char.encode()
                continue
            escape = self.text[self.at : self.at + 1]
            self.at += 1
            if escape == "x":
                digits = self.text[self.at : self.at + 2]
                if not re.fullmatch("[0-9a-fA-F]{2}", digits):
                    self.fail("two hexadecimal digits are missing")
                made += bytes([int(digits, 16)])
                self.at += 2
            elif escape in ESCAPES and escape:
                made += ESCAPES[escape]
            else:
                self.fail("no such escape")
        self.fail("a text has no end", begin)

    def regex(self):
        """A slash in it is written with a backslash before it."""
        begin, made = self.at, ""
        self.at += 1
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == "/":
                folded = self.text.startswith("i", self.at)
                self.at += folded
                if NAME.match(self.text, self.at) or self.text[self.at : self.at + 1].isdigit():
                    self.fail("an unknown flag")
                return ("regex", (made, folded))
            if char == "\\":
                char += self.text[self.at : self.at + 1]
                self.at += 1
                char = "/" if char == "\\/" else char
            made += char
        self.fail("a regular expression has no end", begin)
