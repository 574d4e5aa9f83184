"""YAML as far as a call needs it: JSON's values, no aliases, no tags, within bounds."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Final, Protocol, cast

from assistant.conversation.values import Json

if TYPE_CHECKING:
    from yaml import Node

_DEEPEST: Final = 32
_MOST: Final = 5_000
_LONGEST: Final = 65_536
_WORDS: Final = {"true": True, "false": False, "null": None, "~": None, "": None, "none": None}
_INTEGER: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})")
_DECIMAL: Final = re.compile(r"[+-]?(?:0|[1-9]\d{0,99})\.\d{1,99}(?:[eE][+-]?\d{1,2})?")
_CURES: Final = (
    ("mapping values are not allowed", 'a text with ": " in it needs quotation marks'),
    ("cannot start any token", "a text that begins with this sign needs quotation marks"),
    ("found unknown escape", "a backslash in quotation marks is written twice"),
    ("undefined alias", "a text that begins with * needs quotation marks"),
    ("found unexpected end of stream", "a quotation mark is not closed"),
    ("<block", "a line is not indented as those beside it"),
)


class _Mark(Protocol):
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class NotYaml(Exception):
    """It cannot be read. ``where``: line and column, both from 1."""

    def __init__(self, problem: str, where: tuple[int, int] = (1, 1)) -> None:
        self.where = where
        super().__init__(problem)


def load_yaml(text: str, texts: Collection[str] = ()) -> Json:
    r"""The one value that stands in a text. Raises ``NotYaml``.

    ``yes`` is a text here, and so are ``007``, dates and times. ``texts``: keys whose values are texts, also where
    they look like numbers.

    >>> load_yaml("order: 4711\nzip: 04109", ["order"])
    {'order': '4711', 'zip': '04109'}
    """
    import yaml

    if len(text) > _LONGEST:
        raise NotYaml(f"it is longer than {_LONGEST} signs")
    try:
        _check(text)
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return _value(node, texts)
    except yaml.MarkedYAMLError as error:
        told = f"{error.problem or 'it is no YAML'}; {_cure(str(error))}".rstrip("; ")
        raise NotYaml(told, _where(error.problem_mark)) from error
    except yaml.YAMLError as error:
        raise NotYaml(f"there is a sign that YAML does not allow: {error}".partition("\n")[0]) from error


def _check(text: str) -> None:
    """Refuse what makes much out of little, before anything is made of it."""
    import yaml

    depth = 0
    for count, event in enumerate(yaml.parse(text, Loader=yaml.SafeLoader)):
        where = _where(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            raise NotYaml("a text that begins with * needs quotation marks", where)
        if getattr(event, "tag", None) is not None:
            raise NotYaml("a text that begins with ! needs quotation marks", where)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise NotYaml(f"it is nested more than {_DEEPEST} deep", where)
        if count > _MOST:
            raise NotYaml("it has too many parts", where)


def _value(node: "Node | None", texts: Collection[str], key: str = "") -> Json:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [_value(part, texts, key) for part in cast("list[Node]", node.value)]
    if isinstance(node, yaml.MappingNode):
        return _mapping(cast("list[tuple[Node, Node]]", node.value), texts)
    if not isinstance(node, yaml.ScalarNode):
        return None
    text = str(node.value)
    quoted = node.style is not None
    return text if quoted or (key in texts and text.casefold() not in ("", "~", "null")) else _plain(text)


def _mapping(pairs: "list[tuple[Node, Node]]", texts: Collection[str]) -> Json:
    import yaml

    found: dict[str, Json] = {}
    for name, part in pairs:
        if not isinstance(name, yaml.ScalarNode):
            raise NotYaml("a key is a text; braces in a text need quotation marks", _where(name.start_mark))
        key = str(name.value)
        if key in found:
            raise NotYaml(f"the key {key!r} stands there twice", _where(name.start_mark))
        found[key] = _value(part, texts, key)
    return found


def _where(mark: _Mark | None) -> tuple[int, int]:
    return (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)


def _plain(text: str) -> Json:
    """A scalar without quotation marks."""
    if text.casefold() in _WORDS:
        return _WORDS[text.casefold()]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _DECIMAL.fullmatch(text) else text


def _cure(problem: str) -> str:
    return next((cure for said, cure in _CURES if said in problem), "")
