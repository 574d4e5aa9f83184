"""The waiting voice during silent models and slow calls: never inside a sentence, never the same twice, never
after the answer.
"""

import asyncio
from dataclasses import replace

import pytest

from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.entries import (
    CallRequested,
    CallsDelayed,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.conversation.tool_spec import NO_HINT, Hint
from assistant.testing.chat import Chat, StoppingLog
from assistant.testing.fake_tool import Gives, Refuses
from assistant.testing.scene import scene
from assistant.testing.script import Line, Pause, calls, says, stalls
from assistant.turn.context import Limits
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

BOTH_NAMES = ("list_upcoming_appointments", "get_open_invoices")
BOTH = calls(*BOTH_NAMES)


def heard(chat: Chat) -> list[str]:
    """What was said, with its times: an acknowledgement may come in pieces."""
    return [line for line in timeline(chat.batches).splitlines() if '"' in line]


def statuses(chat: Chat) -> list[str]:
    return [
        message.text for turn in chat.session.state.turns for message in turn.messages if "/w" in message.id
    ]


async def test_a_silent_model_gets_a_waiting_message(company: Company) -> None:
    ana = company.chat(says(["We are open."], first_s=9))

    await ana.says("When are you open?")

    assert heard(ana) == [
        '2.5 "One moment, please."',
        '7.5 "Thanks for waiting, I\'m still on it."',
        '9.0 "We are open."',
    ]


async def test_a_turn_without_silence_has_no_waiting_message(company: Company) -> None:
    ana = company.chat(
        BOTH,
        says("You are booked and owe $150.", first_s=2.4, each_s=2.4),
        appointments=Gives("Tuesday", after_s=3.9),
    )

    await ana.says("Check my appointments and billing")

    assert statuses(ana) == []


async def test_slow_tools_have_one_status_with_the_finished_lookups(company: Company) -> None:
    ana = company.chat(
        BOTH,
        says(["Tuesday; $150."]),
        appointments=Gives("Tuesday", after_s=1),
        billing=Gives(150, after_s=6),
    )

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
        Assistant (status): I'm done looking up your appointments; I'm still checking your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: Tuesday; $150.
    """)
    assert heard(ana)[-2].startswith("4.0 ")


async def test_the_status_of_several_calls_names_them_all(company: Company) -> None:
    ana = company.chat(
        BOTH,
        says(["Tuesday; $150."]),
        appointments=Gives("Tuesday", after_s=5),
        billing=Gives(150, after_s=5),
    )

    await ana.says("Check my appointments and billing")

    assert statuses(ana) == ["I'm still looking up your appointments and checking your billing."]
    delayed = [
        logged.entry.call_ids
        for batch in ana.batches
        for logged in batch
        if isinstance(logged.entry, CallsDelayed)
    ]
    assert delayed == [("c1.1", "c1.2")]


async def test_the_intervals_grow_and_finished_lookups_are_named_once(company: Company) -> None:
    company.respec(company.billing, timeout_s=29)
    ana = company.chat(
        BOTH,
        says(["Tuesday; $150."]),
        appointments=Gives("Tuesday", after_s=1),
        billing=Gives(150, after_s=29),
    )

    await ana.says("Check my appointments and billing")

    assert heard(ana)[-4:] == [
        "4.0 \"I'm done looking up your appointments; I'm still checking your billing.\"",
        '12.0 "Thanks for waiting. I\'m still checking your billing."',
        '28.0 "This is taking a little while. I\'m still checking your billing."',
        '29.0 "Tuesday; $150."',
    ]


async def test_a_failed_lookup_is_not_called_done(company: Company) -> None:
    ana = company.chat(
        BOTH,
        says(["$150."]),
        appointments=Refuses("I can't reach the calendar"),
        billing=Gives(150, after_s=5),
    )

    await ana.says("Check my appointments and billing")

    assert statuses(ana) == ["I'm still checking your billing."]


async def test_an_empty_lookup_is_called_done_and_no_more(company: Company) -> None:
    ana = company.chat(BOTH, says(["$150."]), appointments=Gives([]), billing=Gives(150, after_s=5))

    await ana.says("Check my appointments and billing")

    assert statuses(ana) == ["I'm done looking up your appointments; I'm still checking your billing."]


async def test_a_finished_side_effect_is_told_by_the_narrator(company: Company) -> None:
    ana = company.chat(
        calls("add_note", "get_open_invoices"), says(["Noted."]), note=Gives("noted", after_s=6)
    )

    await ana.says("Please note that I am late, and check my bill")

    assert statuses(ana) == ["I'm done checking your billing; I'm still noting that down."]


async def test_more_than_three_calls_are_counted(company: Company) -> None:
    slow = Gives("x", after_s=5)
    ana = company.chat(
        calls(*BOTH_NAMES, ("get_order_status", {"order": "7"}), "get_opening_hours"),
        says(["All well."]),
        appointments=slow,
        billing=slow,
        orders=slow,
        hours=slow,
    )

    await ana.says("Check everything")

    assert statuses(ana) == [
        "I'm still looking up your appointments, checking your billing and taking care of two more things."
    ]


async def test_the_same_hint_twice_is_named_once(company: Company) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "7"}), ("get_order_status", {"order": "8"})),
        says(["Both are on their way."]),
        orders=Gives("shipped", after_s=5),
    )

    await ana.says("Where are orders 7 and 8?")

    assert statuses(ana) == ["I'm still checking your order."]


@pytest.mark.parametrize("unnamed", [NO_HINT, None])
async def test_calls_without_hints_have_a_neutral_message(company: Company, unnamed: Hint | None) -> None:
    company.billing.spec = replace(
        company.billing.spec,
        hints={"en": unnamed} if unnamed else company.billing.spec.hints,
        acknowledge="auto" if unnamed else "never",
    )
    ana = company.chat(calls("get_open_invoices"), says(["$150."]), billing=Gives(150, after_s=5))

    await ana.says("What do I owe?")

    assert statuses(ana) == ["One moment, please."]


async def test_a_running_sentence_is_not_interrupted(company: Company) -> None:
    first, second = (CallNamed(number, tool) for number, tool in enumerate(BOTH_NAMES))
    slow_decision = Line((first, Pause(9), second, StreamEnded("tool_calls")))
    half_an_answer = Line((TextDelta("You owe"), Pause(9), TextDelta(" $150."), StreamEnded("stop")))
    ana = company.chat(slow_decision, half_an_answer)

    await ana.says("Check my appointments and billing")

    assert statuses(ana) == []


async def test_the_narrators_silence_has_other_words(company: Company) -> None:
    ana = company.chat(BOTH, says(["Tuesday."], first_s=3), billing=Gives(150, after_s=4.5))

    await ana.says("Check my appointments and billing")

    assert heard(ana)[-3:] == [
        "4.0 \"I'm done looking up your appointments; I'm still checking your billing.\"",
        '7.0 "One moment, please."',
        '7.5 "Tuesday."',
    ]


async def test_the_next_turn_uses_other_words_and_the_one_after_may_repeat(
    company: Company,
) -> None:
    slow = [says(["Hello."], first_s=3)]
    ana = company.chat(*slow * 3)

    for _ in range(3):
        await ana.says("Hello?")

    assert statuses(ana) == [
        "One moment, please.",
        "Thanks for waiting, I'm still on it.",
        "One moment, please.",
    ]


async def test_without_further_words_the_voice_is_silent(company: Company) -> None:
    ana = company.chat(stalls(), limits=Limits(silence_s=0.01))

    await ana.says("Hello?")

    assert len(statuses(ana)) == len(set(statuses(ana))) == 5


async def test_nothing_is_said_while_the_customer_types(company: Company) -> None:
    ana = company.chat(says(["We are open."], first_s=9))

    await ana.begins("When are you open?")
    await asyncio.sleep(2)
    ana.session.typing()
    await asyncio.sleep(1)
    ana.session.typing()
    await ana.session.answered()

    assert heard(ana) == ['8.0 "One moment, please."', '9.0 "We are open."']


async def test_nothing_is_said_for_a_call_that_waits_for_a_yes(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "2026-03-10"})))

    await ana.says("Cancel my Tuesday appointment")
    await asyncio.sleep(60)

    assert statuses(ana) == []


async def test_abandoned_calls_are_not_mentioned_any_more(company: Company) -> None:
    company.respec(company.billing, timeout_s=60)
    ana = company.chat(
        calls("get_open_invoices"),
        says(["It takes longer than I can wait."], first_s=2),
        limits=Limits(tools_s=5),
        billing=Gives(150, after_s=7.5),
    )

    await ana.begins("What do I owe?")
    await asyncio.sleep(7)

    assert statuses(ana) == ["I'm still checking your billing."]
    await ana.session.stop()


async def test_only_the_narrator_sees_these_messages(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says(["You owe $150."]),
        says(["Gladly."]),
        billing=Gives(150, after_s=5),
    )
    await ana.says("What do I owe?")
    await ana.says("Thanks")

    decider, narrator, next_decider = (str(request.view) for request in company.model.requests)
    assert "still checking" in narrator
    assert "still checking" not in decider + next_decider


async def test_an_answer_that_resembles_the_status_is_no_repetition_of_it(company: Company) -> None:
    ana = company.chat(
        calls("get_open_invoices"),
        says("I'm done checking your billing. I'm still checking your order."),
        billing=Gives(150, after_s=5),
    )

    await ana.says("What do I owe?")

    assert ana.session.state.turns[0].messages[-1].text.endswith("I'm still checking your order.")


async def test_german_customers_are_told_in_german(company: Company) -> None:
    for tool, doing, will in (
        (company.appointments, "Ihre Termine heraussuchen", "suche Ihre Termine heraus"),
        (company.billing, "Ihre Rechnungen prüfen", "prüfe Ihre Rechnungen"),
    ):
        tool.spec = replace(tool.spec, hints={"de": Hint(doing=doing, will=will)})
    ana = company.chat(replace_pause(BOTH, 3), says(["Dienstag; 150 Euro."]), billing=Gives(150, after_s=13))
    company.respec(company.billing, timeout_s=20)

    await ana.says("Wann ist mein nächster Termin, und was schulde ich Ihnen?")

    assert statuses(ana) == [
        "Eine Sekunde bitte, ich bin dran.",
        "Schon erledigt: Ihre Termine heraussuchen. Es dauert noch einen Moment, ich prüfe Ihre Rechnungen.",
        "Danke fürs Warten, ich prüfe Ihre Rechnungen.",
    ]


def replace_pause(line: Line, first_s: float) -> Line:
    return Line((Pause(first_s), *line.steps))


@pytest.mark.parametrize("cut_at", [MessageOpened, MessageText])
async def test_a_message_interrupted_by_a_crash_is_completed_and_not_repeated(
    company: Company, cut_at: type[MessageOpened] | type[MessageText]
) -> None:
    ana = company.chat(says(["We are open."], first_s=9))
    await ana.begins("When are you open?")
    await asyncio.sleep(3)
    await ana.session.close()
    entries = list(ana.session.entries)
    [last] = [at for at, logged in enumerate(entries) if isinstance(logged.entry, cut_at)]

    kept = entries[: last + 1]
    again = company.chat(says(["We are open."], first_s=6), entries=kept, log=StoppingLog(99, list(kept)))
    again.session.resume()
    await again.session.answered()

    assert statuses(again) == ["One moment, please.", "Thanks for waiting, I'm still on it."]
    closed = [
        logged.entry for batch in again.batches for logged in batch if isinstance(logged.entry, MessageClosed)
    ]
    assert [entry.kind for entry in closed] == ["status", "status", "response"]


async def test_a_slow_decision_is_acknowledged_anyway(company: Company) -> None:
    ana = company.chat(replace_pause(BOTH, 3), says(["Tuesday; $150."]))

    assert await ana.says("Check my appointments and billing") == scene("""
        Assistant (status): One moment, please.
        Assistant (acknowledgement): Sure, I'll look up your appointments and check your billing.
          [list_upcoming_appointments ok]
          [get_open_invoices ok]
        Assistant: Tuesday; $150.
    """)


async def test_a_slow_decision_that_is_cut_off_is_acknowledged_anyway(company: Company) -> None:
    ana = company.chat(replace_pause(BOTH, 3), says(["Tuesday; $150."]))
    await ana.says("Check my appointments and billing")
    entries = list(ana.session.entries)
    kinds = [type(logged.entry) for logged in entries]
    kept = [
        logged
        for logged in entries[: len(kinds) - kinds[::-1].index(CallRequested)]
        if not (isinstance(logged.entry, MessageOpened | MessageText) and "/m" in logged.entry.message_id)
    ]
    kept = [replace(logged, seq=number) for number, logged in enumerate(kept, start=1)]

    again = company.chat(says(["Tuesday; $150."]), entries=kept, log=StoppingLog(99, list(kept)))
    again.session.resume()
    await again.session.answered()

    assert "Sure, I'll look up your appointments and check your billing." in again.scene
