"""How long a text may become, in tokens or characters, and how it is cut."""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.conversation.snapshots import head_and_tail
from assistant.language.sentences import sentences

_CHARACTERS_PER_TOKEN = 8
"""What has more than this on the average is taken for too long without being counted."""

ELLIPSIS = "…"
"""Marks where something was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimit:
    """At most ``most`` tokens by ``count``; without ``count``, at most that many characters."""

    most: int
    count: Callable[[str], int] = len

    def fits(self, text: str) -> bool:
        """Whether the text is short enough.

        >>> SizeLimit(most=5).fits("12345"), SizeLimit(most=5).fits("123456")
        (True, False)
        """
        return len(text) <= self.most * _CHARACTERS_PER_TOKEN and self.count(text) <= self.most

    def minus(self, text: str) -> "SizeLimit":
        """What is left after this text and a line break."""
        used = self.count(f"{text}\n") if text else 0
        return SizeLimit(most=max(0, self.most - used), count=self.count)

    def share(self, part: float) -> "SizeLimit":
        """A part of it, such as 0.5."""
        return SizeLimit(most=int(self.most * part), count=self.count)

    def truncate(self, text: str) -> str:
        """As much of its beginning as fits, then "…" if anything was cut.

        >>> SizeLimit(most=6).truncate("12345"), SizeLimit(most=6).truncate("1234567")
        ('12345', '12345…')
        """
        return self._cut(text, lambda kept: f"{text[:kept]}{ELLIPSIS}")

    def keep_ends(self, text: str) -> str:
        """Its beginning and some of its end, where it has to be cut.

        >>> SizeLimit(most=15).keep_ends("a long text about nothing")
        'a long te … ing'
        """
        return self._cut(text, lambda kept: head_and_tail(text, kept))

    def keep_sentences(self, text: str, locale: str = "en") -> str:
        """As many of its first sentences as fit, whole; the beginning of the first, if none fits.

        >>> SizeLimit(most=20).keep_sentences("It came. It is broken. Send another.")
        'It came.'
        """
        if self.fits(text.strip()):
            return text.strip()
        kept = ""
        for sentence in sentences(text[: self.most * _CHARACTERS_PER_TOKEN], locale):
            if not self.fits((kept + sentence).rstrip()):
                break
            kept += sentence
        return kept.strip() or self.truncate(text.strip())

    def _cut(self, text: str, shorter: Callable[[int], str]) -> str:
        """A shorter form that fits, and not by much; each is made for how many characters it keeps."""
        if self.fits(text):
            return text
        kept = min(len(text), self.most * _CHARACTERS_PER_TOKEN)
        while kept > 0 and not self.fits(cut := shorter(kept)):
            # Counting takes its time: few looks come as near as many.
            kept = min(kept - 1, kept * self.most // max(1, self.count(cut)))
        return shorter(kept) if kept > 0 else ""
