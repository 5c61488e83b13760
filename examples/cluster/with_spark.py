"""Answers a question over many traces with Spark: partial answers by its executors, merged in a tree.

    spark-submit with_spark.py STAGES LIST [PARTITIONS]        LIST: a file with a trace a line

The executors need the package `tracedeck` (a wheel of `make python`: `--py-files` or installed) and see the traces by the same
paths. A task that Spark starts again is counted once, as the results of tasks are.
"""

import sys
import warnings

import tracedeck


def partial_answers(stages, paths):
    """One part for the traces of a partition, each by itself, and sentences about what cannot be read."""
    parts, missing = [], []
    for path in paths:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                parts.append(tracedeck.partial(path, stages))
            except tracedeck.ArgumentError:
                raise  # the question is wrong, and so it is for all
            except tracedeck.TracedeckError as error:
                missing.append(str(error))
        missing += [str(each.message) for each in caught]
    yield merged((parts, missing), ([], []))


def merged(one, other):
    """Both sums as one."""
    parts = one[0] + other[0]
    return ([tracedeck.merge_to_part(parts)] if len(parts) > 1 else parts), one[1] + other[1]


def ask(context, stages, paths, partitions):
    """The answer, and sentences about what could not be read. `context`: a SparkContext."""
    answers = context.parallelize(paths, partitions).mapPartitions(lambda some: partial_answers(stages, some))
    parts, missing = answers.treeReduce(merged)
    return tracedeck.merge(parts), missing


def main():
    from pyspark import SparkContext

    stages, listed, *partitions = sys.argv[1:]
    with open(listed, encoding="utf-8") as file:
        paths = file.read().splitlines()
    answer, missing = ask(SparkContext(), stages, paths, int(partitions[0]) if partitions else max(1, len(paths) // 16))
    for row in answer:
        print(row)
    for sentence in missing:
        print("missing:", sentence, file=sys.stderr)


if __name__ == "__main__":
    main()
