"""Puts both versions of a request to the model of its role, and weighs what it answers."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass

from assistant.assembly.config_builder import Models
from assistant.ports import Clock
from assistant.replay.checks.complaint import Complaint
from assistant.replay.player.stage import Stage
from assistant.replay.tryout.answer import Answer, Came, answer_to
from assistant.replay.tryout.compared import Compared
from assistant.replay.tryout.given import Given
from assistant.replay.tryout.weigh import weigh


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What came to one version of a request. Only a narrator's words are held to anything."""

    came: Came
    complaints: tuple[Complaint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Both versions of a request, answered."""

    name: str
    given: Given
    today: Weighed
    edited: Weighed


def to_ask(compared: Sequence[Compared], times: int) -> list[tuple[Compared, Given]]:
    """The requests that differ, each so many times; the others need no model to be compared."""
    differing = [(one, given) for one in compared for given in one.given if given.differs]
    return [each for each in differing for _ in range(times)]


async def ask(
    wanted: Sequence[tuple[Compared, Given]], models: Models, today: Stage, edited: Stage, clock: Clock
) -> AsyncGenerator[Asked, None]:
    """Ask one after the other, so that no request waits for another one; a model that fails is told so."""
    for one, given in wanted:
        role = models[given.role]
        before, after = (
            await answer_to(given.today, role, clock),
            await answer_to(given.edited, role, clock),
        )
        yield Asked(
            name=one.name,
            given=given,
            today=_weighed(before, given, one, today),
            edited=_weighed(after, given, one, edited),
        )


def _weighed(came: Came, given: Given, one: Compared, stage: Stage) -> Weighed:
    if given.role != "narrator" or not isinstance(came, Answer) or not came.text:
        return Weighed(came=came)
    return Weighed(came=came, complaints=tuple(weigh(came.text, given, one, stage)))
