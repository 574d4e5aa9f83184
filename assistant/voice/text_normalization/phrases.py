"""The few words that reading aloud adds to what is written, in each language that has them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """``more`` stands for rows that are not read, ``{}`` being how many; ``link`` and ``code`` for those."""

    more: str
    link: str
    code: str


_KNOWN: Final = {
    "en": Phrases(more="And {} more in the chat.", link="the link in the chat", code="the code in the chat"),
    "de": Phrases(more="Und {} weitere im Chat.", link="Link im Chat", code="der Code im Chat"),
}
_NONE: Final = Phrases(more="+ {}.", link="", code="")


def phrases_of(locale: str) -> Phrases:
    """The words of the locale's language; hardly any where it is not known.

    >>> phrases_of("de-AT").more.format(3)
    'Und 3 weitere im Chat.'
    """
    return _KNOWN.get(locale.partition("-")[0].lower(), _NONE)
