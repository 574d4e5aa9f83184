"""Asks the decision model what to do about a message; acknowledges and begins lookups while it answers."""

import re

from assistant.conversation.calls import NOT_JSON
from assistant.conversation.entries import ModelRole
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Decider, PromiseAgain, UnreadableCalls
from assistant.prompts.locale import name_of
from assistant.prompts.words import WordList
from assistant.turn.ask_model import Reply, ask
from assistant.turn.context import Decision, Parts, Record, RunningTurn, recent, with_summary, within
from assistant.turn.decision_stream import Hearing
from assistant.turn.finish import How, apologise, close_round, pick_up, reason_for
from assistant.turn.guardrails.pipeline import about_refused

_SENTENCES = re.compile(r"(?<=[.!?])\s+")


def promises(text: str, phrases: WordList, condition: WordList) -> bool:
    """Whether a sentence announces a lookup, and neither asks anything nor makes it depend on the customer.

    >>> phrases, condition = WordList(("let me check", "i'll look")), WordList(("as soon as you",))
    >>> promises("Let me check that for you.", phrases, condition)
    True
    >>> promises("I'll look as soon as you tell me the number.", phrases, condition)
    False
    """
    if "?" in text:
        return False
    return any(sentence in phrases and sentence not in condition for sentence in _SENTENCES.split(text))


_ROUND = 1
_ROLE: ModelRole = "decider"


async def decide(turn: RunningTurn, parts: Parts, record: Record) -> Decision:
    """The first round's decision. Its text is shown as it comes; it is the response when no call follows.

    A reply that promises a lookup and calls nothing, that claims or promises a deed without ground, or whose
    calls cannot be read, is asked for once more; after that, when it only says the same again, and when the
    model fails before it decided anything, the customer gets an honest apology. Where only some of its calls
    can be read or are complete, these run and the others fail.
    """
    if (done := await pick_up(turn, _ROUND, "acknowledgement", parts, record)) is not None:
        return done
    first_reply = turn.state.unanswered_words(_ROUND) is None
    hearing = Hearing(turn, _ROUND, parts, record, asks_again=first_reply)
    reply = await _ask_up_to_twice(turn, hearing, parts, record)
    if turn.state.round(_ROUND).calls:
        for call in reply.unreadable:
            await hearing.requested(call)
        how: How = "cut_off" if reply.error is not None else "complete"
        return await close_round(turn, _ROUND, hearing, "acknowledgement", record, how=how)
    if reply.error is not None:
        cut_off = bool(reply.text.strip())
        reason = reason_for(str(reply.error))
        return await apologise(turn, hearing, reason, parts, record, cut_off=cut_off)
    if await hearing.refused():
        return await apologise(turn, hearing, "not_possible", parts, record)
    if not reply.text.strip() or reason_to_ask_again(turn, reply, parts) or not await hearing.heard_out():
        return await apologise(turn, hearing, "decision_failed", parts, record)
    return await close_round(turn, _ROUND, hearing, "response", record)


async def _ask_up_to_twice(turn: RunningTurn, hearing: Hearing, parts: Parts, record: Record) -> Reply:
    if promised := turn.state.unanswered_words(_ROUND):
        # The first reply came in an earlier life of this turn.
        nudge = parts.book.render(PromiseAgain(promised=promised.text))
    else:
        reply = await ask(turn, decision_request(turn, parts), hearing, parts, record)
        refused = await _refused(turn, reply, hearing, parts)
        nudge = reason_to_ask_again(turn, reply, parts)
        if not nudge and not refused:
            return reply
        if nudge:
            hearing.ask_again()
        else:
            hearing.go_on()
            nudge = refused
    return await ask(turn, decision_request(turn, parts, nudge), hearing, parts, record)


def decision_request(turn: RunningTurn, parts: Parts, nudge: str = "") -> ModelRequest:
    """What the decision model is asked in this turn; ``nudge`` is what it is told of its reply before."""
    told = Decider(today=parts.clock.now().date(), language=name_of(turn.locale))
    system, late = parts.book.parted(told)
    system = with_summary(system, turn, parts, _ROLE)
    late = "\n\n".join(filter(None, (late, nudge)))
    tools = parts.tools.offered
    return ModelRequest(
        role=_ROLE,
        view=turn.views.decider(system, recent(turn), turn.state, late, within(turn, parts, _ROLE, tools)),
        tools=tools,
        options=parts.models[_ROLE].options,
        conversation=turn.key.conversation,
    )


def reason_to_ask_again(turn: RunningTurn, reply: Reply, parts: Parts) -> str:
    """What to tell a model whose reply cannot be followed; "" when it can, or when asking is no use."""
    if turn.state.round(_ROUND).calls or reply.error is not None:
        return ""
    if reply.unreadable:
        problems = tuple(f"{call.tool}: {call.arguments[NOT_JSON]}" for call in reply.unreadable)
        return parts.book.render(UnreadableCalls(problems=problems))
    words = parts.book.words(turn.locale)
    if promises(reply.text, words.promise, words.condition):
        return parts.book.render(PromiseAgain(promised=reply.text))
    return ""


async def _refused(turn: RunningTurn, reply: Reply, hearing: Hearing, parts: Parts) -> str:
    """What to tell a model whose words a guardrail refused; "" when none did."""
    if turn.state.round(_ROUND).calls or reply.error is not None:
        return ""
    refused = await hearing.refused()
    return about_refused(refused, hearing.shown, parts, may_call=True) if refused else ""
