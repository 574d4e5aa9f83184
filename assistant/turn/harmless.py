"""Turns as models are given them: in what strangers wrote, nothing that could be taken for more than text."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, assert_never

from assistant.conversation.calls import Call
from assistant.conversation.media import Media
from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Standing,
)
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView, ViewMessage
from assistant.text.harmless import harmless, harmless_data

T = TypeVar("T")
D = TypeVar("D", ViewMessage, Call, Media, Standing)


def harmless_turn(turn: TurnView) -> TurnView:
    """The turn with every text in it made harmless; the very same turn where nothing has to change. Pure.

    Customers' words, what persons and models said, arguments and results: models repeat what they are told, so
    all of it may come from outside. What providers want back untouched stays so.
    """
    messages = _row(turn.messages, _message)
    return turn if messages is turn.messages else TurnView(messages)


def _message(message: ViewMessage) -> ViewMessage:
    match message:
        case FromCustomer(text=text, media=media):
            return _with(message, text=harmless(text), media=_row(media, _media))
        case FromAssistant(text=text, calls=calls):
            return _with(message, text=harmless(text), calls=_row(calls, _call))
        case FromTools(outcomes=outcomes):
            return _with(message, outcomes=_row(outcomes, _outcome))
        case _:
            assert_never(message)


def _call(call: Call) -> Call:
    return _with(call, tool=harmless(call.tool), arguments=harmless_data(call.arguments))


def _outcome(outcome: Standing) -> Standing:
    call = _call(outcome.call)
    match outcome:
        case CallSucceeded(value=value, media=media, left_out=left_out):
            seen, left = _row(media, _media), _row(left_out, harmless)
            return _with(outcome, call=call, value=harmless_data(value), media=seen, left_out=left)
        case CallEmpty(value=value):
            return _with(outcome, call=call, value=harmless_data(value))
        case CallFailed(for_model=for_model) | CallDenied(for_model=for_model):
            return _with(outcome, call=call, for_model=harmless(for_model))
        case CallCancelled(why=why):
            return _with(outcome, call=call, why=harmless(why))
        case CallTimedOut() | CallPending() | CallUnknown() | CallAwaitingConfirmation():
            return _with(outcome, call=call)
        case _:
            assert_never(outcome)


def _media(media: Media) -> Media:
    return media if media.name is None else _with(media, name=harmless(media.name))


def _row(row: tuple[T, ...], each: Callable[[T], T]) -> tuple[T, ...]:
    new = tuple(map(each, row))
    return row if all(one is other for one, other in zip(new, row, strict=True)) else new


def _with(thing: D, **values: object) -> D:
    """The thing with these values; the very same one where it has them already."""
    same = all(getattr(thing, name) is value for name, value in values.items())
    return thing if same else replace(thing, **values)
