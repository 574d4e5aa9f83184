"""Chooses who counts a model's tokens, by the model's name."""

import re
from collections.abc import Iterable
from functools import cache, partial

from assistant.models.names import EmbeddedName, ModelName
from assistant.models.tokens.estimate import Estimate
from assistant.models.tokens.loaded_later import LoadedLater
from assistant.models.tokens.most import Most
from assistant.models.tokens.tokenized import read_tokenized
from assistant.models.tokens.vocabularies import VocabularyName
from assistant.ports import Counter

_O200K = re.compile(r"(gpt-(4o|4\.[15]|[5-9]|1\d|oss)|chatgpt-|o\d(?![a-z\d])).*")
_CL100K = re.compile(r"gpt-(4|3\.5|35)(?![a-z\d.]).*")
_CLAUDE = re.compile(r"claude(?![a-z])")


def counter_for(names: Iterable[ModelName]) -> Counter:
    """Who counts for these models, of which any may be asked: the one that counts most, where they differ."""
    counters = {vocabulary: _counter(vocabulary) for vocabulary in map(vocabulary_of, names)}
    return next(iter(counters.values())) if len(counters) == 1 else Most(tuple(counters.values()))


def load(counter: Counter) -> None:
    """Wait until it counts as well as it ever will. Blocks."""
    match counter:
        case Most(counters=counters):
            for each in counters:
                load(each)
        case LoadedLater():
            counter.load()
        case _:
            pass


def vocabulary_of(name: ModelName) -> VocabularyName | None:
    """The vocabulary by which a model's tokens are counted; None where none fits, and they are estimated.

    It goes by the model's own name, whoever serves it.

    >>> from assistant.models.names import read_name
    >>> vocabulary_of(read_name("azure/gpt-4o-mini")), vocabulary_of(read_name("gemini/gemini-3-pro"))
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


@cache  # A vocabulary takes tens of megabytes: each is read once in a process.
def _counter(vocabulary: VocabularyName | None) -> Counter:
    return Estimate() if vocabulary is None else LoadedLater(partial(read_tokenized, vocabulary))
