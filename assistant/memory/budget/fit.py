"""What a model is given of a conversation, within a budget: the oldest turns go first, whole."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import TurnView, View
from assistant.memory.budget.budget import Budget
from assistant.memory.budget.fit_turn import fit_turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Within:
    """What a view must go with in one request.

    ``tools`` are on offer. ``ref`` names the whole result of a call of the running turn, by our id of the call.
    """

    budget: Budget
    tools: tuple[ToolSpec, ...] = ()
    ref: Callable[[str], str]


def fit(view: View, before: int, newest_first: Iterable[TurnView], within: Within) -> View:
    """The view with as many of the turns before it as there is room for. Pure.

    It never exceeds its budget, but for one that cannot hold the instructions, the tools, and of the running turn
    the words, the calls and a scrap of each result: then the smallest view there is. Turns are left out whole,
    the oldest first, several at a time in long conversations: what is sent then begins as the request before it
    did, which providers remember. Of the running turn nothing is left out; its results are cut when they are too
    large, and three quarters of the room are its own then.

    Args:
        view: the instructions, and the running turn alone.
        before: how many turns there were before it.
        newest_first: those turns; no more of them are looked at than fit.
        within: what it must fit in.
    """
    sizes = within.budget.sizes
    room = within.budget.tokens - sizes.frame(view.system, view.late, within.tools)
    (now,) = view.turns
    if sizes.turn(now) > room:
        now = fit_turn(now, room * 3 // 4, within.budget.counter, within.ref)
    kept = _newest(newest_first, room - sizes.turn(now), sizes.turn)
    del kept[_fewer(before, len(kept)) :]
    return View(view.system, (*reversed(kept), now), view.late)


def _newest(turns: Iterable[TurnView], room: int, size: Callable[[TurnView], int]) -> list[TurnView]:
    """As many of the turns as fit."""
    kept: list[TurnView] = []
    for turn in turns:
        room -= size(turn)
        if room < 0:
            break
        kept.append(turn)
    return kept


def _fewer(before: int, fitting: int) -> int:
    """How many turns stay of those that fit, so that the next requests can begin with the same one.

    Where some are left out, what begins is a turn whose place divides by a power of two, at most a quarter of
    what fits.

    >>> _fewer(9, 9), _fewer(100, 20), _fewer(101, 20), _fewer(104, 20), _fewer(3, 2)
    (9, 20, 17, 20, 2)
    """
    if fitting == before or fitting < 4:
        return fitting
    step = 1 << ((fitting // 4).bit_length() - 1)
    left_out = before - fitting
    return before - -(-left_out // step) * step
