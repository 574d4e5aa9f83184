"""Views of one conversation for its models: built from turns, sanitized, and cached when a turn has ended.

A view is a pure function of the log. Other people's text is sanitized, so that it cannot be mistaken for more
than text. Ended turns are built once, so a long conversation costs no more than a short one.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import is_
from typing import Final, TypeAlias, TypeVar, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.entries import Snapshot
from assistant.conversation.media import Media
from assistant.conversation.model_views import (
    is_final,
    turn_view,
    turn_with_undelivered_results,
)
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
    LongCallStatus,
    Outcome,
)
from assistant.conversation.turn_state import TurnState
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, View, ViewMessage
from assistant.language.known import Source
from assistant.language.sanitize import sanitize, sanitize_data
from assistant.memory.budget import RequestLimits, cut_huge_results, fit_view
from assistant.tools.registry import Tools
from assistant.turn.guardrails.call_evidence import Receipt

_MadeOf: TypeAlias = tuple[tuple[Snapshot, ...], tuple[int | None, ...]]
"""The snapshots of a turn, and how much of each of its messages was heard."""


class ViewCache:
    """Caches the views of turns that can no longer change.

    A view is made again when a snapshot was replaced, or when more of the turn was heard.

    Args:
        look: the pure function from a turn to its view.
    """

    __slots__ = ("_look", "_settled")

    def __init__(self, look: Callable[[TurnState], TurnView]) -> None:
        self._look = look
        self._settled: dict[str, tuple[_MadeOf, TurnView]] = {}

    def views_of(self, turns: Sequence[TurnState]) -> tuple[TurnView, ...]:
        """One view per turn, in order."""
        return tuple(self._view(turn) for turn in turns)

    def _view(self, turn: TurnState) -> TurnView:
        # Entries are never changed, so a comparison by identity is enough.
        made_of = tuple(turn.snapshots.values()), tuple(message.heard for message in turn.messages)
        known = self._settled.get(turn.id)
        if known is not None and known[0] == made_of:
            return known[1]
        view = self._look(turn)
        if is_final(turn):
            self._settled[turn.id] = made_of, view
        return view


T = TypeVar("T")
D = TypeVar("D", ViewMessage, Call, Media, CallStatus)


def sanitized_turn(turn: TurnView) -> TurnView:
    """The turn with all its texts sanitized; the same object if nothing has to change. Pure.

    This includes customers', agents' and models' words, arguments and results, because models repeat what
    they read. Provider data that must stay unchanged is not touched.
    """
    messages = _row(turn.messages, _message)
    return turn if messages is turn.messages else TurnView(messages)


def _message(message: ViewMessage) -> ViewMessage:
    match message:
        case FromCustomer(text=text, media=media):
            return _with(message, text=sanitize(text), media=_row(media, _media))
        case FromAssistant(text=text, calls=calls):
            return _with(message, text=sanitize(text), calls=_row(calls, _call))
        case FromTools(outcomes=outcomes):
            return _with(message, outcomes=_row(outcomes, _outcome))
        case _:
            assert_never(message)


def _call(call: Call) -> Call:
    return _with(call, tool=sanitize(call.tool), arguments=sanitize_data(call.arguments))


def _outcome(outcome: CallStatus) -> CallStatus:
    call = _call(outcome.call)
    match outcome:
        case CallSucceeded(value=value, media=media, omitted=omitted):
            seen, left = _row(media, _media), _row(omitted, sanitize)
            return _with(outcome, call=call, value=sanitize_data(value), media=seen, omitted=left)
        case CallEmpty(value=value):
            return _with(outcome, call=call, value=sanitize_data(value))
        case CallFailed(for_model=for_model) | CallDenied(for_model=for_model):
            return _with(outcome, call=call, for_model=sanitize(for_model))
        case CallCancelled(why=why):
            return _with(outcome, call=call, why=sanitize(why))
        case CallPending(long=long) if long is not None:
            return _with(outcome, call=call, long=_long(long))
        case CallTimedOut() | CallPending() | CallUnknown() | CallAwaitingConfirmation():
            return _with(outcome, call=call)
        case _:
            assert_never(outcome)


def _long(long: LongCallStatus) -> LongCallStatus:
    told = long.progress
    return long if told is None else replace(long, progress=replace(told, unit=sanitize(told.unit)))


def _media(media: Media) -> Media:
    return media if media.name is None else _with(media, name=sanitize(media.name))


def _row(row: tuple[T, ...], each: Callable[[T], T]) -> tuple[T, ...]:
    new = tuple(map(each, row))
    return row if all(map(is_, new, row)) else new


def _with(thing: D, **values: object) -> D:
    """The object with these values; the same object if it already has them."""
    for name, value in values.items():
        if getattr(thing, name) is not value:
            return replace(thing, **values)
    return thing


_MOST_REMEMBERED: Final = 200
"""A result or text with more values than this is read anew in a later turn that needs it."""


class ViewBuilder:
    """What each model receives of this conversation: pure functions of its log, with sanitized text.

    With ``within`` a view never exceeds its budget; without it, there is no limit.

    Args:
        conversation: the id of the conversation, which is part of the names of whole results.

    Attributes:
        untrusted: whether an ended turn has brought other people's text, by its id, with the tools that this
            depends on; maintained by :mod:`assistant.turn.confirmation_rules`.
    """

    __slots__ = ("_conversation", "_turns", "receipts", "sources", "untrusted")

    def __init__(self, conversation: str = "") -> None:
        self._conversation = conversation
        self.untrusted: dict[str, tuple[Tools, bool]] = {}
        self._turns = ViewCache(lambda turn: sanitized_turn(turn_view(turn, conversation)))
        # The statements of results and messages, read when an answer first contains a value.
        self.sources: dict[tuple[str, str, str], Source] = {}
        # The evidence of calls by locale, turn and call, read when an answer first claims a deed.
        self.receipts: dict[str, dict[tuple[str, str], Receipt]] = {}

    def forget_large(self) -> None:
        """Forget the statements of large results and texts, and of those that were read in part.

        Later turns read them again if they need them.

        Call this at the end of a turn: thousands of values for each conversation take memory, and stall the
        loop when Python looks for unused objects.
        """
        large = [
            key
            for key, source in self.sources.items()
            if source.is_cut or len(source.values) > _MOST_REMEMBERED
        ]
        for key in large:
            del self.sources[key]

    def ended(self, turns: Sequence[TurnState]) -> tuple[TurnView, ...]:
        """Ended turns as models receive them later, one view each, in order."""
        return self._turns.views_of(turns)

    def view(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        late: str = "",
        within: RequestLimits | None = None,
    ) -> View:
        """The running turn and the turns before it, for either role; ``late`` comes last."""
        return self._joined(
            View(system, (_now(turn_view(turn, self._conversation), within),), late), earlier, within
        )

    def telling(
        self,
        system: str,
        earlier: Sequence[TurnState],
        turn: TurnState,
        undelivered: Sequence[Outcome],
        round_: int,
        late: str = "",
        within: RequestLimits | None = None,
    ) -> View:
        """The view of :meth:`view`, with the results of earlier turns that this round of the running turn
        tells.
        """
        now = _now(turn_with_undelivered_results(turn, undelivered, round_, self._conversation), within)
        return self._joined(View(system, (now,), late), earlier, within)

    def _joined(self, view: View, earlier: Sequence[TurnState], within: RequestLimits | None) -> View:
        """The view of the running turn, with the views of the turns before it that fit into the budget."""
        if within is None:
            return View(view.system, (*self._turns.views_of(earlier), *view.turns), view.late)
        # One by one from the newest on: turns that do not fit are not read.
        newest_first = (self._turns.views_of((turn,))[0] for turn in reversed(earlier))
        return fit_view(view, len(earlier), newest_first, within)


def _now(turn: TurnView, within: RequestLimits | None) -> TurnView:
    """The running turn. Oversized values are cut first, because sanitizing megabytes takes long."""
    if within is not None:
        turn = cut_huge_results(turn, within.budget.tokens, within.ref)
    return sanitized_turn(turn)
