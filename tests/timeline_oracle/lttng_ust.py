"""LTTng in user space: function profiling, mutexes, tracef and tracelog."""

from .table import Base, in_context, text, thread_name, thread_of

PROFILES = ("lttng_ust_cyg_profile:", "lttng_ust_cyg_profile_fast:")
PREFIXES = (*PROFILES, "lttng_ust_pthread:", "lttng_ust_tracef:", "lttng_ust_tracelog:", "lttng_ust_libc:")
EOWNERDEAD = 130  # it is locked, and who had it before is gone


def applies(event):
    return (event.get("name") or "").startswith(PREFIXES)


class Table(Base):
    def prepare(self, events):
        self.images = {}  # vpid -> [(begin, end, path)]

    def event(self, event):
        name = event.get("name") or ""
        self.thread = thread_of(event, self.sheet.stream)
        if event.get("time") is None:
            return
        fields = event.get("fields") or {}
        if in_context(event, "vtid") is None and name.startswith((*PROFILES, "lttng_ust_pthread:")):
            self.sheet.instant("lacking", name, "lacking")
            return
        if name.startswith((*PREFIXES, "lttng_ust_statedump:bin_info")):
            self.sheet.pass_losses()
        if name == "lttng_ust_statedump:bin_info":
            self.images.setdefault(in_context(event, "vpid"), []).append(
                (fields["baddr"], fields["baddr"] + fields["memsz"], fields["path"])
            )
        elif name.endswith(":func_entry") and name.startswith(PROFILES):
            self.entry(event, fields)
        elif name.endswith(":func_exit") and name.startswith(PROFILES):
            self.exit(event, fields)
        elif name.startswith("lttng_ust_pthread:pthread_mutex_"):
            self.mutex(name.removeprefix("lttng_ust_pthread:pthread_mutex_"), event, fields)
        elif name.startswith(("lttng_ust_tracef:", "lttng_ust_tracelog:")):
            message = text(fields.get("msg")).encode()[:80].decode(errors="ignore")
            self.sheet.instant("message", message, thread_name(self.thread))

    # Functions: a stack for each thread.

    def entry(self, event, fields):
        address = fields["addr"]
        self.sheet.begin(
            "function",
            self.thread,
            self.function(event, address),
            thread_name(self.thread),
            {"addr": address},
            stacked=True,
        )

    def exit(self, event, fields):
        """An exit that names another function than the innermost ends what is above that one too."""
        sheet, address, track = self.sheet, fields.get("addr"), thread_name(self.thread)
        stack = sheet.open["function", self.thread]
        if address is not None and stack:
            if all(one.args["addr"] != address for one in stack):
                sheet.unmatched("function", self.function(event, address), track)
                return
            while stack[-1].args["addr"] != address:
                sheet.close(stack.pop(), sheet.moment(track)[0], {"inferred_end"})
        sheet.end("function", self.thread, track, "?" if address is None else self.function(event, address))

    def function(self, event, address):
        for begin, end, path in reversed(self.images.get(in_context(event, "vpid"), ())):
            if begin <= address < end:
                return f"{path}+{hex(address - begin)}"
        return hex(address)

    # Mutexes.

    def mutex(self, what, event, fields):
        key, track = (self.thread, fields.get("mutex")), thread_name(self.thread)
        held = f"mutex {hex(fields['mutex'])}"
        of_process = f"{in_context(event, 'vpid')} {held}"
        holds = self.sheet.open["hold mutex", of_process]
        if what == "lock_req":
            self.sheet.begin("wait mutex", key, held, track)
            self.sheet.wait("mutex wait", key)
        elif what in ("lock_acq", "trylock"):
            if what == "lock_acq":
                self.sheet.end("wait mutex", key, track, held)
                self.sheet.waited("mutex wait", key, track)
            if fields.get("status", 0) in (0, EOWNERDEAD):
                self.sheet.begin("hold mutex", of_process, held, of_process, stacked=True)
                holds[-1].owner = self.thread
        elif what == "unlock" and fields.get("status", 0) == 0:
            own = next((one for one in reversed(holds) if one.owner == self.thread), None)
            if own is None:
                return self.sheet.unmatched("hold mutex", held, of_process)
            # Who has it now has it alone: others had given it back.
            before = holds[: next(i for i, one in enumerate(holds) if one is own)]
            for one in [one for one in reversed(before) if one.owner != self.thread]:
                one.mixed = True
                self.sheet.end_one(holds, one)
            self.sheet.end_one(holds, own)
