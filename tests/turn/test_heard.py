"""Spoken text counts as far as it was heard: in the views, and for results that must be told."""

import pytest

from assistant.conversation.model_views import turn_view
from assistant.conversation.transcript import delivered_text
from assistant.conversation.views import FromAssistant, FromTools
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from assistant.turn.context import Limits
from tests.turn.conftest import Company
from tests.turn.test_stop import stops
from tests.turn.test_untold import BOTH, GLADLY, told_next

ANSWER = "You are booked for March 10, 2 pm. You owe $150."
FIRST = len("You are booked for March 10, 2 pm.")


def told_beside(company: Company) -> list[str]:
    """The tools whose results were told in the last request."""
    last = company.model.requests[-1].view.messages[-1]
    assert isinstance(last, FromTools)
    return [outcome.call.tool for outcome in last.outcomes]


async def hears(chat: Chat, up_to: int, number: int = -1) -> None:
    """The customer hears so much of what was said last, however that is told."""
    message = chat.session.state.turns[-1].messages[number]
    await chat.session.heard(message.id, 0)
    await chat.session.heard(message.id, up_to)


def last_words(chat: Chat) -> list[str]:
    """How the last turn ends for a model."""
    end = turn_view(chat.session.state.turns[-1]).messages[-1]
    return [end.text] if isinstance(end, FromAssistant) else []


async def test_unheard_parts_of_a_playing_answer_are_told_next(
    company: Company,
) -> None:
    ana = company.chat(BOTH, says(ANSWER), GLADLY, says("And you owe $150."), says("Bye."))
    await ana.says("Check my appointments and billing")
    await hears(ana, FIRST)

    assert last_words(ana) == [
        "You are booked for March 10, 2 pm.…",
    ]
    assert await told_next(ana) == ["Gladly.", "And you owe $150."]
    assert await told_next(ana) == ["Bye."]


async def test_an_interrupted_answer_is_continued_and_not_repeated(company: Company) -> None:
    first, rest = "Your balance is due soon.", " You owe $150, all in all."
    ana = company.chat(
        calls("get_open_invoices"), says(first + rest), GLADLY, says(first + rest), says("Bye.")
    )
    await ana.says("Check my bill")
    await hears(ana, len(first) + 8)

    assert await told_next(ana) == ["Gladly.", rest.strip()]
    assert await told_next(ana) == ["Bye."]


async def test_results_in_the_next_answer_are_not_told_twice(company: Company) -> None:
    owes, booked = "You owe $150.", "You are booked for March 10, 2 pm."
    ana = company.chat(
        BOTH, says(f"{booked} {owes}"), calls("get_open_invoices"), says(owes), says(f"{owes} {booked}")
    )
    await ana.says("Check my appointments and billing")
    await hears(ana, 3)

    assert (await told_next(ana, "How much do I owe?"))[-2:] == [owes, booked]


async def test_results_heard_to_the_end_after_the_turn_are_not_repeated(company: Company) -> None:
    ana = company.chat(BOTH, says(ANSWER), GLADLY)
    await ana.says("Check my appointments and billing")
    await hears(ana, FIRST)
    await hears(ana, len(ANSWER))

    assert await told_next(ana) == ["Gladly."]


async def test_of_a_stopped_spoken_answer_only_the_heard_part_counts(
    company: Company,
) -> None:
    ana = company.chat(
        BOTH,
        says([f"{ANSWER[:FIRST]} ", ANSWER[FIRST + 1 :], " Bye."], each_s=1),
        GLADLY,
        says("You owe $150."),
    )
    await ana.begins("Check my appointments and billing")
    await company.clock.sleep(1.5)
    await hears(ana, FIRST)
    await ana.session.stop()

    assert await told_next(ana) == ["Gladly.", "You owe $150."]


async def test_unheard_results_of_an_earlier_turn_are_told_once_more(company: Company) -> None:
    late, again = "About your billing: you owe $150.", says("You owe $150.")
    ana = company.chat(
        calls("get_open_invoices"),
        GLADLY,
        says(late),
        GLADLY,
        again,
        says("Bye."),
        billing=Gives(150, after_s=3),
    )
    await stops(ana, "Check my bill", after_s=1, company=company)
    await company.clock.sleep(5)
    await ana.says("Thanks")
    await hears(ana, len("About your billing"))

    assert await told_next(ana) == ["Gladly.", "You owe $150."]
    await hears(ana, len("You owe $150."))
    assert await told_next(ana) == ["Bye."]


async def test_an_answer_that_is_still_playing_is_not_told_with_a_late_result(company: Company) -> None:
    company.respec(company.billing, timeout_s=60)
    ana = company.chat(
        BOTH,
        says("You are booked for then."),
        says("You owe $150."),
        limits=Limits(tools_s=5, calls_s=50),
        billing=Gives(150, after_s=40),
    )
    await ana.says("Check my appointments and billing")
    await hears(ana, 3)
    await company.clock.sleep(60)
    await ana.session.at_rest()

    assert ana.transcript[-1] == "assistant: You owe $150."
    assert told_beside(company) == ["get_open_invoices"]


async def test_an_unheard_answer_still_existed(company: Company) -> None:
    ana = company.chat(says("At lunch."))
    await ana.says("When?")
    await hears(ana, 0)

    assert last_words(ana) == ["…"]
    assert ana.transcript == ["customer: When?"]


async def test_a_turn_without_heard_text_is_cut_off_once(company: Company) -> None:
    ana = company.chat(BOTH, says(ANSWER))
    await ana.says("Check my appointments and billing")
    for number in (0, 1):
        await hears(ana, 0, number)

    assert last_words(ana) == ["…"]


async def test_while_its_turn_runs_spoken_text_counts_as_a_whole(company: Company) -> None:
    ana = company.chat(BOTH, says(ANSWER), billing=Gives(150, after_s=2))
    await ana.begins("Check my appointments and billing")
    await company.clock.sleep(1)
    await hears(ana, 4)
    await ana.session.answered()

    assert "look up your appointments and check your billing." in company.model.requests[-1].view.late
    acknowledgement = ana.session.state.turns[0].messages[0]
    assert (delivered_text(acknowledgement), ana.transcript[1]) == ("Sure", "assistant: Sure")


@pytest.mark.parametrize("heard", [None, 0, 4])
async def test_models_see_the_text_heard_by_then(company: Company, heard: int | None) -> None:
    ana = company.chat(says("At lunch."), says("Bye."))
    await ana.says("When?")
    if heard is not None:
        await hears(ana, heard)
    await ana.says("Thanks")

    (_, before, _) = company.model.requests[-1].view.messages
    assert before == FromAssistant({None: "At lunch.", 0: "…", 4: "At l…"}[heard])
