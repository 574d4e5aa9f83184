"""The question before a side effect: asks it, reads the customer's answer, and acts on it.

``consider_answer`` comes first in a turn, ``ask_to_confirm`` last.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import (
    Answer,
    CallEnded,
    CallRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
)
from assistant.conversation.outcomes import CallAwaitingConfirmation, CallEmpty, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.turn_state import TurnState
from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.utterances import (
    Confirmation,
    ConfirmationLate,
    ConfirmationLeft,
    ConfirmationPerson,
    ReadBack,
)
from assistant.tools.execute import prepare
from assistant.tools.tool import PreparedCall
from assistant.turn.confirmation_rules import (
    agreed_calls,
    carried_over,
    left_alone,
    question_before,
    renumbered,
)
from assistant.turn.consent.answer import is_retraction, read_answer, rules_version
from assistant.turn.consent.read_question import question_of
from assistant.turn.consent.readings import (
    AgreedTo,
    AgreedToAll,
    Correction,
    Declined,
    Hold,
    Reading,
    Unclear,
)
from assistant.turn.context import Decision, Record, RunningTurn, TurnDependencies, decision_of
from assistant.turn.decision_stream import DecisionStreamHandler
from assistant.turn.message_stream import say_fixed_message
from assistant.turn.run_tools import clause_of, resolved_call


def was_heard(question: ConfirmationAsked, turn: RunningTurn) -> bool:
    """Whether the turn's message can agree to the question that was open when the turn began.

    A written message and a button on the screen can, because the question is visible. A spoken message, or a
    phone key, can if it came after the question was asked and the question was heard to its end. A question
    that is not spoken counts as read.
    """
    said, placed = turn.state.message, turn.conversation.placed
    if not said.spoken:
        return True
    if placed[said.message_id] < placed[question.confirmation_id]:
        return False
    return _is_known(next(earlier for earlier in turn.earlier if earlier.asked is question))


def _is_known(asking: TurnState) -> bool:
    """Whether the customer heard, or can read, the read-back of this turn, which is its last message."""
    read_back = asking.messages[-1]
    if read_back.heard is None:
        # If the text before it is spoken, the read-back will be spoken too.
        return all(message.heard is None for message in asking.messages)
    return read_back.heard >= len(read_back.text.rstrip())


async def ask_to_confirm(turn: RunningTurn, deps: TurnDependencies, record: Record) -> None:
    """Ask once for all waiting calls of the turn. These calls end as ``awaiting_confirmation`` and, if the
    customer agrees, run as new calls of the next turn.

    If this turn left an earlier question without a clear answer, the read-back asks about its calls again, or
    the customer is told that they are dropped. The same applies to calls that a partial yes did not include.
    """
    if turn.state.asked is None:
        question = question_before(turn)
        # Ask about the call that will run: with the values that its references resolve to.
        waiting = tuple(resolved_call(call, turn.state) for call in turn.state.waiting_calls)
        if question is not None and turn.state.answered is not None:
            await _settle(turn, question, waiting, deps, record)
        elif waiting:
            await _ask(turn, waiting, 1, deps, record)
    if turn.state.asked is not None:
        for call in turn.state.asked.calls:
            if call.id in {own.id for own in turn.state.waiting_calls}:
                await record(CallEnded(outcome=CallAwaitingConfirmation(call=call)))


async def ask_once_more(
    turn: RunningTurn, question: ConfirmationAsked, deps: TurnDependencies, record: Record
) -> None:
    """Ask an earlier question again, with a new time limit."""
    if turn.state.asked is None:
        await _ask(turn, renumbered(question.calls, turn), question.attempt + 1, deps, record)


def dropped(turn: RunningTurn, deps: TurnDependencies) -> str:
    """The text when a question was asked for the last time without a clear answer."""
    text = deps.book.render(Confirmation(answer="dropped"), turn.locale)
    if deps.can_hand_over:
        text = f"{text} {deps.book.render(ConfirmationPerson(), turn.locale)}"
    return text


async def _settle(
    turn: RunningTurn,
    question: ConfirmationAsked,
    waiting: tuple[Call, ...],
    deps: TurnDependencies,
    record: Record,
) -> None:
    """Say what happened to an earlier question, and ask about the calls that wait now."""
    answered = turn.state.answered
    match answered.answer if answered is not None else None:
        case "unclear" if not waiting:
            await ask_once_more(turn, question, deps, record)
        case "unclear":
            too = deps.book.words(turn.locale).consent.too
            kept = carried_over(question, waiting, turn.state.message.text, too)
            await _say_left(turn, left_alone(question, kept, waiting), deps, record)
            await _ask(turn, (*renumbered(kept, turn), *waiting), 1, deps, record)
        case "dropped":
            if waiting:
                await _say_left(turn, left_alone(question, (), waiting), deps, record)
            else:
                await say_fixed_message(turn, turn.state.latest_round, dropped(turn, deps), deps, record)
        case "yes" if answered is not None:
            left = left_alone(question, agreed_calls(question, answered), waiting)
            await _say_left(turn, left, deps, record)
        case _:
            pass
    if waiting and turn.state.asked is None:
        await _ask(turn, waiting, 1, deps, record)


async def _say_left(turn: RunningTurn, left: int, deps: TurnDependencies, record: Record) -> None:
    if left:
        text = deps.book.render(ConfirmationLeft(left=left), turn.locale)
        await say_fixed_message(turn, turn.state.latest_round, text, deps, record)


async def _ask(
    turn: RunningTurn, calls: tuple[Call, ...], attempt: int, deps: TurnDependencies, record: Record
) -> None:
    clauses = tuple([await _clause(turn, call, deps) for call in calls])
    sayable = tuple(clause for clause in clauses if clause)
    read_back = deps.book.render(ReadBack(clauses=sayable, first_time=attempt == 1), turn.locale)
    await say_fixed_message(turn, turn.state.latest_round, read_back, deps, record)
    await record(
        ConfirmationAsked(
            confirmation_id=f"{turn.state.id}/q",
            calls=calls,
            clauses=clauses,
            read_back=read_back,
            expires_at_ms=deps.clock.now_ms() + int(deps.limits.question_s * 1000),
            attempt=attempt,
        )
    )


async def _clause(turn: RunningTurn, call: Call, deps: TurnDependencies) -> str:
    if (known := turn.clauses.get(call.id)) is not None:
        return known
    ready = prepare(call, deps.tools, turn.customer)
    clause = await clause_of(turn, ready, deps) if isinstance(ready, PreparedCall) else None
    return clause if isinstance(clause, str) else ""


ATTEMPTS = 2


async def consider_answer(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision | None:
    """The decision that follows from the answer alone; None if the decision model must read the message.

    Yes: exactly the calls that the customer agreed to. The narrator handles the rest of the message ("yes, and
    when are you open?") and may call more tools. No, or a second unclear answer: nothing runs, and the customer
    is told. A correction, or a no with another request, goes to the decision model.

    A spoken yes before the read-back was heard to its end is not clear: the question is asked again, or, at
    the second attempt, nothing runs.

    "Never mind", just after the agreed call has run, is answered with a report of that call.
    """
    question = question_before(turn)
    if question is None:
        return await _say_that_it_was_done(turn, deps, record)
    reading = _reading(turn, question, deps)
    if turn.state.answered is None:
        await record(_answered(reading, question, turn, deps))
    answered = turn.state.answered
    match answered.answer if answered is not None else None:
        case "yes":
            return await _run_confirmed(turn, question, deps, record)
        case "no":
            text = deps.book.render(Confirmation(answer="no"), turn.locale)
            return await _say_and_close(turn, text, deps, record)
        case "dropped" if isinstance(reading, Hold):
            return await _say_and_close(turn, dropped(turn, deps), deps, record)
        case "unclear" if isinstance(reading, Hold):
            await ask_once_more(turn, question, deps, record)
            return await _close(turn, record)
        case _:
            return None


def read_logged_answer(
    asked: ConfirmationAsked, text: str, locale: str, words: ConsentWords, tools: Iterable[ToolSpec]
) -> Reading:
    """How today's rules read an answer to a question of the log; pure.

    It considers only the words, not whether the answer came too late, or before the question was heard.
    """
    question = question_of(asked, locale, words, {spec.name: spec for spec in tools})
    return read_answer(text, question, words)


def _reading(turn: RunningTurn, question: ConfirmationAsked, deps: TurnDependencies) -> Reading:
    message = turn.state.message
    if message.button is not None:
        reading: Reading = AgreedToAll() if message.button == "yes" else Declined()
    else:
        words = deps.book.words(turn.locale).consent
        reading = read_logged_answer(question, message.text, turn.locale, words, deps.tools.specs)
    too_late = deps.clock.now_ms() > question.expires_at_ms
    if isinstance(reading, AgreedToAll | AgreedTo) and (too_late or not was_heard(question, turn)):
        # The answer is not reliable: ask again, or drop the calls. The decision model handles any other request
        # in it.
        return Unclear() if reading.also else Hold()
    return reading


def _answered(
    reading: Reading, question: ConfirmationAsked, turn: RunningTurn, deps: TurnDependencies
) -> ConfirmationAnswered:
    by_words = turn.state.message.button is None
    return ConfirmationAnswered(
        confirmation_id=question.confirmation_id,
        answer=_answer(reading, question),
        agreed_call_ids=tuple(question.calls[place].id for place in sorted(reading.calls))
        if isinstance(reading, AgreedTo)
        else (),
        rules_version=rules_version(deps.book.words(turn.locale).consent) if by_words else "",
    )


def _answer(reading: Reading, question: ConfirmationAsked) -> Answer:
    match reading:
        case AgreedToAll() | AgreedTo():
            return "yes"
        case Declined():
            return "no"
        case Correction():
            return "correction"
        case Hold() | Unclear():
            return "unclear" if question.attempt < ATTEMPTS else "dropped"
        case _:
            assert_never(reading)


async def _say_that_it_was_done(turn: RunningTurn, deps: TurnDependencies, record: Record) -> Decision | None:
    """Answer a retraction that comes after the call has run; None for any other message."""
    before = next((one for one in reversed(turn.earlier) if not one.unasked), None)
    if before is None or before.answered is None or before.answered.answer != "yes":
        return None
    if not is_retraction(turn.state.message.text, deps.book.words(turn.locale).consent):
        return None
    specs = {spec.name: spec for spec in deps.tools.specs}
    done = [one for one in before.results if _was_done(one, specs)]
    if not done:
        return None
    told = deps.narrate(done, specs, turn.locale)
    return await _say_and_close(
        turn, deps.book.render(ConfirmationLate(done=told), turn.locale), deps, record
    )


def _was_done(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    spec = specs.get(outcome.call.tool)
    return isinstance(outcome, CallSucceeded | CallEmpty) and spec is not None and spec.effect == "write"


async def _run_confirmed(
    turn: RunningTurn, question: ConfirmationAsked, deps: TurnDependencies, record: Record
) -> Decision:
    if (done := turn.state.round(1)).closed is not None:
        return decision_of(done)
    requested = {call.id for call in done.calls}
    answered = turn.state.answered
    agreed = agreed_calls(question, answered) if answered is not None else ()
    for number, asked in enumerate(agreed, start=1):
        call = replace(asked, id=call_id(1, number), provider_id=None, opaque=None)
        if call.id not in requested:
            await record(CallRequested(call=call))
    handler = DecisionStreamHandler(turn, 1, deps, record)
    await handler.announce_confirmed()
    return await _close(turn, record)


async def _say_and_close(turn: RunningTurn, text: str, deps: TurnDependencies, record: Record) -> Decision:
    await say_fixed_message(turn, 1, text, deps, record)
    return await _close(turn, record)


async def _close(turn: RunningTurn, record: Record) -> Decision:
    round_ = turn.state.round(1)
    if round_.closed is None:
        await record(DecisionClosed(round=1, call_ids=tuple(call.id for call in round_.calls)))
    return decision_of(round_)
