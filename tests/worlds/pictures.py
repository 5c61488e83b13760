"""What Perfetto shows of a trace: states are true at all times, and slices are there as they were."""

import collections
import pathlib
import tempfile

import perfetto_decoder

from . import truth as t
from .said import word

# Perfetto's numbers of task states.
PERFETTO = {1: "created", 2: "runnable", 3: "running", 4: "sleeping", 5: "waiting", 6: "stopped", 7: "exited", 8: "gone"}


def picture(command):
    """What Perfetto shows, decoded; None where the conversion failed."""
    if not command.pictures:
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "x.pftrace"
            result = command.run("convert", "-q", "-o", str(out))
            failed = result.returncode not in command.truth.exits or not out.exists()
            command.pictures.append(None if failed else perfetto_decoder.Trace(out.read_bytes()))
        for problem in command.pictures[0].problems[:3] if command.pictures[0] else ():
            command.say("perfetto: malformed", problem, "well-formed")
    return command.pictures[0]


def check_pictures(command):
    """Each state that Perfetto shows is true at all times, and where nothing is lost each slice is there as it was."""
    truth, decoded = command.truth, picture(command)
    if decoded is None or truth.hosts:
        return
    # Perfetto has 63 bits of a time: those near their end, or beyond, are all earlier, which the receipt says.
    later = min(truth.begin, 1 << 63) if truth.begin >> 62 else 0
    tracks = collections.defaultdict(list)
    for track in truth.tracks:
        tracks[track.name, track.parent].append(track)
    meant = {}  # by a name without its number: with it
    for state in decoded.states:
        shown = decoded.tracks[state.track]
        parent = decoded.tracks.get(shown.get("parent_uuid"), {}).get("name")
        known = tracks.get((shown.get("name"), parent)) or tracks.get((shown.get("name"), None)) or ()
        end = truth.end if state.end is None else min(state.end, truth.end)
        if known and end > state.begin and not holds(known, state.begin, end, state.name, meant):
            lossy = ", with losses" if truth.lossy else ""
            what = f": {word(state.name)}" if known[0].group not in ("core state", "cpu state", "mutex") else ""
            command.say(f"perfetto: {known[0].group}{what}{lossy}", f"{known[0].name} {state.name} from {state.begin} to {end}", "not so")
    if truth.lossy:
        return
    said = collections.Counter(
        (truth.means(f"{s.category} {s.name}"), s.begin + later, s.end + later) for s in decoded.slices if s.end is not None and s.category
    )
    for span in truth.spans:
        if span.kind == "slice" and span.sure and span.fate == t.WHOLE and not truth.unchecked(span.label):
            # Where several places share a name, that is said of the rows.
            key = next((k for k in said if span.label in k[0] and k[1:] == (span.begin, span.end) and said[k] > 0), None)
            if key is None:
                command.say("perfetto: a slice is absent", "nothing", f"{span.label} from {span.begin} to {span.end}")
            else:
                said[key] -= 1


def check_perfetto(command):
    """States of threads, which Perfetto has of its own, are true at all times, and those that are sure are there."""
    truth = command.truth
    tracks = collections.defaultdict(list)
    for track in truth.tracks:
        if track.tid is not None and track.group == "task":
            tracks[track.tid].append(track)
    if not tracks or truth.hosts:
        return
    decoded = picture(command)
    if decoded is None:
        return
    times = collections.defaultdict(list)
    # Perfetto's times begin at or before the first event.
    for task in decoded.tasks:
        times[task.tid].append((task.time, PERFETTO.get(task.state, "unknown")))
    origin = perfetto_origin(truth, decoded)
    for tid, known in tracks.items():
        said = times.get(tid, [])
        for (begin, name), (end, _) in zip(said, said[1:] + [(truth.end - origin, None)]):
            begin, end = begin + origin, min(end + origin, truth.end)
            if end <= begin or name in ("unknown", "created", "gone"):
                continue
            doubt = sum(t.overlap(begin, end, *window) for window in truth.unnoticed())
            if not any(covered(track, begin, end, name, doubt) for track in known):
                true = next((s for s in known[0].states if s.begin < end and begin < s.end and not matches(name, s.names)), None)
                words = f"{name} instead of {word(true.names[0]) if true else 'nothing'}"
                kind = "a state that did not hold, with losses" if truth.lossy else words
                command.say(f"perfetto: {kind}", f"{tid}: {words} from {begin} to {end}", true)
        check_sure(command, tid, known, said, origin)


def check_sure(command, tid, known, said, origin):
    """What the trace records for sure is there."""
    if len(known) > 1:
        return
    ends = [time for time, _ in said[1:]] + [command.truth.end - origin]
    intervals = [(begin + origin, end + origin, name) for (begin, name), end in zip(said, ends)]
    for state in known[0].states:
        have = sum(t.overlap(b, e, state.begin, state.end) for b, e, name in intervals if matches(name, state.names))
        if state.sure and have < state.end - state.begin:
            lossy = ", with losses" if command.truth.lossy else ""
            command.say(f"perfetto: too little of a state{lossy}", f"{tid}: {state.names[0]} for {have} of", state)
            return


def perfetto_origin(truth, decoded):
    """Times of clocks since 1970 are kept; others may be moved so that none is negative."""
    first = min((task.time for task in decoded.tasks), default=truth.begin)
    return 0 if first >= truth.begin or truth.begin < 1 << 40 else truth.begin - first


def covered(track, begin, end, name, doubt=0):
    have = doubt + sum(t.overlap(begin, end, s.begin, s.end) for s in track.states if matches(name, s.names))
    return have >= end - begin


def holds(tracks, begin, end, name, meant):
    """A picture that is written while the trace is read shows what tells a name from those before it (docs/timeline.md): of tasks
    that have one name, the number of the first is left out. That one is the same in all states. Which of several tracks of one name
    is meant is not known."""
    if any(covered(track, begin, end, name) for track in tracks):
        return True
    true = set()
    for track in tracks:
        numbered = {n for s in track.states for n in s.names if n.startswith(name + " ") and n[len(name) + 1 :].isdigit()}
        true |= {n for n in numbered if covered(track, begin, end, n)}
    meant[name] = true & meant.get(name, true)
    return bool(meant[name])


def matches(name, names):
    """Perfetto has fewer words than a kernel."""
    if name in names:
        return True
    if name == "sleeping":
        return any(word.startswith(("sleeping", "idle", "parked", "blocked", "not running", "delay", "pending")) for word in names)
    if name == "waiting":
        return any(word in names for word in ("waiting", "disk sleep", "idle", "uninterruptible"))
    if name == "stopped":
        return any(word in names for word in ("stopped", "traced", "parked", "suspended"))
    return name in ("exited", "gone") and any(word in names for word in ("zombie", "dead", "deleted"))
