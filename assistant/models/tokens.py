"""Counts a model's tokens without a server: with its vocabulary, or by an estimate that is rather too high.

Vocabularies come from files that are installed with litellm. Nothing is downloaded.
Measured on one core (loading, permanent memory, counting 1,000 characters of English)::

    o200k_base     0.45 s    80 MB    0.10 ms    GPT-4o and later, o-series
    cl100k_base    0.25 s    45 MB    0.11 ms    GPT-4, GPT-3.5
    claude         0.20 s    35 MB    0.18 ms    Claude up to version 2

The estimate is a sum of hundredths of a token by kind of character. The values were fitted to these
vocabularies, so that it is never too low for a text that people or tools write::

    estimate / count    o200k_base   cl100k_base   Claude's
    English                1.46          1.45         1.37
    German                 1.35          1.24         1.16
    JSON of a tool         1.86          1.86         1.79
    Python                 1.62          1.61         1.55
    Chinese                3.19          2.13         1.96
    Arabic                 3.24          1.62         1.25
    names, addresses       1.10          1.01         1.22
    emoji                  1.80          1.05         1.16
    hexadecimal            1.04          1.05         1.05

Random characters and base64 have up to 4 % more tokens than estimated. A million characters take 10 ms.
"""

import re
import string
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Literal, TypeAlias

import orjson
import structlog

from assistant.models.price_list import installed_with_litellm
from assistant.models.providers import EmbeddedName, ModelName
from assistant.ports import TokenCounter

if TYPE_CHECKING:
    from tiktoken import Encoding

log = structlog.get_logger(__name__)

_O200K = re.compile(r"(gpt-(4o|4\.[15]|[5-9]|1\d|oss)|chatgpt-|o\d(?![a-z\d])).*")
_CL100K = re.compile(r"gpt-(4|3\.5|35)(?![a-z\d.]).*")
_CLAUDE = re.compile(r"claude(?![a-z])")


def counter_for(names: Iterable[ModelName]) -> TokenCounter:
    """Returns the token counter for these models. If there are several, it returns the largest count."""
    counters = {vocabulary: _counter(vocabulary) for vocabulary in map(vocabulary_of, names)}
    return next(iter(counters.values())) if len(counters) == 1 else LargestCount(tuple(counters.values()))


def load(counter: TokenCounter) -> None:
    """Wait until the exact counter is loaded, if there is one. Blocks."""
    match counter:
        case LargestCount(counters=counters):
            for each in counters:
                load(each)
        case LazyCounter():
            counter.load()
        case _:
            pass


VocabularyName: TypeAlias = Literal["o200k_base", "cl100k_base", "claude"]


def vocabulary_of(name: ModelName) -> VocabularyName | None:
    """Returns the vocabulary of a model. Returns None if there is none; the tokens are then estimated.

    It depends only on the model's own name, not on the provider.

    >>> from assistant.models.providers import read_name
    >>> vocabulary_of(read_name("azure/gpt-6-luna")), vocabulary_of(read_name("gemini/gemini-3.8-flash"))
    ('o200k_base', None)
    """
    if isinstance(name, EmbeddedName):
        return None
    own = name.model.rpartition("/")[2].removeprefix("ft:").lower()
    if _CLAUDE.search(own):
        return "claude"
    if _O200K.fullmatch(own):
        return "o200k_base"
    return "cl100k_base" if _CL100K.fullmatch(own) else None


@cache  # A vocabulary takes tens of megabytes, so each is loaded only once.
def _counter(vocabulary: VocabularyName | None) -> TokenCounter:
    return Estimate() if vocabulary is None else LazyCounter(partial(read_vocabulary_counter, vocabulary))


class LazyCounter:
    """A counter that is loaded in a thread at its first use. It estimates until then.

    If loading fails, it logs a warning and continues to estimate.

    Args:
        read: loads the counter. May raise ``OSError`` or ``ValueError``.
    """

    def __init__(self, read: Callable[[], TokenCounter]) -> None:
        self._read = read
        self._counter: TokenCounter = Estimate()
        self._thread: Thread | None = None
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the counter that is currently used."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Returns the number of tokens in a text, by the current counter."""
        if self._thread is None:
            self._begin()
        return self._counter.count(text)

    def load(self) -> None:
        """Wait until the counter is loaded.

        Blocks: use it in commands, or at a start that needs exact counts.
        """
        self._begin().join()

    def _begin(self) -> Thread:
        with self._lock:
            if self._thread is None:
                # No daemon thread: a process that exits waits for it, because killing it in the middle could crash.
                self._thread = Thread(target=self._load, name="vocabulary")
                self._thread.start()
            return self._thread

    def _load(self) -> None:
        try:
            self._counter = self._read()
        except (OSError, ValueError) as error:
            log.warning("tokens are estimated: no vocabulary", why=str(error))


@dataclass(frozen=True, slots=True)
class LargestCount:
    """Counts with several counters (at least one), and returns the largest count."""

    counters: tuple[TokenCounter, ...]

    @property
    def name(self) -> str:
        """The names of all counters."""
        return " or ".join(counter.name for counter in self.counters)

    def count(self, text: str) -> int:
        """Returns the largest number of tokens that any of the counters returns."""
        return max(counter.count(text) for counter in self.counters)


_LOWER, _UPPER, _DIGIT, _SPACE, _OTHER_ASCII, _OTHER_BYTE = 32, 100, 80, 5, 95, 70
_ASCII = bytes(range(128))
_KINDS = (
    (string.ascii_lowercase.encode(), _LOWER),
    (string.ascii_uppercase.encode(), _UPPER),
    (string.digits.encode(), _DIGIT),
    (b" ", _SPACE),
)


class Estimate:
    """Estimates by kinds of characters. The module's docstring has the accuracy."""

    @property
    def name(self) -> str:
        """A name that says that the count is an estimate."""
        return "estimate"

    def count(self, text: str) -> int:
        """Returns the tokens of a text, estimated.

        >>> Estimate().count("When is my next appointment?")
        10
        """
        rest = text.encode(errors="replace")
        hundredths = 0
        for signs, weight in _KINDS:
            left = rest.translate(None, signs)
            hundredths += weight * (len(rest) - len(left))
            rest = left
        beyond = len(rest.translate(None, _ASCII))
        hundredths += _OTHER_BYTE * beyond + _OTHER_ASCII * (len(rest) - beyond)
        return -(-hundredths // 100)


_PIECE = 4_096
"""Longer texts are counted in pieces of this many characters, because a vocabulary may take very long for one
piece, for example for the same letter a million times. Each cut adds at most one token."""


class VocabularyCounter:
    """Counts with a vocabulary.

    Args:
        encoding: the vocabulary.
        percent: the factor for the count, for a model whose real vocabulary needs more tokens than this one.
    """

    def __init__(self, encoding: "Encoding", percent: int = 100) -> None:
        self._encoding, self._percent = encoding, percent

    @property
    def name(self) -> str:
        """The name of the vocabulary."""
        return self._encoding.name

    def count(self, text: str) -> int:
        """Returns the number of tokens in a text.

        Half of a surrogate pair counts as the character that is sent in its place.
        """
        pieces = (text[start : start + _PIECE] for start in range(0, len(text), _PIECE))
        tokens = sum(len(self._encoding.encode_ordinary(piece)) for piece in pieces)
        return -(-tokens * self._percent // 100)


def read_vocabulary_counter(vocabulary: VocabularyName) -> VocabularyCounter:
    """Load a vocabulary for counting. Raises ``OSError`` or ``ValueError`` if it cannot be read.

    Claude's vocabulary is that of its older models. According to the provider, newer models need up to a
    third more tokens, so the count is multiplied by 1.5.
    """
    return VocabularyCounter(read_vocabulary(vocabulary), 150 if vocabulary == "claude" else 100)


_FOLDER = ("litellm_core_utils", "tokenizers")
# tiktoken names its files after a hash of the address from which they are downloaded.
_FILES: Mapping[VocabularyName, str] = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
    "claude": "anthropic_tokenizer.json",
}

_ENDINGS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_ANY_CASE = r"\p{Lm}\p{Lo}\p{M}"
_BEFORE_WORDS = r"[^\r\n\p{L}\p{N}]?"
_BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
# Splits a text into words, numbers, other characters and spaces, before the vocabulary is used.
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
    """Load a vocabulary.

    Raises ``OSError`` if its file does not exist, and ``ValueError`` if the file cannot be parsed.
    """
    from tiktoken import Encoding

    path = installed_with_litellm(*_FOLDER, _FILES[name])
    ranks = _of_tokenizers(path) if path.suffix == ".json" else _of_tiktoken(path)
    return Encoding(name=name, pat_str=_SPLITS[name], mergeable_ranks=ranks, special_tokens={})


def _of_tiktoken(path: Path) -> dict[bytes, int]:
    """Returns one token on each line, in base64, with its rank."""
    pairs = (line.split() for line in path.read_bytes().splitlines())
    return {a2b_base64(token): int(rank) for token, rank in pairs}


def _of_tokenizers(path: Path) -> dict[bytes, int]:
    """Returns a byte-level vocabulary, whose ids follow the order of its merges.

    Each byte is written as a letter.
    """
    vocabulary: Mapping[str, int] = orjson.loads(path.read_bytes())["model"]["vocab"]
    letters = _letters()
    return {token.translate(letters).encode("latin-1"): rank for token, rank in vocabulary.items()}


def _letters() -> dict[int, int]:
    """Returns the letter for each byte: the byte's own character if it is printable, else the next one from
    256 on.
    """
    seen = re.compile("[!-~¡-¬®-ÿ]")
    hidden = [byte for byte in range(256) if not seen.fullmatch(chr(byte))]
    shown = {byte: byte for byte in range(256) if byte not in hidden}
    return shown | {256 + place: byte for place, byte in enumerate(hidden)}
