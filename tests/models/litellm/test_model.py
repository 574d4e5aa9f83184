"""The model through litellm, with a fake in place of litellm: our own behaviour."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from structlog.testing import capture_logs

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View
from assistant.errors import ModelBroke, ModelRefused
from assistant.formats.registry import formatter
from assistant.models.litellm import LitellmModel
from assistant.ports import ModelOptions, ModelRequest
from assistant.testing.virtual_time import VirtualClock

VIEW = View("Be brief.", (TurnView((FromCustomer("Hello"),)),))
ASKED = ModelRequest(role="decider", view=VIEW)


@dataclass
class Function:
    name: str | None = None
    arguments: str | None = None


@dataclass
class CallDelta:
    index: int | None
    id: str | None
    function: Function
    provider_specific_fields: dict[str, str] | None = None


@dataclass
class Delta:
    content: str | None = None
    tool_calls: Sequence[CallDelta] | None = None
    reasoning_content: str | None = None
    thinking_blocks: Sequence[dict[str, str]] | None = None


@dataclass
class Choice:
    delta: Delta = field(default_factory=Delta)
    finish_reason: str | None = None


@dataclass
class Details:
    cached_tokens: int | None = None


@dataclass
class Used:
    prompt_tokens: int = 90
    completion_tokens: int = 10
    prompt_tokens_details: Details | None = None
    cost: float | None = None


@dataclass
class Piece:
    choices: Sequence[Choice] = ()
    usage: Used | None = None


class FakeStream:
    def __init__(self, pieces: Sequence[Piece | Exception]) -> None:
        self.chunks: list[Piece] = []
        self.closed = False
        self._left = list(pieces)

    async def __anext__(self) -> Piece:
        while self._left:
            piece = self._left.pop(0)
            if isinstance(piece, Exception):
                raise piece
            self.chunks.append(piece)
            if piece.choices:
                return piece
        raise StopAsyncIteration

    async def aclose(self) -> None:
        self.closed = True


class FakeLitellm:
    """Replaces litellm; keeps the requests."""

    def __init__(
        self, *pieces: Piece | Exception, problem: str | None = None, lacks: Sequence[str] = ()
    ) -> None:
        self.stream = FakeStream(pieces)
        self.asked: list[dict[str, Any]] = []
        self.loads = 0
        self._problem = problem
        self._lacks = list(lacks)

    async def load(self, environ: Mapping[str, str]) -> Any:
        self.loads += 1
        return self

    async def ask(self, body: dict[str, Any], api_base: str | None, api_key: str | None) -> FakeStream:
        self.asked.append(body)
        return self.stream

    def problem(self, model: str) -> str | None:
        return self._problem

    def missing(self, model: str) -> list[str]:
        return self._lacks

    def cost_usd(self, model: str, usage: object) -> float | None:
        return 0.25 if model == "acme/small" else None


def model_behind(litellm: FakeLitellm, name: str = "acme/small", api_key: str | None = None) -> LitellmModel:
    return LitellmModel(
        name,
        model=name,
        formatter=formatter("generic"),
        clock=VirtualClock(),
        environ={"ACME_API_KEY": "hunter22", "ACME_REGION": "northern"},
        api_key=api_key,
        load=litellm.load,
    )


async def reply(litellm: FakeLitellm, request: ModelRequest = ASKED) -> list[Chunk]:
    return [chunk async for chunk in model_behind(litellm).stream(request)]


def text(content: str) -> Piece:
    return Piece([Choice(Delta(content))])


def end(reason: str = "stop") -> Piece:
    return Piece([Choice(finish_reason=reason)])


async def test_the_request_is_in_openais_format_with_litellms_model_name() -> None:
    litellm = FakeLitellm(text("Hi"), end())
    tool = ToolSpec(name="crm.find", description="Find.", parameters={})
    options = ModelOptions(max_tokens=7, temperature=0.5, parallel_calls=False)

    await reply(litellm, ModelRequest(role="decider", view=VIEW, tools=(tool,), options=options))

    (body,) = litellm.asked
    assert body["model"] == "acme/small"
    assert body["messages"][-1] == {"role": "user", "content": "Hello"}
    assert body["tools"][0]["function"]["name"] == "crm_find"
    assert (body["max_tokens"], body["temperature"], body["stream"]) == (7, 0.5, True)
    assert body["parallel_tool_calls"] is False


async def test_tokens_and_cost_come_after_the_reply() -> None:
    used = Piece(usage=Used(prompt_tokens_details=Details(80)))

    chunks = await reply(FakeLitellm(text("Hel"), text(""), text("lo"), end(), used))

    assert chunks == [TextDelta("Hel"), TextDelta("lo"), StreamEnded("stop", 90, 10, 80, 0.25)]


@pytest.mark.parametrize(
    ("after", "ended"),
    [
        ((), StreamEnded("stop")),
        ((RuntimeError("the connection broke"),), StreamEnded("stop")),
        ((Piece(usage=Used()),), StreamEnded("stop", 90, 10, None, 0.25)),
        ((Piece(usage=Used(cost=0.0)),), StreamEnded("stop", 90, 10, None, 0.0)),
    ],
    ids=["nothing", "an error", "no details", "the provider's own cost"],
)
async def test_missing_usage_is_unknown_and_no_error(
    after: Sequence[Piece | Exception], ended: StreamEnded
) -> None:
    assert (await reply(FakeLitellm(text("Hi"), end(), *after)))[-1] == ended


@pytest.mark.parametrize(
    ("said", "means"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "refused"), ("eos", "stop")],
)
async def test_the_stop_reason_becomes_one_of_ours(said: str, means: str) -> None:
    (ended,) = await reply(FakeLitellm(end(said)))

    assert isinstance(ended, StreamEnded)
    assert ended.reason == means


async def test_calls_are_distinguished_and_have_their_own_names_again() -> None:
    tool = ToolSpec(name="crm.find", description="Find.", parameters={})
    pieces = [
        CallDelta(0, "call_1", Function("crm_find", "")),
        CallDelta(0, None, Function(None, '{"id":')),
        CallDelta(0, None, Function(None, "7}")),
        CallDelta(0, "call_2", Function("crm_find", "{}")),  # some give all calls the same index
    ]
    litellm = FakeLitellm(*(Piece([Choice(Delta(None, [piece]))]) for piece in pieces), end("stop"))

    chunks = await reply(litellm, ModelRequest(role="decider", view=VIEW, tools=(tool,)))

    assert chunks == [
        CallNamed(0, "crm.find", "call_1"),
        CallArguments(0, '{"id":'),
        CallArguments(0, "7}"),
        CallNamed(1, "crm.find", "call_2"),
        CallArguments(1, "{}"),
        StreamEnded("tool_calls"),
    ]


def thought(text: str, signature: str = "") -> Piece:
    block = {"type": "thinking", "thinking": text, **({"signature": signature} if signature else {})}
    return Piece([Choice(Delta(None, None, text or None, [block]))])


async def test_opaque_data_is_stored_for_this_model_only() -> None:
    signed = {"thought_signature": "x"}
    call = CallDelta(0, "call_1__thought__x", Function("find", "{}"), signed)
    pieces = thought("So "), thought("be it."), thought("", "EqQB"), Piece([Choice(Delta(None, [call]))])

    chunks = await reply(FakeLitellm(*pieces, end("tool_calls")))

    assert chunks == [
        CallNamed(0, "find", "call_1__thought__x"),
        Opaque("acme/small@litellm", {"provider_specific_fields": signed}, 0),
        CallArguments(0, "{}"),
        Opaque(
            "acme/small@litellm",
            {
                "reasoning_content": "So be it.",
                "thinking_blocks": [{"type": "thinking", "thinking": "So be it.", "signature": "EqQB"}],
            },
        ),
        StreamEnded("tool_calls"),
    ]


async def test_stored_opaque_data_is_sent_with_the_next_request() -> None:
    litellm = FakeLitellm(end())
    fields: dict[str, Json] = {"reasoning_content": "So be it."}
    signed: dict[str, Json] = {"provider_specific_fields": {"thought_signature": "x"}}
    call = Call(id="c1.1", tool="find", opaque={"acme/small@litellm": signed})
    said = FromAssistant(
        "", (call,), (Opaque("acme/small@litellm", fields), Opaque("other", {"reasoning_content": 1}))
    )
    turn = TurnView((FromCustomer("?"), said, FromTools((CallSucceeded(call=call, value=1),))))

    await reply(litellm, ModelRequest(role="narrator", view=View("", (turn,))))

    asked = litellm.asked[0]["messages"][1]
    assert asked["reasoning_content"] == "So be it."
    assert asked["tool_calls"][0]["provider_specific_fields"] == {"thought_signature": "x"}


async def test_reasoning_about_an_answer_in_words_is_not_stored() -> None:
    assert await reply(FakeLitellm(thought("So."), text("Hi"), end())) == [
        TextDelta("Hi"),
        StreamEnded("stop"),
    ]


async def test_another_address_is_another_provider() -> None:
    call = Piece([Choice(Delta(None, [CallDelta(0, "a", Function("find", "{}"), {"n": "1"})]))])
    litellm = FakeLitellm(call, end("tool_calls"))
    model = LitellmModel(
        "acme/small",
        model="acme/small",
        formatter=formatter("generic"),
        clock=VirtualClock(),
        environ={},
        api_base="http://127.0.0.1:8000/v1",
        load=litellm.load,
    )

    chunks = [chunk async for chunk in model.stream(ASKED)]

    assert [chunk.provider for chunk in chunks if isinstance(chunk, Opaque)] == ["acme/small@127.0.0.1:8000"]


async def test_a_call_without_a_name_is_no_reply() -> None:
    nameless = Piece([Choice(Delta(None, [CallDelta(0, "call_1", Function(None, "{}"))]))])

    with pytest.raises(ModelBroke, match="a call without a name"):
        await reply(FakeLitellm(nameless, end()))


async def test_a_stream_that_ends_without_a_reason_has_ended() -> None:
    assert await reply(FakeLitellm(text("Hi"))) == [TextDelta("Hi"), StreamEnded("stop")]


async def test_the_stream_is_closed_however_it_ends() -> None:
    litellm = FakeLitellm(text("Hi"), RuntimeError("the connection broke"))

    with pytest.raises(ModelBroke, match="the connection broke"):
        await reply(litellm)
    assert litellm.stream.closed


async def test_keys_are_not_in_errors() -> None:
    litellm = FakeLitellm(ValueError("neither hunter22 nor swordfish opens northern doors"))

    with pytest.raises(ModelBroke, match=r"^neither \[key\] nor \[key\] opens northern doors$"):
        await anext(model_behind(litellm, api_key="swordfish").stream(ASKED))


async def test_a_name_unknown_to_litellm_is_reported_at_warm_up_and_at_the_call() -> None:
    litellm = FakeLitellm(problem="litellm knows no provider for 'acme/small'")
    model = model_behind(litellm)

    with capture_logs() as logged:
        await model.warm()
    assert logged == [
        {
            "event": "model cannot be asked",
            "log_level": "error",
            "model": "acme/small",
            "why": "litellm knows no provider for 'acme/small'",
        }
    ]
    assert model.problem == "litellm knows no provider for 'acme/small'"
    with pytest.raises(ModelRefused, match="knows no provider"):
        await anext(model.stream(ASKED))
    assert litellm.asked == []


async def test_a_usually_needed_key_is_only_mentioned_in_the_log() -> None:
    model = model_behind(FakeLitellm(text("Hi"), end(), lacks=["ACME_API_KEY", "ACME_REGION"]))

    with capture_logs() as logged:
        await model.warm()

    assert [line["not_set"] for line in logged] == ["ACME_API_KEY, ACME_REGION"]
    assert model.problem is None
    assert await anext(model.stream(ASKED)) == TextDelta("Hi")


async def test_without_a_litellm_that_can_be_imported_the_error_says_so() -> None:
    async def load(environ: Mapping[str, str]) -> Any:
        raise ImportError("No module named 'litellm'")

    model = LitellmModel(
        "acme/small",
        model="acme/small",
        formatter=formatter("openai"),
        clock=VirtualClock(),
        environ={},
        load=load,
    )
    with pytest.raises(ModelRefused, match=r"litellm cannot be imported: .*No module named 'litellm'"):
        await anext(model.stream(ASKED))


async def test_it_is_imported_once() -> None:
    litellm = FakeLitellm(end())
    model = model_behind(litellm)
    await model.warm()
    await anext(model.stream(ASKED))
    await model.close()

    assert (litellm.loads, model.name) == (1, "acme/small")
