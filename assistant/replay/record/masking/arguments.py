"""A call's arguments as a model writes them: JSON in pieces, perhaps without its end, and JSON it stays."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assistant.replay.record.masking.disguise import Disguise
from assistant.replay.record.masking.kinds import Kind, kind_under
from assistant.replay.record.masking.spans import Span
from assistant.replay.record.masking.values import hidden_key, hidden_number

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)("?)|(?<![\w.])\d+(?![\w.])', re.DOTALL)
_COLON = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text of the JSON: where what is between its quotes stands, and under which key."""

    start: int
    raw: str
    key: str | None
    is_key: bool
    cut: bool

    @property
    def text(self) -> str:
        """What it says; half an escape at the end of a cut one is left out."""
        if "\\" not in self.raw:
            return self.raw
        whole = re.sub(r"(?:\\|\\u[0-9a-fA-F]{0,3})$", "", self.raw) if self.cut else self.raw
        try:
            return str(json.loads(f'"{whole}"', strict=False))
        except ValueError:
            return whole


def personal_in_arguments(written: str) -> Iterator[tuple[Kind, str]]:
    """What stands under personal keys in JSON that need not be complete; a text that was cut is none."""
    for one in _texts(written):
        kind = kind_under(one.key, one.text) if one.key is not None else None
        if kind is not None and not one.cut:
            yield kind, one.text


def texts_in_arguments(written: str) -> Iterator[str]:
    """Every text of the JSON, and all of it as it stands."""
    yield written
    yield from (one.text for one in _texts(written))


def spans_in_arguments(written: str, disguise: Disguise) -> list[Span]:
    """What is to be replaced so that the JSON says nothing personal, and stays as valid as it was."""
    found = [span for one in _texts(written) for span in _spans(one, disguise)]
    end = 0
    for match in _TOKEN.finditer(written):
        found += _unquoted(written, end, match.start(), disguise)
        end = match.end()
        if match[1] is None:
            hidden = str(hidden_number(int(match[0]), disguise))
            if hidden != match[0]:
                found.append(Span(match.start(), match.end(), hidden))
    found += _unquoted(written, end, len(written), disguise)
    return sorted(found, key=lambda span: span.start)


def _unquoted(written: str, start: int, end: int, disguise: Disguise) -> Iterator[Span]:
    """What stands outside quotes: in JSON nothing that names anybody, but a model may write anything."""
    for span in disguise.spans(written[start:end]):
        yield Span(start + span.start, start + span.end, span.text)


def _spans(one: _Text, disguise: Disguise) -> Iterator[Span]:
    if one.is_key:
        hidden = hidden_key(one.text, disguise)
    else:
        kind = kind_under(one.key, one.text) if one.key is not None else None
        hidden = disguise.hide_all(kind, one.text) if kind is not None else disguise.hide(one.text)
    if "\\" not in one.raw and not one.is_key and (inside := disguise.spans(one.text, cut=one.cut)):
        for span in inside:
            yield Span(one.start + span.start, one.start + span.end, span.text)
    elif hidden != one.text:
        ascii_only = one.raw.isascii()
        yield Span(one.start, one.start + len(one.raw), json.dumps(hidden, ensure_ascii=ascii_only)[1:-1])


def _texts(written: str) -> Iterator[_Text]:
    key: str | None = None
    for match in _TOKEN.finditer(written):
        raw = match[1]
        if raw is None:
            continue
        is_key = _COLON.match(written, match.end()) is not None
        one = _Text(match.start(1), raw, None if is_key else key, is_key, cut=not match[2])
        yield one
        if is_key:
            key = one.text
