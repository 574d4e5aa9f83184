"""One value of an earlier result is told without a lookup if it is asked for; otherwise that thing alone is
told.
"""

import pytest

from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.snapshots import as_remembered, snapshot_of
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromTools
from assistant.formats.tools import LOAD_IN_FULL
from assistant.models.demo.decision import Recall
from assistant.models.demo.model import prompt_for
from assistant.models.demo.recall import asked_in, fields_of, may_change, name_of
from assistant.prompts.book import shipped_book
from assistant.prompts.utterances import OfflineRemembered
from tests.models.demo.conftest import OpenTalk, Reply, Talk, offline_model
from tests.models.demo.score import demo_specs
from tests.support.rows import check_rows

BILLS: Json = {
    "balance": "150.00",
    "invoices": [
        {"number": 2031, "amount": "120.00", "due": "2026-12-02", "subject": "sunglasses"},
        {"number": 2057, "amount": "30.00", "due": "2026-12-12", "subject": "contact lenses"},
    ],
}
BILLING: Reply = [("get_open_invoices", {})]
ORDER = "get_order_status"
REF = "result:c-1/t1/c1.1"


def remembered(number: int, *values: str, name: str = "", past: bool = False) -> str:
    """How it is told: the number of the thing, 0 for none, and the values."""
    told = ", ".join(values)
    return f"OfflineRemembered({number}; {name}; ({told}{',' * (len(values) == 1)}); {past})?"


AMOUNT = "('amount', '30.00', 'amount')"
DUE = "('due', '2026-12-02', 'moment')"


async def after(talk: Talk, question: str, *more: str) -> Reply:
    """What comes of the last of these messages; look-ups are told in between."""
    said = await talk.says(question)
    for text in more:
        if not isinstance(said, str):
            await talk.narrates()
        said = await talk.says(text)
    return said


@pytest.fixture
def owing(shop: OpenTalk) -> Talk:
    return shop({"get_open_invoices": BILLS})


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "what was the amount of the second one?",
            remembered(2, AMOUNT, name="contact lenses", past=True),
        ),
        ("How much is the last one?", remembered(2, AMOUNT, name="contact lenses")),
        ("and when is the first one due?", remembered(1, DUE, name="sunglasses")),
        ("when is invoice 2031 due?", remembered(0, DUE, name="sunglasses")),
        (
            "How much was the one for the sunglasses?",
            remembered(0, "('amount', '120.00', 'amount')", name="sunglasses", past=True),
        ),
        ("what was the first one called?", remembered(1, "('subject', 'sunglasses', 'name')", past=True)),
        (
            "what was the number of the first one?",
            remembered(1, "('number', '2031', 'other')", name="sunglasses", past=True),
        ),
    ],
)
async def test_a_value_of_one_thing_is_told_without_a_lookup(owing: Talk, question: str, told: str) -> None:
    assert await after(owing, "what are my open invoices?", question) == told


async def test_the_same_question_works_for_the_next_thing(owing: Talk) -> None:
    await after(owing, "what are my open invoices?", "how much was the second one?")

    assert await owing.says("and when is it due?") == remembered(
        0, "('due', '2026-12-12', 'moment')", name="contact lenses"
    )
    assert await owing.says("and the first one?") == remembered(1, DUE, name="sunglasses")


@pytest.mark.parametrize(
    "question",
    [
        "what about the second one?",
        "how much is the second one now?",
        "has the amount of the second one changed?",
        "when is the fifth one due?",
        "and where is the second one?",
        "how much do I owe?",
    ],
)
async def test_a_changeable_or_unclear_value_is_looked_up(owing: Talk, question: str) -> None:
    assert await after(owing, "what are my open invoices?", question) == BILLING


async def test_a_repeated_lookup_for_one_thing_tells_only_that_thing(owing: Talk) -> None:
    await after(owing, "what are my open invoices?", "what about the second one?")
    everything = ("('number', '2057', 'other')", AMOUNT, "('due', '2026-12-12', 'moment')")

    assert await owing.narrates() == remembered(2, *everything, name="contact lenses")


async def test_a_position_in_another_list_means_nothing_in_this_one(owing: Talk) -> None:
    said = await owing.says("Cancel the second appointment, and how much do I owe?")
    assert said == [("list_upcoming_appointments", {}), ("get_open_invoices", {})]

    assert "OfflineRemembered" not in await owing.narrates(may_call=False)


async def test_after_two_results_the_second_one_is_ambiguous(owing: Talk) -> None:
    said = await after(owing, "where are my orders and what do I owe?", "how much was the second one?")

    assert "OfflineRemembered" not in str(said)


async def test_after_a_change_it_is_looked_up_again(owing: Talk) -> None:
    await after(owing, "what are my open invoices?", "cancel order 10455")

    assert "OfflineRemembered" not in str(await owing.says("how much was the second one?"))


async def test_an_order_has_priority(owing: Talk) -> None:
    said = await after(owing, "what are my open invoices?", "book a visit for when the second one is due")

    assert str(said).startswith("OfflineAsk(")


async def test_a_refusal_asks_for_nothing(owing: Talk) -> None:
    said = await after(owing, "what are my open invoices?", "no, not the amount of the second one")

    assert "OfflineRemembered" not in str(said)


async def test_a_state_is_told_only_as_a_past_one(shop: OpenTalk) -> None:
    ana = shop()
    await after(ana, "where are my orders?", "what was the status of the second one?")

    status = "('status', 'processing', 'state')"
    assert await ana.says("what was the status of the second one?") == remembered(
        2, status, name="sunglasses", past=True
    )
    assert await ana.says("what is the status of the second one?") == [(ORDER, {"order_number": "10455"})]


async def test_the_second_one_means_the_list_even_after_a_lookup_of_one(shop: OpenTalk) -> None:
    ana = shop()
    await after(ana, "where are my orders?", "what about the second one?")
    await ana.narrates()

    assert await ana.says("what was the last one called?") == remembered(
        1, "('product', 'monthly contact lenses', 'name')", past=True
    )


async def test_the_last_of_a_list_that_is_sorted_newest_first_is_the_newest(shop: OpenTalk) -> None:
    for which in ("last", "latest", "newest"):
        ana = shop()
        await after(ana, "where are my orders?")

        assert "monthly contact lenses" in await ana.says(f"what was the {which} one called?"), which


LOADS = ToolSpec(
    name=LOAD_IN_FULL,
    description="Load a document or an earlier result in full.",
    parameters={"type": "object", "properties": {"ref": {"type": "string"}}, "required": ["ref"]},
    role="loads",
)


async def test_a_thing_that_was_cut_out_is_loaded_and_told_alone() -> None:
    many: Json = {
        "balance": "9000.00",
        "invoices": [
            {
                "number": 2000 + n,
                "amount": f"{n}.50",
                "due": "2026-12-02",
                "subject": f"repair {n}",
                "note": "a word " * 60,
            }
            for n in range(1, 121)
        ],
    }
    specs = (*demo_specs().values(), LOADS)
    loaded: Json = {"source": "get_open_invoices", "ref": REF, "value": many}
    ana = Talk(offline_model(specs=specs), specs, {"get_open_invoices": many, LOAD_IN_FULL: loaded})
    await ana.says("what are my open invoices?")
    await ana.narrates()
    for place, message in enumerate(ana.messages):
        if isinstance(message, FromTools):
            (whole,) = message.outcomes
            assert isinstance(whole, CallSucceeded)
            ana.messages[place] = FromTools((as_remembered(whole, snapshot_of(whole, "c-1", "t1")),))

    assert await ana.says("what was the amount of the second one?") == remembered(
        2, "('amount', '2.50', 'amount')", name="repair 2", past=True
    )
    assert await ana.says("what was the amount of the eighth one?") == [(LOAD_IN_FULL, {"ref": REF})]
    assert await ana.narrates() == remembered(8, "('amount', '8.50', 'amount')", name="repair 8")


def test_fields_are_told_by_their_kind_of_content() -> None:
    thing: Json = {
        "price": "12 or so",
        "net_total": 3.5,
        "open": True,
        "lines": [1],
        "starts": "2026-12-01T10:30",
        "title": "",
        "note": "a word " * 20,
    }

    assert [(one.key, one.value, one.kind) for one in fields_of(thing)] == [
        ("price", "12 or so", "other"),
        ("net_total", "3.5", "amount"),
        ("starts", "2026-12-01T10:30", "moment"),
    ]
    assert name_of(thing) is None
    assert [one.value for one in fields_of({"amount": "3.50", "currency": "CHF"})] == ["3.50 CHF"]


@check_rows(
    ("text", "keys"),
    [
        ("how much was it?", ("total",)),
        ("where was it?", ("branch",)),
        ("what time was it?", ("starts",)),
        ("what was it for?", ("name",)),
        ("what was the status and the total?", ("status", "total")),
        ("was it nice?", ()),
    ],
)
def test_a_question_names_a_field_or_its_kind(text: str, keys: tuple[str, ...]) -> None:
    visit: Json = {
        "status": "confirmed",
        "starts": "2026-12-01T10:30",
        "name": "eye test",
        "title": "eye test",
        "branch": "harbour",
        "total": 12,
    }

    assert asked_in(text, visit) == keys
    assert may_change(visit, keys) == ("status" in keys)


@check_rows(
    ("recall", "said"),
    [
        (
            Recall({"amount": "30.00", "subject": "repair"}, ("amount",), 2, past=True),
            "The second one (repair) was $30.",
        ),
        (
            Recall({"due": "2026-12-02", "amount": 9}, ("due",), 61),
            "The 61st one is due on Wednesday, December 2.",
        ),
        (
            Recall({"starts": "2026-12-01T10:30"}, ("starts",), 12),
            "The 12th one starts on Tuesday, December 1 at 10:30 am.",
        ),
        (Recall({"subject": "repair"}, (), 0), "That one is for repair."),
        (
            Recall({"product": "sunglasses", "number": 7}, ("product",), 1, past=True),
            "The first one was sunglasses.",
        ),
        (
            Recall({"product": "sunglasses", "status": "shipped"}, ("status",), 1, past=True),
            "The first one (sunglasses) had the status shipped when I looked.",
        ),
        (
            Recall({"status": "shipped", "arrives": "2026-12-01", "delivered": "2026-12-02"}, (), 3),
            "The third one has the status shipped, arrives on Tuesday, December 1"
            " and is delivered on Wednesday, December 2.",
        ),
        (
            Recall({"branch": "harbour", "seat_no": 4}, (), 1, past=True),
            "The first one had the branch harbour and had the seat no 4.",
        ),
    ],
)
def test_the_answer_is_one_short_sentence(recall: Recall, said: str) -> None:
    prompt = prompt_for(recall, ())

    assert isinstance(prompt, OfflineRemembered)
    assert shipped_book().render(prompt) == said


async def test_a_thing_without_name_price_or_date_uses_the_narration() -> None:
    hours: Json = {
        "hours": [
            {"first": "Monday", "last": "Friday", "opens": "09:00", "closes": "18:00"},
            {"first": "Saturday", "last": "Saturday", "opens": "10:00", "closes": "16:00"},
        ],
        "closed": ["Sunday"],
        "day": None,
    }
    talk = Talk(offline_model(), tuple(demo_specs().values()), {"get_opening_hours": hours})
    assert await talk.says("When are you open?") == [("get_opening_hours", {})]
    await talk.narrates()
    assert await talk.says("and the second one?") == [("get_opening_hours", {})]
    assert "OfflineRemembered" not in await talk.narrates()
