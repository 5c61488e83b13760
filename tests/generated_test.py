"""The man page and the completions, which the command makes from its own tables."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import time
import unittest

import dial9_writer as w
from cli_contract_test import COMMANDS, OPTIONS
from command import BIN, TIME_LIMIT, CommandTest, run


def tool(name):
    return unittest.skipIf(shutil.which(name) is None, f"{name} is not installed")


class GeneratedTest(CommandTest):
    def made(self, kind):
        result = self.check(run("generate", kind), 0)
        self.assertEqual(result.stderr, b"")
        return result.stdout.decode("ascii")

    def trace(self):
        """A trace to name things of."""
        content = w.header() + w.schema(0, "PollStart", [("worker_id", w.VARINT), ("work", w.VARINT)])
        content += w.schema(1, "Poll::end", [("depth", w.VARINT)]) + w.event(0, w.varint(1) * 2, delta=1)
        self.file("notes.txt", b"no trace")
        return self.file("t.bin", content)

    def typed(self, shell, setup, keys, wanted):
        """What an interactive shell shows when somebody types `keys`: until it holds `wanted`, and what comes just after."""
        environment = {
            **os.environ,
            "PATH": os.path.dirname(BIN) + ":" + os.environ["PATH"],
            "HOME": str(self.folder),
            "TERM": "dumb",
            "PS1": "> ",
        }
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe(shell[0], shell, environment)

        def shown(wanted):
            text, plain, until = b"", "", time.monotonic() + 20
            while True:
                left = until - time.monotonic()
                if left < 0 or not select.select([terminal], [], [], left)[0]:
                    return plain
                try:
                    text += os.read(terminal, 65536)
                except OSError:
                    return plain
                # zsh draws what it completes over what was typed.
                plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|[\x07\x08\r]", "", text.decode(errors="replace"))
                if wanted in plain:
                    until = min(until, time.monotonic() + 0.3)

        try:
            shown("> ")
            # Its answer is not what is typed.
            os.write(terminal, f"{setup}; echo read''y\n".encode())
            shown("ready")
            os.write(terminal, keys.encode())
            return shown(wanted)
        finally:
            os.kill(child, signal.SIGKILL)
            os.close(terminal)
            os.waitpid(child, 0)

    def checked_by(self, *command, text):
        path = self.file("generated", text.encode())
        result = subprocess.run([*command, path], capture_output=True, timeout=TIME_LIMIT)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"", b""))


class Kinds(GeneratedTest):
    def test_kinds(self):
        for args in [[], ["ksh"], ["man", "bash"]]:
            self.check(run("generate", *args), 2)
        self.assertNotIn("generate", run("--help").stdout.decode())

    def test_every_option_is_in_each(self):
        options = sorted({option for listed in OPTIONS.values() for option in listed.split()})
        for kind, spelling in [("man", "\\-\\-{}"), ("bash", "--{}"), ("zsh", "--{}"), ("fish", "-l {}")]:
            text = self.made(kind)
            for option in options:
                name = option.replace("-", "\\-") if kind == "man" else option
                self.assertIn(spelling.format(name), text, f"{kind}: {option}")
            for command in COMMANDS:
                self.assertIn(command, text)
            for absent in ["filter"]:
                self.assertNotIn(absent, text)


class ManPage(GeneratedTest):
    def test_sections(self):
        sections = re.findall(r"^\.SH (.*)$", self.made("man"), re.MULTILINE)
        self.assertEqual(
            sections,
            [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "COMMANDS",
                "OPTIONS",
                "QUERY LANGUAGE",
                "LIVE TRACES",
                "OUTPUT",
                "EXIT STATUS",
                "ENVIRONMENT",
                "EXAMPLES",
            ],
        )

    def test_the_language_is_in_it(self):
        text = self.made("man").replace("\\", "")
        language = text[text.index(".SH QUERY LANGUAGE") : text.index(".SH LIVE TRACES")]
        for word in ("has(x)", "any(x)", "all(x)", "len(x)", "symbol(x)", "label(x)", "lower(x)", "contains", "in", "distinct"):
            self.assertIn(f".TP\nfB{word}fR\n", language)
        for part in ("5ms", "single quotes", "a.fields.name", "let NAME = EXPR", ".SS Operators"):
            self.assertIn(part, language)
        self.assertIn("tracedeck(1), QUERY LANGUAGE", " ".join(run("query", "--help").stdout.decode().split()))

    @tool("mandoc")
    def test_mandoc_finds_nothing(self):
        self.checked_by("mandoc", "-Tlint", text=self.made("man"))

    @tool("groff")
    def test_groff_finds_nothing(self):
        path = self.file("tracedeck.1", self.made("man").encode())
        result = subprocess.run(
            ["groff", "-man", "-ww", "-Tascii", "-z", path], capture_output=True, timeout=TIME_LIMIT
        )
        self.assertEqual((result.returncode, result.stderr), (0, b""))


class Bash(GeneratedTest):
    def complete(self, *words):
        """What bash offers for a command line whose last word is being typed."""
        script = self.file("tracedeck.bash", self.made("bash").encode())
        line = " ".join(words)
        program = (
            'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE=$*; '
            "_tracedeck; printf '%s\\n' \"${COMPREPLY[@]}\""
        )
        result = subprocess.run(
            ["bash", "-c", program, "bash", script, *words], capture_output=True, cwd=self.folder, timeout=TIME_LIMIT
        )
        self.assertEqual(result.returncode, 0, (line, result.stderr))
        return sorted(result.stdout.decode().split("\n")[:-1])

    @tool("bash")
    def test_syntax(self):
        self.checked_by("bash", "-n", text=self.made("bash"))

    @tool("bash")
    def test_completions(self):
        self.file("a trace.bin", b"")
        self.assertEqual(self.complete("tracedeck", ""), sorted([*COMMANDS, "--help", "--version"]))
        self.assertEqual(self.complete("tracedeck", "pr"), ["print"])
        self.assertEqual(self.complete("tracedeck", "print", "--or"), ["--order"])
        self.assertEqual(self.complete("tracedeck", "print", "--order", ""), ["merged", "recorded", "time"])
        self.assertEqual(self.complete("tracedeck", "print", "--order", "=", "t"), ["time"])
        self.assertEqual(self.complete("tracedeck", "schema", "--output", "m"), ["metadata"])
        self.assertEqual(self.complete("tracedeck", "print", "--output", "js"), ["jsonl"])
        self.assertEqual(self.complete("tracedeck", "print", "--order", "="), ["merged", "recorded", "time"])
        self.assertEqual(self.complete("tracedeck", "print", "--limit", ""), [""])
        self.assertEqual(self.complete("tracedeck", "print", "a"), ["a trace.bin"])
        self.assertEqual(self.complete("tracedeck", "convert", "-o", "a"), ["a trace.bin"])
        self.assertEqual(self.complete("tracedeck", "convert", "--to", "j"), ["jsonl"])
        wanted = sorted([f"--{option}" for option in OPTIONS["print"].split()] + ["-h", "-n", "-q", "-v", "-V"])
        self.assertEqual(self.complete("tracedeck", "print", "-"), wanted)


    @tool("bash")
    def test_expressions(self):
        self.trace()
        os.environ["PATH"] = os.path.dirname(BIN) + ":" + os.environ["PATH"]
        for words, wanted in [
            (["--where", "wor"], ["work", "worker_id"]),
            (["--where", "'worker"], ["worker_id", "worker_id "]),
            (["--where", "'depth > 3 && dur"], ["depth > 3 && duration", "depth > 3 && duration "]),
            (["--where", "=", "'has(dep"], ["has(depth", "has(depth "]),
            (["--where", "'name == \"Poll"], ['name == "Poll::end', 'name == "PollStart']),
            (["--where", '"name == \'Poll:'], ["name == 'Poll::end", "name == 'Poll::end "]),
            (["--where", "'nosuch"], []),
        ]:
            self.assertEqual(self.complete("tracedeck", "print", "t.bin", *words), wanted or [""], words)
        self.assertEqual(
            self.complete("tracedeck", "query", "t.bin", "'pair Pol"), ["pair PollStart", "pair PollStart "]
        )
        self.assertEqual(self.complete("tracedeck", "query", "t.bin", "'sel"), ["select", "select "])
        # Without a trace, and with what is none, there are the words of the language, and no word of complaint.
        for trace in ["missing", "notes.txt", "/dev/null", "."]:
            self.assertEqual(self.complete("tracedeck", "print", trace, "--where", "'dur"), ["duration", "duration "])

    @tool("bash")
    def test_typing(self):
        self.trace()
        self.file("tracedeck.bash", self.made("bash").encode())
        bash, setup = ["bash", "--norc", "-i"], "source ./tracedeck.bash"
        wanted = "--where 'depth > worker_id"
        shown = self.typed(bash, setup, "tracedeck print t.bin --where 'depth > worker\t", wanted)
        self.assertIn(wanted, shown)
        self.assertNotIn("worker_id'", shown)
        wanted = "--where 'duration"
        shown = self.typed(bash, setup, "tracedeck print notes.txt --where 'durat\t", wanted)
        self.assertIn(wanted, shown)
        self.assertNotIn("error", shown)


class Zsh(GeneratedTest):
    @tool("zsh")
    def test_syntax(self):
        self.checked_by("zsh", "-n", text=self.made("zsh"))

    @tool("zsh")
    def test_its_arguments_are_understood(self):
        # Runs the completion function with a stand-in for _arguments, as zsh's own comes with an
        # interactive shell only; every specification must be one that it knows.
        (self.folder / "_tracedeck").write_text(self.made("zsh"))
        for command in COMMANDS:
            program = (
                "fpath=($PWD); _arguments() { print -rl -- \"$@\" }; words=(tracedeck %s ''); CURRENT=3; "
                "source ./_tracedeck" % command
            )
            result = subprocess.run(
                ["zsh", "-f", "-c", program], capture_output=True, cwd=self.folder, timeout=TIME_LIMIT
            )
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            specs = result.stdout.decode().splitlines()
            self.assertEqual(specs[:2], ["-s", "-S"])
            if command == "query":
                specs.remove("1:STAGES:_tracedeck_stages")
            for spec in specs[2:-1]:
                self.assertRegex(spec, r"^(\([^)]*\)|\*)?--?[a-zA-Z][a-z0-9-]*[=+]?\[[^\]]*(\\\].*)?\](:[^:]*:.*)?$")
            listed = {m[1] for spec in specs[2:-1] if (m := re.search(r"(?<![-\w ])--([a-z0-9-]+)[=\[]", spec))}
            self.assertEqual(listed, set(OPTIONS[command].split()))


    @tool("zsh")
    def test_typing(self):
        self.trace()
        self.file("_tracedeck", self.made("zsh").encode())
        setup = "PS1='> '; fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -d $PWD/dump"
        for keys, wanted in [
            ("tracedeck print t.bin --where 'depth > worker\t", "--where 'depth > worker_id"),
            ("tracedeck print t.bin --where 'name == \"Poll:\t", "'name == \"Poll::end"),
            ("tracedeck query 'sele\t", "'select"),
            ("tracedeck print notes.txt --where 'durat\t", "--where 'duration"),
        ]:
            wanted = wanted.rsplit(" ")[-1].split("'")[-1][-5:]
            shown = self.typed(["zsh", "-f", "-i"], setup, keys, wanted)
            self.assertIn(wanted, shown, keys)
            self.assertNotIn("error", shown)


class Fish(GeneratedTest):
    @tool("fish")
    def test_syntax(self):
        self.checked_by("fish", "-n", text=self.made("fish"))

    @tool("fish")
    def test_completions(self):
        script = self.file("tracedeck.fish", self.made("fish").encode())

        def complete(line):
            environment = {
                **os.environ,
                "PATH": os.path.dirname(BIN) + ":" + os.environ["PATH"],
                "HOME": str(self.folder),
            }
            program = f"source {script}; complete -C '{line}'"
            result = subprocess.run(
                ["fish", "-N", "-c", program], capture_output=True, cwd=self.folder, env=environment, timeout=TIME_LIMIT
            )
            return sorted(line.split("\t")[0] for line in result.stdout.decode().splitlines())

        self.trace()
        self.assertEqual(complete("tracedeck pri"), ["print"])
        self.assertEqual(complete("tracedeck print t.bin --where worker"), ["worker_id"])
        self.assertEqual(complete('tracedeck print t.bin --where "depth > wor'), ["depth > work", "depth > worker_id"])
        self.assertEqual(complete('tracedeck print t.bin --where "name == Poll'), ["name == PollStart"])
        self.assertEqual(complete("tracedeck print notes.txt --where durat"), ["duration"])
        self.assertIn("pair PollStart", complete('tracedeck query t.bin "pair Pol'))
        self.assertEqual(complete("tracedeck print --order "), ["merged", "recorded", "time"])
        self.assertEqual(complete("tracedeck convert --to j"), ["jsonl"])
        self.assertIn("--limit", complete("tracedeck print --"))


if __name__ == "__main__":
    unittest.main()
