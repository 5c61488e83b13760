#!/usr/bin/env python3
"""Checks the tables of tests/conformance, and that docs/conformance.md is what they make.

check-conformance.py            exit 1 and FILE:LINE of every demand without a case, of every rule and case that does
                                not exist, and of every rule of the formats that no demand names
check-conformance.py --write    writes docs/conformance.md
check-conformance.py --self-test    checks that it finds what it is there to find
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
sys.dont_write_bytecode = True
import conformance_table  # noqa: E402

PAGE = ROOT / "docs" / "conformance.md"
RULE = re.compile(r'\{?"((?:dial9|heph|tband|ctf)/[a-z0-9-]+)",\s*k(?:Error|Warning|Note)')
UNIT_TEST = re.compile(r"^(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP)\(\s*(\w+),\s*(\w+)", re.MULTILINE)
# The names that ctest gives the tests of folders.
FOLDERS = {"ctf/metadata": "ctf_metadata", "ctf/stream": "ctf_stream", "ctf/write": "ctf_write", ".": "formats"}
CASE_FOLDERS = ("golden", "ctf_golden")
TITLES = {
    "dial9": "dial9",
    "heph": "Heph",
    "tband": "Tonbandgerät",
    "rc3": "CTF2-SPECRC-3.0",
    "final": "CTF2-SPEC-2.0",
    "ctf1": "CTF 1.8.3",
}


def rules_of_the_code():
    """Every rule in a table of rules, and the file it stands in."""
    rules = {}
    for path in sorted((ROOT / "tracedeck").rglob("*rules.cpp")):
        for rule in RULE.findall(path.read_text(encoding="utf-8")):
            rules[rule] = path.relative_to(ROOT)
    return rules


def unit_tests():
    for path in (ROOT / "tracedeck").rglob("*_test.cpp"):
        folder = str(path.parent.relative_to(ROOT / "tracedeck"))
        for suite, case in UNIT_TEST.findall(path.read_text(encoding="utf-8")):
            yield f"{FOLDERS.get(folder, folder)}.{suite}.{case}"


def contract_tests():
    for path in (ROOT / "tests").glob("*_test.py"):
        for item in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(item, ast.ClassDef):
                for function in item.body:
                    if isinstance(function, ast.FunctionDef) and function.name.startswith("test"):
                        yield f"contract.{path.stem.removesuffix('_test')}.{item.name}.{function.name}"


def case_files():
    for folder in CASE_FOLDERS:
        for path in (ROOT / "tests" / folder).glob("*.case"):
            yield f"{folder}/{path.stem}"


def problems_of(tables, rules, cases):
    """What is wrong with the tables: `rules` are those there are, with their files, and `cases` the tests."""
    named = set()
    for table in tables:
        where = table.path.relative_to(ROOT)
        seen = set()
        for demand in [*table.demands(), *table.own]:
            at = f"{where}:{demand.line}: {demand.name}"
            if demand.name in seen:
                yield f"{at}: stands twice"
            seen.add(demand.name)
            if not demand.text:
                yield f"{at}: says nothing"
            if not demand.cases and not demand.samples:
                yield f"{at}: no case shows it"
            for case in demand.cases:
                if case not in cases:
                    yield f"{at}: there is no test {case}"
            for rule in [*demand.rules, *(rule for sample in demand.samples for rule in sample.rules)]:
                if rule not in rules:
                    yield f"{at}: there is no rule {rule}"
            named.update(demand.rules)
    for rule, file in sorted(rules.items()):
        if rule not in named:
            yield f"{file}: no demand in tests/conformance names {rule}; if it is our own, say so there with `own`"


def code(words):
    return ", ".join(f"`{word}`" for word in words)


def cases_cell(table, demand):
    cells = [f"`{case}`" for case in demand.cases]
    if demand.samples:
        good = sum(sample.good for sample in demand.samples)
        broken = len(demand.samples) - good
        counts = [f"{good} sound" if good else "", f"{broken} broken" if broken else ""]
        traces = ", ".join(filter(None, counts))
        cells.insert(0, f"[{demand.name}](../tests/conformance/{table.path.name}): {traces}")
    return "<br>".join(cells)


def page_of(tables):
    lines = [
        "# Conformance",
        "",
        "What the specifications demand, in our words, the rules that report a trace which breaks it",
        "([validate](../README.md)), and the cases that show it. This page is made of the tables in `tests/conformance` by",
        "`scripts/check-conformance.py --write`; a test sees to it that every demand has a case, that the cases and rules",
        "exist, and that every rule is demanded by a specification or listed as our own.",
        "",
        "A *producer* writes traces: its demands are checked where a trace is read, and our writers meet them. A *consumer*",
        "reads. *MUST* and *SHOULD* are the words of a specification; *stated* is what it says without such a word.",
        "*Sound* and *broken* traces stand beside the demand in the table, under its name; `contract.conformance` runs each.",
        "",
        "| specification | MUST | SHOULD | stated | rules | traces |",
        "|---|---|---|---|---|---|",
    ]
    for table in tables:
        demands = table.demands()
        count = [sum(demand.level == level for demand in demands) for level in conformance_table.LEVELS]
        rules = {rule for demand in demands for rule in demand.rules}
        traces = sum(len(demand.samples) for demand in [*demands, *table.own])
        anchor = re.sub(r"[^\w -]", "", table.title.lower()).replace(" ", "-")
        lines.append(f"| [{TITLES[table.name]}](#{anchor}) | {count[0]} | {count[1]} | {count[2]} | {len(rules)} | {traces} |")
    for table in tables:
        lines += ["", f"## {table.title}", "", table.text]
        for section in table.sections:
            cited = f" (`{section.anchor}`)" if section.anchor != section.title else ""
            lines += ["", f"### {section.title}{cited}", "", "| demand | whose | rules | cases |", "|---|---|---|---|"]
            for demand in section.demands:
                level = demand.level if demand.level != "STATED" else "stated"
                who = f"{level}, {demand.who}"
                lines.append(f"| {demand.text} | {who} | {code(demand.rules)} | {cases_cell(table, demand)} |")
        if table.own:
            lines += ["", "### Rules of our own", "", "| rule | why | cases |", "|---|---|---|"]
            for own in table.own:
                lines.append(f"| `{own.name}` | {own.text} | {cases_cell(table, own)} |")
    return "\n".join(lines) + "\n"


def self_test() -> int:
    """The faults that the check is there for are found, each by its words."""
    demand, table = conformance_table.Demand, conformance_table.Table
    sound = demand("a", "MUST", "producer", "s", 1, "A.", ["dial9/a"], ["golden/a"])
    faults = {
        "no case shows it": demand("b", "MUST", "producer", "s", 2, "B.", ["dial9/a"]),
        "there is no test golden/b": demand("b", "MUST", "producer", "s", 2, "B.", [], ["golden/b"]),
        "there is no rule dial9/b": demand("b", "MUST", "producer", "s", 2, "B.", ["dial9/b"], ["golden/a"]),
        "stands twice": demand("a", "MUST", "producer", "s", 2, "B.", [], ["golden/a"]),
        "says nothing": demand("b", "MUST", "producer", "s", 2, "", [], ["golden/a"]),
    }
    failed = []
    for expected, demands, rules in [
        (None, [sound], ["dial9/a"]),
        ("names dial9/c", [sound], ["dial9/a", "dial9/c"]),
        *((words, [sound, fault], ["dial9/a"]) for words, fault in faults.items()),
    ]:
        tables = [table("t", ROOT / "t.txt", sections=[conformance_table.Section("s", "S", demands)])]
        found = list(problems_of(tables, dict.fromkeys(rules, pathlib.Path("f")), {"golden/a"}))
        if len(found) != (expected is not None) or (expected and expected not in found[0]):
            failed.append(f"expected {expected}, found {found}")
    print("\n".join(failed))
    return 1 if failed else 0


def main() -> int:
    if "--self-test" in sys.argv[1:]:
        return self_test()
    try:
        tables = conformance_table.read_tables()
    except conformance_table.TableError as error:
        print(error)
        return 1
    cases = {*unit_tests(), *contract_tests(), *case_files()}
    problems = list(problems_of(tables, rules_of_the_code(), cases))
    page = page_of(tables)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
        problems.append("docs/conformance.md is not what the tables make: scripts/check-conformance.py --write")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
