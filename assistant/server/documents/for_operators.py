"""The operators' door for documents: what all customers may be told, or one alone."""

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from assistant.conversation.documents import DocumentKind
from assistant.server.documents.archive import PATH, Archive
from assistant.server.documents.refusal import answered
from assistant.server.operators.access import Operators
from assistant.server.operators.guard import guard


def archive_routes(archive: Archive, operators: Operators) -> APIRouter:
    """The routes under ``/v1/documents``. Each wants ``Authorization: Bearer <ASSISTANT_OPERATOR_TOKEN>``."""
    router = APIRouter(prefix=PATH, dependencies=[Depends(guard(operators))])

    @router.put("/{name:path}")
    async def put(  # pyright: ignore[reportUnusedFunction]
        request: Request, name: str, title: str = "", customer: str = "", expires: str = ""
    ) -> Response:
        return await answered(archive.put(request, name, title=title, customer=customer, expires=expires))

    @router.get("")
    async def listed(  # pyright: ignore[reportUnusedFunction]
        customer: str | None = None, kind: DocumentKind | None = None
    ) -> Response:
        return await answered(archive.all(customer, kind))

    @router.get("/{ref:path}")
    async def one(ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await answered(archive.one(ref))

    @router.delete("/{ref:path}")
    async def delete(ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await answered(archive.delete(ref))

    return router
