"""Finds in what was sent how far somebody says that it was spoken. They may write it otherwise than we did."""

from dataclasses import dataclass

_FEW = 3
"""So many words at its end tell where an utterance ended, where its beginning is nowhere to be found."""


@dataclass(frozen=True, slots=True)
class _Plain:
    """Letters and digits alone, in small letters; ``ends[i]`` is where the i-th one ends in the text."""

    letters: str
    ends: tuple[int, ...]


def place_of(uttered: str, spoken: str, *, near: int) -> int | None:
    """Up to which character of ``spoken`` the utterance goes; of several such places, the one closest to ``near``.

    0 for an utterance without words; None where it is not to be found.

    >>> place_of("YOU'RE booked , for tuesday", "You're booked for Tuesday at 2.", near=0)
    25
    >>> place_of("okay", "You're booked.", near=0) is None, place_of("", "You're booked.", near=5)
    (True, 0)
    """
    plain, sought = _plain(spoken), _plain(uttered).letters
    if not sought:
        return 0
    found = _ends_of(sought, plain.letters) or _ends_of(_last_words(uttered), plain.letters)
    places = [_with_its_mark(spoken, plain.ends[end - 1]) for end in found]
    return min(places, key=lambda place: abs(place - near)) if places else None


def _with_its_mark(spoken: str, end: int) -> int:
    """The end of a word and of the full stop or other mark that takes no time after it."""
    while end < len(spoken) and not (spoken[end].isalnum() or spoken[end].isspace()):
        end += 1
    return end


def _last_words(uttered: str) -> str:
    """Where its beginning is read otherwise, such as a number, the end may tell; fewer words would be anywhere."""
    words = [word for each in uttered.split() if (word := _plain(each).letters)]
    return "".join(words[-_FEW:]) if len(words) > _FEW else ""


def _ends_of(sought: str, letters: str) -> list[int]:
    ends: list[int] = []
    at = letters.find(sought) if sought else -1
    while at >= 0:
        ends.append(at + len(sought))
        at = letters.find(sought, at + 1)
    return ends


def _plain(text: str) -> _Plain:
    kept = [(folded, end) for end, each in enumerate(text, 1) if each.isalnum() for folded in each.casefold()]
    return _Plain("".join(each for each, _ in kept), tuple(end for _, end in kept))
