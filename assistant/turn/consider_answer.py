"""Takes up the customer's answer to a read-back, before anything else is decided."""

from dataclasses import replace

from assistant.conversation.calls import call_id
from assistant.conversation.entries import (
    Answer,
    CallRequested,
    ConfirmationAnswered,
    ConfirmationAsked,
    DecisionClosed,
)
from assistant.prompts.utterances import Confirmation
from assistant.turn.ask_to_confirm import ask_once_more, dropped
from assistant.turn.confirm.asked import question_of
from assistant.turn.confirm.open_question import agreed_calls, question_before
from assistant.turn.confirm.was_heard import was_heard
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

    Yes: exactly the calls that it was said to; what else it says ("yes, and when are you open?") is for the
    narrator, who may call more. No, or a second unclear answer: nothing runs, and that is said. A correction, or
    a no with something else beside it, goes on to the decision model.

    A yes that is said aloud, before the read-back was heard out, is no clear answer: it is asked again, or, said so
    to the second attempt, nothing runs.
    """
    question = question_before(turn)
    if question is None:
        return None
    consent = _consent(turn, question, parts)
    if turn.state.answered is None:
        await record(
            ConfirmationAnswered(
                confirmation_id=question.confirmation_id,
                answer=_answer(consent, question),
                agreed=tuple(question.calls[place].id for place in sorted(consent.chosen)),
            )
        )
    answered = turn.state.answered
    match answered.answer if answered is not None else None:
        case "yes":
            return await _run_confirmed(turn, question, parts, record)
        case "no" if consent.only:
            text = parts.book.render(Confirmation(answer="no"), turn.locale)
            return await _say_and_close(turn, text, parts, record)
        case "dropped" if consent.meaning == "hold":
            return await _say_and_close(turn, dropped(turn, parts), parts, record)
        case "unclear" if consent.meaning == "hold":
            await ask_once_more(turn, question, parts, record)
            return await _close(turn, record)
        case _:
            return None


def _consent(turn: RunningTurn, question: ConfirmationAsked, parts: Parts) -> Consent:
    message = turn.state.message
    if message.button is not None:
        consent = Consent(message.button, only=True)
    else:
        words = parts.book.words(turn.locale).consent
        asked = question_of(question, turn.locale, parts)
        consent = read_consent(message.text, question.read_back, words, asked)
    too_late = parts.clock.now_ms() > question.expires_at_ms
    if consent.meaning == "yes" and (too_late or not was_heard(question, turn)):
        # Not to be trusted: it is asked again, or dropped. What stood beside it is for the decision model.
        return replace(consent, meaning="other" if consent.beside else "hold", chosen=frozenset())
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
