"""Executes an operator's command, or says why not."""

from typing import assert_never

from assistant.server.operators.access import Operators
from assistant.server.operators.operator_frames import (
    Accept,
    Command,
    Decline,
    End,
    Refused,
    RefusedCode,
    Say,
)
from assistant.sessions.handoff import SessionHandoff


async def execute_command(command: Command, name: str, operators: Operators) -> Refused | None:
    """Follow a command of the operator who goes by ``name``; gives why it could not be, if so.

    A command that was followed before is followed again without any effect.
    """
    handoff = operators.handoffs.of(operators.tenant, command.conversation_id)
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
            return None if await handoff.end() else _nothing(command)
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
