#!/usr/bin/env python3
"""Converts every trace below a folder to every target and back, and counts what came back as it was.

conversion-matrix.py [TRACES]     prints the table of docs/conversion.md; TRACES is ../shared/traces unless given
    --write                       puts the table into docs/conversion.md (of all pairs and traces only)
    --json FILE                   writes each trace that did not come back whole, and why, as JSON lines
    --only A,B                    one pair of targets; more of them: --only A,B --only C,D
    --limit N                     N traces of each target at most
    --largest BYTES               leaves larger traces out (20 MB)
    --damaged                     with those that cannot be read whole: what is missing of them becomes a loss
    --jobs N                      traces at the same time (1)

Needs the command (TRACEDECK_BIN) and equal_traces (EQUAL_TRACES), both in build/release/bin unless set. babeltrace2
reads results of CTF 1.8 where it is installed. Exit 1: a difference that no receipt names, a result with an error in
it, or one that babeltrace2 does not read whole.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import command  # noqa: E402

PAGE = ROOT / "docs" / "conversion.md"
BEGIN = "<!-- conversion-matrix.py --write: begin -->"
END = "<!-- conversion-matrix.py --write: end -->"
EQUAL = os.environ.get("EQUAL_TRACES", str(ROOT / "build/release/bin/equal_traces"))
# The targets, and what the tables call them.
TARGETS = {
    "dial9": "dial9",
    "heph": "Heph",
    "tband": "Tonbandgerät",
    "ctf1": "CTF 1.8",
    "ctf2": "CTF 2.0",
    "ctf2rc": "CTF 2 RC 3",
}
# What a CTF trace could have been written as, by its version.
DIALECTS = {"1.8": "ctf1", "2 (CTF2-SPEC-2.0)": "ctf2", "2 (CTF2-SPECRC-3.0)": "ctf2rc"}
NO_TRACES = (".jsonl", ".jsonl.gz", ".tsv", ".md", ".py")
# Later versions hold all that earlier ones do, so a trace of either can come back.
BACK_OPTIONS = {"dial9": ("--dial9-version", "0.4")}
KEPT_DIFFERENCES = 20
# What became of a trace, and the columns of the table.
OUTCOMES = {
    "equal": "equal",
    "named": "different, as the receipt says",
    "lossy": "different, the receipt does not say where",
    "unnamed": "different, the receipt does not say so",
    "failed": "not converted",
}


def losses_in(receipt):
    """How many losses were written as events."""
    return sum(each["count"] for each in receipt["entries"] if "`tracedeck.loss`" in each["done"])


def format_of(target):
    return "ctf" if target.startswith("ctf") else target


def traces_below(folder):
    """Every trace: (path, format)."""
    for name in ("dial9", "heph", "tband"):
        for path in sorted((folder / name).rglob("*")):
            if path.is_file() and not path.name.endswith(NO_TRACES):
                yield path, name
    for path in sorted((folder / "ctf").rglob("metadata")):
        yield path.parent, "ctf"


def size_of(path):
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files)


def target_of(path, trace_format, damaged=False):
    """The target that the trace could be an output of; None: it cannot be read whole (at all, if `damaged`), or none
    writes such."""
    info = command.run("info", "--json", "--format", trace_format, path)
    if info.returncode not in ((0, 4) if damaged else (0,)):
        return None
    version = json.loads(info.stdout)["version"]
    return DIALECTS.get(version) if trace_format == "ctf" else trace_format


def errors_in(path, trace_format):
    """What `validate` calls an error, as sentences."""
    result = command.run("validate", "--json", "--format", trace_format, path)
    if result.returncode not in (0, 1):
        return [result.stderr.decode("utf-8", "replace")[-300:]]
    findings = [json.loads(line) for line in result.stdout.decode("utf-8", "replace").splitlines()]
    return [f"{each['rule']}: {each['text']}" for each in findings if each["severity"] == "error"]


def convert(path, trace_format, target, out, *options):
    """The receipt of a conversion, or words why there is none."""
    report = pathlib.Path(f"{out}.receipt")
    arguments = ("--format", trace_format, "--to", target, "-o", out, "--report", report, *options)
    result = command.run("convert", *arguments, path)
    if result.returncode not in (0, 4):
        return None, f"exit {result.returncode}: {result.stderr.decode('utf-8', 'replace')[-300:]}"
    return json.loads(report.read_text(encoding="utf-8")), ""


def differences(path, back, trace_format):
    """What the traces differ in; words why they cannot be compared."""
    result = subprocess.run([EQUAL, path, back, trace_format], capture_output=True, timeout=command.TIME_LIMIT)
    if result.returncode not in (0, 1):
        return [], f"equal_traces: {result.stderr.decode('utf-8', 'replace')[-300:]}"
    return [json.loads(line) for line in result.stdout.decode("utf-8", "replace").splitlines()], ""


def names(entry, difference):
    """Whether an entry of a receipt names the place of a difference: its class, if it gives one, and its path or one
    above it. One that gives neither names no place."""
    place = entry.get("path", "")
    if not entry["lossy"] or not (place or entry.get("class")):
        return False
    of_class = difference.get("class") if difference.get("of_class", True) else ""
    if entry.get("class", of_class) != of_class:
        return False
    path = difference.get("place", difference.get("path", ""))
    return not place or path == place or (path.startswith(place) and path[len(place)] in ".[{")


def outcome_of(found, receipts):
    """What became of a trace that came back."""
    if not found:
        return "equal"
    entries = [entry for receipt in receipts for entry in receipt["entries"]]
    if all(any(names(entry, each) for entry in entries) for each in found):
        return "named"
    placeless = any(entry["lossy"] and not (entry.get("path") or entry.get("class")) for entry in entries)
    return "lossy" if placeless else "unnamed"


def foreign_events(path):
    """How many events babeltrace2 reads, and what it says when it fails."""
    counted = subprocess.run(
        ["babeltrace2", path, "--component=sink.utils.counter"], capture_output=True, timeout=command.TIME_LIMIT
    )
    # It counts aloud: what it says last is the sum.
    counts = re.findall(rb"([0-9,]+) Event message", counted.stdout)
    events = int(counts[-1].replace(b",", b"")) if counts else 0
    # The last cause is the innermost.
    said = re.split(r"CAUSED BY ", counted.stderr.decode("utf-8", "replace"))[-1] if counted.returncode else ""
    return events, " ".join(said.split())[:300]


def way_and_back(job, *options):
    """All that is found out about one trace and one target; `options` are of the way there."""
    path, source, target = job
    trace_format = format_of(source)
    result = {"trace": str(path), "from": source, "to": target, "outcome": "failed", "errors": [], "unread": ""}
    with tempfile.TemporaryDirectory(prefix="conversion-matrix-") as folder:
        there = pathlib.Path(folder) / "there"
        back = pathlib.Path(folder) / "back"
        receipt, result["why"] = convert(path, trace_format, target, there, *options)
        if receipt is None:
            return result
        rewritten = receipt["rewritten"]
        if not (rewritten and errors_in(path, trace_format)):
            result["errors"] += errors_in(there, format_of(target))
        if target == "ctf1" and not rewritten and shutil.which("babeltrace2"):
            events, said = foreign_events(there)
            written = receipt["events"] + losses_in(receipt)
            if said or events != written:
                result["unread"] = f"{events} of {written} events; {said}"
        if rewritten:
            back, returned = there, receipt
        else:
            options = BACK_OPTIONS.get(source, ())
            returned, result["why"] = convert(there, format_of(target), source, back, *options)
            if returned is None:
                return result
            result["errors"] += errors_in(back, trace_format)
        found, result["why"] = differences(path, back, trace_format)
        if result["why"]:
            return result
        result["outcome"] = outcome_of(found, [receipt, returned])
        result["differences"] = found[:KEPT_DIFFERENCES]
        result["more_differences"] = max(0, len(found) - KEPT_DIFFERENCES)
        result["lossy"] = receipt["lossy"] or returned["lossy"]
        result["receipts"] = [receipt["entries"], returned["entries"]]
        result["rewritten"] = rewritten
    return result


def is_sound(result):
    return result["outcome"] in ("equal", "named") and not result["errors"] and not result["unread"]


def table(results):
    """The table as Markdown."""
    heads = ["from", "to", "traces", *OUTCOMES.values()]
    heads += ["equal, the receipt says otherwise", "`validate` finds errors", "babeltrace2 fails"]
    rows = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    by_pair = collections.defaultdict(list)
    for result in results:
        by_pair[result["from"], result["to"]].append(result)
    for pair in [(source, target) for source in TARGETS for target in TARGETS]:
        some = by_pair.get(pair)
        if not some:
            continue
        counts = [sum(each["outcome"] == outcome for each in some) for outcome in OUTCOMES]
        counts.append(sum(each["outcome"] == "equal" and each["lossy"] for each in some))
        counts.append(sum(bool(each["errors"]) for each in some))
        counts.append(sum(bool(each["unread"]) for each in some) if pair[1] == "ctf1" and pair[0] != "ctf1" else "")
        source, target = (TARGETS[each] for each in pair)
        source += " (rewritten)" if source == target else ""
        rows.append(f"| {source} | {target} | {len(some)} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(rows)


def common_differences(results):
    """What differs without being named, by pair: in how many traces."""
    counts = collections.Counter()
    for result in results:
        if result["outcome"] in ("lossy", "unnamed"):
            pair = result["from"], result["to"]
            # Of an attribute not which it is.
            kinds = {
                f"{each['kind']} ({'attribute' if each['what'].startswith('attribute ') else each['what']})"
                for each in result["differences"]
                if "what" in each
            }
            counts.update((*pair, kind) for kind in kinds)
    return counts


def write(text):
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("traces", nargs="?", type=pathlib.Path, default=command.TRACES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--largest", type=int, default=20_000_000)
    parser.add_argument("--damaged", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    pairs = [tuple(pair.split(",")) for pair in options.only] or [(a, b) for a in TARGETS for b in TARGETS]
    if any(len(pair) != 2 or not set(pair) <= set(TARGETS) for pair in pairs):
        parser.error(f"--only takes two of {', '.join(TARGETS)}, with a comma between them")
    if options.write and (options.only or options.limit):
        parser.error("--write is for all pairs and traces")

    taken = collections.Counter()
    jobs = []
    for path, trace_format in traces_below(options.traces):
        source = target_of(path, trace_format, options.damaged) if size_of(path) <= options.largest else None
        if source is None or (options.limit and taken[source] >= options.limit):
            continue
        taken[source] += 1
        jobs += [(path, source, target) for target in TARGETS if (source, target) in pairs]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(way_and_back, jobs))

    if options.json:
        lines = [json.dumps(each) + "\n" for each in results if not is_sound(each)]
        options.json.write_text("".join(lines), encoding="utf-8")
    for (source, target, what), count in sorted(common_differences(results).items()):
        print(f"{source} {target}: {count} x {what}", file=sys.stderr)
    (write if options.write else print)(table(results))
    return 0 if all(map(is_sound, results)) else 1


if __name__ == "__main__":
    sys.exit(main())
