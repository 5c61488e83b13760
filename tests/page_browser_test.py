"""Pages in a browser: keys and mouse do what the help says, numbers are those of the marks, names do no harm.

Skipped without Node.js, chromium-headless-shell (or chromium) and playwright-core, which NODE_PATH leads to
(scripts/install-deps.sh browser installs them). PAGE_SCREENSHOTS: a directory for pictures to be looked at.
"""

import json
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import unittest

from command import BIN, is_sanitized
from why_test import END, QUEUE, START, TABLE, pool

ROOT = pathlib.Path(__file__).resolve().parent.parent
MARKS = os.environ.get("PAGE_MARKS", str(ROOT / "build/release/bin/page-marks"))
DRIVER = ROOT / "tests/page/browser.mjs"
SCREENSHOTS = os.environ.get("PAGE_SCREENSHOTS")
# Where scripts/install-deps.sh puts playwright-core.
MODULES = str(ROOT / "build/node_modules")
SANITIZED = is_sanitized()


def environment():
    return {**os.environ, "NODE_PATH": os.environ.get("NODE_PATH", MODULES)}


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(MARKS):
            raise unittest.SkipTest("page-marks is not built")
        if shutil.which("node") is None:
            raise unittest.SkipTest("there is no Node.js")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.pages = {}
        # One browser for all of a class: starting one takes longer than most tests.
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        cls.driver = subprocess.Popen(["node", DRIVER], env=environment(), text=True, **pipes)
        cls.addClassCleanup(cls.end)
        if cls.answer() != "ready":
            _, said = cls.driver.communicate(timeout=30)
            raise unittest.SkipTest(said.strip()) if cls.driver.returncode == 77 else AssertionError(said)

    @classmethod
    def end(cls):
        """Ends the browser, which does so where there is nothing more to show."""
        try:
            cls.driver.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            cls.driver.kill()
            cls.driver.communicate()

    @classmethod
    def answer(cls):
        """What the driver says next; None where it says nothing more."""
        if not select.select([cls.driver.stdout], [], [], 300)[0]:
            return None
        line = cls.driver.stdout.readline()
        return json.loads(line) if line else None

    def page(self, shape, count):
        key = shape, count
        if key not in self.pages:
            path = pathlib.Path(self.folder.name, f"{shape}-{count}.html")
            subprocess.run([MARKS, shape, str(count), path], check=True, capture_output=True, timeout=300)
            self.pages[key] = path
        return self.pages[key]

    def show(self, shape, count, *steps, **more):
        """What the page shows at first and after each step; nothing may have failed."""
        page = self.page(shape, count)
        if SANITIZED:
            self.skipTest("the page is made, but its script is the same without sanitizers")
        return self.show_page(page, *steps, **more)

    def show_page(self, page, *steps, **more):
        self.driver.stdin.write(json.dumps({"page": str(page), "steps": steps, **more}) + "\n")
        self.driver.stdin.flush()
        report = self.answer()
        self.assertIsNotNone(report, "no answer from the browser")
        self.assertEqual(report["errors"], [])
        self.assertEqual(report["requests"], [], "the page asked for something else")
        self.title = report["title"]
        return report["shown"]


def view(shown):
    return float(shown["from"]), float(shown["to"])


def width(shown):
    return float(shown["to"]) - float(shown["from"])


class PageBrowserTest(Browser):
    def test_it_opens_and_shows_everything(self):
        (shown,) = self.show("runtime", 1000)
        self.assertEqual(view(shown), (0, float(shown["span"])))
        self.assertEqual(shown["slices"], "1001")
        self.assertEqual(self.title, "made-up runtime")

    def test_keys_move_and_zoom(self):
        first, zoomed, out, right, left, arrow, down, up, fit = self.show(
            "runtime", 1000, *({"press": key} for key in ["w", "s", "w", "a", "ArrowRight", "ArrowDown", "ArrowUp", "f"]))
        self.assertAlmostEqual(width(zoomed) * 1.3, width(first), -3)
        self.assertAlmostEqual(width(out), width(first), -3)
        self.assertLess(view(left)[0], view(right)[0])
        self.assertGreater(view(arrow)[0], view(left)[0])
        self.assertAlmostEqual(width(arrow), width(right), -2)
        self.assertEqual((float(down["scroll"]), float(up["scroll"])), (60, 0))
        self.assertEqual(view(fit), view(first))

    def test_mouse_moves_zooms_and_scrolls(self):
        first, zoomed, dragged, scrolled, mapped = self.show(
            "runtime", 1000, {"wheel": [900, 300, -400]}, {"drag": [900, 300, 700, 300]}, {"wheel": [60, 300, 120]},
            {"click": [1500, 60]})
        self.assertLess(width(zoomed), width(first) * 0.7)
        # What is under the pointer stays there.
        at = (900 - 220) / (1600 - 220)
        self.assertAlmostEqual(view(zoomed)[0] + width(zoomed) * at, view(first)[0] + width(first) * at, -3)
        self.assertAlmostEqual(view(dragged)[0] - view(zoomed)[0], 200 / 1380 * width(zoomed), -3)
        self.assertEqual(float(scrolled["scroll"]), 120)
        self.assertGreater(view(mapped)[1], float(first["span"]) * 0.9)

    def test_click_selects_and_details_are_shown(self):
        where = """(async () => { const slice = (await detailsOf(0, 3))[0][0]; await jump(slice); })()"""
        _, selected, told, escaped = self.show("runtime", 1000, {"evaluate": where}, {"evaluate": "$('body').textContent"}, {"press": "Escape"})
        text = told["value"]
        self.assertIn("task_id", text)
        self.assertIn("Longest of this name", text)
        self.assertIn("rank 1 of 496", text)
        self.assertIn("poll axum_traced.rs:173", selected["status"])
        self.assertEqual(escaped["selected"], "")

    def test_a_click_finds_the_slice_under_it(self):
        where = "(async () => { await jump((await detailsOf(0, 3))[0][0]); const at = [xOf((selected.begin + selected.end) / 2), topOf(lineOf(selected.row)) + 8]; const box = canvas.getBoundingClientRect(); return [at[0] + box.left, at[1] + box.top]; })()"
        place = [round(part) for part in self.show("runtime", 1000, {"evaluate": where})[1]["value"]]
        again = self.show("runtime", 1000, {"evaluate": where}, {"press": "Escape"}, {"click": place}, {"press": "m"}, {"press": "f"},
                          {"press": "["}, {"press": "{"}, {"press": "]"}, {"press": "}"}, {"press": "Escape"}, {"press": "Escape"})
        _, jumped, escaped, clicked, marked, fitted, shorter, longer, after, before, unmarked, unselected = again
        self.assertEqual(escaped["selected"], "")
        self.assertEqual(clicked["selected"], jumped["selected"])
        self.assertEqual(marked["tab"], "range")
        self.assertLess(width(fitted), float(clicked["length"]) * 1.3)
        self.assertLess(float(shorter["length"]), float(clicked["length"]))
        self.assertEqual(longer["selected"], clicked["selected"])
        self.assertEqual(after["name"], clicked["name"])
        self.assertNotEqual(after["selected"], clicked["selected"])
        self.assertEqual(before["selected"], clicked["selected"])
        self.assertNotIn("r=", unmarked["hash"])
        self.assertEqual(unselected["selected"], "")

    def test_search(self):
        words, nothing, longer, task, jumped, gone = self.show(
            "runtime", 1000, {"press": "/"}, {"fill": "metric"}, {"fill": "metric >40us"}, {"fill": "task_id no such"},
            {"fill": "axum >100us", "evaluate": "found.list.map(each => [each.length, nameOf(each.name)])"}, {"press": "Enter"})[1:]
        self.assertEqual(words["tab"], "latency")
        self.assertEqual(nothing["found"], "233")
        self.assertLess(int(longer["found"]), 233)
        self.assertEqual(task["found"], "0")
        self.assertTrue(all(length > 100_000 and "axum" in name for length, name in jumped["value"]))
        self.assertEqual(float(gone["length"]), jumped["value"][0][0])

    def test_arguments_are_found(self):
        shown = self.show("odd", 0, {"fill": "here", "evaluate": "found.list.map(each => each.args)"})
        self.assertEqual(shown[1]["value"], [{"task_id": 42, "where": "here"}])

    def test_the_range_of_everything_is_the_table(self):
        compare = """rangeContent() && reading.range.list.map(t => [t.kind, t.name, t.count, t.total, t.p50, t.p90, t.p99, t.p999, t.max])"""
        table = """tallies.filter(t => t.count).map(t => [t.kind, t.name, t.count, t.total, t.p50, t.p90, t.p99, t.p999, t.max])"""
        for count in (1000, 50_000):
            with self.subTest(count=count):
                shown = self.show("runtime", count, {"press": "m"}, {"evaluate": compare}, {"evaluate": table})
                self.assertEqual(sorted(shown[2]["value"]), sorted(shown[3]["value"]))

    def test_a_range_counts_what_begins_in_it(self):
        shown = self.show("runtime", 1000, {"drag": [600, 300, 1000, 320], "shift": True},
                          {"evaluate": "reading.range.list.reduce((sum, t) => sum + t.count, 0)"},
                          {"evaluate": """(async () => { let n = 0; for (const row of rows) { if (row.kind === 3 || row.kind === 2) continue;
                             for (let i = 0; i < row.count; ++i) { const s = await sliceAt(row, i); if (s.begin >= range[0] && s.begin <= range[1] && !(s.flags & UNKNOWN)) ++n; } } return n; })()"""})
        self.assertEqual(shown[1]["tab"], "range")
        self.assertEqual(shown[2]["value"], shown[3]["value"])

    def test_the_address_keeps_the_view(self):
        shown = self.show("runtime", 1000, {"press": "w"}, {"press": "d"}, {"fill": "poll"}, {"press": "Enter"}, {"press": "m"})
        last = shown[-1]
        (again,) = self.show("runtime", 1000, hash=last["hash"])
        for key in ("selected", "tab", "found"):
            self.assertEqual(again[key], last[key], key)
        for before, after in zip(view(last), view(again)):
            self.assertAlmostEqual(before, after, delta=1)
        for hostile in ("#v=5,1&s=99999,1", "#v=NaN,x&s=-1,-1&t=__proto__&q=%E0%A4%A", "#s=0,1e99&r=9,1&y=-5"):
            self.show("runtime", 1000, hash=hostile)

    def test_help_lists_the_keys(self):
        shown = self.show("runtime", 1, {"press": "?", "evaluate": "[$('keys').open, [...document.querySelectorAll('kbd')].map(each => each.textContent)]"},
                          {"press": "Escape", "evaluate": "$('keys').open"})
        is_open, keys = shown[1]["value"]
        self.assertTrue(is_open)
        self.assertTrue({"W S", "f", "m", "/", "] }", "[ {", "?", "Esc"} <= set(keys))
        self.assertFalse(shown[2]["value"])

    def test_the_list_is_a_table_of_what_is_seen(self):
        shown = self.show("odd", 0, {"evaluate": "showPanel('list')"},
                          {"evaluate": "[...document.querySelectorAll('#body tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))"})
        rows = shown[2]["value"]
        self.assertIn(["a", "thread", "slice", "+1.450 µs", "150 ns"], rows)
        self.assertIn(["blocked", "task", "state", "+0.300 µs", "550 ns seen"], rows)
        self.assertEqual(len(rows), 15)

    def test_flows_and_waits_are_told(self):
        select = "(async () => { for (let i = 0; i < 20; ++i) { const s = await sliceAt(rows[0], i); if (s && s.begin === 1450) return select(s); } })()"
        shown = self.show("odd", 0, {"evaluate": select}, {"evaluate": "$('body').textContent"})
        self.assertIn("from task, 400 ns before", shown[2]["value"])
        self.assertIn("wake -> run: 400 ns", shown[2]["value"])

    def test_names_do_no_harm(self):
        probe = "[document.title, document.images.length, document.querySelectorAll('svg, iframe, b').length, document.scripts.length]"
        steps = []
        for tab in ("latency", "list", "trace", "range", "selection"):
            steps.append({"evaluate": f"showPanel('{tab}')"})
        steps += [{"evaluate": "select(under(xOf(400), 64))"}, {"fill": "<img src=x onerror=document.title='owned'>"}, {"fill": "owned"},
                  {"move": [330, 235]}, {"evaluate": probe}, {"evaluate": "$('body').innerText"}]
        shown = self.show("hostile", 0, *steps)
        title, images, elements, scripts = shown[-2]["value"]
        self.assertTrue(title.startswith("</script><img"), title)
        self.assertEqual(images, 0)
        self.assertLessEqual(elements, 1)  # the name in the tip
        self.assertIn("owned", shown[-1]["value"])
        self.assertNotIn("\u202e", shown[-1]["value"])

    def test_marks_that_make_no_sense_are_shown(self):
        tabs = [{"evaluate": f"showPanel('{tab}')"} for tab in ("latency", "list", "trace", "range", "selection")]
        keys = [{"press": key} for key in ["w"] * 3 + ["d", "s", "m", "f", "f"]]
        for count in (100, 5000):
            with self.subTest(count=count):
                shown = self.show("wild", count, *tabs, *keys, {"evaluate": "show(span / 3, span / 3 + 1)"}, {"evaluate": "jump({row: rows[0], at: 0})"})
                self.assertGreater(width(shown[-1]), 0)

    def test_short_slices_do_not_vanish(self):
        # One that ended before it began lasts no time at all.
        lit = """(() => { const y = Math.round((topOf(lineOf(rows[0])) + HEIGHT[0] - 2) * scale), x = Math.round(xOf(1100) * scale);
          return [x - 3, x, x + 4].map(at => pixels[y * canvas.width + at]); })()"""
        before, at, behind = self.show("odd", 0, {"evaluate": lit})[1]["value"]
        self.assertEqual(before, behind)
        self.assertNotEqual(at, before)

    def test_pictures(self):
        colours = "[theme.bg, new Set(pixels).size]"
        for count in (1, 1000, 1_000_000):
            with self.subTest(count=count):
                shown = {}
                for scheme in ("light", "dark"):
                    step = {"evaluate": colours}
                    if SCREENSHOTS:
                        step["screenshot"] = str(pathlib.Path(SCREENSHOTS, f"{scheme}-{count}.png"))
                    shown[scheme] = self.show("runtime", count, step, scheme=scheme)[1]["value"]
                self.assertNotEqual(shown["light"][0], shown["dark"][0])
                self.assertGreater(min(shown["light"][1], shown["dark"][1]), 3)


class CommandsPages(Browser):
    """Pages that the command makes of a trace: in a browser as they come."""

    def setUp(self):
        self.table = pathlib.Path(self.folder.name, "pool.toml")
        self.table.write_text(TABLE)
        self.trace = pathlib.Path(self.folder.name, "t.bin")
        self.trace.write_bytes(pool(*self.EVENTS))

    # Job 1 holds worker 0 for a millisecond from 10 ms on, with job 2 inside, while worker 1 is busy for longer; others before and behind.
    EVENTS = ((0, START, (0, 9)), (20, END, (0,)), (9_000_000, START, (1, 3)), (9_900_000, QUEUE, (1,)), (10_000_000, START, (0, 1)),
              (10_300_000, START, (0, 2)), (10_400_000, END, (0,)), (11_000_000, END, (0,)), (11_500_000, START, (0, 5)),
              (15_000_000, END, (1,)), (16_000_000, END, (0,)), (24_000_000, START, (0, 9)), (24_000_020, END, (0,)))

    def pictures(self, page, name):
        """The same in both themes, to be looked at."""
        for scheme in ("light", "dark") if SCREENSHOTS else ():
            self.show_page(page, {"screenshot": str(pathlib.Path(SCREENSHOTS, f"{scheme}-{name}.png"))}, scheme=scheme, height=700)

    def test_a_served_page(self):
        process = subprocess.Popen([BIN, "view", "--table", self.table, self.trace], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            address = process.stdout.readline().decode().strip()
            first, zoomed = self.show_page(address, {"press": "w"})
            self.assertEqual(first["slices"], "6")
            self.assertLess(width(zoomed), width(first))
            self.assertEqual(first["tab"], "latency")
            self.pictures(address, "served")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(20), 0)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()

    def test_the_page_of_a_slice(self):
        page = pathlib.Path(self.folder.name, "why.html")
        text = subprocess.run([BIN, "why", "--table", self.table, "--slice", "run 1", "-o", page, self.trace], check=True, capture_output=True).stdout.decode()
        self.assertIn("run 1 (job=1) lasted 1.00ms on worker 0 from +0.010000 s", text)
        probe = """[$('body').textContent, nameOf(selected.name), moment(selected.begin), [...document.querySelectorAll('#tabs button')].filter(b => !b.hidden).map(b => b.id),
            rows.filter(row => row.kind === 0).length, flagTexts(3)]"""
        all_slices = """(async () => { const list = []; for (const row of rows) if (row.kind === 0) for (let i = 0; i < row.count; ++i) {
            const s = await sliceAt(row, i); list.push([nameOf(s.name), s.begin + since, s.end + since, s.flags]); } return list; })()"""
        shown = self.show_page(page, {"evaluate": probe}, {"evaluate": all_slices}, {"press": "w"}, {"press": "f"}, {"press": "f"})
        body, name, begins, tabs, _, flags = shown[1]["value"]
        self.assertEqual(body, text)
        self.assertEqual((name, begins), ("run 1", "+10.000000 ms"))
        self.assertEqual(tabs, ["answer", "selection", "latency", "range", "list", "trace"])
        self.assertEqual(shown[0]["tab"], "answer")
        # A window of three times as much, what goes on outside cut: 1 began before, 2 had not ended.
        self.assertEqual(view(shown[0]), (0, 3_000_000))
        self.assertEqual(sorted(shown[2]["value"]), [
            ["run 1", 10_000_000, 11_000_000, 0], ["run 2", 10_300_000, 10_400_000, 0],
            ["run 3", 9_000_000, 12_000_000, 2], ["run 5", 11_500_000, 12_000_000, 2]])
        self.assertEqual(flags, ["began before what is shown", "open at the end"])
        self.assertEqual(view(shown[-1]), view(shown[0]))
        self.pictures(page, "why")
        # The address leads back to what was seen.
        again = self.show_page(page, {"evaluate": "showPanel('latency')"}, {"press": "d"})[-1]
        self.assertEqual(self.show_page(page, hash=again["hash"])[0]["selected"], again["selected"])


if __name__ == "__main__":
    unittest.main()
