"""What a trial does around the conversation: its preparation, its messages, what it measures."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.entries import (
    CustomerMessage,
    Entry,
    Logged,
    MessageText,
    ModelAsked,
    ModelChunks,
    SentenceSuppressed,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.usage import usage_of
from assistant.errors import DeclarationError
from assistant.evaluation.measures import Cost, TurnTimes, cost_in, model_errors, turn_times, withheld
from assistant.evaluation.tasks import Task
from assistant.evaluation.trial import latest_config, model_name, run_trial
from assistant.settings import Settings
from assistant.testing.script import breaks, calls, says
from assistant.testing.virtual_time import VirtualClock
from tests.evaluation.conftest import TryOut

DATABASE = [{"tool": "get_opening_hours"}]


def task(**fields: object) -> Task:
    known = {"id": "t", "now": "2026-11-21T10:00", "before": DATABASE, "ignore_tables": ["done"]}
    return Task.model_validate({**known, **fields})


async def test_a_preparation_sets_the_records_at_the_beginning(try_out: TryOut) -> None:
    cancelled = {"tool": "cancel_appointment", "arguments": {"appointment_id": "A1001"}}
    book = {"tool": "book_appointment", "arguments": {"day": "2026-11-26", "time": "10:00"}}

    row = await try_out(
        task(before=[cancelled, book], messages=["When do I come?"], must=["10 am"]),
        calls("list_upcoming_appointments"),
        says("On Thursday at 10 am."),
    )

    assert row.passed  # what was prepared is no change


@pytest.mark.parametrize(
    ("step", "why"),
    [
        ({"tool": "cancel_order", "arguments": {"order_number": "1"}}, "No order '1'; the customer has"),
        ({"tool": "cancel_order"}, "order_number"),
    ],
)
async def test_a_failed_preparation_stops_the_trial(
    step: dict[str, object], why: str, try_out: TryOut
) -> None:
    with pytest.raises(DeclarationError, match=f"task 't': before: cancel_order did not work: .*{why}"):
        await try_out(task(before=[step], messages=["Hi"]))


async def test_records_that_the_model_opens_first_are_all_new(try_out: TryOut) -> None:
    row = await try_out(
        task(before=[], messages=["Open?"]), calls("get_opening_hours"), says("Yes, until 4 pm.")
    )

    assert len(row.unmet) > 10
    assert all(line.startswith("state: not expected") for line in row.unmet)


async def test_messages_wait_for_a_question_or_for_none(try_out: TryOut) -> None:
    row = await try_out(
        task(
            messages=[
                {"say": "left out", "when": "asked"},
                {"confirm": "yes"},
                {"say": "Cancel order 10455", "when": "not asked"},
                {"say": "left out", "when": "not asked"},
                {"confirm": "no"},
                {"confirm": "yes"},
            ]
        ),
        calls(("cancel_order", {"order_number": "10455"})),
    )

    assert [text for speaker, text in row.transcript if speaker == "customer"] == ["Cancel order 10455", "No"]
    assert row.passed


async def test_an_anonymous_customer_is_one(try_out: TryOut) -> None:
    row = await try_out(
        task(level="anonymous", messages=["What do I owe?"], calls_not=["get_open_invoices"]),
        calls("get_open_invoices"),
        says("I don't know yet who you are."),
    )

    assert row.passed
    assert row.ran == ()


async def test_the_models_mistakes_are_stored(try_out: TryOut) -> None:
    row = await try_out(task(messages=["Hi"]), breaks("Hel"))

    assert row.model_errors == ("the script broke off",)
    assert row.cost == Cost()
    assert len(row.turns) == 1


async def test_the_configured_model_is_tried(settings: Settings) -> None:
    embedded = settings.model_copy(update={"model": "offline"})

    row = await run_trial(task(messages=["When are you open?"], must=["9 am"]), 3, embedded)

    assert (row.task, row.trial, row.model, row.unmet) == ("t", 3, "offline", ())
    assert row.asked == ("offline",)
    assert not Path("data/crm.db").exists()


def cost_of(logged: Sequence[Logged]) -> Cost:
    return cost_in(usage_of(one.entry for one in logged))


def test_a_separate_narrator_is_named(settings: Settings) -> None:
    assert model_name(settings) == "scripted"
    assert model_name(settings.model_copy(update={"narrator_model": "scripted"})) == "scripted"
    assert model_name(settings.model_copy(update={"narrator_model": "other"})) == "scripted + other"


def test_an_unknown_model_is_refused(settings: Settings) -> None:
    with pytest.raises(DeclarationError):
        latest_config(settings.model_copy(update={"model": "openai/"}), VirtualClock())


def logged(turn: str, *entries: tuple[int, Entry]) -> list[Logged]:
    return [Logged(seq, at, turn, entry) for seq, (at, entry) in enumerate(entries, 1)]


def said(message: str) -> Entry:
    return CustomerMessage(message_id=message, client_message_id=message, text="Hi")


def asked(*chunks: TextDelta | StreamEnded, error: str | None = None) -> Sequence[Entry]:
    timed = tuple((0, chunk) for chunk in chunks)
    return (
        ModelAsked(round=1, role="decider", model="m"),
        ModelChunks(round=1, role="decider", chunks=timed, error=error),
    )


def test_a_wait_begins_with_the_message_and_ends_with_the_turn() -> None:
    started = TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")
    entries = [
        *logged("", (100, said("u1")), (105, said("u2"))),
        *logged(
            "t1",
            (120, started),
            (150, MessageText(message_id="a", text="x")),
            (160, MessageText(message_id="a", text="y")),
            (190, TurnEnded(turn_id="t1", how="answered")),
        ),
        *logged(
            "t2",
            (200, TurnStarted(turn_id="t2", message_id="u2", cause="message", bundle="b")),
            (205, TurnEnded(turn_id="t2", how="answered")),
        ),
    ]

    assert turn_times(entries) == [
        TurnTimes(first_ms=50, whole_ms=90),
        TurnTimes(first_ms=None, whole_ms=100),
    ]


def test_costs_add_up_as_far_as_they_are_known() -> None:
    full = StreamEnded("stop", input_tokens=10, output_tokens=2, cost_usd=0.5)
    partly = StreamEnded("stop", input_tokens=10)

    def entries(*lists: Sequence[Entry]) -> list[Logged]:
        return logged("t1", *((0, entry) for each in lists for entry in each))

    assert cost_of(entries(asked(full), asked(full))) == Cost(input_tokens=20, output_tokens=4, usd=1.0)
    assert cost_of(entries(asked(full), asked(partly))) == Cost(input_tokens=20)
    assert cost_of(entries(asked(full), asked(TextDelta("x"), error="cut"))) == Cost()
    assert model_errors(entries(asked(full), asked(error="cut"))) == ["cut"]


async def test_repetitions_and_suppressed_sentences_are_stored(try_out: TryOut) -> None:
    row = await try_out(
        task(messages=["When do I come?"]), calls("list_upcoming_appointments"), says("On Tuesday at 2 pm.")
    )

    assert row.again is not None
    assert [turn.repeats for turn in row.again] == [False]
    assert row.withheld == ()


def test_suppressed_sentences_are_listed() -> None:
    kept = SentenceSuppressed(round=1, guardrail="claims", text="It is done.")

    assert withheld(logged("t1", (0, kept), (1, said("u1")))) == [("claims", "It is done.")]
