"""One call that is written as YAML: its lines, and what they say."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from assistant.conversation.values import Json, JsonObject
from assistant.toolchain.loose_yaml import NotYaml, load_yaml

KEY: Final = re.compile(
    r"(?P<indent>[ ]*)(?P<dash>-[ ]*)?[\"']?"
    r"(?P<key>tool|tool_name|function|function_name|name|action|arguments|args|parameters|params|input|id)"
    r"[\"']?[ ]*:(?:[ ]+(?P<value>.*))?$",
    re.IGNORECASE,
)
"""A line on which a key of a call stands, maybe behind a dash."""


def indent_of(line: str) -> int:
    """How many spaces a line begins with.

    >>> indent_of("  - tool: a")
    2
    """
    return len(line) - len(line.lstrip(" "))


def read_item(lines: Sequence[str], texts: Collection[str]) -> JsonObject:
    """What a call's lines say, whether or not they are indented as they should be. Raises ``NotYaml``."""
    first, *others = lines
    dash = first.lstrip(" ").startswith("-")
    plain = [first.replace("-", " ", 1) if dash else first, *others]
    try:
        found = load_yaml(_text(plain), texts)
    except NotYaml:
        found = load_yaml(_text(_aligned(plain)), texts)
    return _object(found)


def _text(lines: Sequence[str]) -> str:
    return "\n".join((*lines, ""))


def _object(found: Json) -> JsonObject:
    match found:
        case Mapping():
            return found
        case [Mapping() as only]:
            return only
        case _:
            raise NotYaml('it is no mapping with the keys "tool" and "arguments"')


def _aligned(lines: Sequence[str]) -> list[str]:
    """The keys of the call at the beginning of their lines, and everything else further in."""
    depth = indent_of(lines[0])
    return [
        line.lstrip(" ") if KEY.match(line) and indent_of(line) <= depth else f"  {line}" for line in lines
    ]
