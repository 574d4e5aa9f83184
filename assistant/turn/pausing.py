"""Whether staff have paused the assistant, the customer's channel, the configuration version, or a tool.

While the assistant is paused, no model is asked and no side effect starts. What is running finishes, and its result
is told.
"""

from assistant.conversation.outcomes import CallDenied
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import ModelError
from assistant.prompts.utterances import PausedTold
from assistant.tools.tool import PreparedCall
from assistant.turn.context import RunningTurn, TurnDependencies


class AssistantPaused(ModelError):
    """No model was asked, or its reply was cut, because staff have paused the assistant."""

    say = "I am switched off at the moment"

    def __init__(self) -> None:
        super().__init__("staff have paused the assistant")


async def is_paused(turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether this turn may not be answered now; what is known may be a second old."""
    if deps.pauses is None:
        return False
    await deps.pauses.now()
    return _stops(turn, deps)


def is_tool_paused(spec: ToolSpec, turn: RunningTurn, deps: TurnDependencies) -> bool:
    """Whether calls of this tool may not start now, as far as this process knows."""
    if deps.pauses is None:
        return False
    return deps.pauses.known.has("tool", spec.name) or (spec.effect == "write" and _stops(turn, deps))


def denied_while_paused(ready: PreparedCall, turn: RunningTurn, deps: TurnDependencies) -> CallDenied | None:
    """The outcome of a call that may not start because something is paused, or because it would change something
    in a shadow launch; None if it may.
    """
    if turn.state.supervision == "shadow" and ready.tool.spec.effect == "write":
        told = (
            f"{ready.call.tool!r} was not run: this assistant is on trial, its answers go to a colleague, and"
            " only people change anything. Nothing was done. Write the answer for the colleague: say what should be"
            " done, with the exact data, and that it is not done yet. Do not call it again."
        )
        return CallDenied(
            call=ready.call, say=deps.book.render(PausedTold(what="tool"), turn.locale), for_model=told
        )
    if not is_tool_paused(ready.tool.spec, turn, deps):
        return None
    told = (
        f"{ready.call.tool!r} is not available at the moment, by a decision of the company. Nothing was done. Tell "
        "the customer that it is not available at the moment, do not call it again, and promise nothing about when "
        "it will be."
    )
    say = deps.book.render(PausedTold(what="tool"), turn.locale)
    return CallDenied(call=ready.call, say=say, for_model=told)


def _stops(turn: RunningTurn, deps: TurnDependencies) -> bool:
    if deps.pauses is None:
        return False
    channel = turn.key.channel(spoken=turn.state.message.spoken)
    return deps.pauses.known.stops(channel, turn.state.turn.bundle)
