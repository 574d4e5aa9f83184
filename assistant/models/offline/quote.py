"""Of all that a search of documents found, the words that answer the question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, cast

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.embedding.minilm import Embed
from assistant.models.offline.prose import prose

_MOST: Final = 2  # sentences
_NEARLY: Final = 0.2
_WORTH_A_LOOK: Final = 3  # passages

_NUMBER: Final = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty)"
_WANTED: Final = (
    (
        re.compile(r"\bhow (?:long|soon|many (?:days|weeks|months|years))\b", re.IGNORECASE),
        re.compile(rf"\b{_NUMBER}(?: \w+)? (?:minute|hour|day|week|month|year)s?\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\bhow much\b|\bcosts?\b|\bprice\b", re.IGNORECASE),
        re.compile(r"[$€£] ?\d|\d ?(?:euros?|dollars?|pounds?)\b|\bfree\b|\bhalf\b", re.IGNORECASE),
    ),
)
"""What is asked for, and what a sentence that tells it holds."""

_TELLS: Final = 0.15
"""So much nearer is a sentence that holds what is asked for."""


def quoted(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec], embed: Embed) -> tuple[Outcome, ...]:
    """The outcomes, in which a search has one passage left, and of that the sentences nearest to the question.

    Blocks.
    """
    return tuple(_quoted(outcome, specs.get(outcome.call.tool), embed) for outcome in outcomes)


def _quoted(outcome: Outcome, spec: ToolSpec | None, embed: Embed) -> Outcome:
    if spec is None or spec.role != "searches" or not isinstance(outcome, CallSucceeded):
        return outcome
    question = str(outcome.call.arguments.get("question", ""))
    found = _passages(outcome.value)
    said = [(passage, text) for passage in found for text in [prose(str(passage.get("text", "")))] if text]
    if not said:
        return outcome
    scored = [(passage, text, _scores(question, passage, text, embed)) for passage, text in said]
    passage, text, scores = max(scored, key=lambda one: max(one[2]))
    return replace(outcome, value=[{**passage, "text": _nearest(text, scores)}])


def _passages(value: Json) -> list[Mapping[str, Json]]:
    """What the search gave, if it is what a search gives: a cassette's may be anything."""
    if not isinstance(value, list | tuple):
        return []
    found = [cast("Mapping[str, Json]", one) for one in value if isinstance(one, Mapping)]
    return found[:_WORTH_A_LOOK]


def _scores(question: str, passage: Mapping[str, Json], text: Sequence[str], embed: Embed) -> list[float]:
    """A sentence means what it does below its heading."""
    vectors = embed([question, *(f"{passage.get('place', '')}. {sentence}" for sentence in text)])
    nearness = [float(score) for score in vectors[1:] @ vectors[0]]
    return [
        score + _TELLS * _tells(question, sentence) for score, sentence in zip(nearness, text, strict=True)
    ]


def _tells(question: str, sentence: str) -> bool:
    """Whether it holds the kind of thing that is asked for.

    >>> _tells("How long is it?", "It takes two working days."), _tells("How long is it?", "It is red.")
    (True, False)
    """
    return any(
        asked.search(question) is not None and told.search(sentence) is not None for asked, told in _WANTED
    )


def _nearest(text: Sequence[str], scores: Sequence[float]) -> str:
    """The nearest sentence, and as long as they are nearly as near those that stand beside it."""
    first = last = max(range(len(text)), key=lambda at: scores[at])
    enough = scores[first] - _NEARLY
    while last - first + 1 < _MOST:
        beside = [at for at in (first - 1, last + 1) if 0 <= at < len(text) and scores[at] >= enough]
        if not beside:
            break
        chosen = max(beside, key=lambda at: scores[at])
        first, last = min(first, chosen), max(last, chosen)
    return " ".join(text[first : last + 1])
