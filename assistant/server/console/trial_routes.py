"""Trials of a conversation: its replay with the configuration of today, and a turn as it would have been.

Nothing is written to the conversation, and no tool runs.
"""

import json
from dataclasses import asdict
from typing import Annotated, Literal, cast

from fastapi import APIRouter, Depends
from fastapi.responses import Response
from pydantic import Field

from assistant.conversation.values import Json
from assistant.errors import AssistantError, LogError
from assistant.inspector.forked import ChangedOutcome, Fork, ForkedTurn
from assistant.server.console.access import Access, ConsoleRefused, Person
from assistant.server.console.console_context import Console, Inspector
from assistant.server.console.read_conversation import as_json, read_conversation
from assistant.server.console.session_routes import Body, Text

_Id = Annotated[Text, Field(min_length=1, max_length=100)]


class ChangedCall(Body):
    """Another outcome of a call. ``value`` is the JSON of another result, ``say`` why the call failed."""

    call: _Id
    outcome: Literal["value", "empty", "failed", "timed_out", "denied"]
    value: Annotated[Text, Field(max_length=20_000)] = ""
    say: Annotated[Text, Field(max_length=300)] = ""


class TryTurn(Body):
    """What is changed in a turn: outcomes of its calls, or the customer's message."""

    turn: _Id
    calls: Annotated[list[ChangedCall], Field(max_length=50)] = Field(default_factory=list[ChangedCall])
    message: Annotated[Text, Field(max_length=4000)] | None = None


def add_trials(router: APIRouter, console: Console, inspector: Inspector) -> None:
    """Add the routes of trials to those of conversations."""

    def access(action: str) -> Access:
        return Access(console, "conversations.read", action, kind="conversation", named_by="conversation_id")

    @router.post("/{conversation_id}/replay")
    async def replay(  # pyright: ignore[reportUnusedFunction] (as below)
        conversation_id: str, person: Annotated[Person, Depends(access("conversations.replay"))]
    ) -> Response:
        key, entries = await read_conversation(console, conversation_id, person)
        try:
            return as_json(asdict(await inspector.replay(key, entries)))
        except LogError:
            raise
        except AssistantError as error:
            raise ConsoleRefused(409, "no_replay", str(error)) from None

    @router.get("/{conversation_id}/what-if")
    async def asked_models(  # pyright: ignore[reportUnusedFunction]
        conversation_id: str, person: Annotated[Person, Depends(Access(console, None))]
    ) -> Response:
        """Which models a trial asks, so that the page can say it before."""
        del conversation_id
        person.need("prompts.read")
        return as_json(asdict(inspector.asked_models()))

    @router.post("/{conversation_id}/what-if")
    async def what_if(  # pyright: ignore[reportUnusedFunction]
        conversation_id: str,
        body: TryTurn,
        person: Annotated[Person, Depends(access("conversations.what_if"))],
    ) -> Response:
        person.need("prompts.read")
        changed = [f"{one.call} {one.outcome}" for one in body.calls]
        what = "; ".join([*changed, *(["another message"] if body.message is not None else [])])
        person.note(detail=f"{body.turn}: {what}")
        fork = _fork(body)
        key, entries = await read_conversation(console, conversation_id, person)
        try:
            forked = await inspector.fork(key, entries, fork)
        except LogError:
            raise
        except AssistantError as error:
            raise ConsoleRefused(409, "no_trial", str(error)) from None
        person.note(detail=f"{body.turn}: {what}; {_cost(forked)}")
        return as_json(asdict(forked))


def _fork(body: TryTurn) -> Fork:
    """What is to be tried. Raises ``ConsoleRefused``."""
    message = body.message.strip() if body.message is not None else None
    if message is not None and body.calls:
        raise ConsoleRefused(
            422, "invalid", "change either the message or the calls: a new message is decided anew"
        )
    if not message and not body.calls:
        raise ConsoleRefused(422, "nothing_changed", "change the outcome of a call, or write a message")
    return Fork(turn_id=body.turn, outcomes={one.call: _outcome(one) for one in body.calls}, message=message)


def _outcome(changed: ChangedCall) -> ChangedOutcome:
    say = changed.say.strip().rstrip(".")
    if changed.outcome == "failed" and not say:
        raise ConsoleRefused(422, "why_missing", "say: write why it failed; the customer may hear it")
    if changed.outcome != "value":
        return ChangedOutcome(outcome=changed.outcome, say=say)
    try:
        value = cast("Json", json.loads(changed.value))
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ConsoleRefused(
            422,
            "no_json",
            f'value: the result of {changed.call} is not JSON: {why}; write for example {{"total": 3}}',
        ) from None
    return ChangedOutcome(outcome="value", value=value)


def _cost(forked: ForkedTurn) -> str:
    cost = "cost unknown" if forked.cost_usd is None else f"${forked.cost_usd:.4f}"
    return f"{', '.join(forked.models) or 'no model'}, {cost}"
