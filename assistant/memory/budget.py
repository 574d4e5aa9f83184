"""Makes a conversation fit into one request to a model.

The oldest turns are left out first, each as a whole. In the running turn, only results are cut.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeAlias, assert_never

from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallStatus,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
)
from assistant.conversation.snapshots import head_and_tail, shared_out, shortened
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromTools, TurnView, View, ViewMessage
from assistant.formats.tools import PICTURES, media_of, result_text
from assistant.memory.token_sizes import (
    PER_MESSAGE,
    PER_PICTURE,
    CachedTokenSizes,
    message_tokens,
    result_tokens,
)
from assistant.ports import TokenCounter

MIN_CHARACTERS = 64
"""The least number of characters of a result that stays, so that a model can see what kind of result it
was."""

_MAX_CHARACTERS_PER_TOKEN = 6
"""The most characters of nearly all tokens. Text beyond this can be cut without counting tokens."""


_Results: TypeAlias = dict[str, CallStatus]
"""Results by our ids of their calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """At most ``tokens`` for instructions, tools and conversation together; the reply is not included.

    ``sizes`` caches the counts of ``counter``.
    """

    tokens: int
    counter: TokenCounter
    sizes: CachedTokenSizes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", CachedTokenSizes(self.counter))


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestLimits:
    """The parts of a request other than the view.

    ``tools`` are the offered tools. ``ref`` returns the reference of a full result, for our id of a call of
    the running turn.
    """

    budget: Budget
    tools: tuple[ToolSpec, ...] = ()
    ref: Callable[[str], str]


def fit_view(view: View, before: int, newest_first: Iterable[TurnView], within: RequestLimits) -> View:
    """Returns the view with as many earlier turns as fit. No side effects.

    It stays within the budget. The exception is a budget that is too small for the instructions, the tools,
    and the texts, calls and minimal results of the running turn: then it is the smallest possible view. Turns
    are left out as a whole, the oldest first; in long conversations several at a time, so that the beginning
    of consecutive requests stays the same and providers can cache it. Nothing of the running turn is left
    out, but its results are cut if they are too large; then three quarters of the space are for the running
    turn.

    Args:
        view: the instructions, and only the running turn.
        before: the number of earlier turns.
        newest_first: the earlier turns. It reads no more of them than fit.
        within: the limits.
    """
    sizes = within.budget.sizes
    room = within.budget.tokens - sizes.frame(view.system, view.late, within.tools)
    (now,) = view.turns
    if sizes.turn(now) > room:
        now = fit_turn(now, room * 3 // 4, within.budget.counter, within.ref)
    kept = _newest_that_fit(newest_first, room - sizes.turn(now), sizes.turn)
    del kept[_keep_count(before, len(kept)) :]
    return View(view.system, (*reversed(kept), now), view.late)


def cut_huge_results(turn: TurnView, most: int, ref: Callable[[str], str]) -> TurnView:
    """Returns the turn with each result cut to roughly ``most`` tokens; usually unchanged. No side effects.

    Large results are cut fast, because the removed parts are neither counted nor read.
    """
    results = {one.call.id: one for one in _outcomes(turn)}
    cut = {id_: cut_roughly(one, most, ref) for id_, one in results.items()}
    return turn if all(cut[id_] is one for id_, one in results.items()) else _with_results(cut, turn)


def shorten_result(
    outcome: CallStatus, most: int, counter: TokenCounter, ref: Callable[[str], str]
) -> CallStatus:
    """Returns the outcome with its text cut to ``most`` tokens, or to the smallest possible size if that is
    larger.

    No side effects.

    ``ref`` returns the reference of the full result, for our id of the call. An outcome without a result
    keeps the beginning and end of its reason.
    """
    characters = max(MIN_CHARACTERS, most * _MAX_CHARACTERS_PER_TOKEN)
    whole: int | None = None  # counted once: it may be long
    while True:
        cut = _cut(outcome, characters, ref)
        if cut is outcome:
            if whole is None:
                whole = result_tokens(outcome, counter)
                characters = min(characters, max(MIN_CHARACTERS, len(result_text(outcome))))
            size = whole
        else:
            size = result_tokens(cut, counter)
        if size <= most:
            return cut
        if characters == MIN_CHARACTERS:
            # For a small result, the cut form with its reference may be larger than the result.
            whole = result_tokens(outcome, counter) if whole is None else whole
            return cut if size < whole else outcome
        characters = max(MIN_CHARACTERS, min(characters * most // size, characters * 9 // 10))


def cut_roughly(outcome: CallStatus, most: int, ref: Callable[[str], str]) -> CallStatus:
    """Returns the outcome without parts that can never fit into ``most`` tokens.

    These parts are not read. Often nothing has to be removed.
    """
    return _cut(outcome, max(MIN_CHARACTERS, most * _MAX_CHARACTERS_PER_TOKEN), ref)


def count_pictures(outcome: CallStatus) -> int:
    """Returns the number of pictures in the outcome that models can see."""
    return sum(media.mime in PICTURES for media in media_of(outcome))


def drop_oldest_pictures(outcome: CallStatus, keep: int, ref: Callable[[str], str]) -> CallStatus:
    """Returns the outcome with only its last ``keep`` pictures.

    The others are mentioned by name, and the full result has a reference.
    """
    leave = count_pictures(outcome) - keep
    if not isinstance(outcome, CallSucceeded) or leave <= 0:
        return outcome
    pictures = [place for place, media in enumerate(outcome.media) if media.mime in PICTURES]
    gone = frozenset(pictures[:leave])
    kept = tuple(media for place, media in enumerate(outcome.media) if place not in gone)
    named = tuple(outcome.media[place].name or outcome.media[place].mime for place in sorted(gone))
    return replace(
        outcome,
        media=kept,
        omitted=(*outcome.omitted, *named),
        full_ref=outcome.full_ref or ref(outcome.call.id),
    )


def _cut(outcome: CallStatus, characters: int, ref: Callable[[str], str]) -> CallStatus:
    match outcome:
        case CallSucceeded(value=value):
            short = shortened(value, characters)
            if short is value:
                return outcome
            return replace(outcome, value=short, full_ref=outcome.full_ref or ref(outcome.call.id))
        case CallFailed(for_model=reason) | CallDenied(for_model=reason):
            return replace(outcome, for_model=head_and_tail(reason, characters))
        case CallCancelled(why=reason):
            return replace(outcome, why=head_and_tail(reason, characters))
        case CallEmpty() | CallTimedOut() | CallUnknown() | CallPending() | CallAwaitingConfirmation():
            return outcome
        case _:
            assert_never(outcome)


def fit_turn(turn: TurnView, room: int, counter: TokenCounter, ref: Callable[[str], str]) -> TurnView:
    """Returns the turn in at most ``room`` tokens, if its texts, calls and minimal results fit.

    No side effects.

    Otherwise it is as small as possible. Small results stay complete; large ones share the rest equally. The
    oldest pictures are removed first. Pictures get half of the space, and more if results need less.

    Args:
        turn: a turn that is too large.
        room: the limit in tokens.
        counter: counts tokens.
        ref: returns the reference of a call's full result, for our id of the call.
    """
    words = sum(message_tokens(said, counter) for said in turn.messages if not isinstance(said, FromTools))
    results = {one.call.id: one for one in _outcomes(turn)}
    left = room - words - PER_MESSAGE * len(results)
    cut = partial(shorten_result, counter=counter, ref=ref)
    if any(map(count_pictures, results.values())):
        bare = [drop_oldest_pictures(one, 0, ref) for one in results.values()]
        whole = sum(result_tokens(one, counter) for one in bare)
        scraps = sum(result_tokens(cut(one, 0), counter) for one in bare)
        pictures = min(max(left - whole, left // 2), left - scraps)
        results = _newest_pictures(results, pictures // PER_PICTURE, ref)
    least = {id_: result_tokens(cut(one, 0), counter) for id_, one in results.items()}
    wants = {id_: result_tokens(one, counter) - least[id_] for id_, one in results.items()}
    more = dict(zip(wants, shared_out([*wants.values()], left - sum(least.values())), strict=True))
    return _with_results({id_: cut(one, least[id_] + more[id_]) for id_, one in results.items()}, turn)


def _newest_pictures(results: _Results, most: int, ref: Callable[[str], str]) -> _Results:
    """Returns the results with only the newest ``most`` of all their pictures."""
    seen: _Results = {}
    for id_, outcome in reversed(results.items()):
        seen[id_] = drop_oldest_pictures(outcome, max(most, 0), ref)
        most -= count_pictures(seen[id_])
    return seen


def _outcomes(turn: TurnView) -> Iterator[CallStatus]:
    return (one for said in turn.messages if isinstance(said, FromTools) for one in said.outcomes)


def _with_results(results: Mapping[str, CallStatus], turn: TurnView) -> TurnView:
    """Returns the turn with these results, by our ids of their calls."""

    def told(said: ViewMessage) -> ViewMessage:
        if not isinstance(said, FromTools):
            return said
        return FromTools(tuple(results[one.call.id] for one in said.outcomes))

    return TurnView(tuple(map(told, turn.messages)))


def _newest_that_fit(turns: Iterable[TurnView], room: int, size: Callable[[TurnView], int]) -> list[TurnView]:
    """Returns the newest turns that fit."""
    kept: list[TurnView] = []
    for turn in turns:
        room -= size(turn)
        if room < 0:
            break
        kept.append(turn)
    return kept


def _keep_count(before: int, fitting: int) -> int:
    """Returns how many of the fitting turns are used, so that the next requests begin with the same turn.

    If some turns are left out, the first one that stays has a position divisible by a power of two, which is
    at most a quarter of the number of fitting turns.

    >>> _keep_count(9, 9), _keep_count(100, 20), _keep_count(101, 20), _keep_count(104, 20), _keep_count(3, 2)
    (9, 20, 17, 20, 2)
    """
    if fitting == before or fitting < 4:
        return fitting
    step = 1 << ((fitting // 4).bit_length() - 1)
    left_out = before - fitting
    return before - -(-left_out // step) * step
