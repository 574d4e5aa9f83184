"""What is written as it is said aloud: without marks, addresses of pages and, in English, without figures."""

import re
from collections.abc import Iterable
from typing import Final

from assistant.voice.spoken.addresses import say_addresses
from assistant.voice.spoken.english import say_english
from assistant.voice.spoken.markdown import blocks
from assistant.voice.spoken.signs import unify

_MARKS: Final = re.compile(r"[*_`#~^<>{}\[\]\\\"“”„«»=•·†‡]+")
_ANY_SIGN: Final = re.compile(r"[^\w\s.,;:!?'-]")
_SPACE: Final = re.compile(r"\s+")
_BEFORE_STOP: Final = re.compile(r"\s+(?=[.,;:!?])")
_STOPS: Final = re.compile(r"[,;:]*([.!?])[.,;:!?]*|([,;:])[,;:]+")
_TIGHT: Final = re.compile(r"(?<=[a-z])([,;])(?=[a-z])")
_ENDS: Final = (".", "!", "?", ":", ",", ";")


def spoken_form(text: str, locale: str = "en") -> str:
    r"""The words to say, on one line; "" where there is nothing to say.

    In other languages than English numbers stay as they are written: a voice reads them by itself. What comes out
    is at most sixteen times as long as what goes in and the heads of its tables, read once for every row.

    >>> spoken_form("You owe **$150.00** ([invoice 1042](https://pay.example/1042)).")
    'You owe one hundred fifty dollars, invoice one zero four two.'
    >>> spoken_form("| Invoice | Due |\n|---|---|\n| 1042 | 2026-12-09 |\n\nThat is *all* 👍")
    'Invoice one zero four two: due December ninth, twenty twenty-six. That is all'
    """
    return _joined((_block(block, locale) for block in blocks(text, locale)), ".")


def _block(block: str, locale: str) -> str:
    # A line's end is a pause.
    return _joined((_line(line, locale) for line in block.split("\n")), ",")


def _line(line: str, locale: str) -> str:
    line = unify(line)
    if locale.partition("-")[0].lower() == "en":
        return _tidy(_ANY_SIGN.sub(" ", say_english(line, locale)))
    return _tidy(say_addresses(line, locale))


def _tidy(text: str) -> str:
    text = _SPACE.sub(" ", _MARKS.sub(" ", text.replace("|", ",")))
    text = _TIGHT.sub(r"\1 ", text)
    text = _STOPS.sub(lambda found: found[1] or found[2], _BEFORE_STOP.sub("", text))
    # A comma at the end stays: a clause's voice does not fall.
    return text.lstrip(" ,;:.!?-/&").rstrip(" -/&")


def _joined(parts: Iterable[str], mark: str) -> str:
    said = [part for part in parts if part]
    return " ".join([*(part if part.endswith(_ENDS) else part + mark for part in said[:-1]), *said[-1:]])
