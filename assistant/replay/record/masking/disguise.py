"""What stands in for what in one conversation: the same for the same, wherever it is found."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from assistant.replay.record.masking.kinds import Kind, plain
from assistant.replay.record.masking.names import (
    is_ambiguous,
    masked_name,
    name_words,
    plain_spellings,
    spellings,
)
from assistant.replay.record.masking.patterns import found_in
from assistant.replay.record.masking.spans import Span
from assistant.replay.record.masking.stand_ins import cased, laid_out, stand_in

_IN_A_ROW: frozenset[Kind] = frozenset({"phone", "iban", "card", "postcode"})
"""Kinds that are the same however their letters and digits are grouped."""

_WORDS: frozenset[Kind] = frozenset({"name", "word", "city"})
"""Kinds whose stand-ins are words, in capitals where the original is."""

_SEPARATORS = r"[ ./()-]{0,2}"
_SHORTEST_WORD, _SHORTEST_CUT = 3, 3


@dataclass(frozen=True, slots=True)
class _Hidden:
    kind: Kind
    original: str
    stand_in: str
    whose: str


class Disguise:
    """Learns what is to be hidden, then hides it in any text.

    Args:
        said: everything that is said in the conversation: what stands there cannot stand in for another.
        keep: words that stay as they are.
    """

    def __init__(self, said: str, keep: Collection[str] = ()) -> None:
        self._said = frozenset(re.findall(r"\w+", said.casefold()))
        self._keep = frozenset(plain(word) for word in keep)
        self._hidden: dict[str, _Hidden] = {}
        self._given: set[str] = set()
        self._numbers: dict[tuple[Kind, bool], int] = {}
        self._used: set[tuple[Kind, str]] = set()

    def learn(self, kind: Kind, text: str, whose: str | None = None) -> None:
        """Hide this text from now on, and what it consists of: a name's words, an address's parts."""
        text = text.strip()
        if not text or plain(text) in self._keep:
            return
        # Under whatever key it stands, what looks like an e-mail address is one.
        for look, found in found_in(text):
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
        """Where something is hidden in a text, and what stands there instead.

        ``cut``: the text broke off, so that something may stand at its end of which only the beginning came.
        """
        found = [
            Span(match.start(), match.end(), self._instead(match[0]))
            for match in self._pattern.finditer(text)
        ]
        if cut and (last := self._cut_short(text, found[-1].end if found else 0)) is not None:
            found.append(last)
        return found

    def hide(self, text: str) -> str:
        """The text with everything hidden."""
        return self._pattern.sub(lambda match: self._instead(match[0]), text)

    def hide_all(self, kind: Kind, text: str) -> str:
        """The text as a whole is of this kind: hidden even where its words would not be elsewhere."""
        hidden = self.hide(text)
        if hidden != text or not text.strip() or plain(text) in self._keep:
            return hidden
        known = self._hidden.get(_normal(kind, text))
        return self._shown(known, text) if known is not None else text

    @property
    def counts(self) -> dict[Kind, int]:
        """How many different ones of each kind have been hidden so far."""
        found: dict[Kind, int] = {}
        for kind, _ in sorted(self._used):
            found[kind] = found.get(kind, 0) + 1
        return found

    def _learn_name(self, name: str) -> None:
        words = {word: word for word in name_words(name) if plain(word) not in self._keep}
        for place, word in enumerate(words):
            hidden = self._hide("name", word, name, surname=place > 0)
            words[word] = hidden.stand_in
            for spelled in plain_spellings(word):
                self._hidden.setdefault(
                    _normal("name", spelled), _Hidden("name", spelled, hidden.stand_in, name)
                )
        whole = masked_name(name, words)
        if whole != name:
            for spelled, instead in spellings(name, whole):
                self._hidden.setdefault(_normal("name", spelled), _Hidden("name", spelled, instead, name))

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

    def _hide(self, kind: Kind, text: str, whose: str, *, surname: bool = False) -> _Hidden:
        key = _normal(kind, text)
        while key not in self._hidden:
            number = self._numbers[kind, surname] = self._numbers.get((kind, surname), 0) + 1
            instead = stand_in(kind, text, number, surname=surname)
            if kind not in _WORDS or not self._known(instead):
                self._given.add(instead.casefold())
                self._hidden[key] = _Hidden(kind, text, instead, whose)
        return self._hidden[key]

    def _known(self, instead: str) -> bool:
        """Whether these words stand in the conversation, or stand in for somebody else already."""
        said = instead.casefold()
        alike = (given.startswith(said) or said.startswith(given) for given in self._given)
        return said in self._said or any(alike)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: a name as a whole before its words.
        known = sorted(self._hidden.values(), key=lambda hidden: len(hidden.original), reverse=True)
        return re.compile("|".join(_expression(hidden) for hidden in known if _may_spread(hidden)) or r"(?!)")

    def _instead(self, found: str) -> str:
        hidden = self._hidden.get(_normal("name", found)) or self._hidden[_normal("phone", found)]
        return self._shown(hidden, found)

    def _shown(self, hidden: _Hidden, found: str) -> str:
        self._used.add((hidden.kind, hidden.whose))
        if hidden.kind in _IN_A_ROW:
            return laid_out(hidden.stand_in, found)
        return cased(hidden.stand_in, found) if hidden.kind in _WORDS else hidden.stand_in

    def _cut_short(self, text: str, after: int) -> Span | None:
        """The beginning of something hidden, at the end of the text."""
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
    """By which the same is found again."""
    if kind in _IN_A_ROW:
        return "".join(letter for letter in text.casefold() if letter.isalnum())
    return " ".join(text.casefold().split())


def _may_spread(hidden: _Hidden) -> bool:
    return len(hidden.original) >= _SHORTEST_WORD


def _expression(hidden: _Hidden) -> str:
    """What finds it, however it is written."""
    if hidden.kind in _IN_A_ROW:
        letters = (letter for letter in hidden.original if letter.isalnum())
        return rf"(?i:(?<!\w)\+?\(?{_SEPARATORS.join(letters)}(?!\w))"
    words = r"\s+".join(re.escape(word) for word in hidden.original.split())
    end = r"(?=s?(?!\w))" if hidden.kind in ("name", "city") else r"(?!\w)"
    if hidden.kind == "name" and is_ambiguous(hidden.original):
        return rf"(?<!\w)(?:{words}|{words.upper()}){end}"
    return rf"(?i:(?<!\w){words}{end})"
