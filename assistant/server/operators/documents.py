"""The operators' documents, under ``/v1/documents``: for all customers, or for one."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Depends, Request
from starlette.responses import JSONResponse, Response

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentKind
from assistant.memory.library import LibraryDocument
from assistant.ports import Clock
from assistant.server.frames.frame import JsonFrame
from assistant.server.operators.access import Operators, guard
from assistant.server.uploads import DocumentKeeper, RequestRefused, UploadReader, file_name, respond


def parse_expiry(said: str, clock: Clock) -> int:
    """A day or a time as Unix milliseconds; a day begins at midnight in the server's time zone.

    Raises ``RequestRefused`` if it is no time, or in the past.
    """
    example = f"{clock.now().year + 1}-01-31"
    try:
        named = datetime.fromisoformat(said)
    except ValueError as error:
        raise RequestRefused(
            422, "bad_expiry", f"expires={said!r} is no day; write one such as {example}"
        ) from error
    at_ms = int((named if named.tzinfo else named.replace(tzinfo=clock.now().tzinfo)).timestamp() * 1000)
    if at_ms <= clock.now_ms():
        raise RequestRefused(
            422, "bad_expiry", f"expires={said!r} is past; write a later day such as {example}"
        )
    return at_ms


def document_frame(document: LibraryDocument) -> JsonFrame:
    """A document's data without its text.

    ``state``: ``waiting``, it is being prepared for search, and ``done`` of its ``passages`` are ready;
    ``kept``; ``failed``, and ``problem`` says why.
    """
    return {
        "ref": document.ref,
        "kind": document.kind,
        "customer": None if document.customer == ALL_CUSTOMERS else document.customer,
        "title": document.title,
        "mime": document.mime,
        "characters": document.characters,
        "passages": document.passages,
        "done": document.done,
        "state": document.state,
        "problem": document.problem or None,
        "kept_at": document.kept_ms,
        "expires_at": document.expires_ms,
    }


PATH = "/v1/documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentArchive:
    """The documents of one tenant, for its operators."""

    tenant: str
    shelf: DocumentKeeper
    intake: UploadReader
    clock: Clock

    async def put(self, request: Request, name: str, *, title: str, customer: str, expires: str) -> Response:
        """Store a file under its name, and replace the earlier one."""
        file = file_name(name)
        expires_ms = parse_expiry(expires, self.clock) if expires else None
        read, _ = await self.intake.read_upload(request, file)
        ref = document_ref(customer, name)
        await self.shelf.keep(
            Document(
                ref=ref,
                tenant=self.tenant,
                customer=customer or ALL_CUSTOMERS,
                kind="upload" if customer else "knowledge",
                title=title.strip() or read.title,
                text=read.text,
                mime=read.mime,
                origin=f"{PATH}/{name}",
                kept_ms=self.clock.now_ms(),
                expires_ms=expires_ms,
            )
        )
        return JSONResponse(document_frame(await self._one(ref)), 202, {"Location": f"{PATH}/{ref}"})

    async def all(self, customer: str | None, kind: DocumentKind | None) -> Response:
        """The documents, newest first: those of one kind, or all except results of tools."""
        every = await self.shelf.documents(self.tenant, customer)
        wanted = [one for one in every if (one.kind == kind if kind else one.kind != "result")]
        newest = sorted(wanted, key=lambda one: (-one.kept_ms, one.ref))
        return JSONResponse({"documents": [document_frame(one) for one in newest]})

    async def one(self, ref: str) -> Response:
        """The state of one document."""
        return JSONResponse(document_frame(await self._one(ref)))

    async def delete(self, ref: str) -> Response:
        """Delete a document permanently."""
        if not await self.shelf.delete(self.tenant, ref):
            raise _unknown(ref)
        return Response(status_code=204)

    async def _one(self, ref: str) -> LibraryDocument:
        for one in await self.shelf.documents(self.tenant):
            if one.ref == ref:
                return one
        raise _unknown(ref)


def document_ref(customer: str, name: str) -> str:
    """The reference for a name. It is stable, so a second upload replaces the first.

    >>> document_ref("", "returns.md") == document_ref("", "returns.md") != document_ref("ana", "returns.md")
    True
    """
    named = hashlib.sha256("\0".join((customer, name)).encode())
    return f"document:{named.hexdigest()[:24]}"


def _unknown(ref: str) -> RequestRefused:
    return RequestRefused(
        404, "unknown_document", f"there is no document {ref!r}; GET {PATH} lists those that there are"
    )


def archive_routes(archive: DocumentArchive, operators: Operators) -> APIRouter:
    """The routes under ``/v1/documents``. Each wants ``Authorization: Bearer <ASSISTANT_OPERATOR_TOKEN>``."""
    router = APIRouter(prefix=PATH, dependencies=[Depends(guard(operators))])

    @router.put("/{name:path}")
    async def put(  # pyright: ignore[reportUnusedFunction]
        request: Request, name: str, title: str = "", customer: str = "", expires: str = ""
    ) -> Response:
        return await respond(archive.put(request, name, title=title, customer=customer, expires=expires))

    @router.get("")
    async def listed(  # pyright: ignore[reportUnusedFunction]
        customer: str | None = None, kind: DocumentKind | None = None
    ) -> Response:
        return await respond(archive.all(customer, kind))

    @router.get("/{ref:path}")
    async def one(ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await respond(archive.one(ref))

    @router.delete("/{ref:path}")
    async def delete(ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await respond(archive.delete(ref))

    return router
