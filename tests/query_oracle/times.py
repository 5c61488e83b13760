"""The texts that stand beside `time`, for a trace whose times are known: ns since the origin of its clock."""

import datetime
import re
from fractions import Fraction

from .lexer import Strange

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
DAY = 24 * 3600 * 10**9
DECIMAL = r"\d+(?:\.\d+)?"


def length(text, bare):
    """A number with a unit, in ns; without one it counts `bare` ns, if it has no point."""
    match = re.fullmatch(rf"({DECIMAL})(ns|us|ms|s|min|h)?", text)
    if match is None:
        raise SyntaxError("no time")
    unit = UNITS[match[2]] if match[2] else 10**9 if "." in match[1] else bare
    exact = Fraction(match[1]) * unit
    if exact.denominator != 1:
        raise SyntaxError("finer than a nanosecond")
    return limited(int(exact))


def limited(nanoseconds):
    """What more than 64 bits are is the business of who reads times."""
    if nanoseconds >= 2**64:
        raise Strange
    return nanoseconds


def unit(tree):
    """What a tree measures: "time", "duration" or None. What is calculated measures what stands first in it."""
    match tree:
        case ("event", ("time" | "duration") as word):
            return word
        case ("arithmetic", "-", a, b) if unit(a) == unit(b) == "time":
            return "duration"
        case ("arithmetic", "+" | "-", a, _) | ("else", a, _) | ("negative", a) | ("call", "abs", a):
            return unit(a)
    return None


class Times:
    """`first` and `last`: when the first event of a trace was, and the last one. `epoch`: whether its clock counts
    from 1970; of others a time of day is hours since their origin."""

    def __init__(self, first, last, epoch):
        self.first, self.last, self.epoch = first, last, epoch
        self.midnight = first // DAY * DAY if epoch else 0

    def __call__(self, text):
        text = text.decode("utf-8", "replace")
        if text.startswith("+"):
            return self.first + length(text[1:], 1)
        if text.startswith("end-"):
            return self.last - length(text[4:], 1)
        clock = re.fullmatch(r"(\d+):(\d\d):(\d\d)(?:\.(\d+))?", text)
        if clock and len(clock[1]) > 4:
            raise Strange
        if clock:
            return self.midnight + self.time_of_day(clock)
        date = re.fullmatch(r"(\d{4}-\d\d-\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", text)
        if date:
            try:
                days = (datetime.date.fromisoformat(date[1]) - datetime.date(1970, 1, 1)).days
            except ValueError:
                raise SyntaxError("no such day") from None
            return days * DAY + self.time_of_day(date.group(0, 2, 3, 4, 5)) - self.zone(date[6])
        sign = -1 if text.startswith("-") else 1
        return sign * length(text.removeprefix("-"), 1)

    @staticmethod
    def time_of_day(match):
        seconds = int(match[1]) * 3600 + int(match[2]) * 60 + int(match[3])
        if len(match[4] or "") > 9:
            raise SyntaxError("finer than a nanosecond")
        return limited(seconds * 10**9) + int((match[4] or "0").ljust(9, "0"))

    @staticmethod
    def zone(text):
        if text in (None, "Z"):
            return 0
        minutes = int(text[1:3]) * 60 + int(text[4:6])
        return (-minutes if text[0] == "-" else minutes) * 60 * 10**9


def spelled(rng, time, trace):
    """A text that means about this time, or None."""
    seconds, rest = divmod(time, 10**9)
    forms = [str(time), f"+{max(0, time - trace.first)}", f"end-{max(0, trace.last - time)}ns"]
    if time >= 0:
        forms += [f"{seconds}.{rest:09}", f"{seconds}s", f"{time // 10**6}ms", f"{seconds}.5s"]
    if 0 <= time - trace.midnight < 90 * 3600 * 10**9:
        of_day, rest = divmod(time - trace.midnight, 10**9)
        forms += [f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}.{rest:09}"] * 2
        forms += [f"{of_day // 3600:02}:{of_day // 60 % 60:02}:{of_day % 60:02}"]
    if trace.epoch and 0 <= seconds < 4 * 10**9:
        date = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        written = date.strftime("%Y-%m-%d %H:%M:%S")
        forms += [written, written.replace(" ", "T") + f".{rest:09}Z", written.replace(" ", "T") + "+00:00"]
        later = (date + datetime.timedelta(hours=1, minutes=30)).strftime("%Y-%m-%dT%H:%M:%S")
        forms += [later + "+01:30"]
    return rng.choice(forms)
