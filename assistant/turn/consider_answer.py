"""Takes up the customer's answer to a read-back, before anything else is decided."""

from assistant.conversation.calls import Call, call_id
from assistant.conversation.entries import (
    Answer,
    CallRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
)
from assistant.prompts.utterances import Confirmation
from assistant.turn.ask_to_confirm import ask_once_more
from assistant.turn.consent import Consent, read_consent
from assistant.turn.decision import Decision, decided
from assistant.turn.hearing import Hearing
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.speech import say_whole

ATTEMPTS = 2


async def consider_answer(turn: RunningTurn, parts: Parts, record: Record) -> Decision | None:
    """The decision that the answer makes by itself; None when the decision model must read the message.

    Yes: exactly the calls that were read back. No, or a second unclear answer: nothing runs, and that is
    said. A correction, or a no with something else beside it, goes on to the decision model.
    """
    question = question_before(turn)
    if question is None:
        return None
    consent = _consent(turn, question, parts)
    if turn.state.answered is None:
        await record(
            ConfirmationAnswered(confirmation_id=question.confirmation_id, answer=_answer(consent, question))
        )
    match turn.state.answered.answer if turn.state.answered is not None else None:
        case "yes":
            return await _run_confirmed(turn, question, parts, record)
        case "no" if consent.only:
            return await _say_and_close(turn, "no", parts, record)
        case "dropped" if consent.meaning == "hold":
            return await _say_and_close(turn, "dropped", parts, record)
        case "unclear" if consent.meaning == "hold":
            await ask_once_more(turn, question, parts, record)
            return await _close(turn, record)
        case _:
            return None


def question_before(turn: RunningTurn) -> ConfirmationAsked | None:
    """The question that was open when this turn began: the last that was put."""
    if turn.state.turn.cause != "confirmation":
        return None
    return next((earlier.asked for earlier in reversed(turn.earlier) if earlier.asked is not None), None)


def _consent(turn: RunningTurn, question: ConfirmationAsked, parts: Parts) -> Consent:
    message = turn.state.message
    if message.button is not None:
        consent = Consent(message.button, only=True)
    else:
        words = parts.book.words(turn.locale).consent
        consent = read_consent(message.text, question.read_back, words)
    if consent.meaning == "yes" and parts.clock.now_ms() > question.expires_at_ms:
        # Too long ago for a bare "yes" to be trusted: it is asked again, or dropped.
        return Consent("hold", only=True)
    return consent


def _answer(consent: Consent, question: ConfirmationAsked) -> Answer:
    match consent.meaning:
        case "yes" | "no" | "correction":
            return consent.meaning
        case "hold" | "other":
            return "unclear" if question.attempt < ATTEMPTS else "dropped"


async def _run_confirmed(
    turn: RunningTurn, question: ConfirmationAsked, parts: Parts, record: Record
) -> Decision:
    if (done := turn.state.round(1)).closed is not None:
        return decided(done)
    requested = {call.id for call in done.calls}
    for number, asked in enumerate(question.calls, start=1):
        call = Call(id=call_id(1, number), tool=asked.tool, arguments=asked.arguments)
        if call.id not in requested:
            await record(CallRequested(call=call))
    hearing = Hearing(turn, 1, parts, record)
    await hearing.announce_confirmed()
    return await _close(turn, record)


async def _say_and_close(turn: RunningTurn, answer: Answer, parts: Parts, record: Record) -> Decision:
    text = parts.book.render(Confirmation(answer="no" if answer == "no" else "dropped"), turn.locale)
    await say_whole(turn, 1, text, parts, record)
    return await _close(turn, record)


async def _close(turn: RunningTurn, record: Record) -> Decision:
    round_ = turn.state.round(1)
    if round_.closed is None:
        await record(DecisionClosed(round=1, call_ids=tuple(call.id for call in round_.calls)))
    return decided(round_)
