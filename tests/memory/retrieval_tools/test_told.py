"""The answers about documents if no model words them."""

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallSucceeded
from assistant.conversation.values import Json
from assistant.memory.retrieval_tools import with_retrieval_tools
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.tools.registry import Tools
from tests.support.library import FakeLibrary

BOOK = shipped_book()
SPECS = {spec.name: spec for spec in with_retrieval_tools(Tools(), BOOK, FakeLibrary()).specs}
PASSAGE: dict[str, Json] = {
    "source": "Returns policy",
    "place": "How long you have",
    "text": "You have\n30 days.",
    "kind": "knowledge",
}


def told(tool: str, value: Json, locale: str = "en") -> str:
    call = Call(id="c1.1", tool=tool, arguments={})
    outcome = CallSucceeded(call=call, value=value) if value else CallEmpty(call=call, value=value)
    return Narration(BOOK).narrate_outcomes([outcome], SPECS, locale)


def test_a_passage_is_told_with_its_source() -> None:
    assert (
        told("search_documents", [PASSAGE])
        == "It says in our “Returns policy” (How long you have): “You have 30 days.”"
    )
    assert (
        told("search_documents", [PASSAGE], "de-AT")
        == "In unserem Dokument „Returns policy“ (How long you have) steht: „You have 30 days.“"
    )


def test_a_passage_without_a_place_is_told_with_its_title() -> None:
    assert told("search_documents", [{**PASSAGE, "place": ""}]).startswith(
        "It says in our “Returns policy”: “"
    )


def test_an_uploaded_file_is_called_the_customers() -> None:
    mine: dict[str, Json] = {**PASSAGE, "source": "scan.pdf", "place": "page 3", "kind": "upload"}

    assert told("search_documents", [mine]) == "It says in your “scan.pdf” (page 3): “You have 30 days.”"
    assert (
        told("search_documents", [mine], "de")
        == "In Ihrem Dokument „scan.pdf“ (page 3) steht: „You have 30 days.“"
    )


def test_an_earlier_result_is_not_called_one_of_our_pages() -> None:
    earlier: dict[str, Json] = {**PASSAGE, "kind": "result"}

    assert told("search_documents", [earlier]) == "Earlier I found this: “You have 30 days.”"
    assert (
        told("search_documents", [earlier], "de") == "Vorhin habe ich Folgendes gefunden: „You have 30 days.“"
    )


def test_an_empty_search_is_told() -> None:
    assert told("search_documents", []) == "I found nothing about that in our documents."
    assert told("search_documents", [], "de") == "Dazu habe ich in unseren Unterlagen nichts gefunden."


def test_only_the_beginning_of_a_long_text_is_told() -> None:
    said = told(
        "load_in_full", {"source": "Terms", "ref": "r", "text": "word " * 500, "start": 0, "of": 2500}
    )

    assert said.startswith("It says in “Terms”: “word word")
    assert said.endswith(" …”")
    assert len(said) < 450


def test_a_loaded_result_is_told_in_words() -> None:
    value: Json = {
        "source": "get_open_invoices",
        "ref": "r",
        "value": [{"number": "4711", "due": "2026-11-24"}],
    }

    assert told("load_in_full", value) == (
        "It says in “get_open_invoices”: “number 4711, due Tuesday, November 24”"
    )
    assert told("load_in_full", value, "de").startswith("In „get_open_invoices“ steht: „number 4711")
