"""The requests of operators: lists of conversations, and commands to take over, write and end."""

from collections.abc import Iterator, Sequence
from typing import Annotated, assert_never

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from assistant.conversation.entries import AgentMessage, CustomerMessage, Handoff, Logged, MessageClosed
from assistant.server.attachments import (
    AddressOf,
    AttachmentService,
    AttachmentTracker,
    attachment_frames,
)
from assistant.server.frames.client_frames import Id
from assistant.server.frames.frame import JsonFrame
from assistant.server.operators.access import Operators, guard
from assistant.server.operators.operator_frames import (
    Accept,
    Command,
    Decline,
    End,
    Name,
    Refused,
    RefusedCode,
    Say,
    Summary,
    Text,
)
from assistant.server.projector import Projector, attachments_field, snapshot, spoken_field
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.session import Session

_ORDER = ("requested", "queued", "accepted", "unavailable", "ticket", None)


def summaries(handoffs: Sequence[SessionHandoff]) -> list[JsonFrame]:
    """A summary of each conversation: first those that wait, then those with an agent, tickets, and the rest."""
    shown = sorted(
        (summary(each.session) for each in handoffs),
        key=lambda one: (_ORDER.index(one.state), one.asked_at or one.last_at),
    )
    return [one.model_dump() for one in shown]


def summary(session: Session) -> Summary:
    """The summary of one conversation."""
    handoff = session.state.handoff
    first = _first_of(session, handoff.handoff_id) if handoff is not None else None
    last = next(reversed(session.state.said.values()), None)
    return Summary(
        conversation_id=session.key.conversation,
        state=handoff.state if handoff else None,
        handoff_id=handoff.handoff_id if handoff else None,
        why=(first[1].why or None) if first else None,
        name=(handoff.name or None) if handoff else None,
        ticket=(handoff.ticket or None) if handoff else None,
        customer_name=session.customer.name,
        customer_level=session.customer.level,
        locale=last.locale if last else "en",
        asked_at=first[0] if first else None,
        last_at=session.entries[-1].at_ms if session.entries else 0,
        last_text=last.text if last else "",
    )


def _first_of(session: Session, handoff_id: str) -> tuple[int, Handoff] | None:
    """When the handoff began, and how."""
    for logged in session.entries:
        if isinstance(logged.entry, Handoff) and logged.entry.handoff_id == handoff_id:
            return logged.at_ms, logged.entry
    return None


def transcript(session: Session, attachments: AttachmentService | None = None) -> JsonFrame:
    """The transcript as a frame; ``attachments`` makes the addresses of tools' files."""
    shown = snapshot(session.entries, Projector(_no_hints, address_of=_address_of(session, attachments)))
    told: JsonFrame = {"type": "transcript", "conversation_id": session.key.conversation}
    return {**told, "messages": shown["messages"], "omitted": shown["omitted"]}


def change_frames(
    session: Session, batch: Sequence[Logged], attachments: AttachmentService | None = None
) -> Iterator[JsonFrame]:
    """The frames of entries that have just become durable."""
    for logged in batch:
        message = _message(session, logged, _address_of(session, attachments))
        if message is not None:
            yield {"type": "message", "conversation_id": session.key.conversation, "message": message}
    if any(isinstance(logged.entry, Handoff) for logged in batch):
        yield {"type": "conversation", "conversation": summary(session).model_dump()}


def _no_hints(tool: str, locale: str) -> str:
    """No labels: only customers see them."""
    del tool, locale
    return ""


def _address_of(session: Session, attachments: AttachmentService | None) -> AddressOf | None:
    return attachments.address_of(session.key) if attachments is not None else None


def _message(session: Session, logged: Logged, address_of: AddressOf | None) -> JsonFrame | None:
    match logged.entry:
        case CustomerMessage(client_message_id=message_id, text=text) as entry:
            customers: JsonFrame = {"from": "customer", "message_id": message_id, "text": text}
            return {**customers, **spoken_field(entry), **attachments_field(entry), "at": logged.at_ms}
        case AgentMessage(message_id=message_id, name=name, text=text):
            return {
                "from": "person",
                "message_id": message_id,
                "name": name,
                "text": text,
                "at": logged.at_ms,
            }
        case MessageClosed(message_id=message_id, kind=kind, interrupted=interrupted):
            spoken = session.state.turn(logged.turn_id).message_said(message_id)
            heard: JsonFrame = {} if spoken.heard is None else {"heard": spoken.heard}
            said: JsonFrame = {"from": "assistant", "message_id": message_id, "turn_id": logged.turn_id}
            told: JsonFrame = {"kind": kind, "text": spoken.text, "interrupted": interrupted, "rating": None}
            return {**said, **told, **heard, **_attached(session, logged, address_of), "at": logged.at_ms}
        case _:
            return None


def _attached(session: Session, closed: Logged, address_of: AddressOf | None) -> JsonFrame:
    """The files that the customer saw with the message that this entry completes."""
    if address_of is None:
        return {}
    following = AttachmentTracker()
    attached = [following.attached_by(logged) for logged in session.entries[: closed.seq]][-1]
    return {"attachments": attachment_frames(attached, address_of)} if attached else {}


async def execute_command(command: Command, name: str, operators: Operators) -> Refused | None:
    """Run a command of the operator ``name``; returns why it was refused, if it was.

    A repeated command has no further effect.
    """
    handoff = await operators.handoffs.open_handoff(operators.tenant, command.conversation_id)
    if handoff is None or not handoff.session.state.said:
        return _refused(command, "unknown_conversation", "no such conversation is open here")
    match command:
        case Accept():
            return await _accept(command, name, handoff)
        case Say():
            if (refusal := _of_another(command, name, handoff)) is not None:
                return refusal
            await handoff.say(f"p-{command.id}", name, command.text)
            return None
        case End():
            if handoff.has_person and (refusal := _of_another(command, name, handoff)) is not None:
                return refusal
            return None if await handoff.end_handoff() else _nothing(command)
        case Decline():
            return None if await handoff.decline(command.why) else _nothing(command)
        case _:
            assert_never(command)


async def _accept(command: Accept, name: str, handoff: SessionHandoff) -> Refused | None:
    current = await handoff.accept(name, "operators")
    return None if handoff.has_it(name, "operators") else _taken(command, current.name)


def _of_another(command: Command, name: str, handoff: SessionHandoff) -> Refused | None:
    current = handoff.current
    if current is None or current.state != "accepted":
        return _refused(command, "not_yours", "accept the conversation first")
    return None if handoff.has_it(name, "operators") else _taken(command, current.name)


def _taken(command: Command, name: str) -> Refused:
    return _refused(command, "taken", f"{name} has this conversation", name=name)


def _nothing(command: Command) -> Refused:
    return _refused(
        command, "nothing_to_do", "no person was requested here, or the handoff has already ended"
    )


def _refused(command: Command, code: RefusedCode, message: str, name: str | None = None) -> Refused:
    return Refused(
        type="refused", code=code, conversation_id=command.conversation_id, message=message, name=name
    )


_STATUS = {"unknown_conversation": 404, "taken": 409, "not_yours": 409, "nothing_to_do": 409}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    name: Name


class _Said(_Body):
    id: Id
    text: Text


class _Declined(_Body):
    why: Annotated[str, Field(max_length=200)] = "declined"


def operator_routes(operators: Operators) -> APIRouter:
    """The routes under ``/v1/operators``. Each wants ``Authorization: Bearer <ASSISTANT_OPERATOR_TOKEN>``."""
    router = APIRouter(prefix="/v1/operators", dependencies=[Depends(guard(operators))])
    tenant, handoffs = operators.tenant, operators.handoffs
    one = "/conversations/{conversation}"

    async def done(command: Command, name: str) -> JSONResponse:
        refused = await execute_command(command, name, operators)
        if refused is not None:
            return JSONResponse(refused.model_dump(exclude={"type"}), _STATUS[refused.code])
        handoff = handoffs.find_handoff(tenant, command.conversation_id)
        return JSONResponse(summary(handoff.session).model_dump() if handoff is not None else None)

    @router.get("/conversations")
    async def listed() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        return JSONResponse({"conversations": summaries(await handoffs.all_of(tenant))})

    @router.get(one)
    async def read(conversation: str) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        handoff = await handoffs.open_handoff(tenant, conversation)
        if handoff is None:
            raise HTTPException(404, "no such conversation is open here")
        said = transcript(handoff.session, operators.attachments)
        return JSONResponse({**said, **summary(handoff.session).model_dump()})

    @router.post(f"{one}/accept")
    async def accept(conversation: str, body: _Body) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        return await done(Accept(type="accept", conversation_id=conversation), body.name)

    @router.post(f"{one}/messages")
    async def say(conversation: str, body: _Said) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        said = Say(type="say", conversation_id=conversation, id=body.id, text=body.text)
        return await done(said, body.name)

    @router.post(f"{one}/end")
    async def end(conversation: str, body: _Body) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        return await done(End(type="end", conversation_id=conversation), body.name)

    @router.post(f"{one}/decline")
    async def decline(conversation: str, body: _Declined) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        return await done(Decline(type="decline", conversation_id=conversation, why=body.why), body.name)

    return router
