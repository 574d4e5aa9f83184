"""Several servers serve one conversation: any of them, after any of them has died, and each message once."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import CustomerMessage, Handoff, Identified, Logged, MessageText
from assistant.conversation.transcript import transcript
from assistant.errors import BeingErased, Fenced
from assistant.sessions.cluster import POLL_S, PRESENT_S, RELEASE_UNUSED_AFTER_S
from assistant.sessions.followed_session import FollowedSession
from assistant.sessions.session import MOST_QUEUED, Session
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import ANA, KEY
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, calls, says
from tests.support.fake_summariser import FakeSummariser
from tests.support.servers import LEASE_S, Servers
from tests.turn.conftest import Company


@pytest.fixture
async def servers(company: Company) -> AsyncIterator[Servers]:
    every = Servers(company)
    yield every
    for server in every.every:
        await server.freeze()


async def say(session: Session, text: str, number: int = 1) -> str:
    return await session.say(client_message_id=f"x{number}", text=text, locale="en")


def words(session: Session) -> str:
    return "".join(one.entry.text for one in session.entries if isinstance(one.entry, MessageText))


ANSWER = says(["Good ", "to ", "see ", "you ", "again."], first_s=1, each_s=1)


async def test_a_client_elsewhere_sees_the_sentence_grow(servers: Servers) -> None:
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(3.5)

    seen = await elsewhere.opened()
    assert isinstance(seen, FollowedSession)
    assert words(seen) == "Good to see "
    await servers.company.clock.sleep(1)
    assert words(seen) == "Good to see you "
    await servers.company.clock.sleep(2)

    assert words(seen) == words(ana) == "Good to see you again."
    assert [one.seq for one in seen.entries] == [*range(1, len(ana.entries) + 1)]


async def test_a_message_sent_elsewhere_survives_a_failed_append(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello."), says("Hello.")), await servers.start()
    await here.opened()
    phone = await elsewhere.opened()
    servers.log.full = True
    assert await say(phone, "Hi") == "accepted"
    await servers.company.clock.sleep(0.5)
    assert servers.log.refused

    servers.log.full = False
    await servers.company.clock.sleep(5)

    # It was neither sent again nor did its client come back.
    assert await servers.told() == ["customer: Hi", "assistant: Hello."]
    assert words(phone) == "Hello."


async def test_a_client_that_has_just_connected_is_not_left_behind(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    ana = await here.opened()
    await elsewhere.opened()
    elsewhere.leave()
    await servers.company.clock.sleep(RELEASE_UNUSED_AFTER_S - 0.5)

    back = await elsewhere.sessions.open(KEY, ANA)
    await servers.company.clock.sleep(2 * POLL_S)  # the greeting is on its way
    back.listen(lambda _: None)
    await say(ana, "Hi")
    await servers.company.clock.sleep(2 * POLL_S)

    assert words(back) == "Hello."


async def test_only_the_holder_makes_summaries(servers: Servers) -> None:
    summariser = FakeSummariser(servers.company.clock, lambda _: "Many invoices.", after_s=0.5)
    servers.summariser = summariser
    servers.company.billing.behaviour = Gives([{"number": f"A-{number}"} for number in range(3000)])
    here = await servers.start(calls("get_open_invoices"), says("Many."), says("Hello again."))
    ana, seen = await here.opened(), await (await servers.start()).opened()
    await say(ana, "What is open?")
    await servers.company.clock.sleep(5)
    await say(ana, "Hi", 2)
    await servers.company.clock.sleep(5)

    assert not seen.failed
    assert seen.entries == ana.entries
    assert summariser.asked == 1


async def test_a_follower_that_missed_an_entry_shows_nothing_more(servers: Servers) -> None:
    here = await servers.start(says("Hello."))
    ana, seen = await here.opened(), await (await servers.start()).opened()
    assert isinstance(seen, FollowedSession)
    await here.freeze()
    await say(ana, "Hi")
    await servers.company.clock.sleep(0.1)

    seen.receive(ana.entries[len(seen.entries) + 1 :])

    assert isinstance(seen.failure, Fenced)


async def test_a_message_sent_elsewhere_is_answered_once_by_the_holder(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(0.5)

    phone = await elsewhere.opened()
    assert [await say(phone, "Can you help me?", 2), await say(phone, "Can you help me?", 2)] == [
        "accepted"
    ] * 2
    await servers.company.clock.sleep(0.5)

    told = [
        "customer: Hi",
        "assistant: Hello.",
        "customer: Can you help me?",
        "assistant: Of course.",
    ]
    assert await servers.told() == told
    assert await say(phone, "Can you help me?", 2) == "known"
    assert words(phone) == "Hello.Of course."


async def test_without_hints_the_same_happens_a_moment_later(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(0.5)
    phone = await elsewhere.opened()
    await say(phone, "Can you help me?", 2)
    await servers.company.clock.sleep(2 * POLL_S + 0.5)

    assert words(phone) == "Hello.Of course."


async def test_a_client_from_another_server_sees_no_less_than_there(servers: Servers) -> None:
    servers.shared.hints = False
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    phone = await elsewhere.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(POLL_S / 2)
    while words(ana) == words(phone):
        await servers.company.clock.sleep(0.01)

    assert words(await elsewhere.opened()) == words(ana)

    await servers.company.clock.sleep(7)
    assert words(phone) == words(ana) == "Good to see you again."
    assert [one.seq for one in phone.entries] == [*range(1, len(ana.entries) + 1)]


async def test_a_client_that_comes_to_the_writing_server_sees_no_less(servers: Servers) -> None:
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    servers.log.answer_s = 0.5
    await say(ana, "Hi")
    shown = ""
    while len(shown) <= len(words(ana)):
        await servers.company.clock.sleep(0.1)
        shown = words(await elsewhere.opened())

    # The other server has read the entry before this one knows that it is stored.
    assert words(await here.opened()).startswith(shown)

    assert not ana.failed


async def test_a_dead_server_is_replaced_within_the_lease_and_two_seconds(servers: Servers) -> None:
    company = servers.company
    company.billing.behaviour = Gives([{"amount": "150.00"}], after_s=1)
    here = await servers.start(calls("get_open_invoices"), says(["You ", "owe ", "150.00."], each_s=1))
    ana = await here.opened()
    await say(ana, "What do I owe?")
    await company.clock.sleep(2.5)
    elsewhere = await servers.start(says("You owe 150.00."))
    await here.die()
    died = company.clock.monotonic()
    phone = await elsewhere.opened()
    assert isinstance(phone, FollowedSession)

    while "150.00" not in words(elsewhere.sessions.open_sessions()[KEY]):
        assert company.clock.monotonic() - died < LEASE_S + 2
        await company.clock.sleep(0.1)

    assert isinstance(phone.failure, Fenced), "the client is told to come back"
    assert not isinstance(await elsewhere.opened(), FollowedSession)
    assert len(company.billing.ran) == 1, "what was looked up is not looked up again"


async def test_a_client_of_a_server_that_missed_entries_sees_them_all(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start(says("Of course."))
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    await here.freeze()
    await servers.company.clock.sleep(LEASE_S + 2)
    phone = await elsewhere.opened()
    await say(phone, "Can you help me?", 2)
    await phone.answered()
    assert words(ana) == "Hello."

    assert words(await here.opened()) == "Hello.Of course."
    assert isinstance(ana.failure, Fenced)


async def test_an_answer_that_the_log_refused_is_started_again(servers: Servers) -> None:
    here = await servers.start(says(["Good."], first_s=2), says(["see ", "you."]))
    elsewhere = await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    phone = await elsewhere.opened()
    here.leave()
    servers.log.down = True
    await servers.company.clock.sleep(3)
    assert ana.failed

    servers.log.down = False
    await servers.company.clock.sleep(2 * POLL_S)

    assert await servers.told() == ["customer: Hi", "assistant: see you."]
    assert words(phone) == "see you."


async def test_each_failure_of_the_database_is_over_equally_soon(servers: Servers) -> None:
    clock = servers.company.clock
    lines = [says(["Good ", "to see you."], first_s=0.5)] * 20
    here, _ = await servers.start(*lines), await servers.start(*lines)
    for number in range(1, 7):
        await say(await here.opened(), "Hi", number)
        await clock.sleep(0.2)
        servers.log.down = True
        await clock.sleep(LEASE_S + 1)

        servers.log.down = False
        await clock.sleep(2 * POLL_S + 0.7)

        assert (await servers.told())[-1] == "assistant: Good to see you.", f"failure {number}"


async def test_a_server_that_wakes_up_later_may_not_write_any_more(servers: Servers) -> None:
    company = servers.company
    here = await servers.start(
        says(["Good ", "to ", "see ", "you ", "here ", "and ", "to ", "be ", "of ", "help."], each_s=2)
    )
    ana = await here.opened()
    await say(ana, "Hi")
    await company.clock.sleep(1)
    await here.freeze()
    await servers.start(says("and glad to help."))
    await company.clock.sleep(LEASE_S + 2)
    assert await servers.told() == ["customer: Hi", "assistant: Good to see you here and glad to help."]

    await company.clock.sleep(10)

    assert isinstance(ana.failure, Fenced)
    assert await servers.told() == ["customer: Hi", "assistant: Good to see you here and glad to help."]


async def test_a_stopped_server_hands_over_immediately(servers: Servers) -> None:
    here = await servers.start(says(["Good ", "to ", "see ", "you."], each_s=2))
    await servers.start(says(["Good ", "to ", "see ", "you, ", "Ana."]))
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(5)
    assert words(ana) == "Good to see "

    await here.stop()
    await servers.company.clock.sleep(0.5)

    assert await servers.told() == ["customer: Hi", "assistant: Good to see you, Ana."]


async def test_a_conversation_stays_on_its_server_while_a_client_is_connected(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello."), says("Of course.")), await servers.start()
    await say(await here.opened(), "Hi")
    phone = await elsewhere.opened()
    here.leave()
    await servers.company.clock.sleep(3 * PRESENT_S)

    assert phone.failure is None
    await say(phone, "Can you help me?", 2)
    await servers.company.clock.sleep(0.5)
    assert (await servers.told())[-1] == "assistant: Of course."


async def test_an_unused_conversation_is_free_for_the_next_server(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start(says("Of course."))
    await say(await here.opened(), "Hi")
    await elsewhere.opened()
    here.leave()
    elsewhere.leave()
    await servers.company.clock.sleep(PRESENT_S + RELEASE_UNUSED_AFTER_S + 2 * POLL_S)

    again = await elsewhere.opened()
    assert not isinstance(again, FollowedSession)
    await say(again, "Can you help me?", 2)
    await again.answered()
    assert (await servers.told())[-1] == "assistant: Of course."


async def test_messages_from_elsewhere_wait_while_the_queue_is_full(servers: Servers) -> None:
    answers = [says([f"Answer {number}."], first_s=1) for number in range(MOST_QUEUED + 2)]
    here, elsewhere = await servers.start(*answers), await servers.start()
    await here.opened()
    phone = await elsewhere.opened()

    for number in range(MOST_QUEUED + 2):
        assert await say(phone, f"Message {number}", number) == "accepted"
    await servers.company.clock.sleep(2 * MOST_QUEUED)

    assert await servers.told() == [
        line
        for number in range(MOST_QUEUED + 2)
        for line in (f"customer: Message {number}", f"assistant: Answer {number}.")
    ]


async def test_a_customer_who_signs_in_elsewhere_is_known_to_the_holder(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    ana = await here.opened(Customer(tenant="shop", id="ana"))
    await say(ana, "Hi")
    await servers.company.clock.sleep(1)
    await elsewhere.opened(ANA)
    await servers.company.clock.sleep(1)

    assert ana.customer.level == "verified"
    assert [one.entry.level for one in ana.entries if isinstance(one.entry, Identified)] == ["verified"]


async def test_two_servers_that_want_a_conversation_share_it(servers: Servers) -> None:
    both = await servers.start(says("Hello.")), await servers.start(says("Hello."))

    opened = await asyncio.gather(*(server.opened() for server in both))

    assert sorted(isinstance(one, FollowedSession) for one in opened) == [False, True]


async def test_data_erased_on_one_server_is_gone_on_all(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    phone = await elsewhere.opened()
    third = await servers.start()
    await servers.company.clock.sleep(1)

    async with third.sessions.without("shop", "ana"):
        assert await servers.log.erase("shop", "ana") == 1
    await servers.company.clock.sleep(0.2)

    assert isinstance(ana.failure, BeingErased)
    assert isinstance(phone.failure, BeingErased)
    assert (await elsewhere.opened()).entries == []


async def test_a_repeatedly_refused_answer_is_tried_less_and_less_often(servers: Servers) -> None:
    here = await servers.start(*[says(["Good ", "to see you."], first_s=0.1)] * 9)
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(0.05)
    servers.log.full = True
    await servers.company.clock.sleep(130)
    servers.company.models.clear()

    assert 6 <= servers.log.refused <= 9


async def test_unreadable_conversations_do_not_delay_the_others(servers: Servers) -> None:
    here = await servers.start(says(["Good ", "to ", "see you."], each_s=2))
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(1)
    await servers.start(says(["Good ", "to ", "see you."]))
    await here.die()
    said = CustomerMessage(message_id="u1", client_message_id="x1", text="Hi")
    await servers.company.clock.sleep(LEASE_S - 2)
    for number in range(9):
        broken = ConversationKey(tenant="shop", customer="ana", conversation=f"a{number}")
        servers.shared.held[broken] = servers.shared.held[KEY]
        await MemoryLog.append(servers.log, broken, [Logged(1, 1, "", said)])
        servers.log.unreadable.add(broken)
    await servers.company.clock.sleep(4)

    assert await servers.told() == ["customer: Hi", "assistant: Good to see you."]


async def test_an_invalid_command_does_not_stop_the_others(servers: Servers) -> None:
    here, elsewhere = await servers.start(says("Hello.")), await servers.start()
    await here.opened()
    phone = await elsewhere.opened()
    await elsewhere.cluster.send(KEY, {"do": "stop", "unknown": 7})
    await say(phone, "Hi")
    await servers.company.clock.sleep(1)

    assert await servers.told() == ["customer: Hi", "assistant: Hello."]
    assert servers.shared.commands == []


async def test_typing_reaches_the_other_server(servers: Servers) -> None:
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(8)
    seen = await elsewhere.opened()
    seen.typing()
    await servers.company.clock.sleep(0.1)

    assert servers.company.clock.monotonic() - ana._last_heard.typing <= 0.1  # pyright: ignore[reportPrivateUsage]


async def test_pages_of_other_servers_hear_who_types_if_a_person_was_asked_for(servers: Servers) -> None:
    here, elsewhere = await servers.start(ANSWER), await servers.start()
    ana = await here.opened()
    await say(ana, "Hi")
    await servers.company.clock.sleep(8)
    seen, heard = await elsewhere.opened(), list[str]()
    seen.typing_signals.listen(heard.append)
    ana.note_typist("customer")
    await servers.company.clock.sleep(1.5)
    assert heard == [], "no page elsewhere shows it"

    await ana.record(
        Handoff(handoff_id="h1", state="requested", why="a person", requested_by="c1"), durable=True
    )
    await servers.company.clock.sleep(1.5)
    ana.note_typist("customer")
    ana.note_typist("customer")
    await servers.company.clock.sleep(1.5)

    assert heard == ["customer"]


async def test_typing_is_reported_once_to_any_number_of_servers(servers: Servers) -> None:
    here, second, third = await servers.start(ANSWER), await servers.start(), await servers.start()
    await say(await here.opened(), "Hi")
    await servers.company.clock.sleep(2)
    seen, _ = await second.opened(), await third.opened()
    seen.typing()
    await servers.company.clock.sleep(10)

    assert sum(bool(hint.typing) for hint in servers.shared.hinted) == 1


async def test_one_unreadable_conversation_does_not_stop_other_followed_ones(servers: Servers) -> None:
    servers.shared.hints = False
    lines = (ANSWER, ANSWER, says("More."), says("More."))
    here, elsewhere = await servers.start(*lines), await servers.start()
    followed = list[Session]()
    for name in ("c-0", KEY.conversation):  # in the order in which they are compared
        key = replace(KEY, conversation=name)
        session = await here.sessions.open(key, ANA)
        session.listen(lambda _: None)
        await say(session, "Hi")
        await servers.company.clock.sleep(2)
        followed.append(await elsewhere.sessions.open(key, ANA))
        followed[-1].listen(lambda _: None)
    servers.log.unreadable.add(followed[0].key)
    for session in followed:
        await say(session, "More", 2)
    await servers.company.clock.sleep(10)

    assert transcript(followed[1].state)[-1].text == "More."


async def test_a_button_pressed_elsewhere_answers_no_later_question(
    servers: Servers, company: Company
) -> None:
    def asks(day: str) -> Line:
        return calls(("cancel_appointment", {"day": day}))

    here, elsewhere = await servers.start(asks("Tuesday"), asks("Wednesday")), await servers.start()
    ana = await here.opened()
    await say(ana, "Cancel Tuesday")
    await servers.company.clock.sleep(2)
    seen = await elsewhere.opened()
    await here.freeze()
    await seen.say(client_message_id="x2", text="yes", locale="en", button="yes")
    await say(ana, "no, cancel Wednesday", 3)
    await ana.answered()
    assert ana.question is not None
    await here.begin()
    await servers.company.clock.sleep(3)

    assert company.cancel.ran == []
    assert ana.question is not None
