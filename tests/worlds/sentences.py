"""Compares each sentence of a text with the facts of the JSON beside it.

The table of sentences is the command's own; which of them hold, and with which values, is decided here from the fields of the
JSON, whose truth the other checks are about. `Seen` counts how often each sentence was said, and how often it was not although
it could have been.
"""

import collections
import functools
import re

import command as started

TEXT = r"[^\n]*?"
NUMBER = r"[0-9,]+(?: to [0-9,]+)?"
NUMBERS = {"count", "all", "places", "selected", "open", "unmatched", "again", "events", "packets", "unknown", "most"}


class Sentence:
    def __init__(self, name, text, when, fields):
        self.name, self.text, self.when, self.fields = name, text, when, fields
        parts = re.split(r"(\{[^}]*\})", text)
        self.pattern = re.compile("".join(map(self.part, parts)))

    @staticmethod
    def part(part):
        if not part.startswith("{"):
            return re.escape(part)
        inner = part[1:-1]
        if inner.endswith("#"):
            return ""
        if "/" in inner:
            return "(?:" + "|".join(map(re.escape, inner.split("/"))) + ")"
        return f"({NUMBER if inner in NUMBERS else TEXT})"

    def fill(self, *values):
        """The sentence with these values; a number chooses the words behind it."""
        values, number = list(values), None

        def put(match):
            nonlocal number
            inner = match.group(1)
            if "/" in inner:
                return inner.split("/")[number != 1]
            value = values.pop(0)
            if isinstance(value, int):
                number = value
            return "" if inner.endswith("#") else shown(value)

        return re.sub(r"\{([^}]*)\}", put, self.text)


class Plain(int):
    """A number that is shown without separators."""


def shown(value):
    if isinstance(value, Plain):
        return str(int(value))
    return f"{value:,}" if isinstance(value, int) else value


@functools.cache
def table(binary):
    """{id: Sentence}, as the command lists them."""
    lines = started.run("generate", "sentences", binary=str(binary)).stdout.decode().splitlines()
    sentences = {}
    for line in lines:
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        if len(cells) == 4 and "/" in cells[3]:
            text = cells[0].strip("`")
            text = text[1:-1] if text.startswith(" ") and text.endswith(" ") else text
            sentences[cells[3]] = Sentence(cells[3], text, cells[1], cells[2].strip("`"))
    return sentences


class Seen:
    def __init__(self):
        self.said, self.withheld = collections.Counter(), collections.Counter()

    def note(self, name, said):
        (self.said if said else self.withheld)[name] += 1

    def lacking(self, names, always=()):
        """Sentences of `names` that were never said, or never withheld."""
        return sorted(
            [f"{name}: never said" for name in names if not self.said[name]]
            + [f"{name}: never withheld" for name in names if not self.withheld[name] and name not in always]
        )


# ---- How values are written


def duration(nanoseconds):
    """With three significant digits: "9.12us"."""
    unit, word = max(((u, w) for u, w in ((1, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")) if nanoseconds >= u * 0.9995), default=(1, "ns"))
    value = nanoseconds / unit
    digits = 0 if unit == 1 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{digits}f}{word}"


def since(answer, time):
    return f"{(time - answer['begin']) / 1e9:+.6f}s"


def title(row):
    label = " ".join(part for part in (row.get("category", ""), row["name"]) if part)
    origin = row.get("trace") or row.get("host")
    return f"{origin}: {label}" if origin else label


# ---- What holds, by the JSON


def of_summary(answer):
    """{id: [values]} of the first line of `latency`; of `diff` the same of each trace."""
    counts, tables = answer["counts"], answer["tables"]
    names = [name for name in tables if name != "inferred"] if len(tables) > 1 else tables
    lossy, early, missing = counts["gaps"] > 0, counts["ended_early"], counts["missing_switches"]
    complete = [] if lossy or early or missing else [()]
    is_whole = answer.get("events_in_range") in (None, answer.get("events"))
    return {
        "trace/no-losses": complete if is_whole else [],
        "trace/no-losses-in-range": [] if is_whole else complete,
        "trace/ended-early": [(early,)] if early else [],
        "trace/missing-switches": [(missing,)] if missing else [],
        "trace/losses": [(counts["lost_events"], counts["gaps"])] if lossy and counts["lost_events"] else [],
        "trace/losses-of-unknown-size": [(counts["gaps"],)] if lossy and not counts["lost_events"] else [],
        "trace/no-table": [] if names else [()],
        "trace/pairs-by-names": [()] if names == ["inferred"] else [],
        "trace/tables": [(len(names), ", ".join(names))] if names and names != ["inferred"] else [],
    }


COUNTED = {
    "latency/open": "open_at_end",
    "latency/began-before": "began_before",
    "latency/across-loss": "across_loss",
    "latency/across-clock-step": "across_clock_step",
    "latency/inferred-ends": "inferred_ends",
    "latency/ended-with-task": "ended_with_task",
    "latency/negative": "negative",
}
BESIDES = {
    "latency/unmatched-ends": "unmatched_ends",
    "latency/inferred-states": "inferred_states",
    "latency/overlaps": "overlaps",
    "latency/without-lane": "without_lane",
    "latency/unrelated-clocks": "unrelated_clocks",
    "latency/clock-steps": "clock_steps",
    "latency/too-far": "too_far",
    "latency/sections": "sections",
    "latency/without-rule": "without_rule",
    "latency/without-field": "without_field",
    "latency/begins-left-out": "not_held",
}


def outlier(row):
    least, most = row["outliers"], row.get("outliers_at_most", row["outliers"])
    return (least if least == most else f"{least:,} to {most:,}", row["count"], title(row), duration(row["max"]))


def of_latency(sentences, answer, where=""):
    counts, rows = answer["counts"], answer["rows"]
    waits, stepped, unclear = (
        sum(row.get(key, 0) for row in rows if row["kind"] == "wait") for key in ("across_loss", "across_clock_step", "unclear")
    )
    opened = [row for row in rows if row.get("open")]
    facts = of_summary(answer)
    for name, key in {**COUNTED, **BESIDES}.items():
        facts[name] = [(counts[key],)] if counts[key] else []
    slices, besides = (", ".join(sentences[name].fill(*facts[name][0]) for name in names if facts[name]) for names in (COUNTED, BESIDES))
    facts["latency/slices-left-out"] = [(counts["left_out"], slices)] if counts["left_out"] else []
    facts["latency/besides"] = [(besides,)] if besides else []
    facts["latency/waits-left-out"] = [(waits,)] if waits else []
    facts["latency/waits-across-clock-step"] = [(stepped,)] if stepped else []
    facts["latency/waits-unclear"] = [(unclear,)] if unclear else []
    facts["latency/outliers"] = [outlier(r) for r in rows if r["count"] >= 20 and r.get("outliers_at_most", r["outliers"])]
    facts["latency/still-open"] = [
        (r["open"], title(r), duration(r["oldest_open"]), since(answer, r["oldest_open_begin"])) for r in opened if r.get("oldest_open")
    ]
    facts["latency/just-begun"] = [(r["open"], title(r)) for r in opened if r.get("oldest_open") == 0]
    facts["latency/open-unclear"] = [(r["open"], title(r)) for r in opened if "oldest_open" not in r]
    filtered = answer.get("filtered", 0)
    facts["latency/nothing-meets"] = [(filtered, where)] if filtered and not rows else []
    facts["latency/nothing-ended"] = [] if rows or filtered else [()]
    return facts


NOT_CONCLUDED = {
    "why/lost-meanwhile": "lost_meanwhile",
    "why/not-ended": "not_ended",
    "why/usual": "usual",
    "why/no-pattern": "no_pattern",
}


def of_why(answer):
    """{id: how often it is said}; without what is shown of it."""
    whole, opened = answer["of"], bool(answer.get("open_at_end"))
    longest = len(answer.get("longest_ended", []))
    left_out = answer.get("left_out", 0)
    is_wait = answer["kind"] == "wait"
    counters = answer["counted"]
    facts = {
        "why/lasted": not is_wait,
        "why/took": is_wait,
        "why/open": opened,
        "why/none-ended": whole == 0,
        "why/only-one": whole == 1 and not opened,
        "why/median": whole > 1 and not opened,
        "why/median-of-ended": whole > 0 and opened,
        "why/alike": min(3, len(answer.get("alike", []))),
        "why/longest-ended": longest,
        "why/first": "longest_later" in answer and 2 * answer["longest_later"] <= answer["duration"],
        "why/at-most": sum(each["most"] == each["most_of_trace"] for each in counters),
        "why/below-most": sum(each["most"] != each["most_of_trace"] for each in counters),
        "why/idle": bool(answer["idle"]),
        "why/more-inside": bool(answer["more_inside"] + max(0, len(answer["inside"]) - 3)),
        "why/more-meanwhile": bool(answer["more_meanwhile"]),
        "why/inside-it": sum("inner" in each for each in answer["meanwhile"]),
    }
    if not is_wait:
        facts["why/more-open-slices"] = bool(left_out)
    elif left_out:
        facts["why/more-open-waits"] = 1
    unended = answer.get("unended_hurt", 0)
    facts["why/still-waiting"] = bool(unended and not answer["hurt"])
    facts["why/more-still-waiting"] = bool(unended and answer["hurt"])
    for name, reason in NOT_CONCLUDED.items():
        facts[name] = answer.get("not_concluded") == reason
    return facts


def of_sections(sentences, text, answer):
    """[(id, said, true)] of sentences that are told by their heading."""
    several = sum(each["count"] > 1 and each["duration"] < each["time"] - each["time"] // 10 for each in answer["meanwhile"])
    lines = section(text, "meanwhile")
    busy = sum(bool(sentences["why/busy"].pattern.fullmatch(line)) for line in lines)
    others = sum(bool(sentences[name].pattern.fullmatch(line)) for name in ("why/inside-it", "why/sample", "why/more-meanwhile") for line in lines)
    ran = [line for line in section(text, "ran") if not sentences["why/idle"].pattern.fullmatch(line)]
    return [
        ("why/busy", busy, several),
        ("why/busy-with-one", len(lines) - busy - others, len(answer["meanwhile"]) - several),
        ("why/ran", len(ran), int(bool(answer["ran"]))),
    ]


def of_query(answer):
    """{id: [values]} of the counts of `query`."""
    lost, unknown = answer["lost"], answer["losses_of_unknown_size"]
    facts = {
        "query/read": [(Plain(answer["read"]), Plain(answer["selected"]))],
        "query/none-lost": [] if lost or unknown or answer["damaged_bytes"] or answer.get("spans", {}).get("ended_early") else [()],
    }

    def count(name, number):
        facts[name] = [(Plain(number),)] if number else []

    count("query/lost", lost)
    count("query/lost-of-unknown-size", unknown)
    count("query/damaged", answer["damaged_bytes"])
    count("query/late", answer.get("late", 0))
    count("query/merged", answer.get("partial_answers", 0))
    facts["query/estimates"] = [(", ".join(answer["estimates"]),)] if "estimates" in answer else []
    pairs, spans = answer.get("pairs"), answer.get("spans")
    facts["query/pairs"] = []
    if pairs:
        facts["query/pairs"] = [tuple(Plain(pairs[key]) for key in ("complete", "without_end", "without_begin", "replaced"))]
    for name, key in (("void-by-loss", "void"), ("pairs-across-step", "across_clock_step"), ("too-long", "too_long"), ("not-held", "not_held"), ("without-key", "without_key"),
                      ("without-time", "without_time")):
        count(f"query/{name}", pairs[key] if pairs else 0)
    facts["query/spans"] = [(Plain(spans["whole"]),)] if spans else []
    for name, key in (("left-out", "left_out"), ("open", "open"), ("began-before", "began_before"), ("across-loss", "across_loss"),
                      ("unmatched-ends", "unmatched_ends"), ("begins-left-out", "not_held"), ("ended-early", "ended_early")):
        count(f"query/{name}", spans[key] if spans else 0)
    allocations = answer.get("allocations")
    for name, key in (("allocations", "sampled"), ("live-allocations", "live"), ("untracked-allocations", "untracked"),
                      ("allocations-not-held", "not_held"), ("unmatched-frees", "unmatched_frees")):
        count(f"query/{name}", allocations[key] if allocations else 0)
    samples = answer.get("samples")
    for name, key in (("samples", "sampled"), ("doubtful-samples", "doubtful")):
        count(f"query/{name}", samples[key] if samples else 0)
    return facts


# ---- What a text says


def differences(sentences, text, facts, seen=None):
    """[(id, said, true)] of sentences of a text that are not those of the facts. The values are lists of what is put into places."""
    wrong, places = [], {name: found(sentences[name], text) for name in facts}
    # A sentence that begins as a longer one is not said by that.
    longest = {}
    for match in (each for matches in places.values() for each in matches):
        longest[match.start()] = max(longest.get(match.start(), 0), match.end())
    for name, values in facts.items():
        want = sorted(sentences[name].fill(*each) for each in values)
        said = sorted(match.group(0) for match in places[name] if match.end() == longest[match.start()])
        if seen is not None:
            seen.note(name, bool(said))
        if said != want:
            wrong.append((name, said, want))
    return wrong


# Before and behind a sentence: a line's begin and end, and what joins sentences.
BEFORE = r"(?:^|(?<=; )|(?<=, )|(?<=: )|(?<=\()|(?<=  ))"
BEHIND = r"(?=$|; |, |\)| \()"
# A text at its end goes on to the end of the line, or of the sentence.
BEHIND_TEXT = r"(?=$|; )"


def found(sentence, text):
    behind = BEHIND_TEXT if sentence.pattern.pattern.endswith(f"({TEXT})") else BEHIND
    return list(re.finditer(BEFORE + sentence.pattern.pattern + behind, text, re.MULTILINE))


def section(text, heading):
    """The lines of `why` under a heading."""
    lines, now = [], ""
    for line in text.splitlines():
        if re.match(r"  \w[^ ]*( \w+)?  ", line[:13]):
            now = line[2:12].strip()
        elif not line.startswith(" " * 13):
            now = ""
        if now == heading:
            lines.append(line[13:])
    return lines


def counted(sentences, text, facts, seen=None):
    """The same of facts that say how often each sentence is said."""
    wrong = []
    for name, times in facts.items():
        said = len(re.findall(sentences[name].pattern.pattern + r"(?=$|; |, and )", text, re.MULTILINE))
        if seen is not None:
            seen.note(name, said > 0)
        if said != int(times):
            wrong.append((name, said, int(times)))
    return wrong
