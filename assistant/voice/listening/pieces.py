"""What was dictated, piece by piece: digits, letters, signs, and the words around them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.prompts.listening_words import ListeningWords
from assistant.prompts.word_list import WordList, plain_words

_CODE = re.compile(r"[^\W\d_]?(?:\d+[^\W\d_])*\d+[^\W\d_]?")  # "104", "A104", "1B4"; not "3rd"
_PIECE = r"(?P<mark>(?<=\w)[.-](?=\w))|(?P<sign>[@_+])|[^\W_]+(?:['’][^\W_]+)*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A word of a text and what it stands for, "7" for "seven". ``start`` and ``end`` are its place in the text.

    A ``sign`` was said, or can be nothing else ("@"); a ``mark`` is a full stop or hyphen inside a word, which
    the transcriber may have put there ("A-N-A").
    """

    kind: Literal["digits", "letter", "sign", "mark", "word"]
    means: str
    start: int
    end: int

    @property
    def spelled(self) -> bool:
        """Whether it is part of what is said character by character."""
        return self.kind in {"digits", "letter"}


def pieces_of(text: str, words: ListeningWords) -> list[Piece]:
    """The text's pieces, in order: "double o, A as in Anna" are "oo" and "A"."""
    pattern = re.compile(f"{_letter_with_a_word(words.as_in)}|{_PIECE}", re.IGNORECASE)
    return list(
        _repeated(list(_tens([_piece(match, words) for match in pattern.finditer(text)])), text, words)
    )


def _letter_with_a_word(as_in: WordList) -> str:
    either = "|".join(re.escape(phrase) for phrase in as_in) or r"(?!)"
    return rf"\b(?P<letter>[^\W\d_])[\s,]+(?:{either})\s+(?P=letter)[^\W\d_]+"


def _piece(match: re.Match[str], words: ListeningWords) -> Piece:
    whole, word = match[0], plain_words(match[0])
    start, end = match.span()
    if match["letter"]:
        return Piece(kind="letter", means=match["letter"], start=start, end=end)
    if match["mark"]:
        return Piece(kind="mark", means=whole, start=start, end=end)
    if match["sign"] or word in words.signs:
        return Piece(kind="sign", means=words.signs.get(word, whole), start=start, end=end)
    if word in words.numerals or _CODE.fullmatch(whole):
        return Piece(kind="digits", means=words.numerals.get(word, whole), start=start, end=end)
    return Piece(kind="letter" if len(whole) == 1 else "word", means=whole, start=start, end=end)


def _tens(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Makes one number of "eighty five", whether or not a hyphen stands in it."""
    rest = list(pieces)
    while rest:
        first = rest.pop(0)
        unit = 1 if len(rest) > 1 and rest[0].means == "-" and rest[0].kind == "mark" else 0
        if _is_tens(first) and len(rest) > unit and _is_unit(rest[unit]):
            first = replace(first, means=first.means[0] + rest[unit].means, end=rest[unit].end)
            del rest[: unit + 1]
        yield first


def _is_tens(piece: Piece) -> bool:
    # Only as a word: "20 5" was said as it is written. "ten" and "eleven" take no unit.
    written = piece.end - piece.start == len(piece.means)
    return piece.kind == "digits" and not written and bool(re.fullmatch(r"[2-9]0", piece.means))


def _is_unit(piece: Piece) -> bool:
    written = piece.end - piece.start == 1
    return piece.kind == "digits" and not written and piece.means in set("123456789")


def _repeated(pieces: Sequence[Piece], text: str, words: ListeningWords) -> Iterator[Piece]:
    times, start = 1, 0
    for piece, after in zip(pieces, [*pieces[1:], None], strict=False):
        many = words.repeats.get(plain_words(text[piece.start : piece.end]), 0)
        if many and after and after.spelled and len(after.means) == 1:
            times, start = many, piece.start
        elif times > 1:
            yield replace(piece, means=piece.means * times, start=start)
            times = 1
        else:
            yield piece
