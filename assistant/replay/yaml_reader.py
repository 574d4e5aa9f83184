"""Reads YAML as texts or as JSON, remembers the line of each value, and says how to correct mistakes.

Cassettes and the tasks of an evaluation are read with it.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import ClassVar, Final, TypeAlias, cast, get_args

import yaml
from pydantic import BaseModel
from pydantic_core import ErrorDetails

from assistant.conversation.values import Json
from assistant.errors import DeclarationError

_TAG = "tag:yaml.org,2002:"
_FLOAT = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$", re.ASCII)
_RULES = (
    ("null", re.compile(r"(?:null)?$"), ["n", ""]),
    ("bool", re.compile(r"(?:true|false)$"), list("tf")),
    ("int", re.compile(r"-?(?:0|[1-9]\d*)$", re.ASCII), list("-0123456789")),
    ("float", _FLOAT, list("-0123456789")),
)


class JsonScalars:
    """A mixin for YAML loaders: an unquoted word is a scalar of JSON or a text.

    Other rules of YAML 1.1 do not apply.
    """

    yaml_implicit_resolvers: ClassVar = {
        first: [(_TAG + name, rule) for name, rule, firsts in _RULES if first in firsts]
        for first in {first for _, _, firsts in _RULES for first in firsts}
    }


def json_scalar(node: yaml.ScalarNode) -> Json:
    """Returns the value of a scalar that was loaded with ``JsonScalars``.

    Raises:
        ValueError: the number is too large, or JSON has no type for the tag.
    """
    kind, text = str(node.tag).removeprefix(_TAG), str(node.value)
    if kind == "str":
        return text
    if kind == "null":
        return None
    if kind == "bool":
        return text == "true"
    if kind == "int" and len(text) < 1000:
        return int(text)
    if kind == "float" and math.isfinite(number := float(text)):
        return number
    if kind in {"int", "float"}:
        raise ValueError(f"{text[:20]}... is too large for a number; in quotes it is a text")
    raise ValueError(f"the tag {node.tag} is not known here; leave it out")


_CURES: Final = (
    (
        "mapping values are not allowed",
        'a text with ": " in it needs quotes ("Tell me: what?"); else this line is not indented like the lines'
        " around it",
    ),
    (
        "but found '<block mapping start>'",
        "this line is not indented like the lines around it; a scene whose first line is a call begins with"
        " scene: |2",
    ),
    (
        "but found '<scalar>'",
        "a text that begins with a quotation mark ends with it; put the whole text into the other kind of quotes",
    ),
    ("character '\\t'", "indent with spaces, not with tabs"),
    ("that cannot start any token", "a text that begins with this character needs quotes"),
    ("undefined alias", "a text that begins with * needs quotes"),
    ("unexpected end of stream", "a quotation mark is not closed"),
)
"""Messages of PyYAML, with what to change; the first that matches is used."""


def yaml_cure(problem: str) -> str:
    """Returns what to change, as a clause to add to the problem, or "" if it is unknown.

    >>> yaml_cure("found undefined alias 'abc'")
    '; a text that begins with * needs quotes'
    """
    return next((f"; {cure}" for said, cure in _CURES if said in problem), "")


Plain: TypeAlias = str | list["Plain"] | dict[str, "Plain"]
"""Each scalar is a text: ``yes`` is no boolean here, ``2026-11-21`` no date and ``120.00`` no number."""

Path: TypeAlias = tuple[str | int, ...]


_Loader: TypeAlias = type[yaml.SafeLoader]


class _JsonLoader(JsonScalars, yaml.SafeLoader):
    """Distinguishes scalars of JSON from texts."""


# The C loader is ten times as fast, if it is installed. The Python loader has better error messages.
_FAST: _Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FAST_JSON: _Loader = type("_FastJsonLoader", (JsonScalars, _FAST), {})


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of values in a file, by their path: ``("tasks", 3, "must")``."""

    by_path: dict[Path, int] = field(default_factory=dict[Path, int])

    def locate(self, path: Sequence[str | int]) -> tuple[Path, int]:
        """Returns the longest beginning of this path that exists in the file, with its line.

        Unknown steps are left out.

        A key one level deeper is also found, because short forms of entries nest their keys.

        >>> lines = Lines({(): 1, ("tasks",): 4, ("tasks", 0): 5, ("tasks", 0, "quick", "say"): 6})
        >>> lines.locate(("tasks", 0, "Says", "all"))
        (('tasks', 0), 5)
        >>> lines.locate(("tasks", 0, "say"))
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
    """Returns the file's content as texts, and the lines of its values.

    Raises:
        DeclarationError: it is not YAML, or a key occurs twice; with file and line.
    """
    content, lines = _read(text, where, (_FAST, yaml.SafeLoader), lambda node: str(node.value))
    return cast("Plain", {} if content is None else content), lines


def read_json(text: str, where: str) -> tuple[Json, Lines]:
    """Returns the file's content as JSON: ``true``, ``null`` and numbers have their JSON types.

    Everything that is not a JSON scalar is a text: ``yes``, ``~``, ``007``, ``2026-11-21``, ``.5``. An empty
    file gives None.

    Raises:
        DeclarationError: see :func:`read_yaml`; also for a number that is too large.
    """
    return _read(text, where, (_FAST_JSON, _JsonLoader), json_scalar)


_Scalar: TypeAlias = Callable[[yaml.ScalarNode], Json]


def _read(text: str, where: str, loaders: tuple[_Loader, _Loader], scalar: _Scalar) -> tuple[Json, Lines]:
    node = _compose(text, where, *loaders)
    reader = _Reader(where, scalar)
    return (None if node is None else reader.value(node, (), ())), reader.lines


_DEEPEST = 100
"""Lists and mappings within each other. No cassette and no task has ten."""

_MOST_REPEATED = 10_000
"""Values that aliases repeat. A few lines of aliases of aliases stand for more values than a machine can hold."""

_TOO_DEEP = f"more than {_DEEPEST} lists or mappings within each other; write fewer"


def _compose(text: str, where: str, fast: _Loader, exact: _Loader) -> yaml.Node | None:
    with suppress(yaml.YAMLError):
        _check_depth(text, where, fast)
        return yaml.compose(text, Loader=fast)
    try:
        _check_depth(text, where, exact)
        return yaml.compose(text, Loader=exact)
    except yaml.YAMLError as error:
        mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else str(error)
        line = mark.line + 1 if mark is not None else 1
        raise DeclarationError(f"{where}:{line}: no YAML: {problem}{yaml_cure(problem or '')}") from error


def _check_depth(text: str, where: str, loader: _Loader) -> None:
    """Raise ``DeclarationError`` for a file that is nested too deeply. PyYAML reads a file recursively, so
    such a file would end the process.
    """
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _DEEPEST:
                line = 1 if event.start_mark is None else event.start_mark.line + 1
                raise DeclarationError(f"{where}:{line}: {_TOO_DEEP}")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


class _Reader:
    """Reads the nodes of one file, and collects their lines."""

    def __init__(self, where: str, scalar: _Scalar) -> None:
        self.lines = Lines()
        self._where, self._scalar = where, scalar
        self._seen: set[int] = set()
        self._repeated = 0

    def value(self, node: yaml.Node, path: Path, above: tuple[yaml.Node, ...]) -> Json:
        self.lines.by_path[path] = node.start_mark.line + 1
        if any(node is one for one in above):
            raise self._wrong(node, "an alias refers to a value that contains it; write the value out")
        self._repeated += id(node) in self._seen
        self._seen.add(id(node))
        if self._repeated > _MOST_REPEATED:
            raise self._wrong(node, f"aliases repeat more than {_MOST_REPEATED:,} values; write them out")
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
                raise self._wrong(key, "a key must be a text; this is a list or a mapping")
            name = str(key.value)
            if name in found:
                raise self._wrong(key, f"{name!r} occurs twice; keep one of them")
            found[name] = self.value(value, (*path, name), above)
            # A value may begin below its key. Errors show the line of the key, which people search for.
            self.lines.by_path[*path, name] = key.start_mark.line + 1
        return found

    def _wrong(self, node: yaml.Node, told: str) -> DeclarationError:
        return DeclarationError(f"{self._where}:{node.start_mark.line + 1}: {told}")


def known_keys(root: type[BaseModel], place: Sequence[str | int]) -> list[str]:
    """Returns the keys that are allowed at the last step of this path, in the order of the class.

    ``place`` is a location of pydantic: keys, numbers in lists, and class names for members of a union.
    """
    found = [root]
    for step in place[:-1]:
        if named := [model for model in found if model.__name__ == step]:
            found = named
        elif isinstance(step, str):
            fields = [model.model_fields[step] for model in found if step in model.model_fields]
            found = [model for field in fields for model in _models(field.annotation)]
    return list(dict.fromkeys(name for model in found for name in model.model_fields))


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


_LONGEST = 60
_OWN = {"model_type": "expected a mapping", "tuple_type": "expected a list"}


def word_mistake(detail: ErrorDetails, at: str, field: str, known: Sequence[str]) -> str:
    """Returns one line: ``at: field: problem, got value; what would work``.

    Args:
        detail: the mistake, from pydantic.
        at: the file and the line: ``tasks/a.yaml:4``.
        field: the wrong key, as written in the file.
        known: the keys that are allowed instead of ``field``; where a mapping is expected, its keys.
    """
    told = _OWN.get(detail["type"]) or detail["msg"].removeprefix("Value error, ")
    return f"{at}: {field}: {told}{_given(detail)}{_cure(detail, known)}"


def field_of(place: Sequence[str | int], detail: ErrorDetails) -> str:
    """Returns the field's name: its path in the file, including a missing key.

    >>> field_of(("turns", 0), {"type": "missing", "loc": ("turns", 0, "customer"), "msg": "", "input": {}})
    'turns.0.customer'
    """
    missing = detail["loc"][-1:] if detail["type"] == "missing" else ()
    return ".".join(str(step) for step in (*place, *missing))


def _given(detail: ErrorDetails) -> str:
    given = detail["input"]
    if detail["type"] == "extra_forbidden" or not isinstance(given, str | int | float):
        return ""
    shown = repr(given) if isinstance(given, str) else json.dumps(given)
    return f", got {shown}" if len(shown) <= _LONGEST else f", got {shown[:_LONGEST]}..."


def _cure(detail: ErrorDetails, known: Sequence[str]) -> str:
    given = detail["input"]
    if detail["type"] == "extra_forbidden" and known:
        near = get_close_matches(str(detail["loc"][-1]), known, n=1)
        return f"; did you mean {near[0]!r}?" if near else f"; known here: {', '.join(known)}"
    if detail["type"] == "model_type":
        return f"; its keys are {', '.join(known)}"
    if detail["type"] == "string_type" and isinstance(given, int | float):
        return f'; for a text write "{json.dumps(given)}"'
    return ""
