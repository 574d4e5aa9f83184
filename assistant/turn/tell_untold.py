"""Tells what earlier turns could not tell: results that came late, or into an answer that was cut off."""

from dataclasses import replace

from assistant.conversation.calls import call_id
from assistant.conversation.documents import result_ref
from assistant.conversation.entries import CallRef, Entry, MessageOpened, ResultsTold
from assistant.conversation.transcript import readable
from assistant.turn.ask_to_confirm import ask_once_more
from assistant.turn.decision import Decision
from assistant.turn.narrate import Telling, instructions, tell
from assistant.turn.parts import Parts
from assistant.turn.past import recent, within
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn
from assistant.turn.settle import pick_up
from assistant.turn.untold import Untold, untold


async def tell_untold(turn: RunningTurn, last: Decision, parts: Parts, record: Record) -> None:
    """Tell results of earlier turns that the customer is owed, once, as a response of its own; or nothing.

    Which results a message tells is recorded as soon as it has a word, so that a turn that goes on after a crash
    completes this message, and tells in another what has come since. Of an answer that was cut off only the
    sentences are told that were not heard to their end. A question that was open stays the last thing said; behind
    one that was put again in this turn nothing is told.
    """
    owed = owed_results(turn, parts)
    number = last.round + 1
    if owed and await pick_up(turn, number, "response", parts, record) is None:
        refs = tuple(one.ref for one in owed)
        begun = turn.state.open_message
        if begun is not None and turn.state.told is None:
            # An earlier life of this turn ended right behind the opening: this message is gone on with.
            await record(ResultsTold(message_id=begun.id, calls=refs))
        await tell(turn, _telling(turn, number, owed, parts), parts, _noting(refs, record))
    question = turn.conversation.question
    if turn.state.unasked and question is not None and parts.clock.now_ms() < question.expires_at_ms:
        # Nobody has answered it, so this is no other attempt.
        await ask_once_more(turn, replace(question, attempt=question.attempt - 1), parts, record)


def owed_results(turn: RunningTurn, parts: Parts) -> tuple[Untold, ...]:
    """The results of earlier turns that this turn tells: those that its message was begun for, or all there are."""
    if (begun := turn.state.told) is None:
        asks = turn.state.asked is not None
        return () if asks else untold(turn.conversation, parts.tools)
    turns = {earlier.id: earlier for earlier in turn.earlier}
    return tuple(Untold(turns[id_], turns[id_].outcomes[call]) for id_, call in begun.calls)


def _telling(turn: RunningTurn, number: int, owed: tuple[Untold, ...], parts: Parts) -> Telling:
    outcomes = tuple(one.outcome for one in owed)
    asked = tuple(dict.fromkeys(one.turn.message.text for one in owed))
    system = instructions(turn, outcomes, parts, asked_earlier=asked)
    conversation = turn.key.conversation
    refs = {
        call_id(number, nth): result_ref(conversation, one.turn.id, one.outcome.call.id)
        for nth, one in enumerate(owed, start=1)
    }
    bounds = within(turn, parts, "narrator", (), refs)
    view = turn.views.telling(system, recent(turn), turn.state, outcomes, number, bounds)
    return Telling(round=number, outcomes=outcomes, view=view, heard_before=heard_before(owed, turn))


def heard_before(owed: tuple[Untold, ...], turn: RunningTurn) -> tuple[str, ...]:
    """What the customer was told of these results before they cut it off, and what this turn has just told them."""
    cut = {one.turn.id: one.turn for one in owed}.values()
    before = [readable(said) for earlier in cut for said in earlier.messages if said.own_words]
    return (*before, *(said.text for said in turn.state.messages if said.kind is not None))


def _noting(refs: tuple[CallRef, ...], record: Record) -> Record:
    """Records, right behind the opening of a message, which results it tells."""

    async def noting(entry: Entry, *, durable: bool = False) -> None:
        await record(entry, durable=durable)
        if isinstance(entry, MessageOpened):
            await record(ResultsTold(message_id=entry.message_id, calls=refs))

    return noting
