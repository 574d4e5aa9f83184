"""Reads YAML as plain texts, and remembers on which line each of them stands."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from assistant.errors import DeclarationError

Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]
"""Every scalar is a text: ``yes`` is no boolean here, ``2026-11-21`` no date and ``120.00`` no number."""

Path: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Lines:
    """Where things stand in a file, by their path: ``("tasks", 3, "must")``."""

    by_path: dict[Path, int] = field(default_factory=dict[Path, int])

    def of(self, path: Sequence[str | int]) -> tuple[Path, int]:
        """The longest beginning of this path that the file has, and its line; what is not there is left out.

        >>> Lines({(): 1, ("tasks",): 4, ("tasks", 0): 5}).of(("tasks", 0, "Says", "say"))
        (('tasks', 0), 5)
        """
        found: Path = ()
        for step in path:
            if (*found, step) in self.by_path:
                found = (*found, step)
        return found, self.by_path.get(found, 1)


def read_yaml(text: str, where: str) -> tuple[Plain, Lines]:
    """The file's content, and the lines it stands on.

    Raises:
        DeclarationError: it is no YAML, or a key stands there twice; with file and line.
    """
    lines = Lines()
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error)
        line = mark.line + 1 if mark is not None else 1
        raise DeclarationError(f"{where}:{line}: no YAML: {problem}") from error
    return (_plain(node, (), lines, where) if node is not None else {}), lines


def _plain(node: yaml.Node, path: Path, lines: Lines, where: str) -> Plain:
    lines.by_path[path] = node.start_mark.line + 1
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, lines, where)
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item, (*path, place), lines, where) for place, item in enumerate(node.value)]
    return str(node.value)


def _mapping(node: yaml.MappingNode, path: Path, lines: Lines, where: str) -> dict[str, Plain]:
    found: dict[str, Plain] = {}
    for key, value in node.value:
        name, line = str(key.value), key.start_mark.line + 1
        if name in found:
            raise DeclarationError(f"{where}:{line}: {name!r} stands there twice; keep one of them")
        found[name] = _plain(value, (*path, name), lines, where)
        # A value may begin below its key; the key is what an editor looks for.
        lines.by_path[*path, name] = line
    return found
