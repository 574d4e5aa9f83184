"""Reads YAML without surprises, and remembers on which line each thing stands."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias, cast

import yaml

from assistant.conversation.values import Json
from assistant.errors import DeclarationError
from assistant.replay.document.scalars import JsonScalars, json_scalar
from assistant.replay.document.yaml_cure import yaml_cure

Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]
"""Every scalar is a text: ``yes`` is no boolean here, ``2026-11-21`` no date and ``120.00`` no number."""

Path: TypeAlias = tuple[str | int, ...]


_Loader: TypeAlias = type[yaml.SafeLoader]


class _JsonLoader(JsonScalars, yaml.SafeLoader):
    """Tells JSON's scalars from texts."""


# The one in C is ten times as fast, where there is one; the other words its complaints better.
_FAST: _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FAST_JSON: _Loader = type("_FastJsonLoader", (JsonScalars, _FAST), {})


@dataclass(frozen=True, slots=True)
class Lines:
    """Where things stand in a file, by their path: ``("tasks", 3, "must")``."""

    by_path: dict[Path, int] = field(default_factory=dict[Path, int])

    def of(self, path: Sequence[str | int]) -> tuple[Path, int]:
        """The longest beginning of this path that the file has, and its line; what is not there is left out.

        A key that stands one level deeper, as those of a short form do, is found there.

        >>> lines = Lines({(): 1, ("tasks",): 4, ("tasks", 0): 5, ("tasks", 0, "quick", "say"): 6})
        >>> lines.of(("tasks", 0, "Says", "all"))
        (('tasks', 0), 5)
        >>> lines.of(("tasks", 0, "say"))
        (('tasks', 0, 'quick', 'say'), 6)
        """
        found: Path = ()
        for step in path:
            if (*found, step) in self.by_path:
                found = (*found, step)
            elif isinstance(step, str):
                found = self._deeper(found, step) or found
        return found, self.by_path.get(found, 1)

    def _deeper(self, found: Path, step: str) -> Path | None:
        depth = len(found)
        return next(
            (
                path
                for path in self.by_path
                if len(path) == depth + 2 and path[-1] == step and path[:depth] == found
            ),
            None,
        )


def read_yaml(text: str, where: str) -> tuple[Plain, Lines]:
    """The file's content as texts, and the lines it stands on.

    Raises:
        DeclarationError: it is no YAML, or a key stands there twice; with file and line.
    """
    content, lines = _read(text, where, (_FAST, yaml.SafeLoader), lambda node: str(node.value))
    return cast("Plain", {} if content is None else content), lines


def read_json(text: str, where: str) -> tuple[Json, Lines]:
    """The file's content as JSON: ``true``, ``null`` and numbers are what JSON takes them for.

    Whatever JSON would not read is a text: ``yes``, ``~``, ``007``, ``2026-11-21``, ``.5``. A file without
    anything is None.

    Raises:
        DeclarationError: as ``read_yaml``; also for a number that nothing can hold.
    """
    return _read(text, where, (_FAST_JSON, _JsonLoader), json_scalar)


_Scalar: TypeAlias = Callable[[yaml.ScalarNode], Json]


def _read(text: str, where: str, loaders: tuple[_Loader, _Loader], scalar: _Scalar) -> tuple[Json, Lines]:
    node = _compose(text, where, *loaders)
    reader = _Reader(where, scalar)
    return (None if node is None else reader.value(node, (), ())), reader.lines


def _compose(text: str, where: str, fast: _Loader, exact: _Loader) -> yaml.Node | None:
    with suppress(yaml.YAMLError):
        return yaml.compose(text, Loader=fast)
    try:
        return yaml.compose(text, Loader=exact)
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error)
        line = mark.line + 1 if mark is not None else 1
        raise DeclarationError(f"{where}:{line}: no YAML: {problem}{yaml_cure(problem or '')}") from error


class _Reader:
    """Goes through the nodes of one file."""

    def __init__(self, where: str, scalar: _Scalar) -> None:
        self.lines = Lines()
        self._where, self._scalar = where, scalar

    def value(self, node: yaml.Node, path: Path, above: tuple[yaml.Node, ...]) -> Json:
        self.lines.by_path[path] = node.start_mark.line + 1
        if any(node is one for one in above):
            raise self._wrong(node, "an alias stands within what it stands for; write it out")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, (*above, node))
        if isinstance(node, yaml.SequenceNode):
            inside = (*above, node)
            return [self.value(item, (*path, place), inside) for place, item in enumerate(node.value)]
        try:
            return self._scalar(cast("yaml.ScalarNode", node))
        except ValueError as error:
            raise self._wrong(node, str(error)) from error

    def _mapping(self, node: yaml.MappingNode, path: Path, above: tuple[yaml.Node, ...]) -> Json:
        found: dict[str, Json] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise self._wrong(key, "a key is a text, and this is a list or a mapping")
            name = str(key.value)
            if name in found:
                raise self._wrong(key, f"{name!r} stands there twice; keep one of them")
            found[name] = self.value(value, (*path, name), above)
            # A value may begin below its key; the key is what an editor looks for.
            self.lines.by_path[*path, name] = key.start_mark.line + 1
        return found

    def _wrong(self, node: yaml.Node, told: str) -> DeclarationError:
        return DeclarationError(f"{self._where}:{node.start_mark.line + 1}: {told}")
