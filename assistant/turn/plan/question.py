"""Works out what the customer will be asked about a call that needs their yes."""

from dataclasses import replace

from assistant.conversation.entries import CallEnded
from assistant.conversation.outcomes import CallFailed
from assistant.conversation.tool_spec import NO_HINT
from assistant.prompts.utterances import DefaultClause, ReadBack
from assistant.tooling.running.run_call import Ready, read_back
from assistant.turn.parts import Parts
from assistant.turn.record import Record
from assistant.turn.running_turn import RunningTurn


async def prepare_question(ready: Ready, turn: RunningTurn, parts: Parts, record: Record) -> None:
    """Keep the call's clause in ``turn.clauses``; a call that cannot be asked about ends here."""
    clause = await clause_of(turn, ready, parts)
    if isinstance(clause, str):
        turn.clauses[ready.call.id] = clause
    else:
        await record(CallEnded(outcome=clause))


async def clause_of(turn: RunningTurn, ready: Ready, parts: Parts) -> str | CallFailed:
    """What the call would do, to follow "Shall I": the tool's own wording, or its hint and arguments."""
    # A clause or a hint of another language would break the sentence that it stands in.
    spoken = parts.book.spoken(ReadBack.template, turn.locale)
    own = await read_back(ready, replace(turn.customer, locale=spoken), parts.book, parts.clock)
    if own is not None:
        return own
    locale = parts.book.spoken(DefaultClause.template, turn.locale)
    hint = ready.tool.spec.own_hint(locale) or NO_HINT
    arguments = tuple(
        (name.replace("_", " "), said)
        for name, value in ready.arguments.items()
        if value is not None and (said := parts.book.plain(value, locale))
    )
    return parts.book.render(DefaultClause(hint=hint, arguments=arguments), locale)
