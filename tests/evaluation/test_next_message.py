"""What a simulated customer receives, what they write, and when they stop."""

from collections.abc import Sequence
from datetime import date

import pytest

from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.transcript import TranscriptLine
from assistant.conversation.views import FromAssistant, FromCustomer
from assistant.errors import ModelRefused
from assistant.evaluation.simulated_customer import (
    LONGEST,
    CustomerLeft,
    SimulatorFailed,
    SimulatorModel,
    next_message,
)
from assistant.evaluation.tasks import SimulatedCustomer
from assistant.prompts.book import shipped_book
from assistant.testing.script import Line as Answer
from assistant.testing.script import breaks, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel
from tests.support.rows import check_rows

ANA = SimulatedCustomer(
    persona="In a hurry.",
    goal="Cancel the order of the sunglasses.",
    facts={"order number": "10455", "what must stay": "the contact lenses"},
)
SATURDAY = date(2026, 11, 21)


def spoken(*texts: str, first: str = "customer") -> list[TranscriptLine]:
    """A transcript in which the two take turns."""
    both = ("customer", "assistant") if first == "customer" else ("assistant", "customer")
    return [
        TranscriptLine(
            message_id=str(number),
            speaker="customer" if both[number % 2] == "customer" else "assistant",
            text=text,
        )
        for number, text in enumerate(texts)
    ]


async def said(
    model: ScriptedModel,
    transcript: Sequence[TranscriptLine] = (),
    customer: SimulatedCustomer = ANA,
    locale: str = "en",
) -> str | CustomerLeft:
    actor = SimulatorModel(RoleModel(model=model))
    return await next_message(customer, transcript, actor, shipped_book(), today=SATURDAY, locale=locale)


async def test_the_model_is_told_who_it_plays_and_nothing_else_is_known() -> None:
    model = ScriptedModel(says("I want to cancel my sunglasses."))

    assert await said(model) == "I want to cancel my sunglasses."
    (request,) = model.requests
    assert request.tools == ()
    told = request.view.system
    assert "customer service of Willow & Finch" in told
    assert "Who you are: In a hurry.\nWhat you want: Cancel the order of the sunglasses.\n" in told
    assert (
        "What you know:\n- order number: 10455\n- what must stay: the contact lenses\nYou know nothing else."
        in told
    )
    assert "write [END] and nothing else" in told
    assert told.endswith("You write in English.\nToday is Saturday, November 21 (2026-11-21).")


async def test_a_customer_without_facts_gets_no_empty_list() -> None:
    model = ScriptedModel(says("Are you open?"))

    await said(model, customer=SimulatedCustomer(persona="Curious.", goal="Know when you open."))

    assert "What you know" not in model.requests[0].view.system


async def test_the_roles_are_exchanged() -> None:
    model = ScriptedModel(says("10455"))
    transcript = [
        *spoken("Cancel my order", "Sure, I'll look.", first="customer"),
        TranscriptLine(message_id="a2", speaker="assistant", text="Which one do you mean?"),
    ]

    await said(model, transcript)

    assert model.requests[0].view.messages == (
        FromCustomer("Hello, I'm Robin from Willow & Finch. How can I help?"),
        FromAssistant("Cancel my order"),
        FromCustomer("Sure, I'll look.\nWhich one do you mean?"),
    )


async def test_a_missing_answer_is_silence() -> None:
    model = ScriptedModel(says("Hello?"))

    await said(model, [*spoken("Hi", " "), *spoken("Anybody there?")])

    assert model.requests[0].view.messages[1:] == (FromAssistant("Hi\nAnybody there?"), FromCustomer("..."))


async def test_a_german_customer_is_greeted_and_writes_in_german() -> None:
    model = ScriptedModel(says("Hallo"))

    await said(model, locale="de-AT")

    view = model.requests[0].view
    assert "You write in German." in view.system
    assert view.messages == (FromCustomer("Hallo, ich bin Robin von Willow & Finch. Wie kann ich helfen?"),)


@pytest.mark.parametrize("mark", ["[END]", " [end]\n", "**[END]**", '"[ END ]"'])
async def test_the_mark_alone_ends_the_conversation(mark: str) -> None:
    assert await said(ScriptedModel(says(mark)), spoken("Cancel it", "It is cancelled.")) == CustomerLeft(
        "done"
    )


async def test_text_before_the_mark_is_sent_once() -> None:
    model = ScriptedModel(says("Yes, please. [END]"), says("Yes, please! [END]"))
    asked = spoken("Cancel 10455", "Shall I cancel order 10455?")

    assert await said(model, asked) == "Yes, please."
    assert await said(model, [*asked, *spoken("Yes, please.", "It is cancelled.")]) == CustomerLeft("done")


async def test_no_more_messages_are_said_or_asked_for_than_allowed() -> None:
    brief = SimulatedCustomer(persona="p", goal="g", most_messages=2)
    model = ScriptedModel(says("Again?"))

    assert await said(model, spoken("Hi", "Hello."), brief) == "Again?"
    assert await said(model, spoken("Hi", "Hello.", "Again?", "Hm."), brief) == CustomerLeft("most_messages")
    model.assert_used_up()


async def test_a_customer_who_would_repeat_a_message_a_third_time_leaves() -> None:
    twice = spoken("Cancel it!", "Which?", "Cancel it", "Which?")

    assert await said(ScriptedModel(says("Cancel it.")), twice[:2]) == "Cancel it."
    assert await said(ScriptedModel(says("Cancel it.")), twice) == CustomerLeft("circles")
    assert await said(ScriptedModel(says("Cancel it now.")), twice) == "Cancel it now."


@check_rows(
    ("answer", "why"),
    [
        (says(" \n"), "who plays the customer wrote nothing, where their first message was due"),
        (says("[END]"), "who plays the customer wrote nothing, where their first message was due"),
        (says("x" * (LONGEST + 1)), "wrote 1001 characters, of 1000 that a message may have: 'xxx"),
        (breaks("I want"), "scripted, who plays the customer, failed: the script broke off"),
        (breaks(error=ModelRefused("no key")), "scripted, who plays the customer, failed: no key"),
        (Answer((TextDelta("I want to"), StreamEnded("length"))), "ended its message so: length"),
        (Answer((TextDelta("No."), StreamEnded("refused"))), "ended its message so: refused"),
        (Answer((TextDelta("I"),)), "ended its message so: without its end"),
        (Answer(()), "ended its message so: without its end"),
    ],
)
async def test_a_model_that_does_not_play_is_not_the_assistants_fault(answer: Answer, why: str) -> None:
    with pytest.raises(SimulatorFailed) as failed:
        await said(ScriptedModel(answer))

    assert why in str(failed.value)


async def test_later_on_a_message_is_due_too() -> None:
    with pytest.raises(SimulatorFailed, match="where a message was due"):
        await said(ScriptedModel(says("")), spoken("Hi", "Hello."))


async def test_a_message_of_maximum_length_is_sent() -> None:
    assert await said(ScriptedModel(says("x" * LONGEST))) == "x" * LONGEST


async def test_the_usage_is_counted() -> None:
    counted = StreamEnded("stop", input_tokens=100, output_tokens=7, cost_usd=0.25)
    model = ScriptedModel(
        Answer((TextDelta("Hi"), counted)),
        Answer((CallNamed(0, "none_was_offered"), TextDelta("10455"), counted)),
        breaks(),
    )
    actor = SimulatorModel(RoleModel(model=model))
    book = shipped_book()

    assert await next_message(ANA, [], actor, book, today=SATURDAY) == "Hi"
    assert await next_message(ANA, spoken("Hi", "Hello."), actor, book, today=SATURDAY) == "10455"
    used = actor.usage
    assert (used.requests, used.input_tokens, used.output_tokens, used.cost_usd) == (2, 200, 14, 0.5)

    with pytest.raises(SimulatorFailed):
        await next_message(ANA, [], actor, book, today=SATURDAY)
    assert actor.usage.cost_usd is None
