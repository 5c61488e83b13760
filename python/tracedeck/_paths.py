"""Paths to values: the language of conditions, in values of Python."""

from __future__ import annotations

import re
from typing import Any, List, NamedTuple, Tuple, Union

_BRACKETS = re.compile(r"""\[(?:(-?[0-9]+)|"([^"]*)"|'([^']*)')\]""")
_INDEX_MOST = 2**63


class _Step(NamedTuple):
    key: Union[str, int]
    #: A name in quotes, which stands for itself alone.
    quoted: bool


def at_path(value: Any, path: str) -> Any:
    """What lies in `value` at a path; None where an optional value on the way is not there.

    KeyError: nothing does."""
    steps = _steps(path)
    if not steps:
        raise KeyError(path)
    while steps and value is not None:
        value, steps = _followed(value, steps, path)
    return value


def _steps(path: str) -> List[_Step]:
    steps: List[_Step] = []
    at = 0
    while at < len(path):
        brackets = _brackets(path, at)
        if brackets:
            step, at = brackets
            steps.append(step)
            continue
        if steps and path[at] == ".":
            at += 1
        end = at
        while end < len(path) and path[end] != "." and not _brackets(path, end):
            end += 1
        steps.append(_Step(path[at:end], False))
        at = end
    return steps


def _brackets(path: str, at: int) -> Any:
    """The step in the brackets there, and where it ends."""
    found = _BRACKETS.match(path, at)
    if found is None:
        return None
    index, *names = found.groups()
    if index is None:
        return _Step(next(name for name in names if name is not None), True), found.end()
    number = int(index)
    return (_Step(number, False), found.end()) if -_INDEX_MOST <= number < _INDEX_MOST else None


def _spelled(name: str, steps: List[_Step]) -> int:
    """How many of the first steps spell a name."""
    if isinstance(steps[0].key, int):
        return 0
    text = steps[0].key
    for count, step in enumerate(steps[1:], 1):
        if text == name:
            return count
        if steps[0].quoted or step.quoted or not name.startswith(text):
            return 0
        text += f"[{step.key}]" if isinstance(step.key, int) else f".{step.key}"
    return len(steps) if text == name else 0


def _followed(value: Any, steps: List[_Step], path: str) -> Tuple[Any, List[_Step]]:
    """The value that the first of the steps lead to, and the others."""
    first = steps[0].key
    if isinstance(value, list) and isinstance(first, int) and -len(value) <= first < len(value):
        return value[first], steps[1:]
    if isinstance(value, dict):
        if isinstance(first, int) and first in value:
            return value[first], steps[1:]
        ways = [(_spelled(name, steps), name) for name in value if isinstance(name, str)]
        ways.sort(key=lambda way: -way[0])
        for count, name in ways:
            if count and _leads_on(value[name], steps[count:], path):
                return value[name], steps[count:]
    raise KeyError(path)


def _leads_on(value: Any, steps: List[_Step], path: str) -> bool:
    if not steps or value is None:
        return True
    try:
        _followed(value, steps, path)
    except KeyError:
        return False
    return True
