"""Compares what the command says of a trace with the truth of its world.

Without loss each figure is exact and nothing is absent. With loss each figure lies between what is sure and what is true,
each duration said to be known is true, and no conclusion contradicts what happened. Quantiles are within 0.4 %.
"""

import collections
import json

from . import notices, sentences
from . import truth as t
from .pictures import check_perfetto, check_pictures, picture
from .said import Command, word

QUANTILE_ERROR = 0.004
QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}


def label_of(row):
    return " ".join(part for part in (row.get("category", ""), row["name"]) if part)


def host_of(truth, *texts):
    """The host that a text names, of several; None: it names none."""
    for host in truth.hosts:
        if any(host in text for text in texts if text):
            return host
    return None


def bare(text, host):
    """A name without the host in it."""
    return text.replace(host, "").strip(" :@()[]/,-") if text and host else text


def spans_of(truth, label, host=None):
    labels = truth.means(label)
    return [span for span in truth.spans if span.label in labels and host in (None, span.host)]


def meant(command, label):
    """The label of the spans that a name in an answer means. One that means several is itself a false statement."""
    labels = command.truth.means(label)
    if len(labels) > 1:
        command.say("name: adds up different ones", label, sorted(labels))
        return None
    return labels[0] if labels else label


def check_rows(command, answer):
    truth, seen = command.truth, set()
    for row in joined_rows(truth, answer["rows"]):
        label = label_of(row)
        host = host_of(truth, label, row.get("host"), row.get("trace"), row.get("by"))
        if host:
            label = " ".join(bare(label, host).split())
        if truth.unchecked(label):
            continue
        seen.update(truth.means(label))
        label = meant(command, label)
        if label is None:
            continue
        spans = spans_of(truth, label, host)
        if not spans:
            if row["count"] or not truth.lossy:
                command.say("row: of nothing that happened", f"{label}: {row['count']}, left out {row.get('left_out', 0)}", "none")
            continue
        check_row(command, label, row, spans)
    for label, spans in by_label(truth).items():
        if label not in seen and not truth.unchecked(label) and any(s.sure for s in spans):
            command.say("row: absent", "nothing", f"{label}: {len(spans)}")


def joined_rows(truth, rows):
    """Where what a name says was lost of some, they have a row of their own, called by their number: both are of the same."""
    result, numbered = {}, {truth.means(label_of(row)) for row in rows if row["name"].startswith("0x")}
    for row in rows:
        labels = truth.means(label_of(row))
        key = (labels, row.get("host")) if labels in numbered else len(result)
        if key not in result:
            result[key] = dict(row)
            continue
        known = result[key]
        if label_of(row) in labels:
            known["name"] = row["name"]
        longest = max((one for one in (known, row) if "max" in one), key=lambda one: one["max"], default=None)
        if longest is not None:
            known["total"] = sum(one.get("total", 0) for one in (known, row))
            known["max"], known["at"] = longest["max"], longest.get("at")
        for name in ("count", "left_out", "open"):
            known[name] = known.get(name, 0) + row.get(name, 0)
        for name in (*QUANTILES, "self", "outliers", "outliers_at_most"):
            known.pop(name, None)
    return result.values()


def by_label(truth):
    result = collections.defaultdict(list)
    for span in truth.spans:
        result[span.label].append(span)
    return result


def check_row(command, label, row, spans):
    kind = spans[0].kind
    whole = sorted(s.duration for s in spans if s.fate == t.WHOLE)
    # What ended because its thread did may have a duration or none.
    cut = [s.duration for s in spans if s.fate == t.CUT]
    perhaps = len(cut) + sum(s.fate == t.UNKNOWN for s in spans)
    sure = sorted(s.duration for s in spans if s.fate == t.WHOLE and s.sure)
    opened = [s for s in spans if s.fate == t.OPEN]
    before = [s for s in spans if s.fate == t.BEFORE]
    if row["kind"] != kind:
        command.say("row: kind", f"{label} is a {row['kind']}", kind)
    bounds(command, f"{kind}: count", label, row["count"], len(sure), len(whole) + len(cut))
    left_out = row.get("left_out", 0)
    if not command.truth.lossy:
        least = sum(s.sure for s in opened + before)
        bounds(command, f"{kind}: left out", label, left_out, least, len(opened) + len(before) + perhaps + len(whole) - len(sure))
    elif row["count"] + left_out > len(spans):
        command.say(f"{kind}: more than there were", f"{label}: {row['count']} and {left_out} left out", len(spans))
    sure_open = [s for s in opened if s.sure]
    may_open = len(spans) if command.truth.lossy else len(opened) + sum(s.fate == t.UNKNOWN for s in spans)
    bounds(command, f"{kind}: open", label, row.get("open", 0), len(sure_open), may_open)
    if "total" not in row:
        return
    bounds(command, f"{kind}: total", label, row["total"], sum(sure), sum(whole) + sum(cut))
    own = [s.own for s in spans if s.fate == t.WHOLE and s.sure]
    if "self" in row and sure == whole and not cut and None not in own:
        bounds(command, f"{kind}: self", label, row["self"], sum(own), sum(own))
    longest = max(whole + cut, default=0)
    bounds(command, f"{kind}: max", label, row["max"], max(sure, default=0), longest)
    begins = {s.begin for s in spans if s.fate in (t.WHOLE, t.CUT) and s.duration == row["max"]}
    if row["max"] <= longest and row.get("at") and row["at"]["time"] not in begins:
        command.say(f"{kind}: at", f"{label}: {row['max']} at {row['at']['time']}", sorted(begins)[:3])
    if sure == whole and not cut and row["count"] == len(whole):
        for name, share in QUANTILES.items():
            want = t.quantile(whole, share)
            if name in row and abs(row[name] - want) > QUANTILE_ERROR * want + 1:
                command.say(f"{kind}: quantile", f"{label}: {name} {row[name]}", want)
        median = t.quantile(whole, 0.5)
        outliers = sum(value > 10 * median for value in whole)
        if "outliers" in row:
            said = row["outliers"], row.get("outliers_at_most", row["outliers"])
            if not said[0] <= outliers <= said[1]:
                command.say("outliers", f"{said} of {len(whole)} {label} took more than ten times the median", outliers)


def bounds(command, kind, what, said, low, high):
    if not low <= said <= high:
        command.say(kind, f"{what}: {said}", low if low == high else f"{low} to {high}")


def check_spans(command):
    """Each duration that is said to be known is true."""
    truth = command.truth
    output = command.run("query", "--output", "jsonl", "spans").stdout
    true = collections.Counter((s.label, s.begin, s.end) for s in truth.spans if s.fate in (t.WHOLE, t.CUT))
    said = collections.Counter()
    for line in output.decode().splitlines():
        row = json.loads(line)
        if "answer" in row:
            continue
        label = label_of(row)
        if truth.unchecked(label):
            continue
        host = host_of(truth, label, row.get("host"), row.get("trace"), row.get("track"))
        if host:
            label = " ".join(bare(label, host).split())
        labels = truth.means(label)
        label = labels[0] if len(labels) == 1 else label
        key = (label, row["time"], row["time"] + row["duration"])
        if len(labels) > 1:  # the row of `latency` is judged; here it may be any of them
            key = next((k for k in ((name, *key[1:]) for name in labels) if said[k] < true[k]), key)
        said[key] += 1
        if said[key] > true[key]:
            near = [s for s in truth.spans if s.label == label and (s.begin == key[1] or s.end == key[2])]
            kind = "wait" if row["kind"] == "wait" else "slice"
            how = "a loss within" if t.touched(key[1], key[2], truth.losses) else "no loss within"
            command.say(
                f"{kind}: a duration that is not true, {how}",
                f"{label} from {key[1]} to {key[2]} on {row.get('track')}",
                [(s.begin, s.end, s.fate) for s in near[:3]] or "none begins or ends there",
            )


def spent_in(states):
    return {state["name"]: state["time"] + state.get("open", 0) for state in states}


def faults_of(track, said):
    """[(kind, said, true)] of the states of one track. `said` is {state: time}."""
    faults = []
    names = set(said) | {name for state in track.states for name in state.names}
    for name in sorted(names):
        accepting = [s for s in track.states if name in s.names]
        most = sum(s.end - s.begin for s in accepting)
        if said.get(name, 0) > most:
            faults.append(("over", name, said[name], most))
    groups = collections.defaultdict(int)
    for state in track.states:
        if state.sure:
            groups[state.names] += state.end - state.begin
    for names, least in groups.items():
        have = sum(said.get(name, 0) for name in names)
        # A word that two groups share counts for both; the total below is checked too.
        if have < least:
            faults.append(("short", names[0], have, least))
    return faults


def check_tracks(command, answer):
    truth = command.truth
    groups = {track.group for track in truth.tracks}
    said = collections.defaultdict(list)
    for row in answer["tracks"]:
        if row["group"] in groups and row.get("states"):
            said[row["group"]].append(row)
    for group in groups:
        expected = [track for track in truth.tracks if track.group == group]
        match_tracks(command, group, expected, said[group])


def match_tracks(command, group, expected, rows):
    truth = command.truth
    names = collections.defaultdict(list)
    for track in expected:
        names[track.name].append(track)
    unnamed = [row for row in rows if truth.hosts and host_of(truth, row["track"], row.get("parent"), row.get("host"), row.get("trace")) is None]
    if unnamed:  # which machine's it is cannot be told, so nothing else can be compared
        row = unnamed[0]
        command.say(f"{group}: the host is not named", f"{row['track']} {row.get('parent', '')}", "/".join(truth.hosts))
        return
    for row in rows:
        host = host_of(truth, row["track"], row.get("parent"), row.get("host"), row.get("trace"))
        spent = spent_in(row["states"])
        shown, parent = bare(row["track"], host), bare(row.get("parent"), host)
        candidates = [
            track
            for name, tracks in names.items()
            for track in tracks
            if shown in (name, f"{name} {track.tid}")
            and (track.host == host or not truth.hosts)
            and track.parent in (None, parent)
        ]
        if not candidates:
            others = {track.name for track in expected}
            if row["track"] in others:
                command.say(f"{group}: more tracks than there were", row["track"], sorted(others)[:8])
            else:
                command.say(f"{group}: of nobody", row["track"], sorted(others)[:8])
            continue
        best = min(candidates, key=lambda track: len(faults_of(track, spent)))
        names[best.name].remove(best)
        report_states(command, group, best, spent)
    for tracks in names.values():
        for track in tracks:
            if any(state.sure for state in track.states):
                command.say(f"{group}: absent", "nothing", f"{track.name} {summary(track)}")


def summary(track):
    times = collections.Counter()
    for state in track.states:
        times[state.names[0]] += state.end - state.begin
    return dict(times)


def report_states(command, group, track, spent):
    faults = faults_of(track, spent)
    over = [fault for fault in faults if fault[0] == "over"]
    short = [fault for fault in faults if fault[0] == "short"]
    lossy = ", with losses" if command.truth.lossy else ""
    where = f"{track.name}{'@' + track.host if track.host else ''}"
    named = group not in ("cpu state", "core state", "mutex")  # names there are of tasks, which are no kinds
    for _, name, said, true in over:
        instead = max(short, key=lambda fault: fault[3] - fault[2], default=None)
        words = word(name) + (f" instead of {word(instead[1])}" if instead else "")
        kind = "more of a state than there was" if lossy or not named else words
        command.say(f"{group}: {kind}{lossy}", f"{where}: {words}: {said}", f"{name} {true} of {summary(track)}")
    if not over:
        for _, name, said, true in short:
            kind = "less of a state than is sure" if lossy or not named else f"too little {word(name)}"
            command.say(f"{group}: {kind}{lossy}", f"{where}: {name} {said}", f"at least {true} of {summary(track)}")


def check_counters(command, answer):
    truth = command.truth
    said = {(row["track"], row.get("parent")): row for row in answer["counters"]}
    for counter in truth.counters:
        row = next((r for (name, parent), r in said.items() if name == counter.name and counter.parent in (None, parent)), None)
        if row is None:
            if counter.sure:
                command.say("counter: absent", "nothing", counter)
            continue
        got = (row["count"], row["min"], row["max"], row["last"])
        want = (counter.count, counter.least, counter.most, counter.last)
        if counter.sure and got != want:
            command.say("counter: values", f"{counter.name}: count, min, max, last {got}", want)


def check_summary(command, answer):
    truth = command.truth
    for name in ("events", "begin", "end"):
        if answer[name] != getattr(truth, name):
            command.say(f"latency: {name}", answer[name], getattr(truth, name))
    lost = [loss for loss in truth.losses if loss.declared]
    if not any(loss.events is None for loss in lost):
        want = sum(loss.events for loss in lost)
        bounds(command, "latency: lost events", "lost_events", answer["counts"]["lost_events"], want, want)
    if not truth.lossy:
        checked = [span for span in truth.spans if not truth.unchecked(span.label)]
        if any(truth.unchecked(label_of(row)) for row in answer["rows"]):
            return
        unsure = sum(span.fate == t.WHOLE and not span.sure for span in checked)
        for name, fate in (("began_before", t.BEFORE), ("open_at_end", t.OPEN)):
            want = [span for span in checked if span.fate == fate]
            bounds(command, f"latency: {name}", name, answer["counts"][name], sum(span.sure for span in want), len(want) + unsure)


def check_info(command):
    truth, answer = command.truth, command.json("info")
    if not isinstance(answer, dict) or "events" not in answer:
        return
    if answer["events"] != truth.events:
        command.say("info: events", answer["events"], truth.events)
    time = answer.get("time") or {}
    if (time.get("first"), time.get("last")) != (truth.begin, truth.end):
        command.say("info: time", time, (truth.begin, truth.end))
    lost = [loss for loss in truth.losses if loss.declared]
    said = answer["losses"]
    if said["packets"] != sum(loss.packets for loss in lost):
        command.say("info: packets lost", said, sum(loss.packets for loss in lost))
    known = sum(loss.events or 0 for loss in lost)
    if said["events"] != known:
        command.say("info: events lost", said, known)


def check_stats(command):
    truth, answer = command.truth, command.json("stats")
    if not answer:
        return
    said = collections.Counter()
    for row in answer["classes"]:
        said[row.get("name")] += row["events"]
    want = {name: count for name, count in truth.classes.items() if count}
    if {name: count for name, count in said.items() if count} != want:
        command.say("stats: events of classes", dict(said), want)
    seconds = ((truth.last_begin or truth.end) - truth.begin) / 1e9
    for row in answer["classes"]:
        rate = row.get("rate")
        if rate is None or seconds <= 0:
            continue
        right = row["events"] / seconds
        # Over the time from the first begin to the last one; with n - 1 intervals or n, as `query rate` has it.
        if abs(rate - right) > 1e-6 * right:
            command.say("stats: rate", f"{row.get('name')}: {rate}", right)


def piece_is_true(truth, piece):
    spans = spans_of(truth, piece["name"])
    begin, end = piece["begin"], piece["begin"] + piece["duration"]
    return not spans or any(
        (span.begin, span.end) == (begin, end)
        or (span.fate != t.WHOLE and (span.begin is None or span.begin == begin or begin == truth.begin) and end <= truth.end)
        for span in spans
    )


def asked(command, name, *more):
    """The answer of `why` about the longest of a name; None where there is none."""
    result = command.start("why", "--longest", name, *more, "--output", "json")
    if result.returncode not in (1, *command.truth.exits) or not result.stdout:
        command.say(f"why: exit {result.returncode}", result.stderr.decode(errors="replace")[:300], "an answer")
        return None
    return json.loads(result.stdout)


def check_why(command, limit=4):
    truth = command.truth
    labels = truth.ask or [label for label in by_label(truth) if not truth.unchecked(label)]
    for label in list(labels)[:limit]:
        # What ended because its thread did may have no duration.
        spans = [span for span in spans_of(truth, label) if span.fate == t.WHOLE]
        if not spans or '"' in label:
            continue
        answer = asked(command, label)
        if answer is None:
            continue
        if not answer["found"]:
            if any(span.sure for span in spans):
                command.say("why: not found", f"{label}: {answer['reason']}", f"{len(spans)} of them")
            continue
        check_answer(command, label, answer)


def check_answer(command, label, answer):
    truth = command.truth
    host = host_of(truth, answer.get("host"), answer.get("track"))
    spans = spans_of(truth, answer["name"], host)  # each host has rows of its own
    begin, end = answer["begin"], answer["begin"] + answer["duration"]
    if answer["kind"] != "state" and not answer.get("open_at_end"):
        if not any((span.begin, span.end) == (begin, end) for span in spans):
            command.say("why: what it explains did not happen", f"{answer['name']} from {begin} for {answer['duration']}", "not so")
            return
        whole = sorted(span.duration for span in spans if span.fate == t.WHOLE)
        if not truth.lossy and all((span.sure or span.fate == t.UNKNOWN) and span.fate != t.CUT for span in spans):
            if answer["of"] != len(whole):
                command.say("why: how many there are", f"{label}: {answer['of']}", len(whole))
            elif abs(answer["median"] - t.quantile(whole, 0.5)) > QUANTILE_ERROR * t.quantile(whole, 0.5) + 1:
                command.say("why: median", answer["median"], t.quantile(whole, 0.5))
    for part in ("waited", "inside", "within", "hurt", "held"):
        for piece in answer[part]:
            if not piece_is_true(truth, piece):
                command.say(f"why: {part}", f"{piece['name']} from {piece['begin']} for {piece['duration']}", "not so")
    tracks = collections.defaultdict(list)
    for track in truth.tracks:
        if track.tid is not None:
            tracks[track.tid].append(track)
    for said in answer["states"] + answer["holder"]:
        known = tracks.get(said.get("tid"))
        if not known or "cpu" in said:
            continue
        most = max(
            sum(t.overlap(begin, end, s.begin, s.end) for s in track.states if said["name"] in s.names) for track in known
        )
        if said["time"] > most:
            command.say(f"why: state {said['name']}", f"{said['track']}: {said['time']}", most)
    for kind, said, true in truth.witness(truth, answer):
        command.say(f"why: {kind}", said, true)
    if "so" not in answer:
        return
    median = answer.get("median")
    if median and answer["duration"] <= 2 * median:
        command.say("why: a conclusion at the median", f"{label} of {answer['duration']}: {answer['so']}", f"median {median}")
    if any(loss.is_within(begin, end, host) for loss in truth.losses):
        command.say("why: a conclusion across a loss", answer["so"], "events were lost meanwhile")
    false = truth.judge(truth, answer)
    if false:
        command.say("why: a wrong conclusion", *false)


def check_gates(command):
    """A gate holds if what it asks is so, and fails where nothing has that name or events were lost in what it counts."""
    truth = command.truth
    for measure in ("count", "open", "left_out"):
        wish = f'{measure}("no such name") < 10'
        if gate(command, wish) == 0:
            command.say("gate: a name that nothing has", f"{wish} holds", "exit 1")
        check_reason(command, wish, "require/nothing")
    labels = [
        label for label, spans in by_label(truth).items()
        if not truth.unchecked(label) and "/" not in label and all(s.fate == t.WHOLE for s in spans)
    ]
    declared = any(loss.declared for loss in truth.losses)
    for label in labels[:1] if not truth.lossy or declared else ():
        spans = spans_of(truth, label)
        wish = f'count("{label}") == {len(spans)}'
        held = gate(command, wish)
        # Each host has rows of its own.
        if not truth.lossy and not truth.hosts and all(s.sure for s in spans) and held != 0:
            command.say("gate: fails", f"{wish}: exit {held}", "it holds")
        most = f'count("{label}") <= {len(spans)}'  # which is so, but nobody can know it
        if declared and not all(s.sure for s in spans) and gate(command, most) == 0:
            command.say("gate: holds though events were lost", most, "exit 1")
        sure = sum(s.sure for s in spans)
        if not truth.lossy and not truth.hosts and sure and gate(command, f'count("{label}") < {sure}') == 0:
            command.say("gate: holds", f'count("{label}") < {sure}', f"{sure} of them")
        if not truth.lossy and all(s.sure for s in spans) and not truth.hosts:
            check_reason(command, f'count("{label}") < {len(spans)}', "require/is", f"{len(spans):,}")
            check_reason(command, f'max("{label}") < 0ns', "require/is", sentences.duration(max(s.duration for s in spans)))
            check_reason(command, f'absent("{label}")', "require/exists", label)
        if declared and not all(s.sure for s in spans):
            check_reason(command, 'absent("no such name")', "require/lost")
    if not truth.lossy and not truth.hosts:
        opened = [label for label, spans in by_label(truth).items() if all(s.fate == t.OPEN and s.sure for s in spans)]
        for label in [each for each in opened if not truth.unchecked(each) and "/" not in each][:1]:
            check_reason(command, f'max("{label}") < 1h', "require/none-known", label)


def gate(command, wish):
    """The exit code of a requirement; damage alone is no failure of it."""
    return command.start("latency", "--require", wish).returncode


def check_reason(command, wish, name, *values):
    """A requirement does not hold, and the reason is that one."""
    table = sentences.table(command.binary)
    said = notices.reason(table, command.start("latency", "--require", wish).stderr.decode(errors="replace"))
    if said is None or said[0] != name or (values and said[1][: len(values)] != values):
        command.say("gate: why it does not hold", f"{wish}: {said}", (name, *values))


def check_more(command):
    """Pictures and gates."""
    check_pictures(command)
    check_gates(command)


def check_sentences(command, answer):
    """The text says what the JSON does, and nothing else."""
    table = sentences.table(command.binary)
    result = command.run("latency", "--top", "0")
    text = result.stdout.decode()
    for name, said, true in sentences.differences(table, text, sentences.of_latency(table, answer)):
        command.say(f"latency: {name}", said, true)
    notices.check_said(command, table, result.stderr.decode(errors="replace"))


def check(binary, truth, parts=("latency", "spans", "info", "stats", "why", "perfetto")):
    """All false statements about one trace."""
    command = Command(binary, truth)
    parts = parts if truth.parts is None else truth.parts
    if "latency" in parts:
        answer = command.json("latency", "--top", "0")
        if answer:
            check_summary(command, answer)
            check_rows(command, answer)
            check_tracks(command, answer)
            check_counters(command, answer)
            check_sentences(command, answer)
    if "spans" in parts:
        check_spans(command)
    if "info" in parts and len(truth.paths) == 1:
        check_info(command)
    if "stats" in parts and not truth.hosts:
        check_stats(command)
    if "why" in parts:
        check_why(command)
    if "perfetto" in parts:
        check_perfetto(command)
    truth.further(command)
    return command.found


