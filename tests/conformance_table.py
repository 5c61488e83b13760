"""Reads the tables of tests/conformance: what a specification demands, the rules that see to it, and the cases.

One file a specification. A line at the margin begins something, indented lines belong to it:

    = NAME                       the specification, a paragraph about it below
    == ANCHOR | TITLE            a section: how rules cite it, and its title
    NAME LEVEL WHO               a demand. LEVEL is MUST or SHOULD, in capitals or not, or STATED where the text says
                                 how it is without such a word; WHO is who has to meet it: producer, consumer or both
    own RULE                     a rule that no specification states, and why there is one

Below a demand, or a rule of our own, first its sentences, in our own words; then

    rule: RULE ...               the rules that report a trace that breaks it
    case: TEST ...               tests that show it, as ctest names them (dial9.Decoder.Name), cases by their files
                                 (golden/NAME, ctf_golden/NAME), contract tests by file, class and function
                                 (contract.heph.ValidTraces.test_file)
    ok KIND: TEXT                a trace in which `validate` finds nothing
    bad KIND: TEXT               a trace in which it finds the rules of the demand and no others
    bad KIND RULE ...: TEXT      a trace in which it finds these

TEXT goes on over lines that are indented further. KIND says how the trace is made of it (tests/conformance_test.py).
"""

import dataclasses
import pathlib
import re

FOLDER = pathlib.Path(__file__).resolve().parent / "conformance"
# The order of the page.
SPECIFICATIONS = ("dial9", "heph", "tband", "rc3", "final", "ctf1")
LEVELS = ("MUST", "SHOULD", "STATED")
WHO = ("producer", "consumer", "both")


@dataclasses.dataclass
class Sample:
    good: bool
    kind: str
    rules: list
    text: list
    line: int


@dataclasses.dataclass
class Demand:
    name: str
    level: str
    who: str
    section: str
    line: int
    text: str = ""
    rules: list = dataclasses.field(default_factory=list)
    cases: list = dataclasses.field(default_factory=list)
    samples: list = dataclasses.field(default_factory=list)

    def rules_of(self, sample):
        """What `validate` must find in a sample."""
        return [] if sample.good else sample.rules or self.rules


@dataclasses.dataclass
class Section:
    anchor: str
    title: str
    demands: list


@dataclasses.dataclass
class Table:
    name: str
    path: pathlib.Path
    title: str = ""
    text: str = ""
    sections: list = dataclasses.field(default_factory=list)
    own: list = dataclasses.field(default_factory=list)

    def demands(self):
        return [demand for section in self.sections for demand in section.demands]


class TableError(Exception):
    pass


HEAD = re.compile(r"(?P<name>[a-z0-9-]+) (?P<level>[A-Z]+) (?P<who>[a-z]+)$")
OWN = re.compile(r"own (?P<rule>[a-z0-9/-]+)$")
SAMPLE = re.compile(r"(?P<good>ok|bad) (?P<kind>[a-z-]+)(?P<rules>(?: [a-z0-9]+/[a-z0-9-]+)*):(?: (?P<text>.*))?$")


class Parser:
    def __init__(self, name):
        self.table = Table(name, FOLDER / f"{name}.txt")
        self.demand = None
        self.sample = None
        self.title = False

    def fail(self, number, why):
        raise TableError(f"{self.table.path.relative_to(FOLDER.parent.parent)}:{number}: {why}")

    def parse(self):
        for number, line in enumerate(self.table.path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            if not line.startswith(" "):
                self.begin(line, number)
            elif line.startswith("    "):
                if self.sample is None:
                    self.fail(number, "goes on with nothing")
                self.sample.text.append(line.strip())
            else:
                self.detail(line.strip(), number)
        return self.table

    def begin(self, line, number):
        self.sample, self.title = None, False
        if line.startswith("== "):
            anchor, _, title = line[3:].partition(" | ")
            if not title:
                self.fail(number, "expected == ANCHOR | TITLE")
            self.table.sections.append(Section(anchor, title, []))
            self.demand = None
        elif line.startswith("= "):
            self.table.title, self.title = line[2:], True
        elif own := OWN.match(line):
            self.demand = Demand(own["rule"], "", "", "", number, rules=[own["rule"]])
            self.table.own.append(self.demand)
        elif head := HEAD.match(line):
            if head["level"] not in LEVELS or head["who"] not in WHO:
                self.fail(number, f"expected NAME {'|'.join(LEVELS)} {'|'.join(WHO)}")
            section = self.table.sections[-1]
            self.demand = Demand(head["name"], head["level"], head["who"], section.anchor, number)
            section.demands.append(self.demand)
        else:
            self.fail(number, "neither a section, a demand nor a rule of our own")

    def detail(self, line, number):
        self.sample = None
        if self.title:
            self.table.text = f"{self.table.text} {line}".strip()
        elif self.demand is None:
            self.fail(number, "belongs to nothing")
        elif line.startswith("rule: "):
            self.demand.rules += line.split()[1:]
        elif line.startswith("case: "):
            self.demand.cases += line.split()[1:]
        elif sample := SAMPLE.match(line):
            text = [sample["text"]] if sample["text"] else []
            self.sample = Sample(sample["good"] == "ok", sample["kind"], sample["rules"].split(), text, number)
            self.demand.samples.append(self.sample)
        elif self.demand.rules and not self.demand.level == "" or self.demand.cases or self.demand.samples:
            self.fail(number, "expected rule:, case:, ok KIND: or bad KIND:")
        else:
            self.demand.text = f"{self.demand.text} {line}".strip()


def read_table(name):
    return Parser(name).parse()


def read_tables():
    return [read_table(name) for name in SPECIFICATIONS]
