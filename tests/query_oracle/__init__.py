"""A second evaluator of conditions (docs/query.md), written from the document and independent of the library.

lexer, parser    text to a tree of tuples, or a SyntaxError
values           what JSON lines and `schema --json` together say about an event, as values with types
evaluator        a tree and an event to true, false or unknown
times            the texts that stand beside `time`
expressions      random conditions about the events of a trace, valid and broken ones
corpus           the traces: reference traces, cases of the tests, and random ones

Nothing here is shared with the code under test, and nothing is made to be fast.
"""
