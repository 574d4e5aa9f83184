"""The operators' commands: executed here, for the websocket and for single HTTP requests."""

from typing import Annotated, assert_never

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from assistant.server.frames.client_frames import Id
from assistant.server.operators.access import Operators, guard
from assistant.server.operators.conversation_views import summaries, summary, transcript
from assistant.server.operators.operator_frames import (
    Accept,
    Command,
    Decline,
    End,
    Name,
    Refused,
    RefusedCode,
    Say,
    Text,
)
from assistant.sessions.handoff import SessionHandoff


async def execute_command(command: Command, name: str, operators: Operators) -> Refused | None:
    """Follow a command of the operator who goes by ``name``; gives why it could not be, if so.

    A command that was followed before is followed again without any effect.
    """
    handoff = operators.handoffs.find_handoff(operators.tenant, command.conversation_id)
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
    return _refused(command, "nothing_to_do", "nobody was asked for here, or it has ended already")


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
        return JSONResponse({"conversations": summaries(handoffs.all_of(tenant))})

    @router.get(one)
    async def read(conversation: str) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        handoff = handoffs.find_handoff(tenant, conversation)
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
