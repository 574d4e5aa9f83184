"""Plays a task's solution without a model: shows that a task can be done, and the records after it.

The model makes the calls of the solution one by one, whatever it receives. The customer says yes to each
question. So the tools, the questions, the guardrails and the judge are tested, and no provider is asked.
"""

from collections.abc import AsyncGenerator, Mapping
from itertools import count

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import ModelRole
from assistant.evaluation.tasks import SolutionCall, Task
from assistant.formats.json_text import json_text
from assistant.ports import ModelRequest
from assistant.sessions.session import Session
from assistant.turn.context import RoleModel

SOLUTIONS = "solutions"
"""The name that selects it in place of a model: ``--model solutions``."""

_BETWEEN = "Is there anything else?"


class SolutionModel:
    """Makes the calls of a task's solution, one in each request, and then writes its facts."""

    def __init__(self) -> None:
        self._left: list[SolutionCall] = []
        self._facts: list[str] = []

    def take(self, task: Task) -> None:
        """Play this task from now on."""
        self._left = list(task.solution)
        self._facts = [*task.facts, *(choice[0] for choice in task.must)]

    @property
    def name(self) -> str:
        """The name in the settings."""
        return SOLUTIONS

    @property
    def finished(self) -> bool:
        """Whether all calls were made and all facts written."""
        return not self._left and not self._facts

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Yield the next call; text if there is none, or if it may not call."""
        if self._left and request.may_call:
            call = self._left.pop(0)
            yield CallNamed(0, call.tool)
            yield CallArguments(0, json_text(call.arguments))
            yield StreamEnded("tool_calls", input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)
            return
        text = _BETWEEN
        if not self._left:
            text, self._facts = ", ".join(self._facts) or _BETWEEN, []
        yield TextDelta(text)
        yield StreamEnded("stop", input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)

    async def close(self) -> None:
        """Does nothing."""


def solution_models(*_: object) -> Mapping[ModelRole, RoleModel]:
    """Returns one such model for both roles; the arguments are ignored."""
    model = RoleModel(model=SolutionModel())
    return {"decider": model, "narrator": model}


async def play_solution(task: Task, model: SolutionModel, session: Session) -> None:
    """Play the customer until the model has made all its calls: agree to each question, and ask to continue."""
    most = 2 * len(task.solution) + 3
    for number in count(1):
        asked = session.question is not None
        if number > most or (model.finished and not asked):
            return
        text = "Yes" if asked else "Please go on."
        await session.say(
            client_message_id=f"m{number}", text=text, locale=task.locale, button="yes" if asked else None
        )
        await session.answered()
