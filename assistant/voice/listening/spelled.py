"""What was dictated, as it was meant: "A N A at example dot com" is ana@example.com."""

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from assistant.prompts.listening_words import ListeningWords
from assistant.voice.listening.address import find_address
from assistant.voice.listening.expecting import Expecting
from assistant.voice.listening.pieces import Piece, pieces_of

_BETWEEN = re.compile(r"[\s,.()]*")
_DATE = re.compile(r"\d{1,2} \d{1,2} (?:19|20)\d\d")
_LITTLE_WORDS = {"a", "I"}
_TWO = 2


def spelled(text: str, expecting: Expecting, words: ListeningWords) -> str:
    """The text with what is expected put together; all else stays as it was.

    Digits of a date and numbers in a sentence ("I have one order") are left alone. With an e-mail address expected
    and none said, digits are put together too.
    """
    match expecting:
        case "anything":
            return text
        case "digits":
            return _digits(text, words)
        case "name":
            return _name(text, words)
        case "email":
            found = find_address(text, pieces_of(text, words))
            if found is None:
                return _digits(text, words)
            return text[: found.start] + found.means + text[found.end :]
        case _:
            assert_never(expecting)


def _digits(text: str, words: ListeningWords) -> str:
    if text in words.months:
        return text
    pieces = pieces_of(text, words)
    for run in reversed(list(_runs(text, pieces))):
        number = _number(run, alone=len(pieces) == len(run))
        if number:
            text = text[: _opened(text, run[0].start)] + number + text[run[-1].end :]
    return text


def _number(run: Sequence[Piece], *, alone: bool) -> str:
    """What a run of pieces is as a number; "" where it is none: "10.50" is an amount, "1.04.7" are digits."""
    content = [piece for piece in run if piece.spelled]
    if not any(piece.kind == "digits" for piece in content) and not _is_o(content):
        return ""
    if len(content) < _TWO and len(content[0].means) < _TWO and not alone:
        return ""
    if sum(piece.means == "." for piece in run) == 1 or _DATE.fullmatch(
        " ".join(one.means for one in content)
    ):
        return ""
    number = "".join(piece.means for piece in run if piece.kind != "mark")
    letters = {sign.casefold() for sign in number if sign.isalpha()}
    return re.sub("[oO]", "0", number) if letters == {"o"} else number


def _is_o(content: Sequence[Piece]) -> bool:
    return len(content) > 1 and all(set(piece.means.casefold()) == {"o"} for piece in content)


def _name(text: str, words: ListeningWords) -> str:
    pieces = pieces_of(text, words)
    for run in reversed(list(_runs(text, pieces))):
        letters = "".join(piece.means for piece in run if piece.kind in {"letter", "sign"})
        if any(piece.kind == "digits" for piece in run) or sum(map(str.isalpha, letters)) < _TWO:
            continue
        name = "-".join(part.capitalize() for part in letters.split("-"))
        before = pieces[: pieces.index(run[0])]
        # "Costa, C O S T A": once is enough.
        said = before and before[-1].means.casefold() == name.casefold()
        text = text[: before[-1].start if said else run[0].start] + name + text[run[-1].end :]
    return text


def _runs(text: str, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Pieces that stand together and are spelled, with the signs and marks between them."""
    run: list[Piece] = []
    for piece in pieces:
        joins = bool(run) and _BETWEEN.fullmatch(text, run[-1].end, piece.start) is not None
        if run and not (joins and _may_follow(run[-1], piece)):
            yield from _trimmed(run)
            run = []
        if run or piece.spelled or piece.means == "+":
            run.append(piece)
    yield from _trimmed(run)


def _may_follow(before: Piece, piece: Piece) -> bool:
    if piece.kind == "mark":
        return before.spelled
    return piece.spelled or (piece.kind == "sign" and piece.means in "-." and before.spelled)


def _trimmed(run: list[Piece]) -> Iterator[list[Piece]]:
    while run and not run[-1].spelled:
        run = run[:-1]
    # "It's a 1 0 4, I think": words of one letter.
    while len(run) > 1 and run[0].means in _LITTLE_WORDS and run[1].kind == "digits":
        run = run[1:]
    while len(run) > 1 and run[-1].means in _LITTLE_WORDS and run[-2].kind == "digits":
        run = run[:-1]
    if run:
        yield run


def _opened(text: str, start: int) -> int:
    """Where "(555) 123" begins: with its bracket."""
    return start - 1 if start and text[start - 1] == "(" else start
