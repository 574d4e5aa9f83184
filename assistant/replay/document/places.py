"""Where in a YAML text something begins and ends, line by line."""

from collections.abc import Sequence
from typing import TypeAlias, cast

import yaml

Pair: TypeAlias = tuple[yaml.Node, yaml.Node]
"""A key and its value."""


def pairs_of(node: yaml.Node) -> list[Pair]:
    """The keys and values of a mapping; nothing for anything else."""
    return cast("list[Pair]", node.value) if isinstance(node, yaml.MappingNode) else []


def items_of(node: yaml.Node) -> list[yaml.Node]:
    """The items of a list; nothing for anything else."""
    return cast("list[yaml.Node]", node.value) if isinstance(node, yaml.SequenceNode) else []


def find_pair(node: yaml.Node, key: str) -> Pair | None:
    """The key of this name in a mapping, and its value."""
    return next((pair for pair in pairs_of(node) if pair[0].value == key), None)


def in_lines(node: yaml.Node) -> bool:
    """Whether this is a mapping or a list with a line for each of its parts."""
    return isinstance(node, yaml.CollectionNode) and not node.flow_style


def last_line(node: yaml.Node, lines: Sequence[str]) -> int:
    """The number from 0 of the last line with something of it; comments and blank lines after it do not count."""
    if in_lines(node):
        inside = [value for _, value in pairs_of(node)] + items_of(node)
        return max([node.start_mark.line, *(last_line(value, lines) for value in inside)])
    end = node.end_mark
    last = end.line - 1 if end.column == 0 and end.line > node.start_mark.line else end.line
    while last > node.start_mark.line and not lines[last].strip():
        last -= 1
    return last
