"""The records of what people did and saw, for those who may read them."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query
from fastapi.responses import JSONResponse, Response

from assistant.conversation.values import Json
from assistant.server.console.access import Access, ConsoleRoute, Person
from assistant.server.console.console_context import Console
from assistant.staff.audit import AuditRecord

PAGE = 50


def audit_routes(console: Console) -> APIRouter:
    """The route of the records."""
    router = APIRouter(prefix="/console/api/audit", route_class=ConsoleRoute)
    reading = Access(console, "audit.read", "audit.read")

    @router.get("")
    async def records(  # pyright: ignore[reportUnusedFunction]
        person: Annotated[Person, Depends(reading)],
        before: Annotated[int | None, Query(ge=1, lt=2**62)] = None,
        account: Annotated[str, Query(max_length=200)] = "",
        action: Annotated[str, Query(max_length=200)] = "",
    ) -> Response:
        # Without the record of this request, whose outcome is not known yet.
        newest = person.entry.number if person.entry is not None else None
        found = await console.audit.list_records(
            console.staff.tenant, before=before or newest, limit=PAGE + 1, account=account, action=action
        )
        names = {one.id: one.name for one in await console.staff.people()}
        shown = found[:PAGE]
        return JSONResponse(
            {
                "records": [record_json(one, names.get(one.account)) for one in shown],
                "before": str(shown[-1].number) if len(found) > PAGE else None,
            }
        )

    return router


def record_json(record: AuditRecord, name: str | None) -> dict[str, Json]:
    """A record as the page sees it. ``name`` is the person's; None if the account is not known."""
    who: dict[str, Json] = {"id": record.account, "login": record.login, "name": name or record.login}
    return {
        "id": str(record.number),
        "at": record.at_ms,
        "account": who if record.login else None,
        "action": record.action,
        "object": ":".join(filter(None, (record.kind, record.object))) or None,
        "customer": record.customer or None,
        "detail": record.detail or None,
        "address": record.address or None,
        "outcome": record.outcome,
    }
