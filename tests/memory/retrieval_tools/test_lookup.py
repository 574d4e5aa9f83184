"""The two tools that search and load documents: their declarations, arguments and results."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import cast

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentKind, Finding, Passage
from assistant.conversation.values import Json, JsonObject
from assistant.errors import BadArguments, DeclarationError, ToolError
from assistant.memory.retrieval_tools import (
    EXCERPT_CHARACTERS,
    SCORE_THRESHOLD,
    LoadInFull,
    SearchDocuments,
    above_threshold,
    with_retrieval_tools,
)
from assistant.prompts.book import shipped_book
from assistant.testing.chat import ANA
from assistant.testing.fake_tool import FakeTool, Gives, fake_spec
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool, ToolContext
from tests.support.library import FakeLibrary

BEN = Customer(tenant=ANA.tenant, id="ben", level="verified")


def document(
    ref: str, text: str, *, customer: str = ALL_CUSTOMERS, kind: DocumentKind = "knowledge"
) -> Document:
    return Document(
        ref=ref, tenant=ANA.tenant, customer=customer, kind=kind, title="Returns policy", text=text
    )


RETURNS = document("document:r", "You can send it back within 30 days.\n\nFrames go to the shop.")


class Silent:
    def info(self, event: str, /, **facts: object) -> None: ...

    def warning(self, event: str, /, **facts: object) -> None: ...


CONTEXT = ToolContext(
    key="c/t1/c1.1", call_id="c1.1", now=datetime(2026, 11, 23, 9, tzinfo=UTC), log=Silent()
)


async def run(tool: Tool, arguments: JsonObject, customer: Customer = ANA) -> object:
    result = await tool.run(tool.validate(arguments), customer=customer, context=CONTEXT)
    return result.value


def test_their_texts_come_from_the_prompts() -> None:
    tools = with_retrieval_tools(Tools(), shipped_book(), FakeLibrary())

    assert [(spec.name, spec.role, spec.effect, spec.requires) for spec in tools.specs] == [
        ("load_in_full", "loads", "read", "anonymous"),
        ("search_documents", "searches", "read", "anonymous"),
    ]
    load, search = tools.specs
    assert search.hints["en"].doing == "searching our documents"
    assert search.hints["de"].doing == "in unseren Unterlagen nachsehen"
    assert set(search.hints) == set(shipped_book().locales)
    assert load.hints["de"].will == "lese das im Ganzen"
    assert search.description.startswith("Search by meaning")
    assert f"{EXCERPT_CHARACTERS} characters" in load.description
    assert "by the source's name" in search.instructions == load.instructions
    assert set(search.narrations) == set(load.narrations) == set(shipped_book().locales) - {"en"}


async def test_a_search_returns_passages_with_their_source() -> None:
    library = FakeLibrary(RETURNS)

    found = await run(SearchDocuments(shipped_book(), library), {"question": " Can I send it back? "})

    assert found == [
        {
            "source": "Returns policy",
            "place": "",
            "text": "You can send it back within 30 days.",
            "kind": "knowledge",
            "score": 1.0,
            "ref": "document:r",
        }
    ]
    assert library.searched == [(ANA.tenant, ANA.id, "Can I send it back?")]


@pytest.mark.parametrize(
    ("place", "shown"), [("Returns policy, Lenses", "Lenses"), ("Returns policy", ""), ("page 3", "page 3")]
)
async def test_a_place_does_not_repeat_the_source(place: str, shown: str) -> None:
    class OnePassage(FakeLibrary):
        async def search(self, tenant: str, customer: str, question: str, *, limit: int = 5) -> list[Finding]:
            (found,) = await super().search(tenant, customer, question, limit=limit)
            return [replace(found, passage=replace(found.passage, place=place))]

    (passage,) = cast(
        "list[dict[str, Json]]",
        await run(SearchDocuments(shipped_book(), OnePassage(RETURNS)), {"question": "send back"}),
    )

    assert passage["place"] == shown


async def test_a_search_without_similar_passages_is_empty() -> None:
    assert (
        await run(SearchDocuments(shipped_book(), FakeLibrary(RETURNS)), {"question": "Do you sell fish?"})
        == []
    )


async def test_no_one_finds_or_loads_what_another_customer_uploaded() -> None:
    library = FakeLibrary(document("document:b", "Blood pressure 120.", customer="ben", kind="upload"))
    search, load = SearchDocuments(shipped_book(), library), LoadInFull(shipped_book(), library)

    assert await run(search, {"question": "blood pressure"}) == []
    assert await run(search, {"question": "blood pressure"}, BEN) != []
    with pytest.raises(ToolError) as hers:
        await run(load, {"ref": "document:b"})
    with pytest.raises(ToolError) as nobodys:
        await run(load, {"ref": "document:c"})
    assert (hers.value.say, hers.value.for_model.replace("document:b", "document:c")) == (
        nobodys.value.say,
        nobodys.value.for_model,
    )


async def test_a_customer_who_is_identified_still_finds_their_uploads() -> None:
    library = FakeLibrary(document("document:v", "Blood pressure 120.", customer="visitor-1", kind="upload"))
    now_known = replace(CONTEXT, visitor="visitor-1")

    for tool, arguments in (
        (SearchDocuments(shipped_book(), library), {"question": "blood pressure"}),
        (LoadInFull(shipped_book(), library), {"ref": "document:v"}),
    ):
        assert (await tool.run(tool.validate(arguments), customer=ANA, context=now_known)).value


def test_a_search_takes_one_question() -> None:
    search = SearchDocuments(shipped_book(), FakeLibrary())

    assert search.validate({"question": "a" * 9000}) == {"question": "a" * 2000}
    for wrong in ({}, {"question": " "}, {"question": 7}):
        with pytest.raises(BadArguments, match="is no question; write it out"):
            search.validate(wrong)
    with pytest.raises(BadArguments, match="limit: not a parameter"):
        search.validate({"question": "why", "limit": 3})


def test_loading_takes_a_reference_and_a_position() -> None:
    load = LoadInFull(shipped_book(), FakeLibrary())

    assert load.validate({"ref": " document:r "}) == {"ref": "document:r", "start": 0}
    assert load.validate({"ref": "document:r", "start": None}) == {"ref": "document:r", "start": 0}
    for wrong, what in (
        ({}, "None is no reference"),
        ({"ref": "r", "start": -1}, "-1 is no place"),
        ({"ref": "r", "start": "1"}, "'1' is no place"),
        ({"ref": "r", "page": 1}, "page: not a parameter"),
    ):
        with pytest.raises(BadArguments, match=what):
            load.validate(wrong)


async def test_a_long_text_comes_in_consecutive_pieces() -> None:
    text = " ".join(f"word{number}" for number in range(3000))
    load = LoadInFull(shipped_book(), FakeLibrary(document("document:l", text)))

    pieces: list[str] = []
    start: Json = 0
    while start is not None:
        value = cast("dict[str, Json]", await run(load, {"ref": "document:l", "start": start}))
        assert value["of"] == len(text)
        pieces.append(str(value["text"]))
        start = value.get("next")

    assert "".join(pieces) == text
    assert len(pieces) == 3
    assert max(map(len, pieces)) <= EXCERPT_CHARACTERS
    assert all(piece.endswith(" ") for piece in pieces[:-1])


async def test_a_text_without_spaces_is_cut_at_any_position() -> None:
    load = LoadInFull(shipped_book(), FakeLibrary(document("document:l", "x" * (EXCERPT_CHARACTERS + 5))))

    first = await run(load, {"ref": "document:l"})
    past = await run(load, {"ref": "document:l", "start": EXCERPT_CHARACTERS + 50})

    assert isinstance(first, dict)
    assert first["next"] == EXCERPT_CHARACTERS
    assert past == {
        "source": "Returns policy",
        "ref": "document:l",
        "text": "",
        "start": EXCERPT_CHARACTERS + 50,
        "of": EXCERPT_CHARACTERS + 5,
    }


async def test_a_result_that_fits_is_returned_as_data() -> None:
    ref = "result:c/t1/c1.1"
    small, large = [{"number": 4711}], [{"number": number} for number in range(2000)]

    for value, known in ((small, "value"), (large, "text")):
        result = document(ref, json.dumps(value), customer=ANA.id, kind="result")
        given = await run(LoadInFull(shipped_book(), FakeLibrary(result)), {"ref": ref})
        assert isinstance(given, dict)
        assert known in given
    words = document(ref, "no JSON", customer=ANA.id, kind="result")
    given = await run(LoadInFull(shipped_book(), FakeLibrary(words)), {"ref": ref})

    assert given == {"source": "Returns policy", "ref": ref, "text": "no JSON", "start": 0, "of": 7}


def test_passages_far_from_the_question_or_the_best_one_are_left_out() -> None:
    def scored(*scores: float) -> list[Finding]:
        passage = Passage(number=0, start=0, end=1, text="x")
        return [Finding(ref="r", kind="knowledge", title="t", passage=passage, score=one) for one in scores]

    assert [one.score for one in above_threshold(scored(0.9, 0.7, 0.6, 0.1))] == [0.9, 0.7]
    assert above_threshold(scored(SCORE_THRESHOLD - 0.01)) == []
    assert [one.score for one in above_threshold(scored(SCORE_THRESHOLD))] == [SCORE_THRESHOLD]


async def test_another_tool_with_the_name_of_one_of_them_stops_the_start() -> None:
    tools = with_retrieval_tools(Tools(), shipped_book(), FakeLibrary())

    again = with_retrieval_tools(tools, shipped_book(), FakeLibrary(RETURNS))

    assert len(again) == 2
    assert await run(again.get("search_documents"), {"question": "send back"})
    for name in ("search_documents", "load_in_full"):
        taken = FakeTool(fake_spec(name, "asking around", "ask around"), Gives("x"), VirtualClock())
        with pytest.raises(DeclarationError, match=name):
            with_retrieval_tools(Tools([taken]), shipped_book(), FakeLibrary())


async def test_reading_documents_needs_no_confirmation() -> None:
    for tool in with_retrieval_tools(Tools(), shipped_book(), FakeLibrary()):
        assert await tool.read_back({}, customer=ANA, book=shipped_book()) is None
