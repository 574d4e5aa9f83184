"""The acknowledgement's macros are tested when they are loaded, and no lead-in is used twice in a row."""

import itertools

import pytest

from assistant.errors import DeclarationError, PromptError
from assistant.prompts.acknowledgement import REGISTERS, Register
from assistant.prompts.book import PromptBook
from tests.prompts.conftest import Edited
from tests.support.rows import check_rows

GOOD = {
    "lead": "{% macro lead(register, number) %}{{ ['One', 'Two'][number % 2] }}{% endmacro %}",
    "next": "{% macro next(hint) %}, {{ hint }}{% endmacro %}",
    "last": "{% macro last(hint) %} and {{ hint }}.{% endmacro %}",
    "more": "{% macro more(number) %} and {{ number }} more.{% endmacro %}",
    "end": "{% macro end() %}.{% endmacro %}",
    "neutral": "{% macro neutral() %}see{% endmacro %}",
}


@pytest.mark.parametrize("register", REGISTERS)
def test_a_lead_in_is_never_used_twice_in_a_row(register: Register, book: PromptBook) -> None:
    words = book.acknowledgement("en")
    used = [words.lead(register)]
    for _ in range(6):
        used.append(words.lead(register, used[-1]))

    assert all(one != other for one, other in itertools.pairwise(used))
    assert set(used) == set(words.leads[register])


def test_registers_share_no_lead_in(book: PromptBook) -> None:
    leads = [lead for variants in book.acknowledgement("en").leads.values() for lead in variants]

    assert len(leads) == len(set(leads))


def test_a_side_effect_never_begins_with_sure(book: PromptBook) -> None:
    leads = book.acknowledgement("en").leads

    assert not any(
        "sure" in lead.casefold() for lead in (*leads["effect"], *leads["later"], *leads["complaint"])
    )


def test_the_lead_in_of_an_earlier_acknowledgement_is_recognised(book: PromptBook) -> None:
    words = book.acknowledgement("en")

    assert words.lead_of("Sure, I'll check your billing.") == "Sure, I'll"
    assert words.lead_of("Let me pull that up for you.") is None
    assert words.lead("request", words.lead_of("Sure, I'll check your billing.")) == "Of course, I'll"


@check_rows(
    ("changed", "text", "complaint"),
    [
        ("last", "", "there is no macro 'last'; write {% macro last(hint) %}"),
        ("end", "{% macro end() %}{% endmacro %}", "macro 'end' says nothing for ()"),
        ("more", "{% macro more() %}x{% endmacro %}", "macro 'more' does not work: macro 'more' takes"),
        ("next", "{% macro next(hint) %}{{ hint.x }}{% endmacro %}", "macro 'next' does not work: "),
        (
            "lead",
            "{% macro lead(register, number) %}Sure{% endmacro %}",
            "'request' has one lead-in, which would be said twice running",
        ),
        (
            "lead",
            "{% macro lead(register, number) %}{{ 'Sure' if register == 'request' and number == 1 }}{% endmacro %}",
            "macro 'lead' must give one line for 'request'",
        ),
        ("neutral", "{% macro neutral() %}{{ thing }}{% endmacro %}", "unknown variable 'thing'"),
    ],
)
def test_a_mistake_in_a_macro_is_found_at_the_start(
    changed: str, text: str, complaint: str, edited: Edited
) -> None:
    with pytest.raises(DeclarationError) as raised:
        edited({"customers/en/acknowledgement.j2": "".join({**GOOD, changed: text}.values())})

    assert str(raised.value).startswith(f"prompts/customers/en/acknowledgement.j2:1: {complaint}")


def test_endless_lead_ins_are_limited_to_twelve(edited: Edited) -> None:
    counting = "{% macro lead(register, number) %}Number {{ number }}{% endmacro %}"

    words = edited(
        {"customers/en/acknowledgement.j2": "".join({**GOOD, "lead": counting}.values())}
    ).acknowledgement("en")

    assert len(words.leads["request"]) == 12


def test_a_macro_that_fails_later_is_a_prompt_error(edited: Edited) -> None:
    fussy = "{% macro more(number) %}{{ [0, 1, 'two'][number] }}{% endmacro %}"
    words = edited(
        {"customers/en/acknowledgement.j2": "".join({**GOOD, "more": fussy}.values())}
    ).acknowledgement("en")

    assert words.more(2) == "two"
    with pytest.raises(PromptError, match="macro 'more'"):
        words.more(3)
