"""A conversation that the log refuses is retried less and less often; another turn of it is tried immediately."""

from assistant.conversation.customer import ConversationKey
from assistant.prompts.book import shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.retries import Retries
from assistant.sessions.session import Session
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for
from assistant.testing.script import says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.turn.conftest import Company

ANA = ConversationKey(tenant="shop", customer="ana", conversation="c-1")
BEN = ConversationKey(tenant="shop", customer="ben", conversation="c-2")


async def tries(retries: Retries, clock: VirtualClock, turn: str, seconds: int) -> list[int]:
    """In which of the next seconds an attempt is due."""
    due = list[int]()
    for second in range(seconds):
        if retries.may_try(ANA, turn):
            due.append(second)
        await clock.sleep(1)
    return due


async def test_the_pauses_grow_to_a_minute() -> None:
    clock = VirtualClock()

    assert await tries(Retries(clock), clock, "t1", 260) == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]


async def test_a_later_turn_is_tried_immediately() -> None:
    clock = VirtualClock()
    retries = Retries(clock)
    await tries(retries, clock, "t1", 20)

    assert await tries(retries, clock, "t2", 5) == [0, 1, 3]
    assert retries.may_try(BEN)


async def test_what_works_again_is_tried_at_once_after_its_next_failure(
    company: Company,
) -> None:
    clock = company.clock
    model = ScriptedModel(says("Good to see you.", first_s=5), says("Bye.", first_s=5), clock=clock)
    deps = deps_for(model, [], shipped_book(), clock)
    session = Session(key=ANA, entries=(), configs=FixedConfig(deps), log=MemoryLog(), epoch="1")
    retries = Retries(clock)

    async def next_tries() -> list[int]:
        """After three failures whose turn was not known."""
        assert await tries(retries, clock, "", 4) == [0, 1, 3]
        retries.forget_what_works({ANA: session})
        return await tries(retries, clock, "", 4)

    assert await next_tries() == [0, 1, 3], "all is stored"
    await clock.sleep(300)
    await session.say(client_message_id="x1", text="Hi", locale="en")
    assert await next_tries() == [3], "it has not answered yet, and may fail again"
    await session.say(client_message_id="x2", text="Bye", locale="en")
    await clock.sleep(3)
    retries.forget_what_works({ANA: session})
    assert await tries(retries, clock, "", 2) == [0, 1], "it has answered, and takes the next turn"
