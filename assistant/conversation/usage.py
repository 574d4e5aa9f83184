"""The usage of models in a turn: tokens and money, as far as they are known."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import Entry, ModelAsked, ModelChunks

_Number = TypeVar("_Number", int, float)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The sums over a turn's requests. None: the value of at least one request is unknown.

    ``models`` are all models that were asked, including fallback models, in order. ``cached_tokens`` are part
    of ``input_tokens``.
    """

    models: tuple[str, ...] = ()
    requests: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cached_tokens: int | None = 0
    cost_usd: float | None = 0.0


class UsageCount:
    """Sums up the usage while a turn's entries are added."""

    __slots__ = ("_models", "_replies", "_requests")

    def __init__(self) -> None:
        self._models: dict[str, None] = {}  # an ordered set
        self._requests = 0
        self._replies: list[StreamEnded | None] = []

    def add_entry(self, entry: Entry) -> None:
        """Add the next entry. Only requests to models and their replies have an effect."""
        if isinstance(entry, ModelAsked):
            self._requests += 1
            self._models[entry.model] = None
        elif isinstance(entry, ModelChunks):
            last = entry.chunks[-1][1] if entry.chunks else None
            ended = last if isinstance(last, StreamEnded) else None
            self._replies.append(ended)
            if ended is not None and ended.model is not None:
                self._models[ended.model] = None

    @property
    def usage(self) -> Usage:
        """The sums so far. A request without a reply, as in a stopped turn, has an unknown usage."""
        ended = [reply for reply in self._replies if reply is not None]
        if len(ended) < self._requests:
            return Usage(
                models=tuple(self._models),
                requests=self._requests,
                input_tokens=None,
                output_tokens=None,
                cached_tokens=None,
                cost_usd=None,
            )
        return Usage(
            models=tuple(self._models),
            requests=self._requests,
            input_tokens=_sum((reply.input_tokens for reply in ended), 0),
            output_tokens=_sum((reply.output_tokens for reply in ended), 0),
            cached_tokens=_sum((reply.cached_tokens for reply in ended), 0),
            cost_usd=_sum((reply.cost_usd for reply in ended), 0.0),
        )


def usage_of(entries: Iterable[Entry]) -> Usage:
    """The usage of the requests among these entries.

    >>> asked = ModelAsked(round=1, role="decider", model="m")
    >>> ended = StreamEnded("stop", input_tokens=90, output_tokens=10)
    >>> used = usage_of([asked, ModelChunks(round=1, role="decider", chunks=((300, ended),))])
    >>> used.input_tokens, used.cost_usd
    (90, None)
    """
    count = UsageCount()
    for entry in entries:
        count.add_entry(entry)
    return count.usage


def _sum(numbers: Iterable[_Number | None], total: _Number) -> _Number | None:
    """The sum, added to ``total``; None if one of the numbers is None."""
    for number in numbers:
        if number is None:
            return None
        total += number
    return total
