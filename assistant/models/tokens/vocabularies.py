"""Vocabularies of models, from the files that come with litellm. Nothing is ever fetched from anywhere.

Measured on one core (reading it, memory that stays, counting 1,000 characters of English)::

    o200k_base     0.45 s    80 MB    0.10 ms    GPT-4o and later, o-series
    cl100k_base    0.25 s    45 MB    0.11 ms    GPT-4, GPT-3.5
    claude         0.20 s    35 MB    0.18 ms    Claude up to version 2
"""

import re
from binascii import a2b_base64
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import orjson

from assistant.models.tokens.installed import installed_with_litellm

if TYPE_CHECKING:
    from tiktoken import Encoding

VocabularyName: TypeAlias = Literal["o200k_base", "cl100k_base", "claude"]

_FOLDER = ("litellm_core_utils", "tokenizers")
# tiktoken's files are named after the address that they were once fetched from.
_FILES: Mapping[VocabularyName, str] = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "claude": "anthropic_tokenizer.json",
}

_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_ANY_CASE = r"\p{Lm}\p{Lo}\p{M}"
_BEFORE_WORDS = r"[^\r\n\p{L}\p{N}]?"
_BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
# How a text falls apart before anything is looked up: words, numbers, signs, blanks.
_SPLITS: Mapping[VocabularyName, str] = {
    "o200k_base": "|".join(
        [
            rf"{_BEFORE_WORDS}[\p{{Lu}}\p{{Lt}}{_ANY_CASE}]*[\p{{Ll}}{_ANY_CASE}]+{_ENDINGS}?",
            rf"{_BEFORE_WORDS}[\p{{Lu}}\p{{Lt}}{_ANY_CASE}]+[\p{{Ll}}{_ANY_CASE}]*{_ENDINGS}?",
            r"\p{N}{1,3}",
            r" ?[^\s\p{L}\p{N}]+[\r\n/]*",
            _BLANKS,
        ]
    ),
    "cl100k_base": "|".join(
        [_ENDINGS, rf"{_BEFORE_WORDS}\p{{L}}+", r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n]*", _BLANKS]
    ),
    "claude": r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
}


def read_vocabulary(name: VocabularyName) -> "Encoding":
    """Read a vocabulary. Raises ``OSError`` when its file is not there, ``ValueError`` when it is another's."""
    from tiktoken import Encoding

    path = installed_with_litellm(*_FOLDER, _FILES[name])
    ranks = _of_tokenizers(path) if path.suffix == ".json" else _of_tiktoken(path)
    return Encoding(name=name, pat_str=_SPLITS[name], mergeable_ranks=ranks, special_tokens={})


def _of_tiktoken(path: Path) -> dict[bytes, int]:
    """One token a line, in base64, and its rank."""
    pairs = (line.split() for line in path.read_bytes().splitlines())
    return {a2b_base64(token): int(rank) for token, rank in pairs}


def _of_tokenizers(path: Path) -> dict[bytes, int]:
    """A byte-level vocabulary, whose ids are in the order of its merges. Each byte is written as a letter."""
    vocabulary: Mapping[str, int] = orjson.loads(path.read_bytes())["model"]["vocab"]
    letters = _letters()
    return {token.translate(letters).encode("latin-1"): rank for token, rank in vocabulary.items()}


def _letters() -> dict[int, int]:
    """The letters that stand for bytes: itself where it can be seen, else the next of those from 256 on."""
    seen = re.compile("[!-~¡-¬®-ÿ]")
    hidden = [byte for byte in range(256) if not seen.fullmatch(chr(byte))]
    shown = {byte: byte for byte in range(256) if byte not in hidden}
    return shown | {256 + place: byte for place, byte in enumerate(hidden)}
