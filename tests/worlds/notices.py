"""Which notices and which reasons of requirements are true of a world, decided from its truth alone.

Of each `notice/*` and `require/*` of the table of sentences this file says how it is checked:

- `conditions(truth)`: by every world, of what `latency` says of it;
- `of_wall_clock(anchors)`: by worlds with anchors, of `--clock wall`;
- `reason(...)`: by the gates of every world;
- `NOT_BY_WORLDS`: by none, and why. tests/sentences_test.py makes inputs for these, and says of each what has to be said.
"""

import re

MOST_CLOCK_STEPS = 3
CLOCK_STEP = 1_000_000  # ns
# No world has these; so no world may be told them.
NEVER = (
    "notice/mixed", "notice/many-tracks", "notice/more-tracks", "notice/no-spans", "notice/no-span-ends", "notice/unrelated-clocks",
    "notice/unrelated-order", "notice/live-steps-back", "notice/steps-back", "notice/clock-step", "notice/more-clock-steps",
    "notice/clock-drift", "notice/utc-again", "notice/utc-before", "notice/lacks-thread", "notice/common-time", "notice/no-common-time", "notice/no-allocations", "notice/unscaled-allocations",
    "notice/untracked-allocations", "notice/frees-lost", "notice/stacks-not-held", "notice/no-samples", "notice/samples-before",
)  # fmt: skip
NOT_BY_WORLDS = {
    "notice/mixed": "all events of worlds are of built-in tables; pairs by names are of no table",
    "notice/many-tracks": "16,384 tracks take seconds to write, and worlds have some hundred events",
    "notice/more-tracks": "the same of 48,384",
    "notice/no-spans": "tables are for the recorders that worlds are written as",
    "notice/no-span-ends": "something has ended in each world",
    "notice/unrelated-clocks": "hosts of worlds have clocks that count from 1970",
    "notice/unrelated-order": "the same",
    "notice/live-steps-back": "worlds are written to files",
    "notice/steps-back": "how files are read one after the other is no fact of a world",
    "notice/common-time": "worlds are asked about as a whole; trace_parts_test.py asks for a part",
    "notice/no-common-time": "the same",
    "notice/no-allocations": "worlds are not asked about allocations",
    "notice/unscaled-allocations": "the same",
    "notice/untracked-allocations": "the same",
    "notice/frees-lost": "the same",
    "notice/stacks-not-held": "the same",
    "notice/no-samples": "the same of samples",
    "notice/samples-before": "the same",
    "notice/utc-again": "worlds are asked about as a whole",
    "notice/utc-before": "the same",
    "notice/lacks-thread": "events of worlds say their threads",
    "notice/lacks": "which fields a rule needs is a matter of its table; only that worlds other than Zephyr's have all of them is checked",
    "notice/not-told-apart": "said where slices may be mixed up, which is more than those that are; not said where no worker is taken over",
    "notice/perhaps-older": "the same of polls from before the trace; not said where it has its begin",
    "require/is-and-was": "requirements of `diff` are about two traces, and a world is one",
    "require/one-time": "time passes in every world",
    "require/unclear": "what is unclear is in no figure of a world that is asked for",
    "require/lost-within": "whether a count is refused by this or by `require/lost` depends on what is known of the others of that name",
}

LINES = re.compile(r"^tracedeck: (?:error: |note: )?(.*)$", re.MULTILINE)


def fit(sentence, line):
    """The sentence at the end of a line, which may have more behind it."""
    return re.search(sentence.pattern.pattern + r"(?:; [^;]*)?$", line)


def meant(sentences, line, groups=("notice/", "require/")):
    """What a line says: of sentences that fit, those with the most words of their own."""
    fitting = {}
    for name, sentence in sentences.items():
        if name.startswith(groups) and fit(sentence, line):
            fitting[name] = len(re.sub(r"\{[^}]*\}", "", sentence.text))
    return [name for name, words in fitting.items() if words == max(fitting.values())]


def said(sentences, text):
    """{id: [line]} of the notices and reasons in a standard error."""
    result = {}
    for line in LINES.findall(text):
        for name in meant(sentences, line):
            result.setdefault(name, []).append(line)
            if name == "notice/lost":
                losses = line.removeprefix("lost: ")
                for how in meant(sentences, losses, "losses/"):
                    result.setdefault(how, []).append(losses)
    return result


def conditions(truth):
    """{id: whether it is true}; one that is missing is not known of this world."""
    reported = [loss for loss in truth.losses if loss.is_reported]
    unknown = [loss for loss in reported if loss.events is None and not loss.packets]
    result = dict.fromkeys(NEVER, False)
    result["notice/lost"] = bool(reported)
    result["losses/counted"] = bool(reported) and not unknown
    result["losses/some-counted"] = 0 < len(unknown) < len(reported)
    result["losses/uncounted"] = bool(reported) and len(unknown) == len(reported)
    result["notice/other-hosts"] = truth.clocks_of_hosts
    is_zephyr = truth.variant.startswith("zephyr")
    if not is_zephyr:
        result["notice/lacks"] = False
    if "none said" in truth.variant and not truth.lossy:
        result["notice/no-processor"] = True
    elif "two cpus" not in truth.variant:
        result["notice/no-processor"] = False
    if truth.trait != "workers handed over":
        result["notice/not-told-apart"] = False
        if not truth.lossy:
            result["notice/perhaps-older"] = False
    return result


def of_wall_clock(anchors):
    """{id: how often it is said} of times in UTC, by anchors: (time, UTC less the time)."""
    steps = sum(abs(b[1] - a[1]) > CLOCK_STEP for a, b in zip(anchors, anchors[1:]))
    return {"notice/clock-step": min(steps, MOST_CLOCK_STEPS), "notice/more-clock-steps": int(steps > MOST_CLOCK_STEPS)}


def drifts(anchors):
    """Whether durations are of another clock than times in UTC."""
    return len({offset for _, offset in anchors}) > 1


def check_said(command, sentences, text):
    """What `latency` says of a world on standard error."""
    found, truth = said(sentences, text), command.truth
    for name, true in conditions(truth).items():
        if bool(found.get(name)) != true:
            command.say(f"latency: {name}", found.get(name, "nothing"), "it is so" if true else "not so")
    lost = found.get("losses/counted")
    if lost:
        reported = [loss for loss in truth.losses if loss.is_reported]
        true = {"event": sum(loss.events or 0 for loss in reported), "packet": sum(loss.packets for loss in reported)}
        numbers = {what: int(number.replace(",", "")) for number, what in re.findall(r"([0-9,]*[0-9]) (event|packet|place)", lost[0])}
        if not 1 <= numbers.pop("place", 0) <= len(reported) or numbers != {what: count for what, count in true.items() if count}:
            command.say("latency: how much was lost", lost[0], f"{true} in {len(reported)} places at most")


# ---- Requirements


def reason(sentences, text):
    """The id and the values of the reason why a requirement does not hold; None where there is none."""
    for line in LINES.findall(text):
        for name in meant(sentences, line):
            if name.startswith("require/"):
                return name, fit(sentences[name], line).groups()
    return None
