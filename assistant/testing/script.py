"""The lines of a script for a model. A line is the answer to one request, with its times."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, StreamEnded, TextDelta
from assistant.conversation.values import JsonObject
from assistant.errors import ModelBroke, ModelError
from assistant.formats.json_text import json_text


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause without chunks."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Silence:
    """No more chunks follow, until the request's own timeout."""


@dataclass(frozen=True, slots=True)
class Fall:
    """The stream raises an error."""

    error: ModelError


Step: TypeAlias = Chunk | Pause | Silence | Fall

CallLine: TypeAlias = str | tuple[str, JsonObject | str]
"""A tool's name, or the name with its arguments. Arguments that are a text are sent unchanged."""


@dataclass(frozen=True, slots=True)
class Line:
    """The answer of the model to one request."""

    steps: tuple[Step, ...]


def says(text: str | Sequence[str], *, first_s: float = 0.0, each_s: float = 0.0) -> Line:
    """Returns an answer of text. A text is sent word by word, a list of pieces piece by piece.

    Args:
        text: the answer.
        first_s: seconds until the first piece.
        each_s: seconds between two pieces.
    """
    return Line(_timed([*_words(text), StreamEnded("stop")], first_s, each_s))


def calls(
    *tools: CallLine, text: str | Sequence[str] = "", first_s: float = 0.0, each_s: float = 0.0
) -> Line:
    """Returns an answer with tool calls. For each call, the name comes first, and then the arguments in two
    fragments. ``text`` comes before all calls.

    >>> calls(("find", {"id": 7})).steps[:2]
    (CallNamed(index=0, name='find', provider_id=None), CallArguments(index=0, fragment='{"id'))
    """
    chunks: list[Chunk] = [*_words(text)]
    for index, tool in enumerate(tools):
        name, arguments = (tool, "{}") if isinstance(tool, str) else tool
        written = arguments if isinstance(arguments, str) else json_text(arguments)
        half = len(written) // 2
        chunks.append(CallNamed(index, name))
        chunks += [CallArguments(index, part) for part in (written[:half], written[half:]) if part]
    return Line(_timed([*chunks, StreamEnded("tool_calls")], first_s, each_s))


def breaks(after: Line | str | Sequence[str] = "", *, error: ModelError | None = None) -> Line:
    """Returns a stream that breaks after a text, or right before the end of another line."""
    return Line((*_begun(after), Fall(error or ModelBroke("the script broke off"))))


def stalls(after: Line | str | Sequence[str] = "") -> Line:
    """Returns a stream that stalls until it times out, after a text or right before the end of another line."""
    return Line((*_begun(after), Silence()))


def _begun(after: Line | str | Sequence[str]) -> Sequence[Step]:
    if isinstance(after, Line):
        return [step for step in after.steps if not isinstance(step, StreamEnded)]
    return _words(after)


def _words(text: str | Sequence[str]) -> list[TextDelta]:
    pieces: Sequence[str] = re.findall(r"\s*\S+|\s+$", text) if isinstance(text, str) else text
    return [TextDelta(piece) for piece in pieces if piece]


def _timed(chunks: Sequence[Chunk], first_s: float, each_s: float) -> tuple[Step, ...]:
    steps: list[Step] = [Pause(first_s)] if first_s else []
    for place, chunk in enumerate(chunks):
        if place and each_s:
            steps.append(Pause(each_s))
        steps.append(chunk)
    return tuple(steps)
