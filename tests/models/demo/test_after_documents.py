"""A short follow-up after an answer from documents is searched together with the earlier question."""

import pytest

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json
from assistant.conversation.views import FromTools
from tests.models.demo.conftest import BOOKS, Reply, Talk
from tests.models.demo.shop_documents import in_shop_documents
from tests.models.demo.test_documents import SPECS, model_with, what_is_found
from tests.support.rows import check_rows

VOUCHERS = "How long are vouchers valid?"
PAIRS = [
    ("Can I send this back after three weeks?", "and after five weeks?", "after 30 days you are not"),
    (VOUCHERS, "and can I get cash for one?", "cannot be paid out"),
    ("What does shipping cost?", "and for express?", "Express delivery costs $12."),
    ("Do you deliver abroad?", "and what about Switzerland?", "United States and to Canada"),
    ("How long is the warranty on frames?", "and on lenses?", "lens coatings of one year"),
    ("Which ways of payment do you take?", "what about PayPal?", "PayPal"),
    ("Can I pay in instalments?", "and for how many months?", "three monthly instalments"),
    ("How long does delivery take?", "what about contact lenses?", "2 to 4 working days"),
    ("Can I return contact lenses?", "and if the box is open?", "unopened boxes"),
    ("Who pays for sending something back?", "and what about large parcels?", "costs you nothing"),
]


@pytest.fixture(scope="module")
def talk() -> Talk:
    return Talk(model_with(in_shop_documents), SPECS, BOOKS)


async def asks(talk: Talk, question: str) -> Reply:
    """What comes of it; a search finds what it finds."""
    said = await talk.says(question)
    if isinstance(said, str) or said[-1][0] != "search_documents":
        return said
    talk.messages[-1] = FromTools((await _found(talk.messages[-1]),))
    return said


async def _found(message: object) -> CallSucceeded:
    assert isinstance(message, FromTools)
    call = message.outcomes[-1].call
    found: Json = await what_is_found(str(call.arguments["question"]))
    return CallSucceeded(call=call, value=found)


def begun(talk: Talk) -> Talk:
    return Talk(talk.model, talk.specs, talk.results)


@pytest.mark.slow
async def test_most_follow_ups_are_answered_from_the_documents_too(talk: Talk) -> None:
    missed: list[str] = []
    for first, then, told in PAIRS:
        ana = begun(talk)
        await asks(ana, first)
        await ana.narrates()
        said = await asks(ana, then)
        if isinstance(said, str) or told not in await ana.narrates():
            missed.append(then)
    print(f"\nmissed {missed}")

    assert len(PAIRS) == 10
    assert len(missed) <= 2, missed


async def test_the_first_question_is_the_topic_of_all_follow_ups(talk: Talk) -> None:
    ana = begun(talk)
    await asks(ana, VOUCHERS)
    await ana.narrates()
    await asks(ana, "and in the shop?")
    await ana.narrates()

    assert await asks(ana, "what about two of them?") == [
        ("search_documents", {"question": f"{VOUCHERS} what about two of them?"})
    ]


@check_rows(
    ("message", "calls"),
    [
        ("and where is my order?", ["get_order_status"]),
        ("and when are you open on Friday?", ["get_opening_hours"]),
        ("and order 10455?", ["get_order_status"]),
        ("and my appointments?", ["list_upcoming_appointments"]),
        ("and cancel my appointment on Tuesday", ["list_upcoming_appointments", "cancel_appointment"]),
        ("and thank you", []),
        ("and never mind, forget about it", []),
        ("what about it when the weather is bad and nobody at all is at home?", []),
    ],
)
async def test_a_different_request_is_not_a_follow_up(talk: Talk, message: str, calls: list[str]) -> None:
    ana = begun(talk)
    await asks(ana, VOUCHERS)
    await ana.narrates()

    said = await asks(ana, message)
    assert ([] if isinstance(said, str) else [name for name, _ in said]) in (calls, calls[-1:])


async def test_a_follow_up_counts_only_right_after_a_search(talk: Talk) -> None:
    ana = begun(talk)
    await asks(ana, VOUCHERS)
    await ana.narrates()
    await asks(ana, "Thanks!")

    assert isinstance(await asks(ana, "and in the shop?"), str)
