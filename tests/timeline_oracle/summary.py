"""A time line as one JSON object."""

import collections

FLAGS = ("began_before", "across_loss", "inferred_end", "open_at_end", "negative", "clock_step", "gone", "overlap_lane", "dropped")
QUANTILES = (("p50", 1, 2), ("p90", 9, 10), ("p99", 99, 100), ("p99.9", 999, 1000))


def summary(line):
    return {
        "tables": line.tables,
        "events": line.events,
        "begin": line.begin,
        "end": line.end,
        "losses": line.losses,
        "problems": line.problems,
        "clock_steps": line.clock_steps,
        "sections": line.sections,
        "slices": measured(line.slices, line.unmatched),
        "pairs": measured(line.pairs, {}),
        "workers": workers(line),
        "tracks": tracks(line),
        "instants": {f"{rule}: {name}": count for (rule, name), count in sorted(line.instants.items())},
        "counters": counters(line),
        "flows": dict(sorted(line.flows.items())),
    }


def quantile(durations, numerator, denominator):
    """The ceil(q * n)-th smallest."""
    return durations[max(0, -(-numerator * len(durations) // denominator) - 1)]


def measured(slices, unmatched):
    groups = collections.defaultdict(list)
    for slice in slices:
        groups[slice.rule, slice.name].append(slice)
    for key in unmatched:
        groups[key]
    result = []
    for (rule, name), ones in sorted(groups.items()):
        whole = [one for one in ones if one.is_whole]
        row = {"rule": rule, "name": name, "count": len(whole)}
        row["flagged"] = {flag: count for flag in FLAGS if (count := sum(flag in one.flags for one in ones))}
        if unmatched.get((rule, name)):
            row["flagged"]["unmatched_end"] = unmatched[rule, name]
        if whole:
            durations = sorted(one.duration for one in whole)
            row |= {word: quantile(durations, *q) for word, *q in QUANTILES}
            longest = min((one for one in whole if one.duration == durations[-1]), key=lambda one: one.begin)
            row |= {
                "max": durations[-1],
                "sum": sum(durations),
                "self": sum(one.duration - one.inner for one in whole),
                "at": longest.begin,
                "track": longest.track,
                "args": longest.args,
            }
        result.append(row)
    return result


def workers(line):
    """Of dial9: how long each worker was active, polling and on a CPU."""
    result = collections.defaultdict(lambda: {"active": 0, "polling": 0, "on CPU": 0})
    for state in line.states:
        if state.value == "active" and state.track.endswith(" state") and not state.flags:
            result[state.track.removesuffix(" state")]["active"] += state.end - state.begin
    for slice in line.slices:
        if slice.rule == "poll" and slice.is_whole:
            result[slice.track]["polling"] += slice.duration
    for (track, what), ns in line.sums.items():
        result[track][what] += ns
    return dict(sorted(result.items()))


def tracks(line):
    """ns by state and by rule, of whole stretches and slices."""
    result = collections.defaultdict(lambda: {"states": collections.Counter(), "slices": collections.Counter()})
    for state in line.states:
        if not state.flags:
            result[state.track]["states"][state.value] += state.end - state.begin
    for slice in line.slices:
        if slice.is_whole:
            result[slice.track]["slices"][slice.rule] += slice.duration
    return {
        track: {key: dict(sorted(value.items())) for key, value in one.items() if value}
        for track, one in sorted(result.items())
    }


def counters(line):
    return {
        f"{name} @ {track}": {"count": len(values), "last": values[-1], "min": min(values), "max": max(values)}
        for (name, track), values in sorted(line.counters.items())
    }
