"""Lets another program's agents act on a handoff: signed requests to ``/v1/handoff/events``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Annotated, Literal, TypeAlias, assert_never

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import Field, TypeAdapter, ValidationError

from assistant.ports import Clock
from assistant.server.frames.client_frames import ClientFrame, Id, complaint
from assistant.server.limits import WRONG_TOKENS_RETRY_S, WrongTokens
from assistant.server.operators.operator_frames import ConversationId, Name, Text
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.webhooks.client import SIGNATURE, TIMESTAMP, signature_problem

PATH = "/v1/handoff/events"

_LARGEST = 64 * 1024

HandoffId = Annotated[str, Field(min_length=1, max_length=128)]


class _HookEvent(ClientFrame):
    conversation_id: ConversationId
    handoff_id: HandoffId = Field(description="as it was told; a request for an older handoff has no effect")


class HookAccept(_HookEvent):
    """An agent accepts the conversation."""

    type: Literal["accept"]
    name: Name


class HookMessage(_HookEvent):
    """An agent sends a message. This also accepts the conversation if no agent has it."""

    type: Literal["message"]
    id: Id = Field(
        description="the sender's own, unique in the conversation; the same id again has no effect"
    )
    name: Name
    text: Text


class HookEnd(_HookEvent):
    """The agent ends the handoff."""

    type: Literal["end"]


class HookDecline(_HookEvent):
    """No agent is available."""

    type: Literal["decline"]
    why: Annotated[str, Field(max_length=200)] = "declined"


HookEvent: TypeAlias = HookAccept | HookMessage | HookEnd | HookDecline

_EVENTS: TypeAdapter[HookEvent] = TypeAdapter(Annotated[HookEvent, Field(discriminator="type")])


@dataclass(frozen=True, kw_only=True)
class HandoffHook:
    """Configuration: the secret that signs the requests, and the tenant of the conversations."""

    secret: str = field(repr=False)
    tenant: str
    handoffs: HandoffRegistry
    clock: Clock


def handoff_event_routes(hook: HandoffHook) -> APIRouter:
    """The route. Requests with a wrong or old signature are refused (401; 429 after many)."""
    router = APIRouter()
    wrong_ones = WrongTokens(hook.clock)

    @router.post(PATH)
    async def hear(request: Request) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        body = await _body(request)
        if body is None:
            return _answer(413, f"at most {_LARGEST} bytes are taken")
        headers = (request.headers.get(TIMESTAMP), request.headers.get(SIGNATURE))
        if (wrong := signature_problem(hook.secret, headers, body, hook.clock.now_ms() / 1000)) is not None:
            if not wrong_ones.allow(request):
                wait = {"Retry-After": str(WRONG_TOKENS_RETRY_S)}
                return _answer(429, "too many wrong signatures; wait a minute", wait)
            return _answer(401, wrong)
        try:
            event = _EVENTS.validate_json(body)
        except ValidationError as error:
            return _answer(422, complaint(error))
        handoff = await hook.handoffs.open_handoff(hook.tenant, event.conversation_id)
        if handoff is None:
            return _answer(404, "no such conversation is open here")
        current = handoff.current
        if current is None or not compare_digest(current.handoff_id.encode(), event.handoff_id.encode()):
            return _answer(200, "nothing to do: this handoff is over")
        if (has_it := await _follow(event, handoff)) is not None:
            return JSONResponse({"code": "taken", "message": f"{has_it} has it", "name": has_it}, 409)
        return _answer(200, "done")

    return router


async def _follow(event: HookEvent, handoff: SessionHandoff) -> str | None:
    """Perform the event's action; returns the name of the agent who has the conversation, if that prevents it."""
    match event:
        case HookAccept():
            current = await handoff.accept(event.name, "webhook")
            return None if handoff.has_it(event.name, "webhook") else current.name
        case HookMessage():
            current = await handoff.accept(event.name, "webhook")
            if not handoff.has_it(event.name, "webhook"):
                return current.name
            await handoff.say(f"d-{event.id}", event.name, event.text)
        case HookEnd():
            current = handoff.current
            if current is not None and handoff.has_person and not handoff.has_it(current.name, "webhook"):
                return current.name
            await handoff.end_handoff()
        case HookDecline():
            await handoff.decline(event.why)
        case _:
            assert_never(event)
    return None


async def _body(request: Request) -> bytes | None:
    """The body; None when it is too large, regardless of its headers."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST:
            return None
    return body


def _answer(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"message": message}, status, headers)
