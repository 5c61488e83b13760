"""Conditions against a second evaluator, written from docs/query.md.

Random conditions about random traces, the cases of the other tests and the reference traces: the same events come out,
and what is an error to one is an error to the other. TRACEDECK_CONDITIONS is how many conditions are asked (1000 unless
said), TRACEDECK_FIRST_SEED where they begin: a failure names its trace and its condition.
"""

import collections
import json
import os
import random

from command import CommandTest, needs_traces, run
from query_oracle.comparison import Answer, difference
from query_oracle.corpus import case_operands, random_operands, reference_operands, traces
from query_oracle.expressions import Expressions
from query_oracle.lexer import Strange

FIRST_SEED = int(os.environ.get("TRACEDECK_FIRST_SEED", "0"))
CONDITIONS = int(os.environ.get("TRACEDECK_CONDITIONS", "1000"))
# So many conditions are asked of one trace at least; to look at a trace takes longer than to ask.
CONDITIONS_A_TRACE = 12
# A command line holds no more.
LONGEST = 100_000


def chosen(operands, conditions):
    """As many of the operands as conditions are worth it, others for another seed."""
    operands = list(operands)
    count = max(1, min(len(operands), conditions // CONDITIONS_A_TRACE))
    return random.Random(FIRST_SEED).sample(operands, count)


class Conditions(CommandTest):
    def ask(self, operands, conditions):
        asked = list(traces(operands))
        self.assertGreater(len(asked), 0)
        kinds, wrong = collections.Counter(), []
        for i in range(conditions):
            trace, seed = asked[i % len(asked)], FIRST_SEED + i
            kind, said = self.ask_one(trace, Expressions(f"{seed} {trace.name}", trace))
            kinds[kind] += 1
            if said is not None:
                wrong.append(said)
        if wrong:
            self.fail("\n".join([f"{len(wrong)} of {conditions} differ", *wrong[:10]]))
        return kinds

    def ask_one(self, trace, expressions):
        """The kind of a condition, and what is wrong with the answer, or None."""
        texts = [expressions.condition() for _ in range(expressions.pick(1, 1, 1, 1, 2))]
        as_file = max(map(len, texts)) > LONGEST or len(texts) == 1 and expressions.chance(0.05)
        try:
            answer = Answer(trace, texts)
        except Strange:
            return "strange", None
        said = difference(answer, texts, self.folder if as_file else None)
        return answer.kind(), said and f"{trace.name}: {said}: {str(texts)[:2000]}"

    def check_kinds(self, kinds):
        """Most conditions are ones that decide something."""
        asked = sum(kinds.values())
        self.assertGreater(kinds["some"], asked * 0.25, kinds)
        self.assertGreater(kinds["error"], asked * 0.02, kinds)
        self.assertLess(kinds["strange"] + kinds["doubt"], asked * 0.1, kinds)

    def test_random_traces(self):
        conditions = CONDITIONS * 6 // 10
        seeds = range(FIRST_SEED, FIRST_SEED + max(2, min(60, conditions // 5 // CONDITIONS_A_TRACE)))
        self.check_kinds(self.ask(random_operands(self.folder, seeds), conditions))

    def test_cases(self):
        self.ask(chosen(case_operands(self.folder), CONDITIONS // 5), CONDITIONS // 5)

    @needs_traces
    def test_reference_traces(self):
        self.ask(chosen(reference_operands(), CONDITIONS // 5), CONDITIONS // 5)

    def test_other_commands(self):
        """`stats` counts the events that `print` prints."""
        for trace in traces(random_operands(self.folder, range(FIRST_SEED, FIRST_SEED + 2))):
            expressions = Expressions(f"{FIRST_SEED} {trace.name}", trace)
            for _ in range(4):
                text = expressions.condition()
                try:
                    answer = Answer(trace, [text])
                except Strange:
                    continue
                result = run("stats", "--json", "--where", text, *trace.operands)
                if answer.error is not None:
                    self.assertEqual(result.returncode, 2, text)
                elif None not in answer.verdicts:
                    self.check(result, trace.code, text)
                    counted = json.loads(result.stdout)["events"]
                    self.assertEqual(counted, sum(answer.verdicts), f"{trace.name}: {text}")
