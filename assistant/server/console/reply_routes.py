"""The canned replies: agents insert them, editors write them."""

from typing import Annotated

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response
from pydantic import Field

from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRefused, ConsoleRoute, Person
from assistant.server.console.console_context import Console
from assistant.server.console.session_routes import Body, Text
from assistant.server.frames.client_frames import Id
from assistant.staff.canned_replies import MOST_REPLIES, CannedReply
from assistant.staff.store import CannedReplyStore


class WrittenReply(Body):
    """Writes a reply. The same id again replaces it."""

    id: Id
    title: Annotated[Text, Field(min_length=1, max_length=80, pattern=r"\S")]
    text: Annotated[Text, Field(min_length=1, max_length=4_000, pattern=r"\S")]
    locale: Annotated[Text, Field(max_length=20, pattern=r"^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$")] = ""


def reply_routes(console: Console, replies: CannedReplyStore) -> APIRouter:
    """The routes of canned replies."""
    router = APIRouter(prefix="/console/api/replies", route_class=ConsoleRoute)
    tenant = console.staff.tenant

    async def answer() -> Response:
        return JSONResponse({"replies": [_reply_json(one) for one in await replies.list_replies(tenant)]})

    @router.get("", dependencies=[Depends(Access(console, "replies.read", ""))])
    async def list_all() -> Response:  # pyright: ignore[reportUnusedFunction] (as below)
        return await answer()

    @router.post("")
    async def write(  # pyright: ignore[reportUnusedFunction]
        body: WrittenReply,
        person: Annotated[Person, Depends(Access(console, "replies.edit", "replies.write"))],
    ) -> Response:
        person.note(kind="reply", object_id=body.id, detail=body.title)
        reply = CannedReply(
            tenant=tenant,
            id=body.id,
            title=body.title.strip(),
            text=body.text.strip(),
            locale=body.locale,
            by=person.account.name,
            changed_ms=console.clock.now_ms(),
        )
        if not await replies.put_reply(reply):
            problem = f"there are {MOST_REPLIES} replies already; delete one that is not used any more"
            raise ConsoleRefused(409, "too_many", problem)
        return await answer()

    @router.delete("/{reply}")
    async def delete(  # pyright: ignore[reportUnusedFunction]
        reply: str, person: Annotated[Person, Depends(Access(console, "replies.edit", "replies.delete"))]
    ) -> Response:
        person.note(kind="reply", object_id=reply)
        if not await replies.delete_reply(tenant, reply):
            raise ConsoleRefused(404, "unknown_reply", "this reply is not there any more")
        return await answer()

    return router


def _reply_json(reply: CannedReply) -> dict[str, Json]:
    return {
        "id": reply.id,
        "title": reply.title,
        "text": reply.text,
        "locale": reply.locale,
        "by": reply.by,
        "changed_at": reply.changed_ms,
    }
