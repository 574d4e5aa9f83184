"""What the fake servers send and accept matches the types of the providers' own packages.

These take seconds to import: only the tests that need them do it, in the one process that runs them.
"""

from collections.abc import Sequence
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from assistant.conversation.chunks import Opaque
from assistant.testing.script import Line, calls, says
from tests.models.contract.official import SAMPLING, kind_of, misfit
from tests.support.bodies import CHAT, HIDDEN, MESSAGE, THOUGHT, changed
from tests.support.fake_model import anthropic_events
from tests.support.fake_model.anthropic_request_checks import ALLOWED, NEEDED
from tests.support.fake_model.openai_request_checks import FIELDS
from tests.support.fake_model.replies import WIRES, Provider, Step, Streams
from tests.support.fake_model.request_checks import BadRequest
from tests.support.fake_model.responses_request_checks import FIELDS as RESPONSES_FIELDS
from tests.support.fake_model.scripted_replies import on_the_wire
from tests.support.rows import check_rows

LINES = [
    says("Your appointment is on Tuesday."),
    calls("list_orders", ("find_order", {"number": 4711}), text="One moment."),
]
PROVIDERS: tuple[Provider, Provider] = ("anthropic", "openai")


def told(steps: Sequence[Step]) -> list[Any]:
    """The data of each event, but the mark at the end."""
    lines = [line for step in steps if isinstance(step, bytes) for line in step.splitlines()]
    data = [line.removeprefix(b"data: ") for line in lines if line.startswith(b"data: ")]
    return [orjson.loads(each) for each in data if each != b"[DONE]"]


def steps_of(line: Line, provider: Provider) -> Sequence[Step]:
    reply = on_the_wire(line, provider)
    assert isinstance(reply, Streams)
    return reply.steps


@pytest.mark.parametrize("line", LINES, ids=["words", "calls"])
@pytest.mark.parametrize("provider", ["openai", "xai"])
def test_every_event_is_a_chunk_of_openais(line: Line, provider: Provider) -> None:
    from openai.types.chat import ChatCompletionChunk

    one_chunk = TypeAdapter(ChatCompletionChunk)
    events = told(steps_of(line, provider))

    assert [one_chunk.validate_python(event).model_dump(exclude_unset=True) for event in events] == events


@pytest.mark.parametrize("line", LINES, ids=["words", "calls"])
def test_every_event_is_one_of_the_responses_api(line: Line) -> None:
    from openai.types.responses import ResponseStreamEvent

    one_event: TypeAdapter[ResponseStreamEvent] = TypeAdapter(ResponseStreamEvent)
    thought = Opaque(
        "openai-responses", {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}
    )
    events = told(steps_of(Line((thought, *line.steps)), "openai-responses"))

    assert {"response.created", "response.output_item.done", "response.completed"} <= {
        event["type"] for event in events
    }
    assert [one_event.validate_python(event).model_dump(exclude_unset=True) for event in events] == events


@pytest.mark.parametrize("line", LINES, ids=["words", "calls"])
def test_every_event_is_one_of_anthropics(line: Line) -> None:
    from anthropic.types import RawMessageStreamEvent

    one_event: TypeAdapter[RawMessageStreamEvent] = TypeAdapter(RawMessageStreamEvent)
    thoughts = [*anthropic_events.thinking(7, THOUGHT), *anthropic_events.thinking(8, HIDDEN)]
    events = told([*steps_of(line, "anthropic"), *thoughts])

    spoken = [event for event in events if event["type"] != "ping"]
    assert len(spoken) < len(events)
    assert [one_event.validate_python(event).model_dump(exclude_unset=True) for event in spoken] == spoken


@check_rows("status", [400, 401, 403, 404, 429, 500, 529])
def test_an_error_is_one_of_anthropics(status: int) -> None:
    from anthropic.types.shared import ErrorResponse

    error: Any = WIRES["anthropic"].error(BadRequest("no", status=status))

    assert ErrorResponse.model_validate(error).model_dump(exclude_unset=True) == error


@pytest.mark.parametrize("status", [400, 429, 500])
def test_an_error_is_one_of_openais(status: int) -> None:
    from openai.types.shared import ErrorObject

    error: Any = WIRES["openai"].error(BadRequest("no", status=status, param="model", code="x"))

    assert ErrorObject.model_validate(error["error"]).model_dump() == error["error"]


def test_the_fakes_accept_no_field_that_the_provider_does_not_have() -> None:
    anthropics, openais = (
        kind.__required_keys__ | kind.__optional_keys__ for kind in map(kind_of, PROVIDERS)
    )

    assert {*NEEDED, *ALLOWED} - {*SAMPLING} <= anthropics
    assert openais >= FIELDS
    responses = kind_of("openai-responses")
    assert responses.__required_keys__ | responses.__optional_keys__ >= RESPONSES_FIELDS


def test_valid_and_invalid_requests_are_distinguished() -> None:
    chat, message = CHAT, {**MESSAGE, "stream": True}

    assert misfit("openai", chat) is misfit("anthropic", message) is None
    assert "colour" in (misfit("openai", changed(chat, "messages", 1, "colour", to="red")) or "")
    assert "colour" in (misfit("anthropic", changed(message, "messages", 1, "colour", to="red")) or "")
    assert misfit("openai", changed(chat, "messages", 3, "tool_call_id")) is not None
    assert misfit("anthropic", changed(message, "messages", 1, "content", 1, "input")) is not None
