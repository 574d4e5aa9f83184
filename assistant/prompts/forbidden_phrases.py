"""Phrases that are never shown, kept out of a text while it streams."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MASK = "…"
"""What stands where a forbidden phrase stood."""


def is_usable_phrase(phrase: str) -> bool:
    """Whether a phrase can be looked for: it has a word in it, and is not what the mask is made of."""
    return MASK not in phrase and re.search(r"\w", phrase) is not None


@dataclass(frozen=True, slots=True)
class _Forbidden:
    """Phrases made ready to be looked for: whole ones anywhere, begun ones at the end of a text, or either."""

    complete: re.Pattern[str]
    begun: re.Pattern[str]
    either: re.Pattern[str]


@lru_cache(maxsize=64)
def _made_ready(phrases: tuple[str, ...]) -> _Forbidden | None:
    folded = tuple(" ".join(_fold(phrase).split()) for phrase in phrases if is_usable_phrase(phrase))
    if not folded:
        return None
    longest_first = sorted(folded, key=len, reverse=True)
    complete = "|".join(map(_pattern, longest_first))
    begun = "|".join(map(_begun_pattern, longest_first))
    return _Forbidden(
        complete=re.compile(complete), begun=re.compile(begun), either=re.compile(f"{complete}|{begun}")
    )


class ForbiddenPhrases:
    """A filter for one message. Phrases count as whole words, in any case, across any kind of white space.

    What may still become a phrase is held back, nothing else; a text without phrases comes out as it went
    in, and the cuts between the pieces make no difference. Of phrases that begin together the longest wins.
    """

    __slots__ = ("_before", "_forbidden", "_held")

    def __init__(self, phrases: Sequence[str]) -> None:
        self._forbidden = _made_ready(tuple(phrases))
        self._held: str = ""
        # The last character that was passed on: it decides whether what is held begins a word.
        self._before: str = ""

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
        if self._forbidden is None or not text:
            return text
        return self._release(self._forbidden, text, last=False)

    def close(self) -> str:
        """There is no more text: give back what was held."""
        return self._release(self._forbidden, "", last=True) if self._forbidden and self._held else ""

    def _release(self, forbidden: _Forbidden, text: str, *, last: bool) -> str:
        context = self._before
        raw = context + self._held + text
        folded = _fold(raw)
        at, shown = len(context), list[str]()
        if forbidden.either.search(folded, at) is None:
            self._held = ""
            self._before = raw[-1:]
            return raw[at:]
        while True:
            held_from = len(raw) if last else self._could_begin(forbidden, folded, at)
            found = forbidden.complete.search(folded, at)
            if found is None or held_from <= found.start():
                break
            shown += (raw[at : found.start()], MASK)
            at = found.end()
        shown.append(raw[at:held_from])
        self._held = raw[held_from:]
        self._before = raw[:held_from][-1:]
        return "".join(shown)

    def _could_begin(self, forbidden: _Forbidden, folded: str, at: int) -> int:
        """The first place from ``at`` on whose rest may yet become a phrase; the text's length if there is none."""
        found = forbidden.begun.search(folded, at)
        return found.start() if found is not None else len(folded)


def _fold(text: str) -> str:
    """Lower case, one character for each, so that places in the folded text are places in the text."""
    if text.isascii():
        return text.lower()
    return "".join(folded if len(folded := char.casefold()) == 1 else char for char in text)


def _is_word(char: str) -> bool:
    return re.match(r"\w", char) is not None


def _pattern(phrase: str) -> str:
    before = r"(?<!\w)" if _is_word(phrase[0]) else ""
    after = r"(?!\w)" if _is_word(phrase[-1]) else ""
    return before + re.escape(phrase).replace(r"\ ", r"\s+") + after


def _begun_pattern(phrase: str) -> str:
    r"""Any beginning of the phrase, at the very end: "ab" becomes ``a(?:b)?\\Z``, the rest optional from inside."""
    # Complete phrases wait too where a letter may follow: "hell" may become "hello".
    last = len(phrase) if _is_word(phrase[-1]) else len(phrase) - 1
    open_ = ""
    for char in reversed(phrase[1:last]):
        open_ = f"(?:{_sign(char)}{open_})?"
    before = r"(?<!\w)" if _is_word(phrase[0]) else ""
    return rf"{before}{_sign(phrase[0])}{open_}\Z"


def _sign(char: str) -> str:
    return r"\s+" if char == " " else re.escape(char)
