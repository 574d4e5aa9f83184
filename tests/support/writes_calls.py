"""A model that writes its calls as text, like small models."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import orjson

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.formats.json_text import json_text
from assistant.ports import Model, ModelRequest

_OPENS: Final = {"markdown": "\n\n# calls\n", "xml": "\n<calls>\n"}
_CLOSES: Final = {"markdown": "\n", "xml": "\n</calls>\n"}


@dataclass(frozen=True, slots=True)
class Form:
    """The format of the calls and of the section that contains them."""

    calls: Literal["json", "yaml"]
    sections: Literal["markdown", "xml"]

    def __str__(self) -> str:
        return f"{self.calls}-{self.sections}"


class WritesCalls:
    """Turns the calls of a model's replies into text, as a model without native calls would have written
    them.

    A call that begins before the previous one is complete is written after that one.

    Args:
        model: the model whose replies these are.
        form: the format of the calls.
    """

    def __init__(self, model: Model, form: Form) -> None:
        self._model = model
        self._form = form

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Give the model's reply as text."""
        writing = _Writing(self._form)
        async with aclosing(self._model.stream(request)) as chunks:
            async for chunk in chunks:
                match chunk:
                    case StreamEnded(reason=reason):
                        if text := writing.end():
                            yield TextDelta(text)
                        yield replace(chunk, reason="stop") if reason == "tool_calls" else chunk
                    case TextDelta() | Opaque():
                        if not writing.begun:
                            yield chunk
                    case CallNamed() | CallArguments():
                        if text := writing.take(chunk):
                            yield TextDelta(text)

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()


@dataclass(slots=True)
class _Call:
    name: str
    fragments: list[str] = field(default_factory=list[str])
    written: int = -1

    @property
    def complete(self) -> bool:
        """Whether its arguments are a complete object."""
        try:
            return isinstance(orjson.loads("".join(self.fragments)), dict)
        except orjson.JSONDecodeError:
            return False


class _Writing:
    """Writes the calls of one reply as text, piece by piece."""

    def __init__(self, form: Form) -> None:
        self._yaml = form.calls == "yaml"
        self._opens, self._closes = _OPENS[form.sections], _CLOSES[form.sections]
        self._calls: list[_Call] = []
        # The call that began last at each index: some models begin at 0 again for every call.
        self._at: dict[int, _Call] = {}
        self._done = 0

    @property
    def begun(self) -> bool:
        """Whether the section of calls has begun."""
        return bool(self._calls)

    def take(self, chunk: CallNamed | CallArguments) -> str:
        """The text to write for this chunk."""
        if isinstance(chunk, CallNamed):
            first = not self._calls
            self._calls.append(_Call(chunk.name))
            self._at[chunk.index] = self._calls[-1]
            return (self._opens + ("" if self._yaml else "[") if first else "") + self._more()
        if (call := self._at.get(chunk.index)) is not None:
            call.fragments.append(chunk.fragment)
        return self._more()

    def end(self) -> str:
        """The text to write at the end of the reply."""
        if not self._calls:
            return ""
        text = ""
        for call in self._calls[self._done :]:
            call.fragments = call.fragments if "".join(call.fragments).strip() else ["{}"]
            text += self._written(call)
            text += self._end_of(call)
            self._done += 1
        return text + ("" if self._yaml else "]") + self._closes

    def _more(self) -> str:
        """The text of the calls, in order, up to the first call that is not complete."""
        text = ""
        for call in self._calls[self._done :]:
            text += self._written(call)
            if not call.complete:
                break
            text += self._end_of(call)
            self._done += 1
        return text

    def _written(self, call: _Call) -> str:
        text = ""
        if call.written < 0:
            call.written = 0
            text = self._head(call.name)
        text += "".join(call.fragments[call.written :])
        call.written = len(call.fragments)
        return text

    def _head(self, name: str) -> str:
        if self._yaml:
            return f"tool: {name}\narguments: "
        return f'{", " if self._done else ""}{{"tool": {json_text(name)}, "arguments": '

    def _end_of(self, call: _Call) -> str:
        # A separate document, so that it is complete before the next call begins.
        return "\n---\n" if self._yaml else "}"
