"""One incident: its traces, what is asked about it, what is true of it, and what of an answer leads to its cause."""

import dataclasses
import json
import re
import typing

import command

CONCLUDED, SHOWN, UNSPECIFIC, WRONG = "concluded", "shown", "unspecific", "wrong"
MS = 1_000_000
UNITS = {"ns": 1, "us": 1_000, "ms": MS, "s": 1_000 * MS}
DURATION = r"(?P<time>[0-9.]+(?:ns|us|ms|s))"
SLACK = 30_000  # ns that a recorder's events are behind what they say


class Facts:
    """What is true of a world. Each answers for the time of an answer of `why`, in ns, or with None where there is no such thing."""

    def held(self, answer, who, what):
        """How long `who` held that `what` which the answer's task waited for."""

    def beside(self, answer, who):
        """How long `who` ran on the processor on which the answer's task was ready to run, while it was."""

    def stopped(self, answer, who, other):
        """How long `who` was ready while `other` ran on its processor."""

    def full(self, answer, what, level):
        """How long `what` was full with `level` in it."""

    def nobody_woke(self, answer):
        """Whether the answer's call ended by its timeout."""

    def off(self, answer):
        """Why the answer's poll was off its processor, and how long for each reason."""

    def inversion(self, answer, who, other):
        """Whether who holds is less urgent than `other`, and that less than who waits; None: the trace does not record it."""

    def was_held(self, answer, piece):
        """Whether a piece of `held` was a hold of what the answer's task waited for."""
        return True


def nanoseconds(text):
    number, unit = re.fullmatch(r"([0-9.]+)(ns|us|ms|s)", text).groups()
    return float(number) * UNITS[unit]


def close(said, true):
    return true is not None and abs(said - true) <= 0.02 * true + SLACK


OFF = {
    "sleep": r"the thread was switched out in nanosleep: a sleep in a poll keeps its worker from everything else",
    "futex": r"the thread was switched out in futex_wait, for a lock or a condition variable: that keeps its worker from everything else",
    "rcu": r"the kernel enlarged the process's table of file descriptors and waited for an RCU grace period",
    "preempted": r"the kernel took the processor from the thread, which wanted to go on",
}


def contradiction(facts, answer):
    """What is true where the conclusion of an answer is not; None where it is true."""
    so = answer["so"]
    said = re.fullmatch(
        rf"(?P<who>.+?) held (?P<what>.+?), and could not run for {DURATION} of it because (?P<other>.+?) did"
        r"(?P<inversion>: a priority inversion)?(?P<unless>, unless .+ is the most urgent of the three)?", so)
    if said:
        if facts.held(answer, said["who"], said["what"]) is None:
            return f"{said['who']} did not hold it"
        stopped = facts.stopped(answer, said["who"], said["other"])
        if not close(nanoseconds(said["time"]), stopped):
            return f"{said['who']} was ready while {said['other']} ran for {stopped} ns"
        known = facts.inversion(answer, said["who"], said["other"])
        if said["inversion"] and known is False:
            return "the trace records priorities by which it is no inversion"
        if said["inversion"] and not said["unless"] and known is None:
            return "the trace does not record priorities"
        return None
    said = re.fullmatch(rf"(?P<who>.+?) held (?P<what>.+?) for {DURATION} of it", so)
    if said:
        held = facts.held(answer, said["who"], said["what"])
        return None if close(nanoseconds(said["time"]), held) else f"{said['who']} held it for {held} ns"
    said = re.fullmatch(rf"(?P<who>.+?) ran on the same processor for {DURATION} of it", so)
    if said:
        beside = facts.beside(answer, said["who"])
        return None if close(nanoseconds(said["time"]), beside) else f"{said['who']} ran there for {beside} ns"
    said = re.fullmatch(rf"(?P<what>.+?) was full, with (?P<level>\d+) in it, for {DURATION} of it", so)
    if said:
        full = facts.full(answer, said["what"], int(said["level"]))
        return None if close(nanoseconds(said["time"]), full) else f"it was full for {full} ns"
    if re.fullmatch(r"it ended by its timeout \(ret=-110\): nobody woke the thread", so):
        return None if facts.nobody_woke(answer) else "somebody woke it"
    for why, sentence in OFF.items():
        if re.fullmatch(sentence, so):
            off = facts.off(answer) or {}
            # It says why the poll took so long, so it was that for most of it.
            return None if off.get(why, 0) * 2 >= answer["duration"] else f"off the processor: {off}"
    return "no sentence that the worlds know"


@dataclasses.dataclass
class Case:
    paths: list
    ask: list  # of options of `why`
    facts: Facts
    cause: str = ""  # in words; empty: nothing is wrong
    when: tuple = (0, 0)  # [begin, end) of what was planted, in ns of the trace
    concludes: str | None = None  # a conclusion that names the cause; None: there is no such sentence
    true_too: str | None = None  # conclusions that are true of the cause's effects, and no more than that
    leads: typing.Callable = lambda answer: False  # evidence in the answer names the cause
    notices: str | None = None  # on standard error, of the cause
    exits: tuple = (0, 1)

    def planted(self, answer):
        """Whether the answer is about what was planted."""
        begin, end = answer["begin"], answer["begin"] + answer["duration"]
        together = min(end, self.when[1]) - max(begin, self.when[0])
        return together * 2 >= end - begin

    def judge(self, answer, notices=""):
        """(verdict, what was said, what is true) of an answer."""
        told = SHOWN if self.notices and re.search(self.notices, notices) else UNSPECIFIC
        if not answer["found"]:
            return told, "", ""
        so = answer.get("so", "")
        for piece in answer["held"]:
            if not self.facts.was_held(answer, piece):
                return WRONG, f"held: {piece['name']} on {piece['track']} for {piece['duration']}", "not what was waited for"
        if so:
            true = contradiction(self.facts, answer)
            if true is not None:
                return WRONG, f"{answer['name']}: {so}", f"{true}; {self.cause}"
            if not self.cause:
                return WRONG, f"{answer['name']}: {so}", "nothing is wrong"
        if not self.planted(answer):
            return told, "", ""
        if so and self.concludes and re.match(self.concludes, so):
            return CONCLUDED, so, ""
        if so and not (self.true_too and re.match(self.true_too, so)):
            return WRONG, f"{answer['name']}: {so}", self.cause
        return (SHOWN if self.leads(answer) else told), so, ""

    def verdict(self, binary):
        """The best of all that is asked, or what is wrong."""
        best = (UNSPECIFIC, "", "")
        for options in self.ask:
            result = command.run("why", *options, "--output", "json", *self.paths, binary=str(binary))
            notices = result.stderr.decode(errors="replace")
            if result.returncode not in self.exits:
                return WRONG, f"exit {result.returncode}: {notices.strip()}", "an answer"
            found = self.judge(json.loads(result.stdout), notices)
            if found[0] == WRONG:
                return found
            if (CONCLUDED, SHOWN, UNSPECIFIC).index(found[0]) < (CONCLUDED, SHOWN, UNSPECIFIC).index(best[0]):
                best = found
        return best


def ran(answer):
    """Who ran meanwhile, the longest first."""
    return [f"{state['track']} {state['name']}" for state in answer["ran"]]


def longest(*names):
    return [["--longest", name] for name in names]
