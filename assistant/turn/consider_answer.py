"""Takes up the customer's answer to a read-back, before anything else is decided."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import assert_never

from assistant.conversation.calls import call_id
from assistant.conversation.entries import (
    Answer,
    CallRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
)
from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.prompts.utterances import Confirmation, ConfirmationLate
from assistant.prompts.words import ConsentWords
from assistant.turn.ask_to_confirm import ask_once_more, dropped
from assistant.turn.confirm.open_question import agreed_calls, question_before
from assistant.turn.confirm.was_heard import was_heard
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
from assistant.turn.decision import Decision, decided
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole

ATTEMPTS = 2


async def consider_answer(turn: RunningTurn, parts: Parts, record: Record) -> Decision | None:
    """The decision that the answer makes by itself; None when the decision model must read the message.

    Yes: exactly the calls that it was said to; what else it says ("yes, and when are you open?") is for the
    narrator, who may call more. No, or a second unclear answer: nothing runs, and that is said. A correction, or
    a no with something else beside it, goes on to the decision model.

    A yes that is said aloud, before the read-back was heard out, is no clear answer: it is asked again, or, said so
    to the second attempt, nothing runs.

    "Never mind", just after what was agreed to has been done, is told that it was done.
    """
    question = question_before(turn)
    if question is None:
        return await _say_that_it_was_done(turn, parts, record)
    reading = _reading(turn, question, parts)
    if turn.state.answered is None:
        await record(_answered(reading, question, turn, parts))
    answered = turn.state.answered
    match answered.answer if answered is not None else None:
        case "yes":
            return await _run_confirmed(turn, question, parts, record)
        case "no":
            text = parts.book.render(Confirmation(answer="no"), turn.locale)
            return await _say_and_close(turn, text, parts, record)
        case "dropped" if isinstance(reading, Hold):
            return await _say_and_close(turn, dropped(turn, parts), parts, record)
        case "unclear" if isinstance(reading, Hold):
            await ask_once_more(turn, question, parts, record)
            return await _close(turn, record)
        case _:
            return None


def read_logged_answer(
    asked: ConfirmationAsked, text: str, locale: str, words: ConsentWords, tools: Iterable[ToolSpec]
) -> Reading:
    """What today's rules make of an answer to a question of the log; pure.

    It is about the words alone: an answer that came too late, or before the question was heard, is not told here.
    """
    question = question_of(asked, locale, words, {spec.name: spec for spec in tools})
    return read_answer(text, question, words)


def _reading(turn: RunningTurn, question: ConfirmationAsked, parts: Parts) -> Reading:
    message = turn.state.message
    if message.button is not None:
        reading: Reading = AgreedToAll() if message.button == "yes" else Declined()
    else:
        words = parts.book.words(turn.locale).consent
        reading = read_logged_answer(question, message.text, turn.locale, words, parts.tools.specs)
    too_late = parts.clock.now_ms() > question.expires_at_ms
    if isinstance(reading, AgreedToAll | AgreedTo) and (too_late or not was_heard(question, turn)):
        # Not to be trusted: it is asked again, or dropped. Another matter in it is for the decision model.
        return Unclear() if reading.also else Hold()
    return reading


def _answered(
    reading: Reading, question: ConfirmationAsked, turn: RunningTurn, parts: Parts
) -> ConfirmationAnswered:
    by_words = turn.state.message.button is None
    return ConfirmationAnswered(
        confirmation_id=question.confirmation_id,
        answer=_answer(reading, question),
        agreed=tuple(question.calls[place].id for place in sorted(reading.calls))
        if isinstance(reading, AgreedTo)
        else (),
        rules=rules_version(parts.book.words(turn.locale).consent) if by_words else "",
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


async def _say_that_it_was_done(turn: RunningTurn, parts: Parts, record: Record) -> Decision | None:
    """Answer a retraction that comes too late; None for any other message."""
    if not is_retraction(turn.state.message.text, parts.book.words(turn.locale).consent):
        return None
    before = next((one for one in reversed(turn.earlier) if not one.unasked), None)
    if before is None or before.answered is None or before.answered.answer != "yes":
        return None
    specs = {spec.name: spec for spec in parts.tools.specs}
    done = [one for one in before.results if _was_done(one, specs)]
    if not done:
        return None
    told = parts.narrate(done, specs, turn.locale)
    return await _say_and_close(
        turn, parts.book.render(ConfirmationLate(done=told), turn.locale), parts, record
    )


def _was_done(outcome: Outcome, specs: Mapping[str, ToolSpec]) -> bool:
    spec = specs.get(outcome.call.tool)
    return isinstance(outcome, CallSucceeded | CallEmpty) and spec is not None and spec.effect == "write"


async def _run_confirmed(
    turn: RunningTurn, question: ConfirmationAsked, parts: Parts, record: Record
) -> Decision:
    if (done := turn.state.round(1)).closed is not None:
        return decided(done)
    requested = {call.id for call in done.calls}
    answered = turn.state.answered
    agreed = agreed_calls(question, answered) if answered is not None else ()
    for number, asked in enumerate(agreed, start=1):
        call = replace(asked, id=call_id(1, number), provider_id=None, opaque=None)
        if call.id not in requested:
            await record(CallRequested(call=call))
    hearing = Hearing(turn, 1, parts, record)
    await hearing.announce_confirmed()
    return await _close(turn, record)


async def _say_and_close(turn: RunningTurn, text: str, parts: Parts, record: Record) -> Decision:
    await say_whole(turn, 1, text, parts, record)
    return await _close(turn, record)


async def _close(turn: RunningTurn, record: Record) -> Decision:
    round_ = turn.state.round(1)
    if round_.closed is None:
        await record(DecisionClosed(round=1, call_ids=tuple(call.id for call in round_.calls)))
    return decided(round_)
