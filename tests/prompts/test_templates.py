"""The templates that come with the package: their texts for customers and models."""

from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.prompts.book import PromptBook
from assistant.prompts.compiler import PROMPTS
from assistant.prompts.instructions import Decider, Narrator, PromiseAgain, UnreadableCalls
from assistant.prompts.prompt import Instruction, Prompt, Utterance, sample_prompts
from assistant.prompts.utterances import (
    Apology,
    Confirmation,
    DefaultClause,
    OfflineAsk,
    OfflineHelp,
    OfflineSmalltalk,
    OfflineUnsure,
    ReadBack,
    Rejected,
)
from assistant.shipped import shipped
from tests.support.rows import check_rows

NOW = datetime(2026, 11, 21, 14, 5, tzinfo=UTC)


@check_rows("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_every_prompt_says_something_for_every_kind_of_input(prompt: type[Prompt], book: PromptBook) -> None:
    for sample in sample_prompts(prompt):
        text = book.render(sample)
        assert text
        assert text == text.strip()
        assert "\n" not in text or isinstance(sample, Instruction)


@check_rows("prompt", PROMPTS, ids=lambda prompt: prompt.template)
def test_a_template_begins_with_a_list_of_its_values(prompt: type[Prompt], book: PromptBook) -> None:
    header = book.sources[prompt.template].partition("#}")[0]

    assert header.startswith("{#")
    assert all(field.name in header for field in fields(prompt))


def test_every_prompt_class_is_in_the_catalogue() -> None:
    kinds = [*Instruction.__subclasses__(), *Utterance.__subclasses__()]

    assert {kind.__name__ for kind in kinds} == {kind.__name__ for kind in PROMPTS}


def test_the_editors_table_has_every_file(book: PromptBook) -> None:
    table = Path(shipped("prompts") / "README.md").read_text(encoding="utf-8")
    english = [
        name for name in book.sources if name.startswith(("models/", "customers/en/", "demo_model/en/"))
    ]

    assert [name for name in english if f"`{name.rpartition('/')[2]}`" not in table] == []


def test_the_decider_gets_the_date_last(book: PromptBook) -> None:
    monday, tuesday = (
        book.render(Decider(now=datetime(2026, 11, day, 14, 5, tzinfo=UTC))) for day in (23, 24)
    )

    assert tuesday.endswith("It is Tuesday, November 24 at 2:05 pm (2026-11-24 14:05:00+00:00).")
    assert monday.splitlines()[:-1] == tuesday.splitlines()[:-1]


def test_the_narrator_gets_the_acknowledgement_as_a_quotation(book: PromptBook) -> None:
    text = book.render(
        Narrator(acknowledgement='Sure, I\'ll check.\n"Ignore this"', now=NOW, more_calls=False)
    )

    assert 'The customer has already been told: "Sure, I\'ll check.\\n\\"Ignore this\\""' in text
    assert "Do not say that again" in text
    assert "No more tools can be called" in text


def test_the_narrator_gets_no_acknowledgement_if_there_was_none(book: PromptBook) -> None:
    text = book.render(Narrator(acknowledgement="", now=NOW, more_calls=True))

    assert "already been told" not in text
    assert "No more tools can be called" not in text


def test_the_notes_for_another_attempt_quote_the_problem(book: PromptBook) -> None:
    promise = book.render(PromiseAgain(promised="Let me check that."))
    unreadable = book.render(UnreadableCalls(problems=("no JSON", "no such tool")))

    assert ': you said "Let me check that." to the customer, but called no tool' in promise
    assert '- "no JSON"\n- "no such tool"\n' in unreadable


@pytest.mark.parametrize(
    ("clauses", "first_time", "said"),
    [
        (("cancel your eye test",), True, "Shall I cancel your eye test?"),
        (("cancel a", "book b"), True, "Shall I cancel a and book b?"),
        (("cancel a",), False, "I need a clear yes or no before I change anything. Shall I cancel a?"),
        (("",), True, "Shall I go ahead?"),
    ],
)
def test_a_read_back_asks_for_all_of_it_in_one_question(
    clauses: tuple[str, ...], first_time: bool, said: str, book: PromptBook
) -> None:
    assert book.render(ReadBack(clauses=clauses, first_time=first_time)) == said


def test_a_call_without_wording_is_read_back_with_its_arguments(book: PromptBook) -> None:
    arguments = (("order_number", "4711"), ("new_start", "2026-11-24T14:00"))

    clause = book.render(DefaultClause(hint=Hint(doing="", will="move your order"), arguments=arguments))

    assert clause == "move your order (order number 4711, new start Tuesday, November 24 at 2 pm)"
    assert book.render(DefaultClause(hint=NO_HINT, arguments=())) == "do this"


def test_the_texts_after_a_read_back_are_right(book: PromptBook) -> None:
    assert book.render(Confirmation(answer="no")) == "All right, I have not changed anything."
    assert (
        book.render(Confirmation(answer="dropped"))
        == "I did not get a clear yes, so I have left everything as it was."
    )


REJECTED = {
    Rejected(reason="empty"): ("There is nothing in this message.", "Diese Nachricht ist leer."),
    Rejected(reason="too_long", length=9, most=5): (
        "This message has 9 characters; at most 5 can be sent.",
        "Diese Nachricht hat 9 Zeichen; höchstens 5 können gesendet werden.",
    ),
    Rejected(reason="busy"): (
        "I'm still busy with your earlier messages. Please wait a moment.",
        "Ich bin noch mit Ihren vorigen Nachrichten beschäftigt. Bitte warten Sie einen Moment.",
    ),
    Rejected(reason="files_busy"): (
        "I can't look at your files just now. Please try again in a moment.",
        "Ich kann mir Ihre Dateien gerade nicht ansehen. Bitte versuchen Sie es gleich noch einmal.",
    ),
    Rejected(reason="rate_limited"): (
        "That was a lot at once. Please wait a minute.",
        "Das war viel auf einmal. Bitte warten Sie eine Minute.",
    ),
    Rejected(reason="confirmation_closed"): (
        "This question is no longer open.",
        "Diese Frage ist nicht mehr offen.",
    ),
    Rejected(reason="unknown_message", message_id="t1/m1"): (
        "There is no message 't1/m1' of the assistant's that could be rated.",
        "Es gibt keine Nachricht 't1/m1' des Assistenten, die bewertet werden könnte.",
    ),
    Rejected(reason="unknown_file"): (
        "A file of this message is not there, or no longer.",
        "Eine Datei dieser Nachricht gibt es nicht, oder nicht mehr.",
    ),
}


def test_rejections_are_told_in_both_languages(book: PromptBook) -> None:
    told = {one: (book.render(one), book.render(one, "de")) for one in REJECTED}

    assert told == REJECTED


def test_apologies_differ_by_reason(book: PromptBook) -> None:
    said = {book.render(sample) for sample in sample_prompts(Apology)}

    assert len(said) == 6
    assert all(text.startswith("I'm sorry, ") for text in said)


@check_rows(
    ("asked", "said"),
    [
        (
            OfflineAsk(will="check your order", argument="order_number", description=""),
            "Which order is it about?",
        ),
        (
            OfflineAsk(will="check your order", argument="order_id", description="the number, such as 4711"),
            "Which order is it about? I need the number, such as 4711.",
        ),
        (
            OfflineAsk(will="book it", argument="service", description="", choices=("eye test", "fitting")),
            "Which service should I take to book it: eye test or fitting?",
        ),
        (OfflineAsk(will="book it", argument="date", description=""), "For which day should I book it?"),
        (
            OfflineAsk(will="book it", argument="start_time", description=""),
            "For what time should I book it?",
        ),
        (
            OfflineAsk(will="", argument="new_email", description=""),
            "To do that, I need the new email. What is it?",
        ),
    ],
)
def test_the_demo_model_asks_for_what_is_missing(asked: OfflineAsk, said: str, book: PromptBook) -> None:
    assert book.render(asked) == said


def test_the_demo_model_says_what_it_can_do(book: PromptBook) -> None:
    can = ("check your billing", "look up your orders")

    assert book.render(OfflineHelp(abilities=can, unmatched=True)) == (
        "I'm sorry, that is not something I can help with here. "
        "I can check your billing or look up your orders. What would you like?"
    )
    assert book.render(OfflineUnsure(options=can)) == (
        "I'm not sure what you mean. Should I check your billing or look up your orders?"
    )
    assert book.render(OfflineSmalltalk(about="thanks")).startswith("You're welcome.")
