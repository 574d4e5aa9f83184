"""Outcomes are told without a model: each one, honestly, whatever a tool's template does."""

import logging
from dataclasses import replace

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
)
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, Json
from assistant.errors import NO_REASON, PromptError
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.prompts.utterances import Narrated
from tests.support.rows import check_rows


def spec(name: str, will: str, narration: str | None = None, effect: Effect = "read") -> ToolSpec:
    hints = {"en": Hint(doing=will, will=will)}
    return ToolSpec(name=name, description="", parameters={}, hints=hints, narration=narration, effect=effect)


SPECS = {
    tool.name: tool
    for tool in (
        spec(
            "appointments",
            "look up your appointments",
            "You have {{ value | length or 'no' }} appointments"
            "{% for one in value %} on {{ one.at | when }}{% endfor %}.",
        ),
        spec("billing", "check your billing", "You owe {{ value | sum(attribute='amount') | money }}."),
        spec("order", "check your order"),
        spec("broken", "check your points", "{{ value | dya }}"),
        spec("mismatch", "check your points", "{{ value.points.left }}"),
        spec("silent", "check your points", "{% if false %}never{% endif %}"),
        spec("cancel", "cancel your appointment", effect="write"),
    )
}
VISIT = {"at": "2026-11-24T14:00:00+01:00"}


def call(tool: str) -> Call:
    return Call(id="c1.1", tool=tool)


@pytest.fixture
def narration(book: PromptBook) -> Narration:
    return Narration(book)


def test_two_results_and_a_failure_make_one_answer(narration: Narration) -> None:
    outcomes = [
        CallFailed(call=call("order"), say="I can't find that order.", for_model=""),
        CallSucceeded(call=call("appointments"), value=[VISIT]),
        CallSucceeded(call=call("billing"), value=[{"amount": "100.00"}, {"amount": "50.00"}]),
    ]

    assert narration.narrate_outcomes(outcomes, SPECS) == (
        "You have 1 appointments on Tuesday, November 24 at 2 pm. Also, you owe $150. "
        "I'm afraid I couldn't check your order: I can't find that order."
    )


@check_rows(
    ("outcome", "said"),
    [
        (CallEmpty(call=call("appointments"), value=[]), "You have no appointments."),
        (CallEmpty(call=call("order")), "There was nothing there when I went to check your order."),
        (CallEmpty(call=call("cancel")), "That is done."),
        (CallSucceeded(call=call("order"), value={"status": "sent"}), "Here is what I found: status sent."),
        (CallSucceeded(call=call("order"), value=""), "I was able to check your order."),
        (CallSucceeded(call=call("cancel"), value={"number": 7}), "That is done: number 7."),
        (CallSucceeded(call=call("nobody's"), value="x"), "Here is what I found: x."),
        (
            CallFailed(call=call("order"), say="", for_model=""),
            "I couldn't check your order just now. Please try again in a little while.",
        ),
        (
            CallFailed(call=call("order"), say=NO_REASON, for_model=""),
            "I couldn't check your order just now. Please try again in a little while.",
        ),
        (CallTimedOut(call=call("order"), after_s=10), "I couldn't check your order in time."),
        (
            CallTimedOut(call=call("cancel"), after_s=10),
            "I tried to cancel your appointment, but got no answer in time, so please don't count on it yet.",
        ),
        (CallCancelled(call=call("order"), why="its source failed"), "I didn't get to check your order."),
        (
            CallDenied(call=call("order"), say="I need to know who you are first", for_model=""),
            "I didn't check your order: I need to know who you are first.",
        ),
        (
            CallUnknown(call=call("cancel")),
            "I started to cancel your appointment, but I can't tell whether it went through; "
            "please check before you ask for it again.",
        ),
        (CallUnknown(call=call("order")), "I couldn't check your order after all; please ask me again."),
        (CallUnknown(call=call("gone")), "I started to look into that, but I can't tell whether it went through; "
            "please check before you ask for it again."),
    ],
)  # fmt: skip
def test_every_kind_of_outcome_has_words(outcome: Outcome, said: str, narration: Narration) -> None:
    assert narration.narrate_outcomes([outcome], SPECS) == said


@check_rows(
    ("second", "said"),
    [
        ("Order 10482 is late.", "Also, order 10482 is late."),
        ("On Saturday, we are closed.", "Also, on Saturday, we are closed."),
        ("Invoices are due.", "Also, invoices are due."),
        ("A parcel is here.", "Also, a parcel is here."),
        ("Your Tuesday is free.", "Also, your Tuesday is free."),
        ("I'm sorry, there are none.", "Also, I'm sorry, there are none."),
        ("Tuesday's visit is off.", "Also, Tuesday's visit is off."),
        ("Dr. Lee has time.", "Also, Dr. Lee has time."),
        ("Ana Lindqvist called.", "Also, Ana Lindqvist called."),
        ("DHL has it.", "Also, DHL has it."),
        ("10 of them are here.", "Also, 10 of them are here."),
    ],
)
def test_a_second_sentence_begins_in_lower_case_unless_it_is_a_name(
    second: str, said: str, book: PromptBook
) -> None:
    assert book.render(Narrated(told=("You owe $150.", second), missed=())) == f"You owe $150. {said}"


@pytest.mark.parametrize(
    ("clause", "end"), [("you have two; which one do you mean", "?"), ("it is late; whichever it is", ".")]
)
def test_a_failure_that_asks_ends_as_a_question(clause: str, end: str, narration: Narration) -> None:
    failed = CallFailed(call=call("order"), say=clause, for_model="")

    assert narration.narrate_outcomes([failed], SPECS) == f"I couldn't check your order: {clause}{end}"


@pytest.mark.parametrize("tool", ["broken", "mismatch"])
def test_a_template_that_fails_affects_only_its_own_wording(
    tool: str, narration: Narration, caplog: pytest.LogCaptureFixture
) -> None:
    outcomes = [
        CallSucceeded(call=call(tool), value={"points": 3}),
        CallEmpty(call=call("billing"), value=[]),
    ]

    with caplog.at_level(logging.WARNING):
        said = narration.narrate_outcomes(outcomes, SPECS)

    assert said == "Here is what I found: points 3. Also, you owe $0."
    assert f"the narration of {tool}" in caplog.text


@pytest.mark.parametrize(
    ("name", "locale", "said"),
    [
        ("Ana Silva", "en", "Thank you, Ana Silva, I know now who you are."),
        (None, "en", "Thank you, I know now who you are."),
        ("Ana Silva", "de", "Vielen Dank, Ana Silva, jetzt weiß ich, wer Sie sind."),
        (None, "de", "Vielen Dank, jetzt weiß ich, wer Sie sind."),
    ],
)
def test_an_identified_customer_is_thanked_whatever_the_tool_says(
    name: str | None, locale: str, said: str, narration: Narration
) -> None:
    verify = replace(spec("verify", "check who you are"), role="identifies")
    found = CallSucceeded(call=call("verify"), value={"verified": True, "name": name})

    assert narration.narrate_outcomes([found], {"verify": verify}, locale) == said


def test_a_name_found_by_any_other_tool_is_a_normal_result(narration: Narration) -> None:
    found = CallSucceeded(call=call("order"), value={"name": "Ana Silva"})

    assert narration.narrate_outcomes([found], SPECS) == "Here is what I found: name Ana Silva."


def test_a_template_that_says_nothing_is_no_answer(narration: Narration) -> None:
    outcome = CallSucceeded(call=call("silent"), value={"points": 3})

    assert narration.narrate_outcomes([outcome], SPECS) == "Here is what I found: points 3."


def test_without_outcomes_nothing_is_said(narration: Narration) -> None:
    assert narration.narrate_outcomes([], SPECS) == ""


def test_a_hint_in_the_customers_language_is_preferred(book: PromptBook) -> None:
    hints = {"en": Hint(doing="", will="check"), "de": Hint(doing="das prüfen", will="prüfe das")}
    tool = ToolSpec(name="t", description="", parameters={}, hints=hints)

    said = Narration(book).narrate_outcomes([CallTimedOut(call=call("t"), after_s=1)], {"t": tool}, "de-AT")

    assert said == "Ich wollte das prüfen, aber das hat leider zu lange gedauert."


def test_a_template_sees_value_and_arguments_and_nothing_else(narration: Narration) -> None:
    said = narration.render(
        "{{ arguments.day | day }}:\n {{ value }}", value=3, arguments={"day": "2026-11-24"}
    )

    assert said == "Tuesday, November 24: 3"
    with pytest.raises(PromptError, match="'customer' is undefined"):
        narration.render("{{ customer }}", value=3, arguments={})


def test_a_template_is_compiled_once(narration: Narration) -> None:
    for number in range(3):
        assert narration.render("{{ value }} times", value=number, arguments={}) == f"{number} times"

    assert narration._compiled.cache_info().misses == 1


def test_a_table_in_a_narration_stays_a_table(narration: Narration) -> None:
    template = """
        You owe:

        | for | amount |
        | --- | ---: |
        {% for one in value %}| {{ one }} | $30 |
        {% endfor %}

        Please pay by Friday.
    """
    owed = replace(TABLE, narration=template)
    outcome = CallSucceeded(call=Call(id="c1.1", tool=owed.name, arguments={}), value=["lenses", "case"])

    assert narration.narrate_outcomes([outcome], {owed.name: owed}) == (
        "You owe:\n\n| for | amount |\n| --- | ---: |\n| lenses | $30 |\n| case | $30 |\n\nPlease pay by Friday."
    )


TABLE = ToolSpec(name="get_invoices", description="", parameters={})


def test_a_large_result_is_told_only_as_far_as_people_read(book: PromptBook) -> None:
    rows: list[Json] = [{"number": number, "open": True} for number in range(3_000)]
    outcome = CallSucceeded(call=Call(id="c1.1", tool="gone"), value=rows)

    told = Narration(book).narrate_outcomes([outcome], {})

    assert told.startswith("Here is what I found: number 0, open yes; number 1, open yes")
    assert told.endswith("number 2999, open yes ….")
    assert "left out" not in told
    assert len(told) < 5_000
