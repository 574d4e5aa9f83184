"""Asks the decision model what to do about a message; acknowledges and starts lookups while it answers."""

import re

from assistant.conversation.calls import NOT_JSON
from assistant.conversation.entries import ModelRole, PoliciesChosen
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Decider, PromiseAgain, UnreadableCalls
from assistant.prompts.locale import language_name
from assistant.prompts.words import WordList
from assistant.turn.answer_paused import stop_answering
from assistant.turn.ask_model import Reply, ask_model, with_more_room
from assistant.turn.context import (
    Decision,
    Record,
    RunningTurn,
    TurnDependencies,
    policy_notes,
    recent_turns,
    this_minute,
    view_bounds,
    with_summary,
)
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.finish import How, apologise, apology_reason, close_round, resume_round
from assistant.turn.guardrails.pipeline import about_refused
from assistant.turn.pausing import AssistantPaused
from assistant.turn.spending import OverBudget

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


async def decide(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision:
    """The first round's decision. Its text is shown as it comes; it is the response if no call follows.

    The model is asked once more if its reply promises a lookup without a call, claims or promises an action
    without evidence, or has no readable call. If it says the same again, or fails before it decided anything,
    the customer gets an apology. If only some of its calls are readable and complete, these run and the others
    fail.
    """
    if (done := await resume_round(turn, _ROUND, "acknowledgement", deps, record)) is not None:
        return done
    await _choose_policies(turn, deps, record)
    first_reply = turn.state.unanswered_words(_ROUND) is None
    handler = DecisionStreamHandler(turn, _ROUND, deps, record, asks_again=first_reply)
    reply = await _ask_up_to_twice(turn, handler, deps, record)
    if turn.state.round(_ROUND).calls:
        for call in reply.unreadable:
            await handler.requested(call)
        how: How = "cut_off" if reply.error is not None else "complete"
        return await close_round(turn, _ROUND, handler, "acknowledgement", record, how=how)
    if isinstance(reply.error, AssistantPaused):
        return await stop_answering(turn, deps, record, handler)
    if isinstance(reply.error, OverBudget):
        return await apologise(turn, handler, reply.error.budget, deps, record)
    if reply.cut:
        await handler.cut_short()
        return await apologise(turn, handler, "decision_failed", deps, record, cut_off=handler.shown != "")
    if reply.error is not None:
        cut_off = bool(reply.text.strip())
        reason = apology_reason(str(reply.error))
        return await apologise(turn, handler, reason, deps, record, cut_off=cut_off)
    if await handler.refused():
        return await apologise(turn, handler, "not_possible", deps, record)
    if not reply.text.strip() or reason_to_ask_again(turn, reply, deps) or not await handler.heard_out():
        return await apologise(turn, handler, "decision_failed", deps, record)
    return await close_round(turn, _ROUND, handler, "response", record)


async def _choose_policies(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Record which policies the message is about, unless an earlier run of this turn recorded them."""
    if deps.finder is None or turn.state.policies is not None:
        return
    holding = deps.policies.holding(turn.key.tenant, deps.clock.now())
    if any(policy.when for policy in holding):
        names = await deps.finder.choose(turn.state.message.text, holding)
        await record(PoliciesChosen(names=names))


async def _ask_up_to_twice(
    turn: RunningTurn, handler: DecisionStreamHandler, deps: TurnDependencies, record: Record
) -> Reply:
    if promised := turn.state.unanswered_words(_ROUND):
        # The first reply came in an earlier run of this turn.
        nudge = deps.book.render(PromiseAgain(promised=promised.text))
    else:
        reply = await ask_model(turn, decision_request(turn, deps), handler, deps, record)
        if reply.cut and not turn.state.round(_ROUND).calls:
            return await _ask_with_more_room(turn, reply, handler, deps, record)
        refused = await _refused(turn, reply, handler, deps)
        nudge = reason_to_ask_again(turn, reply, deps)
        if not nudge and not refused:
            return reply
        if nudge:
            handler.ask_again()
        else:
            handler.go_on()
            nudge = refused
    return await ask_model(turn, decision_request(turn, deps, nudge), handler, deps, record)


async def _ask_with_more_room(
    turn: RunningTurn, cut: Reply, handler: DecisionStreamHandler, deps: TurnDependencies, record: Record
) -> Reply:
    """The reply after a reply that reached the maximum length without a call: it continues the shown text."""
    nudge = reason_to_ask_again(turn, cut, deps)
    if nudge:
        handler.ask_again()
    else:
        nudge = await handler.cut_short()
        handler.go_on()
    request = with_more_room(decision_request(turn, deps, nudge))
    return await ask_model(turn, request, handler, deps, record)


def decision_request(turn: RunningTurn, deps: TurnDependencies, nudge: str = "") -> ModelRequest:
    """The request to the decision model in this turn; ``nudge`` is a note about its previous reply."""
    told = Decider(
        now=this_minute(deps.clock),
        language=language_name(turn.locale),
        references=deps.models[_ROLE].references,
    )
    system, late = deps.book.parted(told)
    system = with_summary(system, turn, deps, _ROLE)
    late = "\n\n".join(filter(None, (late, policy_notes(turn, deps), nudge)))
    return ModelRequest(
        role=_ROLE,
        view=turn.views.view(system, recent_turns(turn), turn.state, late, view_bounds(turn, deps, _ROLE)),
        tools=deps.tools.specs,
        options=deps.models[_ROLE].options,
        conversation=turn.key.conversation,
    )


def reason_to_ask_again(turn: RunningTurn, reply: Reply, deps: TurnDependencies) -> str:
    """The note for a model whose reply is not usable; "" if it is usable, or if asking again is useless."""
    if turn.state.round(_ROUND).calls or reply.error is not None:
        return ""
    if reply.unreadable:
        problems = tuple(f"{call.tool}: {call.arguments[NOT_JSON]}" for call in reply.unreadable)
        return deps.book.render(UnreadableCalls(problems=problems))
    words = deps.book.words(turn.locale)
    if promises(reply.text, words.promise, words.condition):
        return deps.book.render(PromiseAgain(promised=reply.text))
    return ""


async def _refused(
    turn: RunningTurn, reply: Reply, handler: DecisionStreamHandler, deps: TurnDependencies
) -> str:
    """The note for a model whose text a guardrail refused; "" if no guardrail refused it."""
    if turn.state.round(_ROUND).calls or reply.error is not None:
        return ""
    refused = await handler.refused()
    return about_refused(refused, handler.shown, deps, may_call=True) if refused else ""
