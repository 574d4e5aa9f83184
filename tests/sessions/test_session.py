"""A live conversation: its queue, its resends, its listeners, and what happens when its log fails or it closes."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import (
    ClientConnected,
    ClientDisconnected,
    CustomerMessage,
    DeliveryReceipt,
    Identified,
    Logged,
    Rated,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.outcomes import CallSucceeded, CallUnknown
from assistant.conversation.state import ConversationState
from assistant.errors import LogError
from assistant.sessions.session import MOST_QUEUED
from assistant.testing.chat import ANA, StoppingLog
from assistant.testing.fake_tool import Gives
from assistant.testing.script import calls, says
from tests.turn.conftest import Company


async def test_five_messages_wait_while_a_turn_runs_and_the_sixth_is_refused(company: Company) -> None:
    answers = [says([f"Answer {number}."], first_s=1) for number in range(MOST_QUEUED + 1)]
    ana = company.chat(*answers)
    await ana.begins("Message 0")
    await company.clock.sleep(0.5)

    taken = [
        await ana.session.say(client_message_id=f"q{number}", text=f"Message {number}", locale="en")
        for number in range(1, MOST_QUEUED + 2)
    ]
    await ana.session.answered()

    assert taken == ["accepted"] * MOST_QUEUED + ["busy"]
    assert ana.transcript == [
        line
        for number in range(MOST_QUEUED + 1)
        for line in (f"customer: Message {number}", f"assistant: Answer {number}.")
    ]


@pytest.mark.parametrize("after_s", [0, 0.5, 5])
async def test_a_repeated_message_is_recognised(company: Company, after_s: float) -> None:
    ana = company.chat(says(["Hello."], first_s=1))
    await ana.begins("Hi")

    await company.clock.sleep(after_s)
    again = await ana.session.say(client_message_id="m1", text="Hi", locale="en")
    await ana.session.answered()

    assert again == "known"
    assert ana.transcript == ["customer: Hi", "assistant: Hello."]


async def test_listeners_get_everything_in_order_until_they_stop(company: Company) -> None:
    ana = company.chat(says("Hello."), says("Again."))
    heard: list[Logged] = []
    stop = ana.session.listen(heard.extend)

    await ana.says("Hi")
    stop()
    stop()
    await ana.says("Hi again")

    seqs = [logged.seq for logged in heard]
    assert seqs == list(range(1, len(heard) + 1))
    assert isinstance(heard[-1].entry, TurnEnded)
    assert [logged.seq for logged in ana.session.entries] == list(range(1, ana.session.state.seq + 1))
    assert ana.session.entries == await company.log.read(ana.session.key)


async def test_the_customers_level_is_recorded_once(company: Company) -> None:
    ana = company.chat()

    for _ in range(2):
        await ana.session.welcome(ANA)
    await ana.session.welcome(None)
    await ana.session.answered()

    assert [logged.entry for logged in ana.session.entries] == [Identified(level="verified", name="Ana")]
    assert ana.session.customer == ANA
    again = ConversationState(ana.session.entries)
    assert again.customer(replace(ANA, name=None)).name == "Ana", "a restart must not lose the name"


async def test_only_the_assistants_messages_can_be_rated(company: Company) -> None:
    ana = company.chat(says(["Hel", "lo."], each_s=1))
    await ana.begins("Hi")
    await company.clock.sleep(0.5)

    unfinished = await ana.session.rate("t1/m1", "up")
    await ana.session.answered()
    rated = [await ana.session.rate("t1/m1", "down", "Too short"), await ana.session.rate("t1/m1", None)]
    unknown = [await ana.session.rate(message_id, "up") for message_id in ("u1", "t1/m2", "")]
    await ana.session.answered()

    assert (unfinished, rated, unknown) == (False, [True, True], [False, False, False])
    assert [logged.entry for logged in ana.session.entries[-2:]] == [
        Rated(message_id="t1/m1", rating="down", text="Too short"),
        Rated(message_id="t1/m1", rating=None),
    ]


async def test_the_delivery_of_a_message_is_recorded(company: Company) -> None:
    ana = company.chat(says("Hello."))
    await ana.says("Hi")

    ana.session.report_delivery("t1/m1", "seen", 6)
    await company.clock.sleep(0)
    await ana.session.answered()

    assert ana.session.entries[-1].entry == DeliveryReceipt(message_id="t1/m1", how="seen", up_to=6)


async def test_a_heard_position_comes_before_the_customers_next_message(company: Company) -> None:
    ana = company.chat(says("Hello there."), says("Goodbye."))
    await ana.says("Hi")

    for up_to in (0, 5, 3):
        await ana.session.heard("t1/m1", up_to)
    await ana.session.say(client_message_id="v-2", text="Thanks", locale="en", spoken=True)
    await ana.session.answered()

    after = [
        logged.entry
        for logged in ana.session.entries
        if isinstance(logged.entry, DeliveryReceipt | CustomerMessage)
    ]
    assert after[1:] == [
        DeliveryReceipt(message_id="t1/m1", how="heard", up_to=0),
        DeliveryReceipt(message_id="t1/m1", how="heard", up_to=5),
        CustomerMessage(message_id="u2", client_message_id="v-2", text="Thanks", spoken=True),
    ]


async def test_a_heard_position_is_logged_once_for_all_clients(company: Company) -> None:
    ana = company.chat(says("Hello."))
    await ana.says("Hi")

    for up_to in (6, 6, 2):
        ana.session.report_delivery("t1/m1", "seen", up_to)
        await company.clock.sleep(0)
    ana.session.report_delivery("t1/m1", "sent", 6)
    await company.clock.sleep(0)
    await ana.session.answered()

    told = [one.entry for one in ana.session.entries if isinstance(one.entry, DeliveryReceipt)]
    assert [(one.how, one.up_to) for one in told] == [("seen", 6), ("sent", 6)]


async def test_a_cut_connection_is_recorded_once_something_was_said(company: Company) -> None:
    ana = company.chat(says("Hello."))
    ana.session.came(0)
    ana.session.left(0)  # a client that sent nothing
    await ana.session.answered()
    before = list(ana.session.entries)
    await ana.says("Hi")
    said = len(ana.session.entries)

    ana.session.left(3)
    ana.session.came(3)
    await ana.session.close()

    assert before == []
    assert [logged.entry for logged in ana.session.entries[said:]] == [
        ClientDisconnected(last_seq=3),
        ClientConnected(last_seq=3),
    ]


@pytest.mark.parametrize("most", range(1, 14))
async def test_when_the_log_fails_the_session_ends_and_nothing_hangs(company: Company, most: int) -> None:
    log = StoppingLog(most)
    ana = company.chat(calls("get_open_invoices"), says("$150."), log=log)
    company.models.clear()

    with pytest.raises(LogError):
        await ana.says("Check my bill")

    assert ana.session.failed
    assert ana.session.entries == log.kept[: len(ana.session.entries)]
    assert ana.batches[-1] == ()
    ana.session.report_delivery("t1/m1", "seen", 6)
    await company.clock.sleep(0)
    with pytest.raises(LogError):
        await ana.session.say(client_message_id="m9", text="Hello?", locale="en")
    await ana.session.close()


async def test_a_session_that_closes_leaves_its_turn_to_the_next(company: Company) -> None:
    ana = company.chat(says("Hello there, good morning.", each_s=1))
    await ana.begins("When am I due?")
    await company.clock.sleep(2.5)

    await ana.session.close()

    assert ana.scene == "Assistant (still speaking): Hello there"
    assert ana.session.state.unfinished is not None
    assert not any(isinstance(logged.entry, TurnEnded) for logged in await company.log.read(ana.session.key))


async def test_a_patient_close_lets_the_running_turn_end(company: Company) -> None:
    ana = company.chat(says("You can stay for lunch.", each_s=1))
    await ana.begins("When am I due?")

    await ana.session.close(patience_s=30)

    assert ana.scene == "Assistant: You can stay for lunch."


async def test_closing_waits_for_calls_of_ended_turns(company: Company) -> None:
    ana = company.chat(calls(("add_note", {"text": "late"})), note=Gives("noted", after_s=3))
    await ana.begins("Write down that I am late")
    await company.clock.sleep(1)
    await ana.session.stop()

    await ana.session.close(patience_s=5)

    assert isinstance(ana.session.state.turns[0].outcomes["c1.1"], CallSucceeded)


async def test_calls_running_at_a_crash_get_their_outcome_from_the_next(
    company: Company,
) -> None:
    note = ("add_note", {"text": "late"})
    ana = company.chat(calls(note, "get_open_invoices"), note=Gives("noted", after_s=9))
    await ana.begins("Write down that I am late and check my bill")
    await company.clock.sleep(1)
    await ana.session.stop()
    await ana.session.close()

    again = await company.reopen(ana, says("I can't tell whether I noted it."), says("You owe $150."))
    await again.says("Did you note it?", number=2)

    call = again.session.state.turns[0].calls[0]
    assert again.session.state.turns[0].outcomes[call.id] == CallUnknown(call=call)
    assert len(company.note.ran) == 1


async def test_messages_that_waited_at_closing_are_answered_by_the_next(company: Company) -> None:
    ana = company.chat(says("Hello.", first_s=1))
    await ana.begins("Hi")
    await company.clock.sleep(0.5)
    await ana.begins("Are you there?")
    await ana.session.close()

    again = await company.reopen(ana, says("Hello."), says("I am."))
    await again.session.welcome(Customer(tenant="shop", id="ana", level="verified"))
    await again.session.answered()

    assert again.transcript == [
        "customer: Hi",
        "assistant: Hello.",
        "customer: Are you there?",
        "assistant: I am.",
    ]


async def test_the_cause_of_a_turn_says_whether_a_question_was_open(company: Company) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "x"})), says("Cancelled."))
    await ana.says("Cancel Tuesday")

    await ana.says("yes")

    causes = [logged.entry.cause for logged in ana.session.entries if isinstance(logged.entry, TurnStarted)]
    assert causes == ["message", "confirmation"]


async def test_messages_keep_their_numbers_and_buttons(company: Company) -> None:
    ana = company.chat(says("Hello."), says("Hello again."))
    await ana.says("Hi")
    await ana.says("Yes", button=True)

    said: Sequence[CustomerMessage] = [
        logged.entry for logged in ana.session.entries if isinstance(logged.entry, CustomerMessage)
    ]
    assert [(entry.message_id, entry.button) for entry in said] == [("u1", None), ("u2", "yes")]
