"""Turns outcomes into the response, without repeating what the customer has already received."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import CallStatus, CallSucceeded
from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.language.facts import Value, is_supported, values_in, values_of
from assistant.language.words import carries_meaning, words
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Narrator
from assistant.prompts.locale import language_name
from assistant.turn.answer_paused import is_answer_paused, tell_paused
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
from assistant.turn.finish import How, close_round, resume_round
from assistant.turn.guardrails.pipeline import about_refused, says_something


def mentions_result(text: str, value: Json, known: Iterable[Value] = (), locale: str = "en") -> bool:
    """Whether ``text`` mentions something of each row of a result, or of the result if it has no rows.

    A number, a time or a day counts; for a row without them, any meaningful word. ``known``: other possible
    sources of the words, which therefore prove nothing.

    >>> invoices = [{"number": 7, "amount": "150.00"}, {"number": 8, "amount": "20.50"}]
    >>> mentions_result("You owe $150 and $20.50.", invoices), mentions_result("You owe $150 and", invoices)
    (True, False)
    >>> mentions_result("It was shipped.", {"status": "shipped"})
    True
    >>> mentions_result("Your eye", {"what": "eye test", "at": "14:00"})
    False
    """
    elsewhere = frozenset(known)
    said = [one for one in values_in(text, locale) if not is_supported(one, elsewhere)]
    spoken = frozenset(word for word in words(text) if carries_meaning(word, locale))
    spoken -= {one.form for one in elsewhere}
    rows = _rows(value)
    # A row is read only if all before it are mentioned: reading each of thousands takes a second.
    return bool(rows) and all(_is_named(_facts(row, locale), said, spoken) for row in rows)


def _rows(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _facts(row: Json, locale: str) -> frozenset[Value]:
    """The facts of a row; the names of its fields do not count."""
    held: Json = list(row.values()) if isinstance(row, Mapping) else row
    return frozenset(one for one in values_of(held, locale) if one.kind != "count")


def _is_named(facts: frozenset[Value], said: Iterable[Value], spoken: frozenset[str]) -> bool:
    hard = frozenset(one for one in facts if one.kind != "name")
    if hard:
        return any(is_supported(one, hard) for one in said)
    return any(one.form in spoken for one in facts)


_ROLE: ModelRole = "narrator"


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrationRequest:
    """A round of the narrator: its outcomes, and what the narrator receives about them.

    ``may_call``: it may call tools instead. ``heard_before``: the heard parts of earlier answers about the same
    outcomes; none of these sentences is repeated.
    """

    round: int
    outcomes: Sequence[CallStatus]
    view: View
    may_call: bool = False
    heard_before: tuple[str, ...] = ()


async def narrate(turn: RunningTurn, last: Decision, deps: TurnDependencies, record: Record) -> Decision:
    """Tell the outcomes so far. While rounds are left the narrator may call tools instead; then its text
    becomes a status.

    If there is no outcome to tell, because each call waits for the customer's yes, it says nothing.
    """
    number = last.round + 1
    outcomes = turn.state.standing
    if not outcomes:
        return Decision(number)
    if is_answer_paused(turn, last.round):
        return await tell_paused(turn, number, deps, record)
    if (done := await resume_round(turn, number, "status", deps, record)) is not None:
        return done
    return await narrate_outcomes(turn, narration_of_round(turn, number, outcomes, deps), deps, record)


async def narrate_outcomes(
    turn: RunningTurn, narration: NarrationRequest, deps: TurnDependencies, record: Record
) -> Decision:
    """Let the narrator tell its round's outcomes.

    If the narrator fails, or only repeats what the customer has received, the tools' own narration templates
    are used.
    """
    number = narration.round
    handler = DecisionStreamHandler(
        turn,
        number,
        deps,
        record,
        may_call=narration.may_call,
        asks_again=True,
        heard_before=narration.heard_before,
    )
    if turn.state.unanswered_words(number) is not None:
        # The narrator failed in an earlier run of this turn.
        await handler.say_instead(_from_templates(turn, narration.outcomes, deps))
        return await close_round(turn, number, handler, "response", record)
    reply = await ask_model(turn, narrator_request(turn, narration, deps), handler, deps, record)
    asked_again = False
    if not turn.state.round(number).calls and reply.error is None:
        request = await _second_request(turn, narration, reply, handler, deps)
        if request is not None:
            handler.go_on()
            reply = await ask_model(turn, request, handler, deps, record)
            asked_again = True
    for call in reply.unreadable:
        await handler.requested(call)
    if turn.state.round(number).calls:
        how: How = "cut_off" if reply.error is not None else "complete"
        return await close_round(turn, number, handler, "status", record, how=how)
    if asked_again:
        await _complete(turn, narration, reply, handler, deps)
    elif reply.error is not None or not reply.text.strip() or not await handler.heard_out():
        await handler.say_instead(_from_templates(turn, narration.outcomes, deps))
    return await close_round(turn, number, handler, "response", record)


async def _second_request(
    turn: RunningTurn,
    narration: NarrationRequest,
    reply: Reply,
    handler: DecisionStreamHandler,
    deps: TurnDependencies,
) -> ModelRequest | None:
    """The next request to the narrator after a reply that was cut or that a guardrail refused; None for any
    other reply.
    """
    if reply.cut:
        return with_more_room(narrator_request(turn, narration, deps, await handler.cut_short()))
    refused = await handler.refused()
    if not refused:
        return None
    nudge = about_refused(refused, handler.shown, deps, may_call=narration.may_call)
    return narrator_request(turn, narration, deps, nudge)


def narrator_instructions(
    turn: RunningTurn,
    outcomes: Sequence[CallStatus],
    deps: TurnDependencies,
    *,
    more_calls: bool = False,
    asked_earlier: tuple[str, ...] = (),
) -> tuple[str, str]:
    """The narrator's instructions for these outcomes: the early ones, which are also the decision model's, and
    the late ones. ``asked_earlier`` has the customer's messages of earlier turns.
    """
    told = " ".join(
        said.text.strip() for said in turn.state.messages if said.text.strip() and not said.is_notice
    )
    specs = {outcome.call.tool: None for outcome in outcomes if outcome.call.tool in deps.tools}
    notes = (deps.tools.get(tool).spec.instructions.strip() for tool in specs)
    system, late = deps.book.parted(
        Narrator(
            acknowledgement=told,
            language=language_name(turn.locale),
            now=this_minute(deps.clock),
            references=deps.models[_ROLE].references,
            more_calls=more_calls,
            to_confirm=tuple(turn.clauses.values()),
            asked_earlier=asked_earlier,
            notes=tuple(note for note in notes if note),
        )
    )
    late = "\n\n".join(filter(None, (late, policy_notes(turn, deps))))
    return with_summary(system, turn, deps, _ROLE), late


def narration_of_round(
    turn: RunningTurn, number: int, outcomes: Sequence[CallStatus], deps: TurnDependencies
) -> NarrationRequest:
    """The narrator's task in round ``number`` of the running turn: to tell these outcomes of calls.

    It may call more tools while rounds are left and no question waits for the customer.
    """
    may_call = number < deps.limits.rounds and not turn.clauses
    system, late = narrator_instructions(turn, outcomes, deps, more_calls=may_call)
    view = turn.views.view(system, recent_turns(turn), turn.state, late, view_bounds(turn, deps, _ROLE))
    return NarrationRequest(round=number, outcomes=outcomes, view=view, may_call=may_call)


async def _complete(
    turn: RunningTurn,
    narration: NarrationRequest,
    reply: Reply,
    handler: DecisionStreamHandler,
    deps: TurnDependencies,
) -> None:
    """After a second reply, the tools' own templates tell what neither reply has told."""
    if reply.cut:
        await handler.cut_short()
    refused = await handler.refused()
    # A reply that only repeats what was shown has nothing to add.
    repeats = reply.text.strip() != "" and says_something(handler.shown, turn.locale)
    torn = handler.words.is_torn
    if (
        reply.error is None
        and not reply.cut
        and not refused
        and (handler.words.let_out or repeats)
        and not torn
    ):
        return
    left = [one for one in narration.outcomes if not _is_told(one, handler.shown, turn.locale)]
    if torn and not left:
        # A sentence that broke off is not the end of an answer.
        left = list(narration.outcomes)
    if left:
        await handler.say_the_rest(_from_templates(turn, left, deps))


def _is_told(outcome: CallStatus, shown: str, locale: str) -> bool:
    return isinstance(outcome, CallSucceeded) and mentions_result(shown, outcome.value, locale=locale)


def _from_templates(turn: RunningTurn, outcomes: Sequence[CallStatus], deps: TurnDependencies) -> str:
    return deps.narrate(outcomes, {spec.name: spec for spec in deps.tools.specs}, turn.locale)


def narrator_request(
    turn: RunningTurn, narration: NarrationRequest, deps: TurnDependencies, nudge: str = ""
) -> ModelRequest:
    """The request to the narrator in this round; ``nudge`` is a note about its previous reply."""
    late = "\n\n".join(filter(None, (narration.view.late, nudge)))
    return ModelRequest(
        role=_ROLE,
        view=replace(narration.view, late=late),
        tools=deps.tools.specs,
        may_call=narration.may_call,
        options=deps.models[_ROLE].options,
        conversation=turn.key.conversation,
    )
