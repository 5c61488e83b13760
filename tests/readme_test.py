"""README.md names the commands that there are."""

import re

from command import ROOT, CommandTest, run


class Readme(CommandTest):
    def test_the_table_of_commands_has_all_of_them(self):
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        section = readme.split("\n## Commands\n")[1].split("\n## ")[0]
        table = section.split("| command | does |")[1].split("\n\n")[0]
        listed = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
        listing = self.check(run("--help"), 0).stdout.decode().split("Commands:\n")[1].split("\n\n")[0]
        self.assertEqual(listed, re.findall(r"^  (\w+) ", listing, re.MULTILINE))


if __name__ == "__main__":
    import unittest

    unittest.main()
