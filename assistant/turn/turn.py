"""One customer message, answered. Read this file first; the rest is how."""

from assistant.turn.confirmation import ask_to_confirm, consider_answer
from assistant.turn.context import NOTHING_ASKED, Parts, Record, RunningTurn
from assistant.turn.decide import decide
from assistant.turn.finish import finish, remember
from assistant.turn.narrate import narrate
from assistant.turn.run_tools import run_tools
from assistant.turn.undelivered import tell_untold
from assistant.turn.waiting_voice import WaitingVoice


async def take_turn(turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Answer one customer message, recording entries as they happen; or tell, unasked, what came too late for
    an earlier answer.

    The acknowledgement is spoken, and lookups begin, while the decision is still being streamed: see
    :mod:`assistant.turn.decision_stream`.

    Run it again after any interruption: each stage first looks in the turn's entries for its own result.
    Cancelling it stops what is being said; calls under way belong to the session and end there.
    """
    async with WaitingVoice(turn, parts, record) as record:
        if turn.state.unasked:
            decision = NOTHING_ASKED
        else:
            decision = await consider_answer(turn, parts, record) or await decide(turn, parts, record)
        while decision.calls:
            await run_tools(turn, decision, parts, record)
            decision = await narrate(turn, decision, parts, record)
        await tell_untold(turn, decision, parts, record)
        await ask_to_confirm(turn, parts, record)
    await remember(turn, record)
    await finish(turn, parts, record)
