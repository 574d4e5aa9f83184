"""Writes JSON as YAML in one line: bare words where nobody can mistake them, quotes everywhere else."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias, cast

import yaml

from assistant.conversation.values import Json

_BLOCK = re.compile(r"[^\W_](?:[\w .,;!?'()/€$%+&=–—…-]|:(?=\S))*")
_FLOW = re.compile(r"[^\W_][\w .'()/€$%+&=–—…-]*")
# Readable as they are in JSON, but not in YAML: controls, and what ends a line or marks a file's beginning.
_HIDDEN = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_Rules: TypeAlias = Sequence[tuple[str, re.Pattern[str]]]
_OTHER_BOOLEANS = frozenset({"y", "n"})


def scalar(value: str | float | bool | None, *, quoted: bool = False, alone: bool = False) -> str:
    """A text, a number, a boolean or nothing.

    Args:
        value: what is written; a float has to be finite.
        quoted: a text always stands in quotes, as in JSON.
        alone: nothing follows in this line, so that commas need no quotes.

    >>> scalar("2 pm"), scalar("no"), scalar("y"), scalar("007"), scalar(7), scalar(None), scalar("Sure, now")
    ('2 pm', '"no"', '"y"', '"007"', '7', 'null', '"Sure, now"')
    >>> scalar("Sure, now", alone=True)
    'Sure, now'
    """
    if not isinstance(value, str) or quoted or not _bare(value, _BLOCK if alone else _FLOW):
        shown = json.dumps(value, ensure_ascii=False)
        return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)
    return value


def flow(value: Json, *, quoted: bool = False) -> str:
    """Any value in one line; ``quoted``: such that it is JSON as well.

    >>> flow({"gives": [{"when": "2026-11-24", "seats": 2}], "by": "phone"})
    '{gives: [{when: "2026-11-24", seats: 2}], by: phone}'
    >>> flow({"gives": [True, None]}, quoted=True)
    '{"gives": [true, null]}'
    """
    if isinstance(value, Mapping):
        pairs = (
            f"{scalar(key, quoted=quoted)}: {flow(inner, quoted=quoted)}" for key, inner in value.items()
        )
        return f"{{{', '.join(pairs)}}}"
    if value is None or isinstance(value, str | int | float):
        return scalar(value, quoted=quoted)
    return f"[{', '.join(flow(item, quoted=quoted) for item in value)}]"


def _bare(text: str, form: re.Pattern[str]) -> bool:
    if not form.fullmatch(text) or not text.isprintable() or text.endswith(" "):
        return False
    if text[0].isdigit() and " " not in text:
        return False
    # Other programs read this file too, and take "no" for false and "12:30" for a number.
    others = cast("Mapping[str, _Rules]", yaml.SafeLoader.yaml_implicit_resolvers)
    return text.casefold() not in _OTHER_BOOLEANS and not any(
        rule.match(text) for _, rule in others.get(text[0], ())
    )
