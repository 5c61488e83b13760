"""No table fits: begins and ends are known by their names."""

import collections
import json
import re

from .table import Base, in_context, text, thread_name, thread_of

# A begin, and what may end it.
ENDS = {
    "_begin": ("_end",),
    "_start": ("_stop", "_end", "_done"),
    "_enter": ("_exit",),
    "_entry": ("_exit",),
    ":begin": (":end",),
    ":start": (":stop", ":end", ":done"),
    ":enter": (":exit",),
    ":entry": (":exit",),
    "Begin": ("End",),
    "Start": ("Stop", "End", "Done"),
    "Enter": ("Exit",),
}
IS_KEY = re.compile(r"(id|Id|ID|[hH]andle|[pP]tr)$")


def is_called(prefix, member):
    """`job` is what JobStart and print_job_end are about."""
    at = len(prefix) - len(member)
    return (
        re.fullmatch(r"\w+", member, re.ASCII) is not None
        and prefix.lower().endswith(member.lower())
        and (at == 0 or prefix[at].isupper() or not prefix[at - 1].isalnum())
    )


class Table(Base):
    OF_STREAM = r"stream .*"

    def prepare(self, events):
        members = collections.defaultdict(dict)  # of each class, in order
        for event in events:
            members[event.get("name")].update(dict.fromkeys(event.get("fields") or ()))
        names = [name for name in members if isinstance(name, str)]
        self.begins, self.ends = {}, {}  # name of the class -> prefix
        classes = collections.defaultdict(list)  # prefix -> its classes
        for name in names:
            for suffix, ends in ENDS.items():
                prefix = name.removesuffix(suffix)
                found = [prefix + end for end in ends if prefix + end in members]
                if prefix and prefix != name and found:
                    self.begins[name] = prefix
                    self.ends.update(dict.fromkeys(found, prefix))
        for name, prefix in {**self.begins, **self.ends}.items():
            classes[prefix].append(name)
        self.keys = {
            prefix: [
                member
                for member in members[ones[0]]
                if (IS_KEY.search(member) or is_called(prefix, member)) and all(member in members[one] for one in ones)
            ]
            for prefix, ones in classes.items()
        }

    def event(self, event):
        if event.get("time") is None:
            return
        name = event.get("name")
        thread = thread_of(event, self.sheet.stream) if in_context(event, "vtid") is not None else ("stream", self.sheet.stream)
        track = thread_name(thread)
        if event.get("duration") is not None:
            self.sheet.whole("duration", text(name), track, event["duration"])
            return
        prefix = self.begins.get(name) or self.ends.get(name)
        if prefix is None:
            self.sheet.instant("event", text(name), track)
            return
        self.sheet.line.has_pairs = True
        fields = event.get("fields") or {}
        numbers = [json.dumps(fields.get(member)) for member in self.keys[prefix]]
        if numbers and name in self.begins:
            self.sheet.begin_on_track("pair", (prefix, *numbers), prefix, track)
        elif numbers:
            self.sheet.end_on_track("pair", (prefix, *numbers), track, prefix)
        elif name in self.begins:
            self.sheet.begin("pair", (prefix, thread), prefix, track, mixes=True)
        else:
            if thread[0] == "stream" and not self.sheet.open["pair", (prefix, thread)] and self.sheet.doubt_open("pair", prefix):
                self.sheet.seen.add(("pair", (prefix, thread)))
            self.sheet.end("pair", (prefix, thread), track, prefix)
