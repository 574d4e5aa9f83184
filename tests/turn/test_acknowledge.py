"""The growing sentence equals the whole sentence."""

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.tool_spec import Hint
from assistant.prompts.acknowledgement import REGISTERS, Register
from assistant.prompts.book import shipped_book
from assistant.turn.acknowledge import GrowingAcknowledgement, acknowledge
from tests.support.rows import check_rows

WORDS = shipped_book().acknowledgement("en")
LOCALES = ("en", "de")


def hint(will: str) -> Hint:
    return Hint(doing="", will=will)


def pieces(
    hints: list[str | None], register: Register = "request", last_lead: str | None = None
) -> list[str]:
    growing = GrowingAcknowledgement(WORDS, register, last_lead)
    shown = [growing.announce(None if will is None else hint(will)) for will in hints]
    return [*shown, growing.close()]


def test_appointments_and_billing_are_announced_in_one_sentence() -> None:
    assert pieces(["look up your appointments", "check your billing"]) == [
        "Sure, I'll look up your appointments",
        "",
        " and check your billing.",
    ]


@check_rows(
    ("hints", "shown"),
    [
        ([], [""]),
        (["do a"], ["Sure, I'll do a", "."]),
        (["do a", "do b", "do c"], ["Sure, I'll do a", "", ", do b", " and do c."]),
        (
            ["do a", "do b", "do c", "do d"],
            ["Sure, I'll do a", "", ", do b", "", " and take care of two more things."],
        ),
        (["do a", "do a"], ["Sure, I'll do a", "", "."]),
        (["do a", "do b", "do a"], ["Sure, I'll do a", "", "", " and do b."]),
        ([None], ["Sure, I'll look into that", "."]),
        (["", "  ", "do b"], ["Sure, I'll look into that", "", "", " and do b."]),
    ],
)
def test_it_grows_hint_by_hint(hints: list[str | None], shown: list[str]) -> None:
    assert pieces(hints) == shown


def test_many_things_are_counted() -> None:
    assert acknowledge([f"do {n}" for n in range(11)], "Sure, I'll").endswith(
        ", do 1 and take care of nine more things."
    )
    assert acknowledge([f"do {n}" for n in range(14)], "Sure, I'll").endswith(
        ", do 1 and take care of 12 more things."
    )


@given(
    st.sampled_from(LOCALES),
    st.sampled_from(REGISTERS),
    st.integers(min_value=0, max_value=4),
    st.lists(
        st.sampled_from(["do a", "do b", "do c", "do d", "do e", "", " "]) | st.text(max_size=9), max_size=12
    ),
)
def test_the_pieces_joined_are_the_sentence(
    locale: str, register: Register, used: int, hints: list[str]
) -> None:
    words = shipped_book().acknowledgement(locale)
    growing = GrowingAcknowledgement(words, register, dict(enumerate(words.leads[register])).get(used))
    given_out = "".join([*(growing.announce(hint(will)) for will in hints), growing.close()])

    assert given_out == acknowledge(hints, growing.lead, words) == growing.text


def test_german_clauses_keep_their_word_order_at_any_number() -> None:
    words = shipped_book().acknowledgement("de-AT")
    hints = [
        "suche Ihre Termine heraus",
        "prüfe Ihre Rechnungen",
        "sage Ihren Termin ab",
        "verfolge Ihre Bestellung",
    ]

    assert acknowledge(hints[:1], words.lead("request"), words) == "Gerne, ich suche Ihre Termine heraus."
    assert acknowledge(hints[:2], words.lead("request"), words) == (
        "Gerne, ich suche Ihre Termine heraus und prüfe Ihre Rechnungen."
    )
    assert acknowledge(hints[:3], words.lead("complaint"), words) == (
        "Das tut mir leid. Ich suche Ihre Termine heraus, prüfe Ihre Rechnungen und sage Ihren Termin ab."
    )
    assert acknowledge(hints, words.lead("later"), words) == (
        "Einen Moment noch, ich suche Ihre Termine heraus, prüfe Ihre Rechnungen"
        " und kümmere mich um zwei weitere Dinge."
    )
    assert acknowledge(["", "prüfe das"], words.lead("question"), words) == (
        "Einen Moment bitte, ich sehe mir das an und prüfe das."
    )


@given(st.lists(st.sampled_from(["do a", "do b", "do c", "do d", "do e"]), min_size=1))
def test_the_shown_text_is_remembered(hints: list[str]) -> None:
    growing = GrowingAcknowledgement(WORDS, "later")
    given_out = "".join([*(growing.announce(hint(will)) for will in hints), growing.close()])

    assert growing.text == given_out
    assert WORDS.lead_of(given_out) == growing.lead == "I'll also"


def test_the_next_sentence_begins_differently() -> None:
    assert pieces(["do a"], last_lead="Sure, I'll")[0] == "Of course, I'll do a"
    assert pieces(["do a"], "question", last_lead="Sure, I'll")[0] == "Let me see. I'll do a"
