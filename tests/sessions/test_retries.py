"""A conversation that the log refuses is retried less and less often; another turn of it is tried immediately."""

from assistant.conversation.customer import ConversationKey
from assistant.sessions.retries import Retries
from assistant.testing.virtual_time import VirtualClock

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
