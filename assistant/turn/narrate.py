"""Turns outcomes into the response, without repeating what the customer has been told."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assistant.conversation.entries import ModelRole
from assistant.conversation.outcomes import CallSucceeded, Standing
from assistant.conversation.values import Json
from assistant.conversation.views import View
from assistant.language.facts import Value, supported, values_in, values_of
from assistant.language.words import carries_meaning, words
from assistant.ports import ModelRequest
from assistant.prompts.instructions import Narrator
from assistant.prompts.locale import name_of
from assistant.turn.ask_model import Reply, ask
from assistant.turn.context import Decision, Parts, Record, RunningTurn, recent, with_summary, within
from assistant.turn.decision_stream import Hearing
from assistant.turn.finish import How, close_round, pick_up
from assistant.turn.guardrails.pipeline import about_refused, says_something


def names(text: str, value: Json, known: Iterable[Value] = (), locale: str = "en") -> bool:
    """Whether ``text`` says at least one thing of each row of a result, or of the result where it has no rows.

    A number, a time or a day counts; where a row has none of them, a word that says something. ``known``: what
    the words may come from as well, which proves nothing.

    >>> invoices = [{"number": 7, "amount": "150.00"}, {"number": 8, "amount": "20.50"}]
    >>> names("You owe $150 and $20.50.", invoices), names("You owe $150 and", invoices)
    (True, False)
    >>> names("It was shipped.", {"status": "shipped"}), names("Your eye", {"what": "eye test", "at": "14:00"})
    (True, False)
    """
    elsewhere = frozenset(known)
    said = [one for one in values_in(text, locale) if not supported(one, elsewhere)]
    spoken = frozenset(word for word in words(text) if carries_meaning(word, locale))
    spoken -= {one.form for one in elsewhere}
    rows = [_facts(row, locale) for row in _rows(value)]
    return bool(rows) and all(_is_named(facts, said, spoken) for facts in rows)


def _rows(value: Json) -> Sequence[Json]:
    return value if isinstance(value, Sequence) and not isinstance(value, str) else [value]


def _facts(row: Json, locale: str) -> frozenset[Value]:
    """What a row tells; the names of its fields are nobody's news."""
    held: Json = list(row.values()) if isinstance(row, Mapping) else row
    return frozenset(one for one in values_of(held, locale) if one.kind != "count")


def _is_named(facts: frozenset[Value], said: Iterable[Value], spoken: frozenset[str]) -> bool:
    hard = frozenset(one for one in facts if one.kind != "name")
    if hard:
        return any(supported(one, hard) for one in said)
    return any(one.form in spoken for one in facts)


_ROLE: ModelRole = "narrator"


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """A round of the narrator's: the outcomes that are told in it, and what the narrator is given of them.

    ``may_call``: it may ask for more instead. ``heard_before``: what was heard of earlier answers that told the
    same; none of its sentences is said again.
    """

    round: int
    outcomes: Sequence[Standing]
    view: View
    may_call: bool = False
    heard_before: tuple[str, ...] = ()


async def narrate(turn: RunningTurn, last: Decision, parts: Parts, record: Record) -> Decision:
    """Tell the outcomes so far. While rounds are left the narrator may call again instead; then what it said
    becomes a status.

    With no outcome to tell, because every call waits for the customer's yes, nothing is said.
    """
    number = last.round + 1
    outcomes = turn.state.standing
    if not outcomes:
        return Decision(number)
    if (done := await pick_up(turn, number, "status", parts, record)) is not None:
        return done
    return await tell(turn, telling_now(turn, number, outcomes, parts), parts, record)


async def tell(turn: RunningTurn, telling: Telling, parts: Parts, record: Record) -> Decision:
    """Let the narrator tell its round's outcomes.

    When it fails, or only says again what the customer was told, the tools' own narration templates speak.
    """
    number = telling.round
    hearing = Hearing(
        turn,
        number,
        parts,
        record,
        may_call=telling.may_call,
        asks_again=True,
        heard_before=telling.heard_before,
    )
    if turn.state.unanswered_words(number) is not None:
        # The narrator failed in an earlier life of this turn.
        await hearing.say_instead(_from_templates(turn, telling.outcomes, parts))
        return await close_round(turn, number, hearing, "response", record)
    reply = await ask(turn, telling_request(turn, telling, parts), hearing, parts, record)
    asked_again = False
    if not turn.state.round(number).calls and reply.error is None and (refused := await hearing.refused()):
        nudge = about_refused(refused, hearing.shown, parts, may_call=telling.may_call)
        hearing.go_on()
        reply = await ask(turn, telling_request(turn, telling, parts, nudge), hearing, parts, record)
        asked_again = True
    for call in reply.unreadable:
        await hearing.requested(call)
    if turn.state.round(number).calls:
        how: How = "cut_off" if reply.error is not None else "complete"
        return await close_round(turn, number, hearing, "status", record, how=how)
    if asked_again:
        await _complete(turn, telling, reply, hearing, parts)
    elif reply.error is not None or not reply.text.strip() or not await hearing.heard_out():
        await hearing.say_instead(_from_templates(turn, telling.outcomes, parts))
    return await close_round(turn, number, hearing, "response", record)


def instructions(
    turn: RunningTurn,
    outcomes: Sequence[Standing],
    parts: Parts,
    *,
    more_calls: bool = False,
    asked_earlier: tuple[str, ...] = (),
) -> str:
    """The narrator's instructions for telling these outcomes in this turn, of what was asked earlier perhaps."""
    told = " ".join(message.text.strip() for message in turn.state.messages if message.text.strip())
    specs = {outcome.call.tool: None for outcome in outcomes if outcome.call.tool in parts.tools}
    notes = (parts.tools.get(tool).spec.instructions.strip() for tool in specs)
    system = parts.book.render(
        Narrator(
            acknowledgement=told,
            language=name_of(turn.locale),
            today=parts.clock.now().date(),
            more_calls=more_calls,
            to_confirm=tuple(turn.clauses.values()),
            asked_earlier=asked_earlier,
            notes=tuple(note for note in notes if note),
        )
    )
    return with_summary(system, turn, parts, _ROLE)


def telling_now(turn: RunningTurn, number: int, outcomes: Sequence[Standing], parts: Parts) -> Telling:
    """The round in which these outcomes of the running turn are told."""
    may_call = number < parts.limits.rounds and not turn.clauses
    system = instructions(turn, outcomes, parts, more_calls=may_call)
    tools = parts.tools.offered if may_call else ()
    view = turn.views.narrator(system, recent(turn), turn.state, within(turn, parts, _ROLE, tools))
    return Telling(round=number, outcomes=outcomes, view=view, may_call=may_call)


async def _complete(
    turn: RunningTurn, telling: Telling, reply: Reply, hearing: Hearing, parts: Parts
) -> None:
    """After a second reply: what neither reply has told is told by the tools' own templates."""
    refused = await hearing.refused()
    # A reply that only repeats what was shown has nothing to add.
    repeats = reply.text.strip() != "" and says_something(hearing.shown, turn.locale)
    torn = hearing.words.is_torn
    if reply.error is None and not refused and (hearing.words.let_out or repeats) and not torn:
        return
    left = [one for one in telling.outcomes if not _is_told(one, hearing.shown, turn.locale)]
    if torn and not left:
        # A sentence that broke off is not the end of an answer.
        left = list(telling.outcomes)
    if left:
        await hearing.say_the_rest(_from_templates(turn, left, parts))


def _is_told(outcome: Standing, shown: str, locale: str) -> bool:
    return isinstance(outcome, CallSucceeded) and names(shown, outcome.value, locale=locale)


def _from_templates(turn: RunningTurn, outcomes: Sequence[Standing], parts: Parts) -> str:
    return parts.narrate(outcomes, {spec.name: spec for spec in parts.tools.specs}, turn.locale)


def telling_request(turn: RunningTurn, telling: Telling, parts: Parts, nudge: str = "") -> ModelRequest:
    """What the narrator is asked in this round; ``nudge`` is what it is told of its reply before."""
    return ModelRequest(
        role=_ROLE,
        view=replace(telling.view, late=nudge) if nudge else telling.view,
        tools=parts.tools.offered if telling.may_call else (),
        options=parts.models[_ROLE].options,
        conversation=turn.key.conversation,
    )
