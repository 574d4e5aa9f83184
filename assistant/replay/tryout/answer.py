"""What a model answers to a request, and how long it takes for it."""

from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeAlias

from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.errors import ModelError
from assistant.ports import Clock, ModelRequest
from assistant.turn.parts import RoleModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer: its words, the tools it calls, and when its first words or calls came, and its last.

    Times are in milliseconds after the request; ``first_ms`` is None for an answer without either.
    """

    text: str
    calls: tuple[str, ...]
    first_ms: int | None
    whole_ms: int


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The model failed: ``why``."""

    why: str


Came: TypeAlias = Answer | NoAnswer


async def answer_to(request: ModelRequest, role: RoleModel, clock: Clock) -> Came:
    """Put the request to this model, asked as its role is. Never raises for a model that fails."""
    began = clock.monotonic()
    words: list[str] = []
    calls: list[str] = []
    first_ms: int | None = None
    complete = False
    try:
        async with aclosing(role.model.stream(replace(request, options=role.options))) as stream:
            async for chunk in stream:
                match chunk:
                    case TextDelta(text=text):
                        words.append(text)
                    case CallNamed(name=name):
                        calls.append(name)
                    case StreamEnded():
                        complete = True
                    case _:
                        continue
                if first_ms is None and (words or calls):
                    first_ms = _ms_since(began, clock)
    except ModelError as error:
        return NoAnswer(str(error))
    if not complete:
        return NoAnswer(f"{role.model.name}: the reply ended without its end")
    text = "".join(words).strip()
    return Answer(text=text, calls=tuple(calls), first_ms=first_ms, whole_ms=_ms_since(began, clock))


def _ms_since(began: float, clock: Clock) -> int:
    return round((clock.monotonic() - began) * 1000)
