"""What the records of a result are called in the customer's language, according to the tool's own narration.

A result says "eye test", and its German narration says "Sehtest". To find such a word, the narration is rendered
for one record alone, and again with a text of another record in its place: the words that are missing then are
the name of the replaced text.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from assistant.language.known import Record, Source
from assistant.language.reader import read
from assistant.language.values import Data

Narrate: TypeAlias = Callable[[Data], str]
"""Words a result with the tool's template; "" if it cannot."""

_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_MOST_ROWS: Final = 12
_MOST_TEXTS: Final = 24
"""The limits for one list: each of its texts costs two renderings."""


def add_labels(source: Source, narrate: Narrate, locale: str) -> None:
    """Give the records of this result the names that its narration has for their texts.

    Texts that the narration repeats as they are need no other name.
    """
    groups = [group for group in source.groups if len(group) <= _MOST_ROWS]
    if not groups:
        return
    told = _words(narrate(source.data), locale)
    for group in groups:
        renamed: dict[tuple[str, str], frozenset[str]] = {}
        for record, text, key in list(_texts(group))[:_MOST_TEXTS]:
            if told.issuperset(_WORD.findall(text.lower())):
                continue
            if (key, text) not in renamed:
                renamed[key, text] = _name(record, text, key, group, source.data, narrate, locale)
            for word in renamed[key, text]:
                record.labels.setdefault(word, set()).add(key)


def _texts(group: Sequence[Record]) -> Iterator[tuple[Record, str, str]]:
    """The texts in the fields of the records themselves."""
    for record in group:
        for text, key in record.texts:
            if record.row.get(key) == text:
                yield record, text, key


def _name(
    record: Record, text: str, key: str, group: Sequence[Record], data: Data, narrate: Narrate, locale: str
) -> frozenset[str]:
    other = next((each.row[key] for each in group if each.row.get(key) not in (None, text)), None)
    if other is None:
        return frozenset()
    own = _words(narrate(_alone(data, record.row, record.row)), locale)
    replaced = _words(narrate(_alone(data, record.row, {**record.row, key: other})), locale)
    return own - replaced if replaced else frozenset()


def _alone(data: Data, row: Mapping[str, Data], instead: Mapping[str, Data]) -> Data:
    """The data with this row as the only one of its list."""
    if isinstance(data, Mapping):
        return {key: _alone(value, row, instead) for key, value in data.items()}
    if isinstance(data, Sequence) and not isinstance(data, str):
        return (
            [instead] if any(each is row for each in data) else [_alone(each, row, instead) for each in data]
        )
    return data


def _words(text: str, locale: str) -> frozenset[str]:
    """The words of a text that belong to no value: neither months nor currencies."""
    left = text
    for found in read(text, locale):
        left = f"{left[: found.start]}{' ' * (found.end - found.start)}{left[found.end :]}"
    return frozenset(_WORD.findall(left.lower()))
