"""The running turn, cut to size: all its words and calls, and as much of its results as there is room for."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

from assistant.conversation.outcomes import Standing
from assistant.conversation.snapshots import shared_out
from assistant.conversation.views import FromTools, TurnView, ViewMessage
from assistant.memory.budget.shorter import pictures_of, roughly, shorter, without_oldest_pictures
from assistant.memory.budget.sizes import PER_MESSAGE, PER_PICTURE, message_tokens, result_tokens
from assistant.ports import Counter

_Results: TypeAlias = dict[str, Standing]
"""By our ids of their calls."""


def fit_turn(turn: TurnView, room: int, counter: Counter, ref: Callable[[str], str]) -> TurnView:
    """The turn in at most ``room`` tokens, if that holds its words, its calls and a scrap of each result. Pure.

    Else it is as small as it can be. Small results stay whole, large ones get equal parts of what is left. Of the
    pictures that came with them the oldest go first; half of the room is theirs, and more where results need less.

    Args:
        turn: one that is too large.
        room: in tokens.
        counter: who counts.
        ref: names the whole result of a call, by our id of it.
    """
    words = sum(message_tokens(said, counter) for said in turn.messages if not isinstance(said, FromTools))
    results = {one.call.id: one for one in _outcomes(turn)}
    left = room - words - PER_MESSAGE * len(results)
    cut = partial(shorter, counter=counter, ref=ref)
    if any(map(pictures_of, results.values())):
        bare = [without_oldest_pictures(one, 0, ref) for one in results.values()]
        whole = sum(result_tokens(one, counter) for one in bare)
        scraps = sum(result_tokens(cut(one, 0), counter) for one in bare)
        pictures = min(max(left - whole, left // 2), left - scraps)
        results = _newest_pictures(results, pictures // PER_PICTURE, ref)
    least = {id_: result_tokens(cut(one, 0), counter) for id_, one in results.items()}
    wants = {id_: result_tokens(one, counter) - least[id_] for id_, one in results.items()}
    more = dict(zip(wants, shared_out([*wants.values()], left - sum(least.values())), strict=True))
    return _with({id_: cut(one, least[id_] + more[id_]) for id_, one in results.items()}, turn)


def without_bulk(turn: TurnView, most: int, ref: Callable[[str], str]) -> TurnView:
    """The turn with each result cut to what ``most`` tokens can be, very roughly; the same one in most cases. Pure.

    Megabytes are cut in no time: what is cut away is neither counted nor looked through.
    """
    results = {one.call.id: one for one in _outcomes(turn)}
    cut = {id_: roughly(one, most, ref) for id_, one in results.items()}
    return turn if all(cut[id_] is one for id_, one in results.items()) else _with(cut, turn)


def _newest_pictures(results: _Results, most: int, ref: Callable[[str], str]) -> _Results:
    """The results with the newest of all their pictures."""
    seen: _Results = {}
    for id_, outcome in reversed(results.items()):
        seen[id_] = without_oldest_pictures(outcome, max(most, 0), ref)
        most -= pictures_of(seen[id_])
    return seen


def _outcomes(turn: TurnView) -> Iterator[Standing]:
    return (one for said in turn.messages if isinstance(said, FromTools) for one in said.outcomes)


def _with(results: Mapping[str, Standing], turn: TurnView) -> TurnView:
    """The turn with these results, by our ids of their calls."""

    def told(said: ViewMessage) -> ViewMessage:
        if not isinstance(said, FromTools):
            return said
        return FromTools(tuple(results[one.call.id] for one in said.outcomes))

    return TurnView(tuple(map(told, turn.messages)))
