"""The inbox's routes: its lists, and what a person does with a conversation."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from assistant.conversation.staff_entries import Assigned, HandoffRouted, NoteAdded, NoteToAssistant, Tagged
from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Console
from assistant.server.console.inbox import Inbox, cursor_text, parse_cursor
from assistant.server.console.inbox_rows import View
from assistant.server.console.session_routes import Body, Text
from assistant.server.console.work_routes import profile_json
from assistant.server.frames.client_frames import Id
from assistant.sessions.handoff import SessionHandoff

Written = Annotated[Text, Field(min_length=1, max_length=8_000, pattern=r"\S")]
Tag = Annotated[Text, Field(min_length=1, max_length=40, pattern=r"^[^\s,][^,\x00-\x1f]*$")]


class Reply(Body):
    """Writes to the customer. The same id again is the same message."""

    id: Id
    text: Written


class Note(Body):
    """Writes a note for colleagues. The same id again is the same note."""

    id: Id
    text: Written


class HandBack(Body):
    """Gives the conversation back to the assistant, with what it should know."""

    note: Annotated[Text, Field(max_length=2_000)] = ""


class Tags(Body):
    """Replaces the tags."""

    tags: Annotated[list[Tag], Field(max_length=20)]


class Assign(Body):
    """Makes a colleague responsible; null: no one in particular. Or gives the conversation to a team."""

    account: Annotated[Text, Field(max_length=200)] | None = None
    team: Annotated[Text, Field(max_length=60, pattern=r"^[^\x00-\x1f,]*$")] | None = None


def inbox_routes(console: Console, inbox: Inbox) -> APIRouter:
    """The routes of the inbox."""
    router = APIRouter(prefix="/console/api/inbox", route_class=ConsoleRoute)

    def acting(action: str) -> Access:
        name = f"conversation.{action}"
        return Access(console, "conversations.take_over", name, kind="conversation", named_by="conversation")

    async def done(
        conversation: str, person: Person, act: Callable[[SessionHandoff], Awaitable[None]]
    ) -> Response:
        handoff = await inbox.open_handoff(conversation)
        person.note(customer=handoff.session.key.customer)
        await act(handoff)
        return JSONResponse({"row": inbox.about(handoff.session)})

    @router.get("")
    async def rows(  # pyright: ignore[reportUnusedFunction] (as below)
        person: Annotated[Person, Depends(Access(console, "inbox.read", "inbox.read"))],
        view: View = "waiting",
        after: Annotated[str, Query(max_length=200)] = "",
        team: Annotated[str | None, Query(max_length=60)] = None,
    ) -> Response:
        person.note(detail=view)
        page = await inbox.list_rows(view, person.account.id, parse_cursor(after), team)
        return JSONResponse(
            {
                "rows": [inbox.wire(row) for row in page.rows],
                "after": cursor_text(page.after),
                "total": page.total,
                "waiting": page.waiting,
            }
        )

    @router.get("/colleagues", dependencies=[Depends(Access(console, "inbox.read", "inbox.colleagues"))])
    async def colleagues() -> Response:  # pyright: ignore[reportUnusedFunction]
        found = await inbox.read_colleagues()
        now_ms = inbox.clock.now_ms()
        people: list[Json] = [
            {
                "id": one.account.id,
                "name": one.account.name,
                "open": inbox.open_of(one.account.id),
                **profile_json(one.profile, now_ms),
            }
            for one in found
        ]
        teams = {*inbox.teams, *(team for one in found for team in one.profile.teams)}
        return JSONResponse({"people": people, "teams": sorted(teams), "assigns": inbox.assigns})

    @router.post("/{conversation}/take-over")
    async def take_over(  # pyright: ignore[reportUnusedFunction]
        conversation: str, person: Annotated[Person, Depends(acting("take_over"))]
    ) -> Response:
        account = person.account

        async def act(handoff: SessionHandoff) -> None:
            current = await handoff.accept(account.name, "console", account.id)
            if not handoff.is_with(account.id):
                raise ConsoleRefused(409, "taken", f"{current.name} has this conversation")

        return await done(conversation, person, act)

    @router.post("/{conversation}/messages")
    async def reply(  # pyright: ignore[reportUnusedFunction]
        conversation: str, body: Reply, person: Annotated[Person, Depends(acting("reply"))]
    ) -> Response:
        async def act(handoff: SessionHandoff) -> None:
            _check_has_it(handoff, person)
            await handoff.say(f"p-{body.id}", person.account.name, body.text)

        return await done(conversation, person, act)

    @router.post("/{conversation}/hand-back")
    async def hand_back(  # pyright: ignore[reportUnusedFunction]
        conversation: str, body: HandBack, person: Annotated[Person, Depends(acting("hand_back"))]
    ) -> Response:
        async def act(handoff: SessionHandoff) -> None:
            _check_has_it(handoff, person)
            if (current := handoff.current) is not None and body.note.strip():
                note = NoteToAssistant(
                    handoff_id=current.handoff_id, name=person.account.name, text=body.note.strip()
                )
                await handoff.annotate(note)
            await handoff.end_handoff()

        return await done(conversation, person, act)

    @router.post("/{conversation}/close")
    async def close(  # pyright: ignore[reportUnusedFunction]
        conversation: str, person: Annotated[Person, Depends(acting("close"))]
    ) -> Response:
        async def act(handoff: SessionHandoff) -> None:
            if handoff.has_person:
                _check_has_it(handoff, person)
            await handoff.close_conversation(person.account.id, person.account.name)

        return await done(conversation, person, act)

    @router.post("/{conversation}/notes")
    async def note(  # pyright: ignore[reportUnusedFunction]
        conversation: str, body: Note, person: Annotated[Person, Depends(acting("note"))]
    ) -> Response:
        written = NoteAdded(
            note_id=body.id, account=person.account.id, name=person.account.name, text=body.text
        )

        async def act(handoff: SessionHandoff) -> None:
            if all(one.entry != written for one in handoff.session.entries):
                await handoff.annotate(written)

        return await done(conversation, person, act)

    @router.post("/{conversation}/tags")
    async def tag(  # pyright: ignore[reportUnusedFunction]
        conversation: str, body: Tags, person: Annotated[Person, Depends(acting("tag"))]
    ) -> Response:
        tags = tuple(dict.fromkeys(body.tags))
        person.note(detail=", ".join(tags))
        return await done(conversation, person, lambda handoff: handoff.annotate(Tagged(tags=tags)))

    @router.post("/{conversation}/assign")
    async def assign(  # pyright: ignore[reportUnusedFunction]
        conversation: str, body: Assign, person: Annotated[Person, Depends(acting("assign"))]
    ) -> Response:
        people = {one.id: one for one in await console.staff.people() if "conversations.take_over" in one.may}
        chosen = people.get(body.account or "")
        if body.account and chosen is None:
            raise ConsoleRefused(422, "unknown_account", "this person may not take conversations over")
        person.note(detail=body.team or (chosen.login if chosen is not None else ""))
        assigned = Assigned(account=chosen.id if chosen else "", name=chosen.name if chosen else "")

        async def act(handoff: SessionHandoff) -> None:
            if handoff.has_person:
                raise ConsoleRefused(
                    409, "taken", "the person who has the conversation is responsible for it"
                )
            current = handoff.current
            if body.team is not None:
                if current is None:
                    raise ConsoleRefused(409, "not_waiting", "no one was asked to take this conversation")
                known = handoff.session.state.routed or HandoffRouted(handoff_id=current.handoff_id)
                await handoff.annotate(replace(known, team=body.team))
            await handoff.annotate(assigned)

        return await done(conversation, person, act)

    return router


def _check_has_it(handoff: SessionHandoff, person: Person) -> None:
    """Refuse what only the person who has the conversation may do. Raises ``ConsoleRefused``."""
    if handoff.is_with(person.account.id):
        return
    current = handoff.current
    if current is not None and handoff.has_person:
        raise ConsoleRefused(409, "taken", f"{current.name} has this conversation")
    raise ConsoleRefused(409, "not_yours", "take the conversation over first")
