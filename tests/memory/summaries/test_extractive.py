"""The summary by rules: what it keeps, what it drops, and in which order."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.facts import is_supported, values_in, values_of
from assistant.memory.summaries import extract_summary
from assistant.memory.summary_facts import ASSISTANT, CUSTOMER, DialogueLine
from assistant.memory.token_sizes import SizeLimit
from tests.support.rows import check_rows

PLENTY = SizeLimit(most=100_000)


def customer(text: str) -> DialogueLine:
    return DialogueLine(CUSTOMER, text)


def assistant(text: str) -> DialogueLine:
    return DialogueLine(ASSISTANT, text)


@check_rows(
    "fact",
    [
        "My order is A-10482.",
        "It was 149.90 EUR.",
        "I need it by November 30.",
        "Write to ana@web.example.",
        "I live at Hauptstr. 5, 10115 Berlin.",
        "My neighbour is Clara Weiss.",
        "Please leave it at the back door.",
        "I don't want any newsletters.",
        "Do you repair lamps?",
    ],
)
def test_facts_and_wishes_are_kept_with_their_speaker(fact: str) -> None:
    said = [customer(f"Hello! {fact} Thanks a lot."), assistant("You're welcome! Anything else?")]

    assert extract_summary("", said, PLENTY) == f"Customer: {fact}"


@pytest.mark.parametrize(
    ("locale", "talk"),
    [
        ("en", ["Hello!", "Thank you very much.", "Great, that helps.", "Oh, I see.", "Sure. Bye!", ""]),
        ("de", ["Hallo!", "Vielen Dank.", "Super, danke!", "Ja, gerne.", "Guten Morgen.", "Tschüss!"]),
    ],
)
def test_small_talk_is_dropped(locale: str, talk: list[str]) -> None:
    assert extract_summary("", [customer(text) for text in talk], PLENTY, locale) == ""


def test_a_repeated_statement_is_kept_once_at_its_last_position() -> None:
    said = [
        customer("My order is A-10482."),
        customer("Please call me at noon."),
        assistant("Order A-10482."),
        customer("As I said, my order is A-10482!"),
    ]

    assert extract_summary("", said, PLENTY).splitlines() == [
        "Customer: Please call me at noon.",
        "Customer: As I said, my order is A-10482!",
    ]


def test_a_statement_that_the_assistant_repeats_stays_the_customers() -> None:
    said = [
        customer("My order is A-10482."),
        customer("Please call me at noon."),
        assistant("Order A-10482, at noon."),
        assistant("Order A-10482."),
    ]

    assert extract_summary("", said, PLENTY).splitlines() == [str(one) for one in said[:3]]


def test_the_newest_value_of_a_thing_comes_last_and_is_dropped_last() -> None:
    said = [
        customer("My phone number is 030 1111111."),
        customer("My phone number is 030 2222222."),
    ]
    tight = SizeLimit(most=len("Customer: My phone number is 030 2222222.") + 1)

    assert extract_summary("", said, PLENTY).splitlines() == [str(one) for one in said]
    assert extract_summary("", said, tight) == str(said[1])
    assert extract_summary("", [*said, said[0]], tight) == str(said[0])


def test_outdated_statements_are_dropped_before_valid_ones() -> None:
    said = [
        DialogueLine("get_hours", "-> from 9 to 17 on weekdays"),
        customer("My phone number is now 030 1111111."),
        customer("My phone number is now 030 2222222."),
        customer("My order number is 77."),
    ]
    limit = SizeLimit(most=sum(len(str(one)) + 1 for one in said) - 10)

    assert extract_summary("", said, limit).splitlines() == [str(said[place]) for place in (0, 2, 3)]


def test_a_withdrawn_wish_does_not_count_as_a_repetition() -> None:
    said = [customer("Don't cancel order A-10482."), customer("Cancel order A-10482.")]

    assert extract_summary("", said, PLENTY).splitlines() == [str(one) for one in said]


def test_older_statements_are_shortened_to_clauses_with_values() -> None:
    long = "My order is A-10482, and I have been waiting for it ever so long, because nobody ever answers."
    newer = "I want 20 EUR back, since all of this has cost me half of my holidays."
    limit = SizeLimit(most=len(f"Customer: My order is A-10482\nCustomer: {newer}") + 2)

    assert extract_summary("", [customer(long), customer(newer)], limit).splitlines() == [
        "Customer: My order is A-10482",
        f"Customer: {newer}",
    ]


def test_the_least_valuable_statements_are_dropped_first() -> None:
    said = [
        customer("My name is Ana Bergstroem."),
        customer("Please ring at the backdoor."),
        customer("Do you repair broken lamps?"),
        assistant("Lamps need lots of patience."),
        assistant("Your invoice is 12.50 EUR."),
        DialogueLine("get_order", '-> {"order":"A-1","late":0}'),
    ]
    lines = [f"{str(one)[:-1]:.<39}{str(one)[-1]}" for one in said]
    said = [DialogueLine(one.who, line.partition(": ")[2]) for one, line in zip(said, lines, strict=True)]

    kept = [extract_summary("", said, SizeLimit(most=41 * count)).splitlines() for count in range(7)]

    assert kept == [[lines[place] for place in sorted((0, 1, 4, 5, 2, 3)[:count])] for count in range(7)]


def test_equal_results_of_two_tools_are_two_results() -> None:
    said = [DialogueLine("get_order", "-> empty"), DialogueLine("get_invoice", "-> empty")]

    assert extract_summary("", said, PLENTY) == "get_order: -> empty\nget_invoice: -> empty"


def test_a_models_summary_is_kept_sentence_by_sentence() -> None:
    before = "The customer is Ana Berg. Her order A-10482 is late."

    assert extract_summary(before, [], PLENTY) == before
    assert extract_summary(before, [customer("I want 20 EUR back.")], PLENTY).splitlines() == [
        "The customer is Ana Berg.",
        "Her order A-10482 is late.",
        "Customer: I want 20 EUR back.",
    ]


_WORDS = st.text(string.ascii_letters + " ,", min_size=1, max_size=30)
_VALUES = st.sampled_from(
    ["A-10482", "B-77", "149.90 EUR", "12 %", "030 1234567", "ana@web.example", "2026-11-24", "Nov 3", "2 pm"]
)
_SENTENCES = st.builds("{} {} {}.".format, _WORDS, _VALUES, _WORDS) | st.builds("{}!".format, _WORDS) | _WORDS
_SAID = st.builds(
    DialogueLine,
    st.sampled_from([CUSTOMER, ASSISTANT, "get_order"]),
    st.lists(_SENTENCES, min_size=1, max_size=4).map(" ".join),
)


@given(st.lists(_SAID, max_size=8), st.lists(_SAID, max_size=8), st.integers(0, 600))
def test_a_summary_never_exceeds_its_limit_and_stays_without_news(
    first: list[DialogueLine], second: list[DialogueLine], most: int
) -> None:
    limit = SizeLimit(most=most)

    summary = extract_summary(extract_summary("", first, limit), second, limit)

    assert limit.fits(summary)
    assert extract_summary(summary, [], limit) == summary


@given(st.lists(_SAID, max_size=8), st.lists(_SAID, max_size=8))
@pytest.mark.slow
def test_no_value_is_lost_while_there_is_space(first: list[DialogueLine], second: list[DialogueLine]) -> None:
    summary = extract_summary(extract_summary("", first, PLENTY), second, PLENTY)

    known = values_of(summary)
    for said in (*first, *second):
        assert [value for value in values_in(said.text) if not is_supported(value, known)] == []
