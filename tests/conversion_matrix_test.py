"""The program that compares two traces, and the script that counts what comes back from conversions."""

import importlib.util
import json
import subprocess

import dial9_writer as dial9
from command import EQUAL_TRACES, ROOT, CommandTest, run


def load_script():
    specification = importlib.util.spec_from_file_location("conversion_matrix", ROOT / "scripts/conversion-matrix.py")
    script = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(script)
    return script


matrix = load_script()


def trace(worker):
    return dial9.header() + dial9.schema(1, "Poll", [("worker", 9)]) + dial9.event(1, dial9.varint(worker), delta=7)


class EqualTraces(CommandTest):
    def compare(self, *arguments):
        result = subprocess.run([EQUAL_TRACES, *arguments], capture_output=True, timeout=60)
        return result.returncode, [json.loads(line) for line in result.stdout.decode().splitlines()]

    def test_equal(self):
        a, b = self.file("a.bin", trace(3)), self.file("b.bin", trace(3))
        self.assertEqual(self.compare(a, b), (0, []))
        self.assertEqual(self.compare(a, b, "dial9"), (0, []))

    def test_different(self):
        code, differences = self.compare(self.file("a.bin", trace(3)), self.file("b.bin", trace(4)))
        self.assertEqual(code, 1)
        self.assertEqual(len(differences), 1)
        wanted = {"kind": "value", "class": "Poll", "path": "worker", "left": "3", "right": "4", "count": 1}
        self.assertEqual(wanted, {key: differences[0][key] for key in wanted})

    def test_unreadable(self):
        a, broken = self.file("a.bin", trace(3)), self.file("b.bin", b"nothing")
        self.assertEqual(self.compare(a, broken), (2, []))
        self.assertEqual(self.compare(a, self.folder / "none"), (2, []))
        self.assertEqual(self.compare(a), (2, []))

    def test_a_conversion_that_comes_back(self):
        a = self.file("a.bin", trace(3))
        self.check(run("convert", "--to", "dial9", "--limit", "10", "-o", self.folder / "b.bin", a), 0)
        self.assertEqual(self.compare(a, self.folder / "b.bin"), (0, []))


class Outcomes(CommandTest):
    difference = {"kind": "value", "class": "Poll", "path": "frames[].address", "what": "value"}

    def outcome(self, *entries, found=(difference,)):
        return matrix.outcome_of(list(found), [{"entries": list(entries)}, {"entries": []}])

    def test_equal(self):
        self.assertEqual(self.outcome(found=()), "equal")

    def test_named_by_class_and_path_or_what_is_above_it(self):
        for path in ("frames[].address", "frames[]", "frames", ""):
            self.assertEqual(self.outcome({"lossy": True, "class": "Poll", "path": path}), "named", path)
        self.assertEqual(self.outcome({"lossy": True, "path": "frames"}), "named")

    def test_not_named_by_other_places_or_by_what_is_kept(self):
        for entry in (
            {"lossy": True, "class": "Poll", "path": "frame"},
            {"lossy": True, "class": "Poll", "path": "frames[].address.x"},
            {"lossy": True, "class": "Other", "path": "frames"},
            {"lossy": False, "class": "Poll", "path": "frames"},
        ):
            self.assertEqual(self.outcome(entry), "unnamed", entry)

    def test_what_is_of_no_class_has_a_place_of_its_own(self):
        entry = {"kind": "environment", "class": "", "path": "", "what": "attribute host"}
        entry |= {"place": "environment.host", "of_class": False}
        for path in ("environment.host", "environment"):
            self.assertEqual(self.outcome({"lossy": True, "path": path}, found=(entry,)), "named")
        clock = {"kind": "clock", "class": "Poll", "path": "", "what": "tick", "place": "clock.Poll", "of_class": False}
        self.assertEqual(self.outcome({"lossy": True, "class": "Poll"}, found=(clock,)), "unnamed")
        self.assertEqual(self.outcome({"lossy": True, "path": "environment.h"}, found=(entry,)), "unnamed")

    def test_a_loss_without_a_place_names_none(self):
        self.assertEqual(self.outcome({"lossy": True, "what": "fields"}), "lossy")
        self.assertEqual(self.outcome({"lossy": False, "what": "fields"}), "unnamed")

    def test_a_trace_on_its_way(self):
        job = (self.file("a.bin", trace(3)), "dial9", "ctf1")
        result = matrix.way_and_back(job)
        self.assertIn(result["outcome"], matrix.OUTCOMES)
        self.assertNotEqual(result["outcome"], "failed", result["why"])
        self.assertEqual(result["errors"], [])
        self.assertIn("| dial9 | CTF 1.8 | 1 | ", matrix.table([result]))

    def test_differences_that_were_not_kept_are_not_named(self):
        more = {"kind": "more", "count": 3}
        self.assertEqual(self.outcome({"lossy": True, "class": "Poll"}, found=(more,)), "unnamed")
