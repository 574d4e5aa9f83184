"""Finding conversations, and one conversation with the timeline of each turn."""

import re
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response

from assistant.errors import AssistantError, LogError
from assistant.inspector.conversation_index import FoundConversation, ListedOutcome, Position, Search
from assistant.inspector.detail import detail_of
from assistant.inspector.requests import InspectedRequest, asked_with, held_in, reply_to
from assistant.inspector.words import words_of
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Console, Inspector
from assistant.server.console.read_conversation import as_json, read_conversation
from assistant.server.console.trial_routes import add_trials

PAGE = 50

Text = Annotated[str, Query(max_length=200)]
Time = Annotated[int | None, Query(ge=0, lt=2**53)]
Money = Annotated[float | None, Query(ge=0, lt=1e9)]


def conversation_routes(console: Console) -> APIRouter:
    """The routes of conversations."""
    router = APIRouter(prefix="/console/api/conversations", route_class=ConsoleRoute)
    searching = Access(console, "conversations.read", "conversations.search")
    reading = Access(
        console,
        "conversations.read",
        "conversations.read",
        kind="conversation",
        named_by="conversation_id",
    )

    @router.get("")
    async def search(  # pyright: ignore[reportUnusedFunction] (as below)
        person: Annotated[Person, Depends(searching)],
        q: Text = "",
        customer: Text = "",
        tool: Text = "",
        call: Text = "",
        outcome: ListedOutcome | None = None,
        rating: Text = "",
        language: Text = "",
        version: Text = "",
        since: Time = None,
        until: Time = None,
        cost_from: Money = None,
        cost_to: Money = None,
        after: Text = "",
    ) -> Response:
        asked = {"q": q, "customer": customer, "tool": tool, "call": call, "outcome": outcome or ""}
        person.note(detail="; ".join(f"{name}: {value}" for name, value in asked.items() if value))
        found = await console.conversations.index.find(
            console.staff.tenant,
            Search(
                words=tuple(words_of(q)),
                who=tuple(words_of(customer)),
                marks=tuple(_marks(tool, call, rating, language, version)),
                outcome=outcome,
                idle_before_ms=console.clock.now_ms() - console.conversations.idle_ms,
                since_ms=since,
                until_ms=until,
                cost_from=cost_from,
                cost_to=cost_to,
            ),
            after=_position(after),
            limit=PAGE + 1,
        )
        shown = found[:PAGE]
        last = shown[-1] if len(found) > PAGE else None
        return as_json(
            {
                "conversations": [listed_json(one) for one in shown],
                "after": f"{last.last_ms}.{last.key.conversation}" if last is not None else None,
            }
        )

    @router.get("/{conversation_id}")
    async def conversation(  # pyright: ignore[reportUnusedFunction]
        conversation_id: str, person: Annotated[Person, Depends(reading)]
    ) -> Response:
        key, entries = await read_conversation(console, conversation_id, person)
        return as_json({"sample": key.is_sample, **asdict(detail_of(key, entries))})

    if (inspector := console.conversations.inspector) is not None:
        _add_inspection(router, console, inspector)
        add_trials(router, console, inspector)
    return router


def _add_inspection(router: APIRouter, console: Console, inspector: Inspector) -> None:
    def access(action: str) -> Access:
        return Access(console, "conversations.read", action, kind="conversation", named_by="conversation_id")

    @router.get("/{conversation_id}/requests/{seq}")
    async def request(  # pyright: ignore[reportUnusedFunction] (as below)
        conversation_id: str, seq: int, person: Annotated[Person, Depends(access("conversations.request"))]
    ) -> Response:
        person.need("prompts.read")
        key, entries = await read_conversation(console, conversation_id, person)
        asked = asked_with(entries, seq)
        if asked is None:
            raise ConsoleRefused(404, "unknown_request", f"entry {seq} of this conversation asks no model")
        person.note(detail=f"entry {seq}")
        rebuilt, problem = None, ""
        try:
            rebuilt = await inspector.rebuild(key, entries, asked)
        except AssistantError as error:
            problem = str(error)
        shown = InspectedRequest(
            seq=seq,
            rebuilt=rebuilt,
            problem=problem,
            reply=reply_to(entries, asked),
            held=held_in(entries, asked),
        )
        return as_json(asdict(shown))

    @router.post("/{conversation_id}/test")
    async def copy_as_test(  # pyright: ignore[reportUnusedFunction]
        conversation_id: str, person: Annotated[Person, Depends(access("conversations.copy_as_test"))]
    ) -> Response:
        key, entries = await read_conversation(console, conversation_id, person)
        try:
            return as_json(asdict(await inspector.copy_as_test(key, entries)))
        except LogError:
            raise
        except AssistantError as error:
            raise ConsoleRefused(409, "no_test", str(error)) from None

    @router.get("/{conversation_id}/receipts/{turn_id}/{call_id}")
    async def receipt(  # pyright: ignore[reportUnusedFunction]
        conversation_id: str,
        turn_id: str,
        call_id: str,
        person: Annotated[Person, Depends(access("conversations.receipt"))],
    ) -> Response:
        key, _ = await read_conversation(console, conversation_id, person)
        person.note(detail=f"{turn_id}/{call_id}"[:50])
        try:
            file = await inspector.receipt(key, f"{key.conversation}/{turn_id}/{call_id}")
        except LogError:
            raise
        except AssistantError:
            raise ConsoleRefused(404, "unknown_call", "no such call ran in this conversation") from None
        name = re.sub(r"[^\w.-]", "-", f"{key.conversation}-{turn_id}-{call_id}.receipt.json")
        return Response(
            file,
            media_type="application/json",
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )


def listed_json(found: FoundConversation) -> dict[str, object]:
    """A conversation as a list shows it."""
    return {
        **found.about,
        "id": found.key.conversation,
        "sample": found.key.is_sample,
        "opened_ms": found.opened_ms,
        "last_ms": found.last_ms,
        "outcome": found.outcome,
        "cost_usd": found.cost_usd,
    }


def _marks(tool: str, call: str, rating: str, language: str, version: str) -> list[str]:
    """What must fit exactly. ``call`` is how a call ended: of the ``tool``, or of any tool if it failed."""
    marks: list[str] = []
    if tool:
        marks.append(f"tool:{tool}:{call}" if call else f"tool:{tool}")
    elif call:
        marks.append(f"call:{call}")
    given = {"rating": rating, "language": language, "version": version}
    return [*marks, *(f"{name}:{value}" for name, value in given.items() if value)]


def _position(after: str) -> Position | None:
    """Where the list goes on. Raises ``ConsoleRefused``."""
    if not after:
        return None
    last_ms, dot, conversation = after.partition(".")
    if not dot or not last_ms.isdecimal() or len(last_ms) > 16:
        raise ConsoleRefused(422, "invalid", f"after: {after[:50]!r} is not what the last page gave")
    return Position(int(last_ms), conversation)
