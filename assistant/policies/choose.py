"""Chooses the few policies that a model needs: by the customer's wish, and by the tools that were called.

Choices by meaning are recorded in the log, so a turn that is resumed or replayed uses the same policies.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Final

import structlog

from assistant.conversation.documents import Vector
from assistant.conversation.turn_state import TurnState
from assistant.errors import EmbeddingError
from assistant.language.sentences import sentences
from assistant.language.words import content_stems
from assistant.policies.folder import MOST_CHARACTERS
from assistant.policies.policy import Policies, Policy, model_rules
from assistant.ports import Clock, Embedder
from assistant.prompts.book import PromptBook
from assistant.prompts.instructions import PolicyNotes

log = structlog.get_logger(__name__)

MOST: Final = 3
"""The most policies that a model gets at a time."""

MOST_BY_MEANING: Final = 2
RECENT_TURNS: Final = 2
"""The number of earlier turns whose policies and calls still count: "10482" answers a question of a
policy."""

NEAR: Final = 0.5
"""The least cosine similarity between a sentence of the message and a phrase of the policy."""

MARGIN: Final = 0.15
"""A policy whose similarity is lower than the best one's by this much is about another subject."""

_MOST_SENTENCES: Final = 6
_LONGEST: Final = 1_000
"""The characters of a message that are compared. A wish is short, and the rest may be a pasted letter."""

_PATIENCE_S: Final = 1.0
"""The time limit for the embedding model, because a customer waits. After it, words are compared instead."""

_PATIENCE_AT_FIRST_S: Final = 5.0
"""The limit for the first message, which waits for loading the model and for the vectors of all phrases:
usually one second."""


@dataclass(frozen=True, slots=True)
class Match:
    """How similar a message is to a policy, from 0 to 1, with the most similar phrase of the policy."""

    policy: Policy
    score: float
    phrase: str


class PolicyFinder:
    """Finds policies by a customer's wish.

    Args:
        policies: all policies. The vectors of their phrases are made once, for the first message.
        embedder: compares meanings. None: words are compared.
        clock: measures the time limits.
    """

    def __init__(self, policies: Policies, embedder: Embedder | None, clock: Clock) -> None:
        self._embedder, self._clock = embedder, clock
        self._phrases = tuple(dict.fromkeys(phrase for policy in policies for phrase in policy.when))
        self._vectors: Mapping[str, Vector] = {}

    async def warm(self) -> None:
        """Make the vectors of the phrases, unless they exist. Raises ``EmbeddingError``."""
        if self._embedder is not None and self._phrases and not self._vectors:
            made = await self._embedder.embed(self._phrases)
            self._vectors = dict(zip(self._phrases, made, strict=True))

    async def matches(self, message: str, among: Sequence[Policy]) -> tuple[Match, ...]:
        """Returns the similarity of the message to each policy that has phrases, most similar first.

        Never raises.
        """
        policies = [policy for policy in among if policy.when]
        said = list(_pieces(message))
        if not policies or not said:
            return ()
        scores = await self._scores(said)
        best = [
            Match(policy, scores.get(phrase, 0.0), phrase)
            for policy in policies
            for phrase in [max(policy.when, key=lambda one: scores.get(one, 0.0))]
        ]
        return tuple(sorted(best, key=lambda match: (-match.score, match.policy.name)))

    async def choose(self, message: str, among: Sequence[Policy]) -> tuple[str, ...]:
        """Returns the names of the policies that the message is about, most similar first. Often the message
        is about none.
        """
        return tuple(match.policy.name for match in nearest(await self.matches(message, among)))

    async def _scores(self, said: Sequence[str]) -> Mapping[str, float]:
        """Returns, for each phrase, its similarity to the most similar sentence of the message."""
        if self._embedder is not None:
            try:
                async with self._clock.timeout(_PATIENCE_S if self._vectors else _PATIENCE_AT_FIRST_S):
                    await self.warm()
                    vectors = await self._embedder.embed(said)
                return _cosines(self._vectors, vectors)
            except (EmbeddingError, TimeoutError) as error:
                log.warning("policies chosen by words alone", why=str(error) or "embedding took too long")
        return {phrase: max(word_similarity(phrase, one) for one in said) for phrase in self._phrases}


def nearest(matches: Sequence[Match]) -> tuple[Match, ...]:
    """Returns the matches that a message is about; ``matches`` must be sorted."""
    if not matches:
        return ()
    least = max(NEAR, matches[0].score - MARGIN)
    return tuple(match for match in matches if match.score >= least)[:MOST_BY_MEANING]


def chosen_policies(
    holding: Sequence[Policy], turn: TurnState, earlier: Sequence[TurnState]
) -> tuple[Policy, ...]:
    """Returns the policies that a model gets now, the most important first. It depends only on the log.

    First come those that this message is about, then those about tools that were called in this turn, then
    the same for recent turns. Together they have at most ``MOST_CHARACTERS``.
    """
    by_name = {policy.name: policy for policy in holding}
    order: dict[str, Policy] = {}
    for one in (turn, *reversed(earlier[-RECENT_TURNS:])):
        order |= {name: by_name[name] for name in one.policies or () if name in by_name and name not in order}
        called = {call.tool for call in one.calls}
        about = sorted(holding, key=lambda policy: -len(called.intersection(policy.tools)))
        order |= {
            policy.name: policy
            for policy in about
            if called.intersection(policy.tools) and policy.name not in order
        }
    return tuple(_that_fit(tuple(order.values())))


def notes_for(policies: Sequence[Policy], book: PromptBook) -> str:
    """Returns the text for a model about these policies, or "" if there are none."""
    if not policies:
        return ""
    return book.render(
        PolicyNotes(
            policies=tuple(policy.text for policy in policies),
            rules=tuple(dict.fromkeys(line for policy in policies for line in model_rules(policy))),
        )
    )


def _that_fit(policies: Sequence[Policy]) -> Iterator[Policy]:
    left = MOST_CHARACTERS
    for policy in policies[:MOST]:
        left -= len(policy.text)
        if left < 0:
            return
        yield policy


def word_similarity(one: str, other: str) -> float:
    """Returns how many of their meaningful words two texts share, from 0 to 1.

    >>> word_similarity("I want to send something back", "Can I send my glasses back?") >= 0.5
    True
    >>> word_similarity("I want to send something back", "When are you open?")
    0.0
    """
    first, second = frozenset(content_stems(one)), frozenset(content_stems(other))
    return len(first & second) / sqrt(len(first) * len(second)) if first and second else 0.0


def _pieces(message: str) -> Iterator[str]:
    """Yields the whole message, and each of its sentences, because a wish may be only one of them."""
    begun = message.strip()[:_LONGEST]
    said = [one.strip() for one in sentences(begun) if any(map(str.isalpha, one))]
    yield from dict.fromkeys([begun, *said[:_MOST_SENTENCES]] if said else [])


def _cosines(phrases: Mapping[str, Vector], said: Sequence[Vector]) -> Mapping[str, float]:
    import numpy as np

    sentences_ = np.array([np.frombuffer(vector, "<f4") for vector in said])
    known = np.array([np.frombuffer(vector, "<f4") for vector in phrases.values()])
    return dict(zip(phrases, (known @ sentences_.T).max(axis=1).tolist(), strict=True))
