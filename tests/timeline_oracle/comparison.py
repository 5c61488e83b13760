"""What `latency --output json` says against what the oracle makes of the same trace."""

import collections
import re

from .sheet import OUTSIDE
from .summary import QUANTILES, quantile

# A histogram's buckets are this wide at most.
CLOSE = 0.004

# Rules that the command's tables call otherwise: what is known by one name here is (category, name) there.
CATEGORIES = {
    "evtmarker": "marker",
    "task_evtmarker": "task marker",
    "wait mutex": "wait",
    "hold mutex": "hold",
    "pair": "",
    "duration": "",
}
SOFTIRQS = ("HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU")
# Names that both make of what has none: here "isr 7", there "7" in the category "isr".
NAMELESS = re.compile(r"(?:isr|evtmarker|task_evtmarker|task|queue) (\d+)")
# Categories of slices that are on lanes, each on one of its own.
ALL_LANES = ("marker", "task marker")
# These are slices there, whose durations are the same.
NO_PAIRS = ("mutex wait",)


def translated(rule, name):
    """The category and the name that the command has for a slice."""
    if rule == "irq":
        name = name.removeprefix("irq ")
    elif rule == "softirq":
        name = name.removeprefix("softirq ")
        name = SOFTIRQS[int(name)] if name.isdigit() and int(name) < len(SOFTIRQS) else name
    elif rule == "hrtimer":
        name = "expire"
    elif rule == "block":
        name = "request"
    elif found := NAMELESS.fullmatch(name):
        name = found[1]
    return CATEGORIES.get(rule, rule), name


def expected_rows(line):
    """(kind, category, name) -> slices or pairs."""
    rows = collections.defaultdict(list)
    for one in line.slices:
        rows["slice", *translated(one.rule, one.name)].append(one)
    for one in line.pairs:
        if one.rule not in NO_PAIRS:
            rows["wait", one.rule if one.name != one.rule else "", one.name].append(one)
    return rows


def is_of_any_stream(track):
    """Lines do not tell streams without an id apart."""
    return track.startswith("stream [") and '"id"' not in track


def is_close(a, b):
    return abs(a - b) <= CLOSE * max(abs(a), abs(b)) + 1


def row_differences(key, ones, row, all_ones, without=()):
    whole = sorted(one.duration for one in ones if one.is_whole)
    want = {
        "count": len(whole),
        "left_out": len(ones) - len(whole),
        "open": sum("open_at_end" in one.flags for one in ones),
    }
    if whole:
        longest = min((one.begin for one in ones if one.is_whole and one.duration == whole[-1]))
        want |= {"total": sum(whole), "max": whole[-1], "at": longest}
        # What overlaps others is on lanes, which the command chooses while it reads; markers are on lanes always. Where
        # times are clamped, what lies in what is a matter of which are, and what began before any event may overlap anything.
        beside = {"overlap_lane", "dropped", "clock_step", "began_before"}
        if key[0] == "slice" and key[1] not in ALL_LANES and not any(beside & one.flags or is_of_any_stream(one.track) for one in all_ones):
            want["self"] = sum(one.duration - one.inner for one in ones if one.is_whole)
    got = {name: row.get(name, 0) for name in ("count", "left_out", "open")}
    if "doubtful" in without:
        del want["left_out"], got["left_out"]
    if row.get("count"):
        got |= {"total": row["total"], "max": row["max"], "at": row["at"]["time"]}
        if "self" in want:
            got["self"] = row["self"]
    if want != got:
        yield f"{key}: want {want}, got {got}"
    elif whole:
        for word, *part in QUANTILES:
            if not is_close(quantile(whole, *part), row[word]):
                yield f"{key}: {word}: want {quantile(whole, *part)}, got {row[word]}"


def is_beside_table(line, answer):
    """The command pairs by their names what no table has a rule for; here that is only done without any table."""
    return "inferred" in answer["tables"] and "fallback" not in line.tables


def rows_differences(line, answer, without):
    want = expected_rows(line)
    got = {(row["kind"], row.get("category", ""), row.get("full_name", row["name"])): row for row in answer["rows"]}
    if is_beside_table(line, answer):
        got = {key: row for key, row in got.items() if key[:2] != ("slice", "")}
    for key in sorted(want.keys() | got.keys()):
        if key[1] in without:
            continue
        yield from row_differences(key, want.get(key, []), got.get(key, {}), line.slices, without)


def counts_differences(line, answer, without):
    """The receipt: how often each rule of disorder was needed."""
    flags = collections.Counter(flag for one in line.slices for flag in one.flags)
    counts = answer["counts"]
    want = {
        "began_before": flags["began_before"],
        "open_at_end": flags["open_at_end"],
        "inferred_ends": flags["inferred_end"],
        "across_loss": flags["across_loss"],
        "ended_with_task": flags["gone"],
        "negative": flags["negative"],
        "unmatched_ends": sum(line.unmatched.values()),
    }
    if "doubtful" in without:
        want = {name: want[name] for name in ("began_before", "open_at_end", "unmatched_ends")}
    got = {name: counts[name] for name in want}
    if want != got:
        yield f"counts: want {want}, got {got}"


# Where states are: a track here is (group, name) there; the name of a state track is its parent's.
STATE_TRACKS = (
    (r"(?:worker \d+|blocking pool|no worker) state", "worker state"),
    (r"task \d+", "task"),
    (r"core \d+", "core state"),
    (r"cpu(?: \d+)?", "cpu state"),
    (r"thread \S+ executor", "executor"),
    (r"cpu \d+ executor", "executor"),
    (r"thread \d+", "task"),
    (r"queue \d+ state", "mutex"),
    (r"lifecycle .*", "lifecycle"),
)


def group_of(track):
    return next((group for pattern, group in STATE_TRACKS if re.fullmatch(pattern, track)), track)


def expected_states(line, flags=frozenset()):
    """(group, state) -> ns."""
    times = collections.Counter()
    for one in line.states:
        if one.flags == flags:
            value = "running" if one.value.startswith("running on ") else one.value
            times[group_of(one.track), value] += one.end - one.begin
    return times


def states_differences(line, answer):
    for member, flags in (("time", set()), ("open", {"open_at_end"})):
        want, got = expected_states(line, flags), collections.Counter()
        for track in answer["tracks"]:
            for state in track.get("states", ()):
                # Things that have one name are shown with their numbers there.
                bare = re.sub(r" \d+$", "", state["name"])
                is_known = (track["group"], state["name"]) in want or (track["group"], bare) not in want
                got[track["group"], state["name"] if is_known else bare] += state.get(member, 0)
        want, got = +want, +got
        for key in sorted(want.keys() | got.keys()):
            if want[key] != got[key]:
                yield f"state {key}: {member}: want {want[key]}, got {got[key]}"


def differences(line, answer, without=()):
    """What is wrong with an answer, as sentences.

    `without`: categories whose rows are not looked at, "counts", and "doubtful": what has no duration, which may be of
    another range.
    """
    tables = [name.replace("_", "-").replace("fallback", "inferred") for name in line.tables]
    if "inferred" in tables and not line.has_pairs:
        tables.remove("inferred")
    if is_beside_table(line, answer):
        tables.append("inferred")
    if line.begin is not None and sorted(tables) != sorted(answer["tables"]):
        yield f"tables: want {tables}, got {answer['tables']}"
    bounds = line.begin or 0, line.end or 0
    if bounds != (answer["begin"], answer["end"]):
        yield f"begin and end: want {bounds}, got {(answer['begin'], answer['end'])}"
    yield from rows_differences(line, answer, without)
    if "counts" not in without:
        yield from counts_differences(line, answer, without)
    yield from states_differences(line, answer)
