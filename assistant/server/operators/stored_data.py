"""Operators' requests for stored data: documents under ``/v1/documents``, and export and erasure of a customer."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

import orjson
import structlog
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response

from assistant.conversation.documents import ALL_CUSTOMERS, Document, DocumentKind
from assistant.conversation.values import Json
from assistant.errors import LogError, StoreError
from assistant.memory.library import LibraryDocument
from assistant.ports import Clock
from assistant.server.frames.frame import JsonFrame
from assistant.server.operators.access import Operators, guard
from assistant.server.uploads import DocumentKeeper, RequestRefused, UploadReader, file_name, respond

CUSTOMERS_PATH = "/v1/operators/customers"

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Erased(Protocol):
    """What was erased."""

    @property
    def nothing(self) -> bool:
        """Whether there was no data of this customer."""
        ...

    @property
    def conversations(self) -> int:
        """The number of conversations."""
        ...

    @property
    def documents(self) -> int:
        """The number of documents."""
        ...

    @property
    def recordings(self) -> Sequence[Path]:
        """Recordings in the data folder."""
        ...

    @property
    def left(self) -> Sequence[Path]:
        """Recordings outside the data folder, which still exist."""
        ...

    @property
    def elsewhere(self) -> Sequence[str]:
        """Recordings on other machines, which are deleted there."""
        ...


class CustomerData(Protocol):
    """Exports and erases customers' data. Both raise ``LogError`` or ``StoreError``, which names the remaining
    data.
    """

    async def export(self, tenant: str, customer: str) -> Mapping[str, Json]:
        """All data, as JSON."""
        ...

    async def erase(self, tenant: str, customer: str) -> Erased:
        """Erase all data permanently."""
        ...


def customer_routes(customers: CustomerData, operators: Operators) -> APIRouter:
    """The routes under ``/v1/operators/customers``, for requests with ``Authorization: Bearer`` and the token."""
    router = APIRouter(prefix=CUSTOMERS_PATH, dependencies=[Depends(guard(operators))])
    tenant = operators.tenant

    @router.get("/{customer:path}")
    async def export(customer: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        try:
            everything = await customers.export(tenant, customer)
        except (LogError, StoreError) as error:
            return _failed(error)
        if not any(everything[kind] for kind in ("conversations", "documents", "recordings")):
            return _no_such_customer(customer)
        # It may be large; other requests must not wait for it.
        content = await asyncio.to_thread(orjson.dumps, everything, dict)
        return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})

    @router.delete("/{customer:path}")
    async def erase(customer: str) -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        try:
            erased = await customers.erase(tenant, customer)
        except (LogError, StoreError) as error:
            return _failed(error)
        if erased.nothing:
            return _no_such_customer(customer)
        log.info("customer erased", conversations=erased.conversations, documents=erased.documents)
        return JSONResponse(
            {
                "conversations": erased.conversations,
                "documents": erased.documents,
                "recordings": len(erased.recordings),
                "left": [str(path) for path in erased.left],
                "elsewhere": [*erased.elsewhere],
            }
        )

    return router


def _no_such_customer(customer: str) -> JSONResponse:
    told = {"code": "unknown_customer", "message": f"nothing is kept of a customer {customer!r}"}
    return JSONResponse(told, 404)


def _failed(error: LogError | StoreError) -> JSONResponse:
    log.error("customer's data", error=str(error))
    return JSONResponse({"code": "busy", "message": str(error)}, 503, {"Retry-After": "5"})


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
    keeper: DocumentKeeper
    reader: UploadReader
    clock: Clock

    async def put(self, request: Request, name: str, *, title: str, customer: str, expires: str) -> Response:
        """Store a file under its name, and replace the earlier one."""
        file = file_name(name)
        expires_ms = parse_expiry(expires, self.clock) if expires else None
        read, _ = await self.reader.read_upload(request, file)
        ref = document_ref(customer, name)
        await self.keeper.keep(
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
        """The documents, newest first: of one kind, or all except results of tools."""
        every = await self.keeper.documents(self.tenant, customer)
        wanted = [one for one in every if (one.kind == kind if kind else one.kind != "result")]
        newest = sorted(wanted, key=lambda one: (-one.kept_ms, one.ref))
        return JSONResponse({"documents": [document_frame(one) for one in newest]})

    async def one(self, ref: str) -> Response:
        """The state of one document."""
        return JSONResponse(document_frame(await self._one(ref)))

    async def delete(self, ref: str) -> Response:
        """Delete a document permanently."""
        if not await self.keeper.delete(self.tenant, ref):
            raise _unknown(ref)
        return Response(status_code=204)

    async def _one(self, ref: str) -> LibraryDocument:
        for one in await self.keeper.documents(self.tenant):
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
