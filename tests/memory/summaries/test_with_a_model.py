"""Summaries by a model: its input, the check of its reply, and the facts that are added."""

import json
from collections.abc import Sequence

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import MOST_CHARACTERS
from assistant.conversation.views import FromCustomer
from assistant.errors import ModelBroke, ModelError, ModelRefused
from assistant.memory.budget import Budget
from assistant.memory.summaries import (
    NO_LIMIT,
    SummaryModel,
    WrittenSummary,
    add_forgotten_facts,
    limit_within,
    summarise_conversation,
    summarise_result,
)
from assistant.memory.summary_facts import ASSISTANT, CUSTOMER, DialogueLine
from assistant.memory.token_sizes import SizeLimit
from assistant.models.tokens import Estimate
from assistant.ports import ModelOptions
from assistant.prompts.book import shipped_book
from assistant.testing.script import Line, breaks, says
from assistant.testing.scripted_model import ScriptedModel
from tests.prompts.hostile import TEXTS
from tests.support.rows import check_rows

PLENTY = SizeLimit(most=5_000)
SAID = (
    DialogueLine(CUSTOMER, "Hello, I'm Ana Berg, and order A-10482 is late."),
    DialogueLine(ASSISTANT, "It comes on November 30."),
    DialogueLine("get_order", '{"order":"A-10482"} -> {"carrier":"DHL"}'),
)


def by(*lines: Line, limit: SizeLimit = NO_LIMIT) -> tuple[SummaryModel, ScriptedModel]:
    model = ScriptedModel(*lines)
    return SummaryModel(model=model, options=ModelOptions(), book=shipped_book(), limit=limit), model


async def written(
    line: Line, previous: str = "", said: Sequence[DialogueLine] = SAID, limit: SizeLimit = PLENTY
) -> WrittenSummary:
    summary_model, _ = by(line)
    return await summarise_conversation(previous, said, by=summary_model, limit=limit)


def quoted(text: str) -> list[str]:
    """The texts in quotation marks, line by line."""
    found: list[str] = []
    for line in text.splitlines():
        place = line.find('"')
        if place >= 0:
            found.append(json.JSONDecoder().raw_decode(line, place)[0])
    return found


async def test_the_model_gets_the_previous_summary_and_the_dialogue_since() -> None:
    summary_model, model = by(says("Ana Berg waits for order A-10482, due November 30 by DHL."))

    made = await summarise_conversation(
        "Ana lives in Berlin.", SAID, by=summary_model, limit=PLENTY, locale="de-AT", conversation="c1"
    )

    (request,) = model.requests
    (turn,) = request.view.turns
    (message,) = turn.messages
    assert isinstance(message, FromCustomer)
    assert quoted(message.text) == ["Ana lives in Berlin.", *map(str, SAID)]
    assert 'in "German"' in request.view.system
    assert not set(quoted(message.text)).intersection(quoted(request.view.system))
    assert (request.role, request.conversation, request.tools) == ("summariser", "c1", ())
    assert made.text.splitlines() == [
        "Ana Berg waits for order A-10482, due November 30 by DHL.",
        "Ana lives in Berlin.",
    ]
    assert made.ended == StreamEnded("stop")


async def test_facts_that_the_model_kept_are_not_repeated() -> None:
    text = "Ana Berg asked about order A-10482. It comes on 2026-11-30 by DHL; get_order told."

    assert (await written(says(text))).text == text


async def test_facts_that_the_model_left_out_are_added_word_for_word() -> None:
    made = await written(says("The customer asked about a delivery."), "Customer: I'm on 030 1234567.")

    assert made.text.splitlines() == [
        "The customer asked about a delivery.",
        "Customer: I'm on 030 1234567.",
        "Customer: Hello, I'm Ana Berg, and order A-10482 is late.",
        "Assistant: It comes on November 30.",
        'get_order: {"order":"A-10482"} -> {"carrier":"DHL"}',
    ]


async def test_a_wish_without_a_value_is_not_lost_either() -> None:
    wish = (DialogueLine(CUSTOMER, "Please leave parcels at the bakery."),)

    kept = await written(says("Parcels are to be left at the bakery."), said=wish)
    forgotten = await written(says("The customer has a wish."), said=wish)

    assert kept.text == "Parcels are to be left at the bakery."
    assert forgotten.text == f"The customer has a wish.\n{wish[0]}"


def test_a_long_summary_is_cut_and_leaves_space_for_facts() -> None:
    limit = SizeLimit(most=200)
    text = "It was a pleasant talk about this and that. " * 20

    kept = add_forgotten_facts(text, "", SAID[:1], limit)

    assert kept.splitlines() == [
        " ".join(["It was a pleasant talk about this and that."] * 3),
        str(SAID[0]),
    ]
    assert limit.fits(kept)


@check_rows(
    ("line", "error"),
    [
        (breaks("Ana"), ModelBroke),
        (says("  "), ModelBroke),
        (Line((TextDelta("Ana"), StreamEnded("refused"))), ModelRefused),
        (Line((TextDelta("Half"), StreamEnded("length"))), ModelBroke),
        (Line((TextDelta("No end"),)), ModelBroke),
        (Line(()), ModelBroke),
    ],
)
async def test_an_empty_reply_is_an_error(line: Line, error: type[ModelError]) -> None:
    with pytest.raises(error):
        await written(line)


async def test_a_reply_that_was_cut_off_ends_with_its_last_sentence() -> None:
    made = await written(Line((TextDelta("Ana asked. She wan"), StreamEnded("length"))), said=())

    assert made.text == "Ana asked."


@check_rows("text", TEXTS)
async def test_no_text_can_end_its_quotation(text: str) -> None:
    summary_model, model = by(says("Noted."), says("Noted."))

    await summarise_conversation(
        text, [DialogueLine(CUSTOMER, text), DialogueLine(ASSISTANT, "Yes?")], by=summary_model, limit=PLENTY
    )
    await summarise_result(
        CallSucceeded(call=Call(id="c1.1", tool="find", arguments={"for": text}), value=[text]),
        text,
        by=summary_model,
    )

    dialogue, result = (request.view.messages[0] for request in model.requests)
    assert isinstance(dialogue, FromCustomer)
    assert isinstance(result, FromCustomer)
    assert _without_quotes(dialogue.text) == "The notes so far: <>\nWhat was said since:\n- <>\n- <>"
    assert _without_quotes(result.text) == (
        "The tool: <>\nIt was called with: <>\nThe customer had asked: <>\nThe result: <>"
    )


def _without_quotes(text: str) -> str:
    own, at = "", 0
    while (quote := text.find('"', at)) >= 0:
        own += text[at:quote] + "<>"
        _, at = json.JSONDecoder().raw_decode(text, quote)
    return own + text[at:]


async def test_the_dialogue_is_cut_if_the_model_cannot_take_all_of_it() -> None:
    limit = limit_within(Budget(tokens=2_000, counter=Estimate()))
    summary_model, model = by(says("They talked."), limit=limit)
    said = [
        DialogueLine(CUSTOMER, f"{number} is what I say. " + "Lorem ipsum dolor. " * 400)
        for number in range(5)
    ]

    made = await summarise_conversation("", said, by=summary_model, limit=PLENTY)

    (message,) = model.requests[0].view.messages
    assert isinstance(message, FromCustomer)
    assert all(line.startswith(f"Customer: {number} is") for number, line in enumerate(quoted(message.text)))
    assert 500 < limit.count("\n".join(quoted(message.text))) <= limit.most
    assert "4 is what I say." in made.text


async def test_a_result_is_sent_with_its_call_question_beginning_and_end() -> None:
    limit = limit_within(Budget(tokens=4_000, counter=Estimate()))
    summary_model, model = by(says("50,000 rows, from 0 to 49,999."), limit=limit)
    huge = CallSucceeded(
        call=Call(id="c1.1", tool="list_rows", arguments={"of": "all"}),
        value=[{"row": n} for n in range(50_000)],
    )

    made = await summarise_result(
        huge, "Which rows are there?", by=summary_model, locale="en", conversation="c1"
    )

    (message,) = model.requests[0].view.messages
    assert isinstance(message, FromCustomer)
    tool, arguments, question, result = quoted(message.text)
    assert (tool, arguments, question) == ("list_rows", '{"of":"all"}', "Which rows are there?")
    assert result.startswith('[{"row":0},')
    assert result.endswith('{"row":49999}]')
    assert 1_000 < limit.count(message.text) <= limit.most
    assert made.text == "50,000 rows, from 0 to 49,999."


async def test_a_summary_of_a_result_is_no_longer_than_the_rules() -> None:
    summary_model, _ = by(says("There is one more row. " * 200))
    outcome = CallSucceeded(call=Call(id="c1.1", tool="list_rows"), value="rows")

    made = await summarise_result(outcome, "", by=summary_model)

    assert len(made.text) <= MOST_CHARACTERS
    assert made.text.endswith("row.")
