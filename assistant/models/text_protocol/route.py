"""Tool calling in text: the prompt tells the model how to write calls, and its text is searched for them.

Earlier calls and results are written as text, too. All other text is escaped, so that it cannot be read as
calls.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Final, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.errors import ReplyCut
from assistant.formats.json_text import json_text
from assistant.formats.sections import TextFormat, escape, nonce, text_format
from assistant.formats.tools import media_of
from assistant.formats.turns import CallIds, WrittenTurns, ids_by_place
from assistant.models.text_protocol.openings import CALLS, OpeningFinder
from assistant.models.text_protocol.reply_reader import ReplyReader
from assistant.models.text_protocol.tool_chain import OBSERVATION, ToolChain, tool_chain
from assistant.ports import Model, ModelRequest
from assistant.prompts.instructions import TextRouteRules
from assistant.prompts.prompt import Prompt

_SEEN: Final = frozenset({"image/jpeg", "image/png"})
"""Types that all models that can see accept."""

_MOST_TEXT: Final = 200_000
"""The most characters of one reply, including the model's thoughts."""

TOOLS: Final = "tools"
"""The section with the offered tools."""

_EXAMPLE: Final = (
    Call(id="", tool="find_parcel", arguments={"number": "A-17"}),
    Call(id="", tool="list_open_invoices", arguments={}),
)


def through_text(
    model: Model,
    *,
    render: Callable[[Prompt], str],
    secret: bytes,
    calls: str = "json",
    sections: str = "markdown",
) -> "TextRoute":
    """Wrap a model, so that it is asked with text only, and answers with text and calls like any other model.

    Args:
        model: the wrapped model.
        render: renders a prompt, such as ``PromptBook.render``.
        secret: the codes of observations are derived from it. Keep it secret.
        calls: the form in which the model must write calls: "json" or "yaml".
        sections: the form of sections: "markdown" or "xml".

    Raises:
        DeclarationError: there is no such form. The error lists the known ones.
    """
    return TextRoute(model, tool_chain(calls, text_format(sections)), text_format(sections), render, secret)


class TextRoute:
    """Tells a model in its prompt how to call tools, and reads its calls from its text.

    Args:
        model: the wrapped model. It gets no tools.
        chain: writes and reads calls and results.
        described: a new text format of the same kind, in which the section of calls is registered.
        render: renders a prompt.
        secret: the codes of observations are derived from it.
    """

    def __init__(
        self,
        model: Model,
        chain: ToolChain,
        described: TextFormat,
        render: Callable[[Prompt], str],
        secret: bytes,
    ) -> None:
        self._model, self._chain, self._render = model, chain, render
        self._turns = TurnsAsText(chain, secret)
        example = Call(id="", tool="TOOL_NAME", arguments={"ARGUMENT": "VALUE"})
        described.register(CALLS, chain.write([example]))
        self._structure = described.describe()
        self._told = described

    @property
    def name(self) -> str:
        """The model's own name."""
        return self._model.name

    async def warm(self) -> None:
        """Warm the wrapped model."""
        warm = getattr(self._model, "warm", None)
        if warm is not None:
            await warm()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Ask with text. Yields text as it arrives, and calls as soon as they can be read."""
        tools = request.tools if request.may_call else ()
        openings = OpeningFinder(self._told, maybe=bool(tools))
        reader = ReplyReader(self._chain, tools, openings, earlier_calls(request.view))
        left = _MOST_TEXT
        async with aclosing(self._model.stream(self._as_text(request))) as chunks:
            async for chunk in chunks:
                match chunk:
                    case TextDelta(text):
                        left -= len(text)
                        if left < 0:
                            raise ReplyCut(f"more than {_MOST_TEXT} characters of text in one reply")
                        for out in reader.push(text):
                            yield out
                        if reader.over:
                            # The rest is invented, so do not wait or pay for it.
                            chunk = StreamEnded("stop")
                    case StreamEnded():
                        pass
                    case CallNamed() | CallArguments() | Opaque():
                        # The model was offered no tools, so opaque fields of its own calls cannot be used.
                        continue
                if isinstance(chunk, StreamEnded):
                    for out in reader.finish(cut=chunk.reason == "length"):
                        yield out
                    yield replace(chunk, reason="tool_calls") if _called(reader, chunk) else chunk
                    return

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()

    def _as_text(self, request: ModelRequest) -> ModelRequest:
        """Returns the same request, with calls, results and tools as text."""
        view = request.view
        turns = self._turns.write(
            view, request.conversation, _SEEN if request.options.images else frozenset()
        )
        called = any(isinstance(message, FromTools) for message in view.messages)
        if request.tools or called:
            rules = self._render(
                TextRouteRules(
                    structure=self._structure if request.tools else "",
                    example=self._example(one=not request.options.parallel_calls),
                    calls=CALLS,
                    results=OBSERVATION,
                    tools=TOOLS,
                    one=not request.options.parallel_calls,
                )
            )
            offer = self._offer(request.tools)
            view = replace(view, system="\n\n".join(filter(None, (view.system, rules, offer))))
        return replace(request, view=replace(view, turns=turns), tools=())

    def _example(self, *, one: bool) -> str:
        return self._chain.text_format.format(CALLS, self._chain.write(_EXAMPLE[:1] if one else _EXAMPLE))

    def _offer(self, tools: Sequence[ToolSpec]) -> str:
        """Returns the tools, each as one line of JSON, in a section."""
        lines = (
            json_text({"tool": spec.name, "description": spec.description, "arguments": spec.parameters})
            for spec in tools
        )
        return self._chain.text_format.format(TOOLS, "\n".join(lines)) if tools else ""


def _called(reader: ReplyReader, ended: StreamEnded) -> bool:
    return reader.calls > 0 and ended.reason == "stop"


@dataclass(frozen=True, slots=True)
class _Place:
    """The inputs of a turn's text: its position, and the types of media that the model can see."""

    conversation: str
    number: int
    seen: frozenset[str]


class TurnsAsText:
    """Writes turns as text, and caches ended ones.

    All text is escaped, so that it cannot be read as calls or results. Earlier calls have ids, which
    distinguish them from new calls. Observations have a secret code.

    Args:
        chain: writes calls and results.
        secret: the codes are derived from it.
    """

    def __init__(self, chain: ToolChain, secret: bytes) -> None:
        self._chain, self._secret = chain, secret
        self._finished: WrittenTurns[tuple[_Place, TurnView]] = WrittenTurns()

    def __len__(self) -> int:
        return len(self._finished)

    def write(
        self, view: View, conversation: str, seen: frozenset[str] = frozenset()
    ) -> tuple[TurnView, ...]:
        """Returns all turns of a view, oldest first.

        Media of the types in ``seen`` are added to their results.
        """
        return tuple(
            self._turn(turn, _Place(conversation, number, seen), current=number == len(view.turns) - 1)
            for number, turn in enumerate(view.turns)
        )

    def _turn(self, turn: TurnView, place: _Place, *, current: bool) -> TurnView:
        known = self._finished.get(turn)
        if known is not None and known[0] == place:
            return known[1]
        written = TurnView(tuple(self._messages(turn.messages, ids_by_place(turn, place.number), place)))
        if not current:  # The current turn still grows, and is a new object each time.
            self._finished.keep(turn, (place, written))
        return written

    def _messages(self, messages: Sequence[ViewMessage], ids: CallIds, place: _Place) -> list[ViewMessage]:
        return [self._message(message, ids, place) for message in messages]

    def _message(self, message: ViewMessage, ids: CallIds, place: _Place) -> ViewMessage:
        match message:
            case FromCustomer(text=text):
                return replace(message, text=escape(text.strip()))
            case FromAssistant(text=text, calls=calls):
                asked = self._calls(calls, ids)
                return FromAssistant("\n\n".join(filter(None, (escape(text.strip()), asked))))
            case FromTools(outcomes=outcomes):
                named = (ids[outcome.call.id] for outcome in outcomes)
                code = nonce(self._secret, place.conversation, *named)
                media = (
                    each for outcome in outcomes for each in media_of(outcome) if each.mime in place.seen
                )
                return FromCustomer(self._chain.results(outcomes, code, place.seen), tuple(media))
            case _:
                assert_never(message)

    def _calls(self, calls: Sequence[Call], ids: CallIds) -> str:
        return self._chain.text_format.format(CALLS, self._chain.write(calls, ids)) if calls else ""


def earlier_calls(view: View) -> Mapping[str, Call]:
    """Returns the calls of a view, by the ids that the model knows."""
    return {
        ids_by_place(turn, number)[call.id]: call
        for number, turn in enumerate(view.turns)
        for message in turn.messages
        if isinstance(message, FromAssistant)
        for call in message.calls
    }
