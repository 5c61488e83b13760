"""Runs the command about one trace and remembers what it said wrongly."""

import dataclasses
import json
import re

import command as started


def word(name):
    """The sort of a state, without what it waits for or where it is."""
    return re.sub(r"( on worker \d+|: .*)$", "", name)


@dataclasses.dataclass(frozen=True)
class Falsehood:
    kind: str  # the same for all of its kind
    said: str
    true: str

    def line(self, seed):
        return f"{seed}\t{self.kind}\tsaid: {self.said}\ttrue: {self.true}"


class Command:
    """Runs one command and remembers what it said wrongly."""

    def __init__(self, binary, truth):
        self.binary, self.truth, self.found, self.pictures = binary, truth, [], []

    def say(self, kind, said, true):
        trait = f" [{self.truth.trait}]" if self.truth.trait else ""
        self.found.append(Falsehood(kind + trait, str(said), str(true)))

    def start(self, command, *options):
        line = [command, *map(str, self.truth.options), *options, *map(str, self.truth.paths)]
        return started.run(*line, binary=str(self.binary))

    def run(self, command, *options):
        result = self.start(command, *options)
        if result.returncode not in self.truth.exits:
            said = result.stderr.decode(errors="replace").strip().replace("\n", "; ")
            self.say(f"{command}: exit {result.returncode}", said[:300], "exit 0")
        return result

    def json(self, command, *options):
        output = self.run(command, *options, "--output", "json").stdout
        return json.loads(output) if output else None
