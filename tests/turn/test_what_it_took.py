"""At its end, each turn leaves a line in the log: the models, and the usage."""

from asyncio import ensure_future, sleep

from structlog.testing import capture_logs

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.testing.script import Line, says
from tests.turn.conftest import Company

CALLS = Line(
    (
        CallNamed(0, "get_open_invoices"),
        CallArguments(0, "{}"),
        StreamEnded("tool_calls", 900, 30, 800, 0.001),
    )
)
ANSWER = Line((TextDelta("You owe $150."), StreamEnded("stop", 1000, 20, 900, 0.0023456789, "spare")))


async def test_tokens_money_and_time_are_logged_without_any_text(company: Company) -> None:
    ana = company.chat(CALLS, ANSWER)

    with capture_logs() as logged:
        await ana.says("What do I owe?")

    (line,) = [line for line in logged if line["event"] == "turn ended"]
    assert line.pop("ms") >= 0
    assert line == {
        "event": "turn ended",
        "log_level": "info",
        "conversation": "c-1",
        "turn": "t1",
        "how": "answered",
        "models": "scripted,spare",
        "input_tokens": 1900,
        "output_tokens": 50,
        "cached_tokens": 1700,
        "cost_usd": 0.003346,
    }


async def test_the_time_is_that_from_the_message_to_the_last_word(company: Company) -> None:
    ana = company.chat(says("One two", first_s=1.0, each_s=0.5))

    with capture_logs() as logged:
        await ana.says("Hello?")

    (line,) = [line for line in logged if line["event"] == "turn ended"]
    assert line["ms"] == 2000
    assert "cost_usd" not in line  # an unknown cost is left out


async def test_the_usage_of_a_stopped_turn_is_unknown(company: Company) -> None:
    ana = company.chat(says("One two three", each_s=1.0))

    with capture_logs() as logged:
        saying = ensure_future(ana.says("Hello?"))
        await sleep(1.5)
        await ana.session.stop()
        await saying

    (line,) = [line for line in logged if line["event"] == "turn ended"]
    assert line == {
        "event": "turn ended",
        "log_level": "info",
        "conversation": "c-1",
        "turn": "t1",
        "how": "interrupted",
        "ms": 1500,
        "models": "scripted",
    }
