"""Phrases that are never shown, kept out of a text while it streams."""

import re
from collections.abc import Sequence

MASK = "…"
"""What stands where a forbidden phrase stood."""


def usable(phrase: str) -> bool:
    """Whether a phrase can be looked for: it has a word in it, and is not what the mask is made of."""
    return MASK not in phrase and re.search(r"\w", phrase) is not None


class ForbiddenPhrases:
    """A filter for one message. Phrases count as whole words, in any case, across any kind of white space.

    What may still become a phrase is held back, nothing else; a text without phrases comes out as it went
    in, and the cuts between the pieces make no difference. Of phrases that begin together the longest wins.
    """

    __slots__ = ("_before", "_complete", "_held", "_phrases", "_start")

    def __init__(self, phrases: Sequence[str]) -> None:
        self._phrases = tuple(" ".join(_fold(phrase).split()) for phrase in phrases if usable(phrase))
        self._held = ""
        # The last character that was passed on: it decides whether what is held begins a word.
        self._before = ""
        if self._phrases:
            longest_first = sorted(self._phrases, key=len, reverse=True)
            self._complete = re.compile("|".join(map(_pattern, longest_first)))
            starts = "".join(sorted({re.escape(phrase[0]) for phrase in self._phrases}))
            self._start = re.compile(f"[{starts}]")

    def push(self, text: str) -> str:
        """Take some more text; give back what may be shown now, perhaps nothing."""
        return self._release(text, last=False) if self._phrases else text

    def close(self) -> str:
        """There is no more text: give back what was held."""
        return self._release("", last=True) if self._held else ""

    def _release(self, text: str, *, last: bool) -> str:
        context = self._before
        raw = context + self._held + text
        folded = _fold(raw)
        at, shown = len(context), list[str]()
        while True:
            found = self._complete.search(folded, at)
            held_from = len(raw) if last else self._could_begin(folded, at)
            if found is None or held_from <= found.start():
                break
            shown += (raw[at : found.start()], MASK)
            at = found.end()
        shown.append(raw[at:held_from])
        self._held = raw[held_from:]
        self._before = raw[:held_from][-1:]
        return "".join(shown)

    def _could_begin(self, folded: str, at: int) -> int:
        """Where the first rest begins that may yet become a phrase; the text's length for none."""
        for candidate in self._start.finditer(folded, at):
            start = candidate.start()
            inside_word = start > 0 and _is_word(folded[start - 1]) and _is_word(folded[start])
            rest = re.sub(r"\s+", " ", folded[start:])
            if not inside_word and any(self._open(phrase, rest) for phrase in self._phrases):
                return start
        return len(folded)

    @staticmethod
    def _open(phrase: str, rest: str) -> bool:
        if rest == phrase:
            # Complete, unless a letter follows: "hell" may become "hello".
            return _is_word(phrase[-1])
        return phrase.startswith(rest)


def _fold(text: str) -> str:
    """Lower case, one character for each, so that places in the folded text are places in the text."""
    return "".join(folded if len(folded := char.casefold()) == 1 else char for char in text)


def _is_word(char: str) -> bool:
    return re.match(r"\w", char) is not None


def _pattern(phrase: str) -> str:
    before = r"(?<!\w)" if _is_word(phrase[0]) else ""
    after = r"(?!\w)" if _is_word(phrase[-1]) else ""
    return before + re.escape(phrase).replace(r"\ ", r"\s+") + after
