"""Turns outcomes into the response, without repeating what the customer has been told."""

from assistant.conversation.entries import ModelRole
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Narrator
from assistant.prompts.language import name_of
from assistant.turn.ask import ask
from assistant.turn.decision import Decision
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.settle import How, close_round, pick_up

_ROLE: ModelRole = "narrator"


async def narrate(turn: RunningTurn, last: Decision, parts: Parts, record: Record) -> Decision:
    """Tell the outcomes so far. While rounds are left the narrator may call again instead; then what it said
    becomes a status.

    When the narrator fails, or only says again what the customer was told, the tools' own narration templates
    speak. With no outcome to tell, because every call waits for the customer's yes, nothing is said.
    """
    number = last.round + 1
    if not turn.state.standing:
        return Decision(number)
    if (done := await pick_up(turn, number, "status", parts, record)) is not None:
        return done
    may_call = number < parts.limits.rounds and not turn.clauses
    hearing = Hearing(turn, number, parts, record, may_call=may_call)
    if turn.state.unanswered_words(number) is not None:
        # The narrator failed in an earlier life of this turn.
        await hearing.say_instead(_from_templates(turn, parts))
        return await close_round(turn, number, hearing, "response", record)
    reply = await ask(turn, _request(turn, parts, may_call=may_call), hearing, parts, record)
    for call in reply.unreadable:
        await hearing.requested(call)
    if turn.state.round(number).calls:
        how: How = "cut_off" if reply.error is not None else "complete"
        return await close_round(turn, number, hearing, "status", record, how=how)
    if reply.error is not None or not reply.text.strip() or not await hearing.heard_out():
        await hearing.say_instead(_from_templates(turn, parts))
    return await close_round(turn, number, hearing, "response", record)


def _from_templates(turn: RunningTurn, parts: Parts) -> str:
    return parts.narrate(turn.state.standing, {spec.name: spec for spec in parts.tools.specs}, turn.locale)


def _request(turn: RunningTurn, parts: Parts, *, may_call: bool) -> ModelRequest:
    told = " ".join(message.text.strip() for message in turn.state.messages if message.text.strip())
    system = parts.book.render(
        Narrator(
            acknowledgement=told,
            language=name_of(turn.locale),
            today=parts.clock.now().date(),
            more_calls=may_call,
            to_confirm=tuple(turn.clauses.values()),
        )
    )
    return ModelRequest(
        role=_ROLE,
        view=turn.views.narrator(system, turn.earlier, turn.state),
        tools=parts.tools.specs if may_call else (),
        options=parts.models[_ROLE].options,
    )
