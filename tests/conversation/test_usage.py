"""The usage of a turn, as far as it is known."""

from collections.abc import Sequence

import pytest

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import Entry, ModelAsked, ModelChunks, TurnEnded
from assistant.conversation.usage import Usage, usage_of

UNKNOWN = {"input_tokens": None, "output_tokens": None, "cached_tokens": None, "cost_usd": None}


def asked(model: str = "main", round_: int = 1) -> ModelAsked:
    return ModelAsked(round=round_, role="decider", model=model)


def brought(*chunks: Chunk, round_: int = 1) -> ModelChunks:
    return ModelChunks(round=round_, role="decider", chunks=tuple((0, chunk) for chunk in chunks))


def test_a_turn_without_requests_has_no_usage() -> None:
    assert usage_of([TurnEnded(turn_id="t1", how="answered")]) == Usage()
    assert Usage().cost_usd == 0.0


def test_the_requests_of_a_turn_are_summed() -> None:
    first, second = StreamEnded("tool_calls", 900, 30, 800, 0.5), StreamEnded("stop", 1000, 50, 0, 0.25)

    used = usage_of([asked(), brought(first), asked("spare", 2), brought(TextDelta("Hi"), second, round_=2)])

    assert used == Usage(
        models=("main", "spare"),
        requests=2,
        input_tokens=1900,
        output_tokens=80,
        cached_tokens=800,
        cost_usd=0.75,
    )


def test_a_value_that_one_provider_does_not_report_is_unknown() -> None:
    told, silent = StreamEnded("stop", 900, 30, 800, 0.5), StreamEnded("stop", 1000, 50)

    used = usage_of([asked(), brought(told), asked(), brought(silent)])

    assert (used.input_tokens, used.output_tokens) == (1900, 80)
    assert (used.cached_tokens, used.cost_usd) == (None, None)


@pytest.mark.parametrize(
    "entries", [[asked()], [asked(), brought()], [asked(), brought(TextDelta("Half"))]], ids=len
)
def test_a_request_without_an_end_has_an_unknown_usage(entries: Sequence[Entry]) -> None:
    assert usage_of(entries) == Usage(models=("main",), requests=1, **UNKNOWN)


def test_a_fallback_model_is_named_too() -> None:
    used = usage_of([asked(), brought(StreamEnded("stop", model="spare")), asked()])

    assert used.models == ("main", "spare")
