"""Whether somebody who dictates a number, a name or an address is through with it."""

import re
from collections.abc import Sequence

from assistant.prompts.listening_words import ListeningWords
from assistant.voice.dictation import Expecting, Piece, find_address, pieces_of
from assistant.voice.listening.ending import Ending

_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}\1\d{1,4}\W*$|(?:19|20)\d\d\W*$")
_LAST_WORD = re.compile(r"(\w{2,})\W*$")
_WHOLE = 10  # digits of a telephone number; few things that customers dictate have more
_SHORT = 3  # signs; a number of fewer is how many, or what time


def ending_of_dictation(said: str, expecting: Expecting, words: ListeningWords) -> Ending | None:
    """How a dictation ends; None where the text ends with none."""
    tail = _tail(pieces_of(said, words))
    digits = sum(map(str.isdigit, "".join(piece.means for piece in tail)))
    letters = sum(piece.kind == "letter" for piece in tail)
    asks = said.endswith("?")
    match expecting:
        case "email":
            return _email(said, words)
        case "name":
            # Letters said one by one are often written as a word, but in capitals: "LIND".
            last = _LAST_WORD.search(said)
            return "dictated" if letters or (last and last[1].isupper()) else None
        case "digits" if digits and _DATE.search(said) and (said in words.months or digits >= _WHOLE - 2):
            return "finished"
        case "digits":
            return _by_length(digits) if digits or letters else None
        case "anything" if not asks and (len(tail) > 1 or any(len(piece.means) >= _SHORT for piece in tail)):
            return _by_length(digits)
        case _:
            return None


def _by_length(digits: int) -> Ending:
    return "unclear" if digits >= _WHOLE else "dictated"


def _email(said: str, words: ListeningWords) -> Ending | None:
    if find_address(said, pieces_of(said, words)):
        return "unclear"  # "dot co" may be followed by "dot uk"
    plain = said.strip(" .!")
    return None if said.endswith("?") or words.brief.is_one(plain) else "dictated"


def _tail(pieces: Sequence[Piece]) -> list[Piece]:
    """What is spelled at the end."""
    place = len(pieces)
    while place and pieces[place - 1].kind != "word":
        place -= 1
    return [piece for piece in pieces[place:] if piece.spelled]
