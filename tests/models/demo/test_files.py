"""Files that customers send: the embedded model reads the message, and searches the files for the answer."""

import pytest

from assistant.conversation.documents import Attached
from assistant.conversation.views import with_files
from tests.models.demo.conftest import BOOKS, Talk
from tests.models.demo.test_documents import SPECS, model_with

FILE = (Attached(ref="document:7", name="insurance.txt"),)
PASSAGE = {"text": "The insurance pays 80 euros.", "place": "", "source": "insurance.txt"}


@pytest.fixture
def talk() -> Talk:
    return Talk(model_with(None), SPECS, {**BOOKS, "search_documents": [PASSAGE]})


@pytest.mark.parametrize(
    "question", ["How much does the insurance pay towards new glasses?", "What is the number of my policy?"]
)
async def test_a_question_with_a_file_is_searched_in_it(talk: Talk, question: str) -> None:
    assert await talk.says(with_files(question, FILE)) == [("search_documents", {"question": question})]
    assert await talk.narrates() == "The insurance pays 80 euros."


async def test_a_file_alone_is_answered_with_possible_questions(talk: Talk) -> None:
    said = await talk.says(with_files("", FILE))

    assert isinstance(said, str)
    assert said.startswith("OfflineHelp((")
    assert said.endswith("; ; False)?")  # not "I'm sorry, that is not something I can help with"


async def test_a_follow_up_question_is_searched_in_the_same_document(talk: Talk) -> None:
    await talk.says(with_files("", FILE))

    question = "What is the number of my policy?"
    assert await talk.says(question) == [("search_documents", {"question": question})]
    assert await talk.says("Where is my order?") == [("get_order_status", {})]


async def much_later(talk: Talk) -> None:
    await talk.says(with_files("", FILE))
    for _ in range(3):
        await talk.says("Hello")


@pytest.mark.parametrize(
    "question",
    [
        "What is the number of my policy?",  # nothing else is for that
        "how much does the policy pay for a new frame",
        "When is my payment due in the letter I sent?",  # a tool would be
    ],
)
async def test_a_much_later_question_is_searched_in_it(talk: Talk, question: str) -> None:
    await much_later(talk)

    assert await talk.says(question) == [("search_documents", {"question": question})]


async def test_a_much_later_statement_is_not_searched(talk: Talk) -> None:
    await much_later(talk)

    assert isinstance(await talk.says("I like the weather in Lisbon"), str)


async def test_a_request_for_a_tool_stays_the_tools_much_later(talk: Talk) -> None:
    await much_later(talk)

    assert await talk.says("When is my payment due?") == [("get_open_invoices", {})]
    said = await talk.says("Cancel the appointment on Tuesday that is in the letter")
    assert isinstance(said, str) or "search_documents" not in [name for name, _ in said]


async def test_no_side_effect_is_replaced_by_a_file_search(talk: Talk) -> None:
    said = await talk.says(with_files("Cancel my appointment on Tuesday", FILE))

    assert isinstance(said, str) or "search_documents" not in [name for name, _ in said]


async def test_without_a_file_nothing_is_searched(talk: Talk) -> None:
    assert isinstance(await talk.says("What is the number of my policy?"), str)
