"""A second way to answer queries (docs/query.md), written from the document and independent of the library.

semantics    stages as tuples, and what they make of the JSON lines of a trace
pipelines    random pipelines about the events of a trace
traces       the traces they are about: pairs, losses, values of many kinds
sql          the same questions as SQL, for those that SQLite can answer exactly

Expressions are those of query_oracle.
"""
