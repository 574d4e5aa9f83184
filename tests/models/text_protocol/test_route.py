"""The text route is a model like any other: its name, its end, its cost, and what it does only once."""

from collections.abc import AsyncGenerator
from dataclasses import replace

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import (
    CallArguments,
    CallNamed,
    Chunk,
    Opaque,
    StreamEnded,
    TextDelta,
)
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import JsonObject
from assistant.conversation.views import FromAssistant, FromTools, TurnView, View
from assistant.errors import DeclarationError, ReplyCut
from assistant.ports import ModelRequest
from assistant.testing.script import Line, calls
from assistant.testing.scripted_model import ScriptedModel
from tests.models.text_protocol.routes import REQUEST, reply_to, route

CALL = '# calls\n[{"tool": "list_invoices"}]'


class _Endless:
    """A model that invents results and goes on and on."""

    name = "endless"

    def __init__(self) -> None:
        self.closed = self.warmed = False
        self.stopped_after = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Write until it is stopped."""
        try:
            yield TextDelta(f"{CALL}\n\n# observation\n")
            while self.stopped_after < 100:
                self.stopped_after += 1
                yield TextDelta("and so on ")
        finally:
            self.closed = True

    async def warm(self) -> None:
        """Note it."""
        self.warmed = True

    async def close(self) -> None:
        """Nothing to give back."""


def _asked_before(**arguments: str) -> ModelRequest:
    call = Call(id="c1.1", tool="get_order", arguments=arguments)
    turn = TurnView((FromAssistant("", (call,)), FromTools((CallSucceeded(call=call, value=1),))))
    return replace(REQUEST, view=View("", (turn,)))


def _written(id_: str, arguments: JsonObject, *, id_last: bool = False) -> str:
    call = {"tool": "get_order", "arguments": arguments}
    return f"# calls\n{orjson.dumps({**call, 'id': id_} if id_last else {'id': id_, **call}).decode()}"


async def test_it_has_the_models_name_and_closes_it():
    model = ScriptedModel(name="ollama/small")
    text = route(model)
    assert text.name == "ollama/small"
    await text.close()
    assert model.closed


async def test_it_warms_the_wrapped_model():
    endless = _Endless()
    for model in (endless, ScriptedModel()):
        await route(model).warm()
    assert endless.warmed


async def test_a_model_that_invents_results_is_stopped():
    model = _Endless()
    chunks = [chunk async for chunk in route(model).stream(REQUEST)]
    assert chunks == [CallNamed(0, "list_invoices"), CallArguments(0, "{}"), StreamEnded("tool_calls")]
    assert model.closed
    assert model.stopped_after == 0


async def test_the_cost_of_the_reply_is_passed_on():
    ended = StreamEnded("stop", 10, 20, 5, 0.25, "other")
    chunks = await reply_to(Line((TextDelta(CALL), ended)))
    assert chunks[-1] == replace(ended, reason="tool_calls")
    assert (await reply_to(Line((TextDelta("Hello."), ended))))[-1] == ended


@pytest.mark.parametrize("reason", ["length", "refused"])
async def test_the_end_of_the_reply_is_passed_on(reason: str):
    ended = replace(StreamEnded("stop"), reason=reason)
    assert (await reply_to(Line((TextDelta(CALL), ended))))[-1] == ended


async def test_an_incomplete_call_at_the_length_limit_is_not_used():
    text = "# calls\n- tool: get_order\n  arguments:\n    order: 47"
    chunks = await reply_to(Line((TextDelta(text), StreamEnded("length"))), calls="yaml")
    assert isinstance(chunks[1], CallArguments)
    assert chunks[1].fragment.startswith("it ends before it is complete")


async def test_calls_of_a_model_that_was_offered_no_tools_are_not_its_own():
    native = Line(
        (*calls("list_invoices").steps[:-1], Opaque("x", 1), TextDelta("Hello."), StreamEnded("stop"))
    )
    assert await reply_to(native) == [TextDelta("Hello."), StreamEnded("stop")]


async def test_a_repeated_earlier_call_is_not_made():
    text = f"As before.\n\n{_written('t1_c1_1', {'order': '1'})}"
    assert await reply_to([text], _asked_before(order="1")) == [TextDelta("As before."), StreamEnded("stop")]


async def test_if_only_an_earlier_call_is_written_the_model_is_told():
    chunks = await reply_to([_written("t1_c1_1", {"order": "1"})], _asked_before(order="1"))
    assert chunks[0] == CallNamed(0, "calls")
    assert isinstance(chunks[1], CallArguments)
    assert chunks[1].fragment.startswith("this call was made before")


async def test_an_earlier_call_with_its_id_last_cannot_be_run():
    chunks = await reply_to([_written("t1_c1_1", {"order": "1"}, id_last=True)], _asked_before(order="1"))
    assert chunks[0] == CallNamed(0, "get_order")
    assert isinstance(chunks[1], CallArguments)
    with pytest.raises(orjson.JSONDecodeError):
        orjson.loads(chunks[1].fragment)


@pytest.mark.parametrize(
    "text",
    [
        _written("t1_c1_1", {"order": "2"}),
        _written("t2_c1_1", {"order": "1"}),
        _written("", {"order": "1"}),
        _written("t1_c1_1", {"order": "2"}, id_last=True),
    ],
    ids=["an old id with other arguments", "a new id", "no id", "an old id at the end"],
)
async def test_a_new_call_is_made_with_any_id(text: str):
    chunks = await reply_to([text], _asked_before(order="1"))
    assert [type(chunk) for chunk in chunks] == [CallNamed, CallArguments, StreamEnded]
    assert isinstance(chunks[1], CallArguments)
    assert orjson.loads(chunks[1].fragment)["order"] in ("1", "2")


@pytest.mark.parametrize(("calls", "sections"), [("toml", "markdown"), ("json", "html")])
def test_an_unknown_form_is_refused(calls: str, sections: str):
    with pytest.raises(DeclarationError, match="use one of"):
        route(ScriptedModel(), calls=calls, sections=sections)


def test_only_the_text_route_and_its_modules_know_section_formats():
    from pathlib import Path

    rooms = Path(__file__).parents[3] / "assistant"
    allowed = {"formats", "models", "testing"}
    for path in rooms.rglob("*.py"):
        if path.relative_to(rooms).parts[0] not in allowed:
            text = path.read_text()
            assert "text_protocol.tool_chain" not in text, path
            assert "formats.sections" not in text, path
            assert "<observation" not in text, path


async def test_endless_thinking_is_cut() -> None:
    with pytest.raises(ReplyCut, match="more than 200000 characters"):
        await reply_to(["<think>", *["and so on "] * 30_000])
