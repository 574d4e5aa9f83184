"""The customer's part of a trial: messages that the task has, or those that a model thinks of."""

from dataclasses import dataclass
from itertools import count
from typing import Literal, assert_never

from assistant.conversation.transcript import transcript
from assistant.evaluation.task import Confirms, Message, Says, Simulated, Task
from assistant.replay.simulated.actor import Actor
from assistant.replay.simulated.customer import How, Left, SimulatedCustomer, SimulatorFailed
from assistant.replay.simulated.next_message import next_message
from assistant.sessions.session import Session

_LABELS: dict[Literal["yes", "no"], str] = {"yes": "Yes", "no": "No"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How a simulated customer's part ended: how they ``left``, or why whoever plays them ``failed``."""

    left: How | None = None
    failed: str | None = None


async def say_all(task: Task, session: Session) -> Part:
    """Say the task's messages, each after the answer to the one before."""
    for number, message in enumerate(task.messages, 1):
        await _say(message, f"m{number}", task.locale, session)
    return Part()


async def play(task: Task, actor: Actor, session: Session) -> Part:
    """Let a model play the task's customer until they leave. A model that fails ends it, and never raises."""
    assert task.simulated is not None  # noqa: S101 - nobody else has an actor
    customer, parts = _customer(task.simulated), session.edition.parts
    for number in count(1):
        lines, today = transcript(session.state), parts.clock.now().date()
        try:
            said = await next_message(customer, lines, actor, parts.book, today=today, locale=task.locale)
        except SimulatorFailed as error:
            return Part(failed=str(error))
        if isinstance(said, Left):
            return Part(left=said.how)
        await session.say(client_message_id=f"m{number}", text=said, locale=task.locale)
        await session.answered()
    raise AssertionError  # count() has no end


def _customer(given: Simulated) -> SimulatedCustomer:
    return SimulatedCustomer(
        persona=given.persona, goal=given.goal, facts=given.facts, most_messages=given.most_messages
    )


async def _say(message: Message, name: str, locale: str, session: Session) -> None:
    asked = session.question is not None
    match message:
        case Confirms(confirm=answer):
            if not asked:
                return
            await session.say(client_message_id=name, text=_LABELS[answer], locale=locale, button=answer)
        case Says(say=text, when=when):
            if when not in ("always", "asked" if asked else "not asked"):
                return
            await session.say(client_message_id=name, text=text, locale=locale)
        case _:
            assert_never(message)
    await session.answered()
