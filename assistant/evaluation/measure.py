"""What a conversation's log tells of a trial: waiting times, what it cost, what ran, what failed."""

from collections.abc import Sequence

from assistant.conversation.entries import (
    CallStarted,
    CustomerSaid,
    Guard,
    Logged,
    MessageText,
    ModelChunks,
    TurnEnded,
    TurnStarted,
    Withheld,
)
from assistant.conversation.usage import Usage, usage_of
from assistant.evaluation.row import Cost, TurnTimes


def turn_times(entries: Sequence[Logged]) -> list[TurnTimes]:
    """Each ended turn's times, counted from the moment at which the customer's message came."""
    said: dict[str, int] = {}
    began: dict[str, int] = {}
    first: dict[str, int] = {}
    found: list[TurnTimes] = []
    for logged in entries:
        match logged.entry:
            case CustomerSaid(message_id=message):
                said[message] = logged.at_ms
            case TurnStarted(message_id=message):
                began[logged.turn_id] = said[message]
            case MessageText():
                first.setdefault(logged.turn_id, logged.at_ms)
            case TurnEnded():
                start, words = began[logged.turn_id], first.get(logged.turn_id)
                first_ms = words - start if words is not None else None
                found.append(TurnTimes(first_ms=first_ms, whole_ms=logged.at_ms - start))
            case _:
                pass
    return found


def cost_of(entries: Sequence[Logged]) -> Cost:
    """The sum over all requests; None for what is not known of one of them."""
    return cost_in(usage_of(logged.entry for logged in entries))


def cost_in(used: Usage) -> Cost:
    """The part of it that a row keeps."""
    return Cost(input_tokens=used.input_tokens, output_tokens=used.output_tokens, usd=used.cost_usd)


def models_asked(entries: Sequence[Logged]) -> tuple[str, ...]:
    """The models that were asked or that stood in, each once."""
    return usage_of(logged.entry for logged in entries).models


def tools_run(entries: Sequence[Logged]) -> list[str]:
    """The names of the tools that were started, in order."""
    return [logged.entry.tool for logged in entries if isinstance(logged.entry, CallStarted)]


def model_errors(entries: Sequence[Logged]) -> list[str]:
    """How requests failed."""
    return [
        logged.entry.error
        for logged in entries
        if isinstance(logged.entry, ModelChunks) and logged.entry.error is not None
    ]


def withheld(entries: Sequence[Logged]) -> list[tuple[Guard, str]]:
    """What the guards kept from the customer, in order: which of them, and the sentence."""
    return [
        (logged.entry.guard, logged.entry.text) for logged in entries if isinstance(logged.entry, Withheld)
    ]
