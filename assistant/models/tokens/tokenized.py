"""Counts tokens with a vocabulary, in time that grows with the text and no faster."""

from typing import TYPE_CHECKING

from assistant.models.tokens.vocabularies import VocabularyName, read_vocabulary

if TYPE_CHECKING:
    from tiktoken import Encoding

_PIECE = 4_096
"""Longer texts are counted in pieces of so many characters: what takes a vocabulary very long in one piece, such as
a million times the same letter, takes no longer than anything else. Each cut adds a token at most."""


class Tokenized:
    """Counts with a vocabulary.

    Args:
        encoding: the vocabulary.
        percent: what is made of a count, for a model whose own vocabulary takes more than this one.
    """

    def __init__(self, encoding: "Encoding", percent: int = 100) -> None:
        self._encoding, self._percent = encoding, percent

    @property
    def name(self) -> str:
        """The vocabulary's."""
        return self._encoding.name

    def count(self, text: str) -> int:
        """The tokens of a text; half of a surrogate pair is counted as what is sent in its place."""
        pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
        tokens = sum(len(self._encoding.encode_ordinary(piece)) for piece in pieces)
        return -(-tokens * self._percent // 100)


def read_tokenized(vocabulary: VocabularyName) -> Tokenized:
    """Read a vocabulary to count with. Raises ``OSError`` or ``ValueError`` when it cannot be read.

    Claude's is of its older models. Newer ones split texts into more pieces, the newest up to a third more by
    their provider's word; half as much again is counted.
    """
    return Tokenized(read_vocabulary(vocabulary), 150 if vocabulary == "claude" else 100)
