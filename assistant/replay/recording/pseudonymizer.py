"""Replaces personal data by surrogates in texts, in texts that are cut into pieces, and in JSON. The same
value always gets the same surrogate.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from assistant.conversation.values import Json
from assistant.replay.recording.personal_data import (
    Kind,
    in_case_of,
    in_layout_of,
    is_ambiguous,
    kind_under,
    masked_name,
    name_words,
    patterns_found_in,
    plain,
    plain_spellings,
    spellings,
    surrogate,
)


@dataclass(frozen=True, slots=True)
class Span:
    """The characters from ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: str


def replace_spans(pieces: Sequence[str], spans: Sequence[Span]) -> list[str]:
    """Returns the same pieces with the spans of their joined text replaced.

    A replacement goes into the piece in which the original begins, so no character comes earlier than before.
    Pieces may become empty.

    Args:
        pieces: a text, cut anywhere.
        spans: in order, without overlaps.

    >>> replace_spans(["Hello A", "na, hel", "lo"], [Span(6, 9, "Robin")])
    ['Hello Robin', ', hel', 'lo']
    """
    text = "".join(pieces)
    found: list[str] = []
    start = 0
    for piece in pieces:
        found.append(_between(text, start, start + len(piece), spans))
        start += len(piece)
    return found


def _between(text: str, start: int, end: int, spans: Sequence[Span]) -> str:
    parts: list[str] = []
    at = start
    for span in spans:
        if span.end <= start or span.start >= end:
            continue
        parts.append(text[at : max(at, span.start)])
        if span.start >= start:
            parts.append(span.text)
        at = min(span.end, end)
    parts.append(text[at:end])
    return "".join(parts)


_IN_A_ROW: frozenset[Kind] = frozenset({"phone", "iban", "card", "postcode"})
"""Kinds whose values are equal if their letters and digits are, whatever the spaces between them."""

_WORDS: frozenset[Kind] = frozenset({"name", "word", "city"})
"""Kinds whose surrogates are words. A surrogate is capitalised like the original."""

_SEPARATORS = r"[ ./()-]{0,2}"
_SHORTEST_WORD, _SHORTEST_CUT = 3, 3


@dataclass(frozen=True, slots=True)
class _Replacement:
    kind: Kind
    original: str
    surrogate: str
    whose: str


class Pseudonymizer:
    """Collects personal data with ``learn``, then replaces it in any text.

    Args:
        said: all texts of the conversation. A surrogate must not occur in it.
        keep: words that stay as they are.
    """

    def __init__(self, said: str, keep: Collection[str] = ()) -> None:
        self._said = frozenset(re.findall(r"\w+", said.casefold()))
        self._keep = frozenset(plain(word) for word in keep)
        self._hidden: dict[str, _Replacement] = {}
        self._given: set[str] = set()
        self._numbers: dict[tuple[Kind, bool], int] = {}
        self._used: set[tuple[Kind, str]] = set()

    def learn(self, kind: Kind, text: str, whose: str | None = None) -> None:
        """Replace this text from now on, and its parts: a name's words, an address's parts."""
        text = text.strip()
        if not text or plain(text) in self._keep:
            return
        # A value in the form of an e-mail address is one, whatever its key.
        for look, found in patterns_found_in(text):
            if found == text:
                kind = look
        match kind:
            case "name":
                self._learn_name(text)
            case "street":
                self._learn_address(text)
            case _:
                self._hide(kind, text, whose or text)

    def spans(self, text: str, *, cut: bool = False) -> list[Span]:
        """Returns the places to mask in a text, with their surrogates.

        ``cut`` is True if the end of the text is missing, so the text may end with the beginning of a value
        to mask.
        """
        found = [
            Span(match.start(), match.end(), self._instead(match[0]))
            for match in self._pattern.finditer(text)
        ]
        if cut and (last := self._cut_short(text, found[-1].end if found else 0)) is not None:
            found.append(last)
        return found

    def pseudonymize(self, text: str) -> str:
        """Returns the masked text."""
        return self._pattern.sub(lambda match: self._instead(match[0]), text)

    def pseudonymize_all(self, kind: Kind, text: str) -> str:
        """Returns the masked form of a text that is completely personal.

        Its words are masked even if they are common words.
        """
        hidden = self.pseudonymize(text)
        if hidden != text or not text.strip() or plain(text) in self._keep:
            return hidden
        known = self._hidden.get(_normal(kind, text))
        return self._shown(known, text) if known is not None else text

    @property
    def counts(self) -> dict[Kind, int]:
        """The numbers of different values of each kind that have been masked so far."""
        found: dict[Kind, int] = {}
        for kind, _ in sorted(self._used):
            found[kind] = found.get(kind, 0) + 1
        return found

    def _learn_name(self, name: str) -> None:
        words = {word: word for word in name_words(name) if plain(word) not in self._keep}
        for place, word in enumerate(words):
            hidden = self._hide("name", word, name, surname=place > 0)
            words[word] = hidden.surrogate
            for spelled in plain_spellings(word):
                self._spell(spelled, hidden.surrogate, name)
        whole = masked_name(name, words)
        if whole != name:
            for spelled, instead in spellings(name, whole):
                self._spell(spelled, instead, name)

    def _spell(self, spelled: str, instead: str, name: str) -> None:
        self._hidden.setdefault(_normal("name", spelled), _Replacement("name", spelled, instead, name))

    def _learn_address(self, address: str) -> None:
        parts = [part.strip() for part in re.split(r"[,\n;]", address) if part.strip()]
        for part in parts:
            if place := re.fullmatch(r"(?:[A-Z]{1,2}-)?(\d{4,6})\s+(.+)", part):
                self._hide("postcode", place[1], place[1])
                self._hide("city", place[2], place[2])
            elif len(parts) > 1 and not any(letter.isdigit() for letter in part):
                self._hide("city", part, part)
            else:
                self._hide("street", part, part)

    def _hide(self, kind: Kind, text: str, whose: str, *, surname: bool = False) -> _Replacement:
        key = _normal(kind, text)
        while key not in self._hidden:
            number = self._numbers[kind, surname] = self._numbers.get((kind, surname), 0) + 1
            instead = surrogate(kind, text, number, surname=surname)
            if kind not in _WORDS or not self._known(instead):
                self._given.add(instead.casefold())
                self._hidden[key] = _Replacement(kind, text, instead, whose)
        return self._hidden[key]

    def _known(self, instead: str) -> bool:
        """Whether a surrogate occurs in the conversation, or is similar to another person's surrogate."""
        said = instead.casefold()
        alike = (given.startswith(said) or said.startswith(given) for given in self._given)
        return said in self._said or any(alike)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # Longest first, so that a whole name is found before its words.
        known = sorted(self._hidden.values(), key=lambda hidden: len(hidden.original), reverse=True)
        found = [_expression(hidden) for hidden in known if len(hidden.original) >= _SHORTEST_WORD]
        return re.compile("|".join(found) or r"(?!)")

    def _instead(self, found: str) -> str:
        hidden = self._hidden.get(_normal("name", found)) or self._hidden[_normal("phone", found)]
        return self._shown(hidden, found)

    def _shown(self, hidden: _Replacement, found: str) -> str:
        self._used.add((hidden.kind, hidden.whose))
        if hidden.kind in _IN_A_ROW:
            return in_layout_of(hidden.surrogate, found)
        return in_case_of(hidden.surrogate, found) if hidden.kind in _WORDS else hidden.surrogate

    def _cut_short(self, text: str, after: int) -> Span | None:
        """Returns the span at the end of the text that may be the beginning of a value to mask, or None if
        there is none.
        """
        for hidden in self._hidden.values():
            whole = hidden.original.casefold()
            for length in range(len(whole) - 1, _SHORTEST_CUT - 1, -1):
                start = len(text) - length
                if start < after or (start and text[start - 1].isalnum()):
                    continue
                if text[start:].casefold() == whole[:length]:
                    instead = self._shown(hidden, hidden.original)
                    return Span(start, len(text), instead[:length])
        return None


def _normal(kind: Kind, text: str) -> str:
    """Returns the normalized form of a value, under which it is stored."""
    if kind in _IN_A_ROW:
        return "".join(letter for letter in text.casefold() if letter.isalnum())
    return " ".join(text.casefold().split())


def _expression(hidden: _Replacement) -> str:
    """Returns a pattern that finds a value in all its notations."""
    if hidden.kind in _IN_A_ROW:
        letters = (letter for letter in hidden.original if letter.isalnum())
        return rf"(?i:(?<!\w)\+?\(?{_SEPARATORS.join(letters)}(?!\w))"
    words = r"\s+".join(re.escape(word) for word in hidden.original.split())
    end = r"(?=s?(?!\w))" if hidden.kind in ("name", "city") else r"(?!\w)"
    if hidden.kind == "name" and is_ambiguous(hidden.original):
        return rf"(?<!\w)(?:{words}|{words.upper()}){end}"
    return rf"(?i:(?<!\w){words}{end})"


_IDENTIFIER = re.compile(r"[a-z_][A-Za-z0-9_]*")


def personal_in(value: Json, kind: Kind | None = None) -> Iterator[tuple[Kind, str]]:
    """Yields the values under personal keys, at any depth. ``kind`` is the kind of the value itself."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from personal_in(inner, kind_under(key, inner, value, kind))
    elif isinstance(value, list | tuple):
        for inner in cast("list[Json]", value):
            yield from personal_in(inner, kind)
    elif kind is not None and isinstance(value, str):
        yield kind, value
    elif kind in _IN_A_ROW and isinstance(value, int) and not isinstance(value, bool):
        yield kind, str(value)


def texts_in(value: Json) -> Iterator[str]:
    """Yields all texts in a value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from value
        for inner in value.values():
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("list[Json]", value):
            yield from texts_in(inner)


def pseudonymized(value: Json, pseudonymizer: Pseudonymizer, kind: Kind | None = None) -> Json:
    """Returns the masked value. A key that is an identifier stays."""
    if isinstance(value, Mapping):
        return {
            pseudonymized_key(key, pseudonymizer): pseudonymized(
                inner, pseudonymizer, kind_under(key, inner, value, kind)
            )
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [pseudonymized(inner, pseudonymizer, kind) for inner in cast("list[Json]", value)]
    if isinstance(value, str):
        return (
            pseudonymizer.pseudonymize_all(kind, value)
            if kind is not None
            else pseudonymizer.pseudonymize(value)
        )
    if isinstance(value, int) and not isinstance(value, bool):
        return pseudonymized_number(value, pseudonymizer)
    return value


def pseudonymized_key(key: str, pseudonymizer: Pseudonymizer) -> str:
    """Returns a masked key. The name of a field stays."""
    return key if _IDENTIFIER.fullmatch(key) else pseudonymizer.pseudonymize(key)


def pseudonymized_number(number: int, pseudonymizer: Pseudonymizer) -> int:
    """Returns a personal number replaced by another with as many digits; other numbers stay."""
    text = str(number)
    hidden = pseudonymizer.pseudonymize(text) if number > 0 else text
    if hidden == text or not hidden.isdigit():
        return number
    return int(f"9{hidden[1:]}" if hidden.startswith("0") else hidden)


_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)("?)|(?<![\w.])\d+(?![\w.])', re.DOTALL)
_COLON = re.compile(r"\s*:")


@dataclass(frozen=True, slots=True)
class _Text:
    """A text in JSON: the position after its opening quote, its raw form, and its key."""

    start: int
    raw: str
    key: str | None
    is_key: bool
    cut: bool

    @property
    def text(self) -> str:
        """The unescaped text. An incomplete escape at the end of a cut text is left out."""
        if "\\" not in self.raw:
            return self.raw
        whole = re.sub(r"(?:\\|\\u[0-9a-fA-F]{0,3})$", "", self.raw) if self.cut else self.raw
        try:
            return str(json.loads(f'"{whole}"', strict=False))
        except ValueError:
            return whole


def personal_in_arguments(written: str) -> Iterator[tuple[Kind, str]]:
    """Yields the values under personal keys in JSON that may be incomplete.

    A text without its end is skipped.
    """
    for one in _texts(written):
        kind = kind_under(one.key, one.text) if one.key is not None else None
        if kind is not None and not one.cut:
            yield kind, one.text


def texts_in_arguments(written: str) -> Iterator[str]:
    """Yields all texts in the JSON, and the JSON itself."""
    yield written
    yield from (one.text for one in _texts(written))


def spans_in_arguments(written: str, pseudonymizer: Pseudonymizer) -> list[Span]:
    """Returns the replacements that remove all personal data from the JSON and keep it valid."""
    found = [span for one in _texts(written) for span in _spans(one, pseudonymizer)]
    end = 0
    for match in _TOKEN.finditer(written):
        found += _unquoted(written, end, match.start(), pseudonymizer)
        end = match.end()
        if match[1] is None:
            hidden = str(pseudonymized_number(int(match[0]), pseudonymizer))
            if hidden != match[0]:
                found.append(Span(match.start(), match.end(), hidden))
    found += _unquoted(written, end, len(written), pseudonymizer)
    return sorted(found, key=lambda span: span.start)


def _unquoted(written: str, start: int, end: int, pseudonymizer: Pseudonymizer) -> Iterator[Span]:
    """Yields replacements outside of quotes: valid JSON has no names there, but a model may write anything."""
    for span in pseudonymizer.spans(written[start:end]):
        yield Span(start + span.start, start + span.end, span.text)


def _spans(one: _Text, pseudonymizer: Pseudonymizer) -> Iterator[Span]:
    if one.is_key:
        hidden = pseudonymized_key(one.text, pseudonymizer)
    else:
        kind = kind_under(one.key, one.text) if one.key is not None else None
        hidden = (
            pseudonymizer.pseudonymize_all(kind, one.text)
            if kind is not None
            else pseudonymizer.pseudonymize(one.text)
        )
    if "\\" not in one.raw and not one.is_key and (inside := pseudonymizer.spans(one.text, cut=one.cut)):
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
