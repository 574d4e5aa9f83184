"""How well the embedded model distinguishes questions that the company's documents answer from others."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from assistant.clock import SystemClock
from assistant.conversation.documents import Finding
from assistant.conversation.outcomes import CallEmpty, CallStatus, CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.errors import StoreError
from assistant.models.demo.model import DemoModel
from assistant.models.demo.nearness import Passages
from tests.models.demo.conftest import BOOKS, SATURDAY, OpenTalk, Talk, shown
from tests.models.demo.kept_embeddings import kept_embed
from tests.models.demo.score import HERE, demo_specs, load
from tests.models.demo.shop_documents import in_shop_documents

ANSWERED = (HERE / "in_documents.txt").read_text(encoding="utf-8").splitlines()
NOT_ANSWERED = (HERE / "not_in_documents.txt").read_text(encoding="utf-8").splitlines()

TEXT: Json = {"type": "string"}
SEARCH = ToolSpec(
    name="search_documents",
    description="Search.",
    parameters={"type": "object", "properties": {"question": TEXT}, "required": ["question"]},
    role="searches",
)
LOAD = ToolSpec(
    name="load_in_full",
    description="Load a document in full.",
    parameters={"type": "object", "properties": {"ref": TEXT}, "required": ["ref"]},
    role="loads",
)
PERSON = ToolSpec(
    name="fetch_somebody",
    description="Get a person.",
    parameters={"type": "object", "properties": {"reason": TEXT}, "required": []},
    role="hands_over",
)
SPECS = (*demo_specs().values(), SEARCH, LOAD)


def quoting(outcomes: Sequence[CallStatus]) -> str:
    """What a search is told with: its first passage."""
    return " ".join(_quote(one.value) for one in outcomes if isinstance(one, CallSucceeded | CallEmpty))


def _quote(value: Json) -> str:
    first = value[0] if isinstance(value, list | tuple) and value else value
    return str(first["text"] if isinstance(first, Mapping) and "text" in first else first)


def model_with(passages: Passages | None, *more: ToolSpec) -> DemoModel:
    specs = (*SPECS, *more)
    clock = SystemClock(start=SATURDAY)
    return DemoModel(specs, shown, quoting, clock, None, kept_embed, None, passages)


async def what_is_found(question: str) -> list[Json]:
    return [
        {"text": one.passage.text, "place": one.passage.place, "source": one.title}
        for one in await in_shop_documents(question)
    ]


@pytest.fixture(scope="module")
def well_read() -> Talk:
    return Talk(model_with(in_shop_documents), SPECS, BOOKS)


async def calls_of(talk: Talk, message: str) -> list[str]:
    said = await replace(talk, messages=[]).says(message)
    return [name for name, _ in said] if isinstance(said, list) else []


async def test_most_questions_that_documents_answer_are_searched(well_read: Talk) -> None:
    searched = [one for one in ANSWERED if await calls_of(well_read, one) == ["search_documents"]]
    print(f"\nsearched for {len(searched)} of {len(ANSWERED)}")

    assert len(ANSWERED) == 30
    assert len(searched) >= 25


async def test_few_other_questions_are_searched(well_read: Talk) -> None:
    searched = [one for one in NOT_ANSWERED if "search_documents" in await calls_of(well_read, one)]
    print(f"\nsearched for {len(searched)} of {len(NOT_ANSWERED)}: {searched}")

    assert len(NOT_ANSWERED) == 30
    assert len(searched) <= 1, searched


@pytest.mark.slow
@pytest.mark.parametrize("file", ["dev.jsonl", "heldout.jsonl"])
async def test_no_request_is_taken_from_a_tool(well_read: Talk, shop: OpenTalk, file: str) -> None:
    asked = [request["text"] for request in load(file) if request["calls"]]
    taken = [one for one in asked if await calls_of(well_read, one) != await calls_of(shop(), one)]

    assert taken == []


async def test_no_example_of_a_tool_is_taken_from_it(well_read: Talk) -> None:
    examples = [example for spec in demo_specs().values() for example in spec.examples]
    taken = [one for one in examples if "search_documents" in await calls_of(well_read, one)]

    assert len(examples) > 100
    assert taken == []


async def test_the_answer_has_the_nearest_sentences() -> None:
    question = "Can I send this back after three weeks?"
    talk = Talk(model_with(in_shop_documents), SPECS, {"search_documents": await what_is_found(question)})

    assert await talk.says(question) == [("search_documents", {"question": question})]
    assert await talk.narrates() == (
        "You can send back anything you bought from us within 30 days of its delivery, without giving a reason. "
        "After three weeks you are still in time; after 30 days you are not, unless something is broken."
    )


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How long is the warranty?", "Frames have a warranty of two years"),
        ("How much is shipping?", "Standard delivery is free for orders of $50 and more"),
    ],
)
async def test_the_answer_has_the_kind_of_value_that_was_asked_for(question: str, told: str) -> None:
    talk = Talk(model_with(in_shop_documents), SPECS, {"search_documents": await what_is_found(question)})
    await talk.says(question)

    assert told in await talk.narrates()


async def test_one_part_of_a_message_can_need_a_tool_and_another_the_documents(well_read: Talk) -> None:
    said = await replace(well_read, messages=[]).says("Where is my order, and how long are vouchers valid?")

    assert said == [
        ("get_order_status", {}),
        ("search_documents", {"question": "how long are vouchers valid"}),
    ]


async def test_nothing_is_searched_without_documents() -> None:
    without_documents = Talk(model_with(None), SPECS, {})
    without_the_tool = Talk(model_with(in_shop_documents), tuple(demo_specs().values()), {})

    for talk in (without_documents, without_the_tool):
        assert str(await talk.says("How long are vouchers valid?")).startswith("OfflineHelp(")


async def test_unreadable_documents_count_as_none() -> None:
    async def fails(question: str) -> Sequence[Finding]:
        raise StoreError(f"no answer for {question!r}")

    talk = Talk(model_with(fails), SPECS, {})

    assert str(await talk.says("How long are vouchers valid?")).startswith("OfflineHelp(")


async def test_a_yes_after_an_answer_from_documents_calls_no_agent() -> None:
    question = "How long are vouchers valid?"
    results = {"search_documents": await what_is_found(question)}
    talk = Talk(model_with(in_shop_documents, PERSON), (*SPECS, PERSON), results)

    await talk.says(question)
    await talk.narrates()

    assert isinstance(await talk.says("yes"), str)


async def test_an_edited_document_counts_for_the_next_question() -> None:
    found: list[Finding] = []

    async def now_found(question: str) -> Sequence[Finding]:
        return found

    model = model_with(now_found)
    question = "How long are vouchers valid?"
    assert str(await Talk(model, SPECS, {}).says(question)).startswith("OfflineHelp(")
    found += await in_shop_documents(question)

    assert await Talk(model, SPECS, {}).says(question) == [("search_documents", {"question": question})]


@pytest.mark.parametrize("value", ["no list", [], ["no passage"], [{"text": ""}], [{"source": "x"}]])
async def test_a_result_without_passages_is_told_unchanged(value: Json) -> None:
    talk = Talk(model_with(in_shop_documents), SPECS, {"search_documents": value})
    await talk.says("How long are vouchers valid?")

    assert await talk.narrates() == _quote(value)
