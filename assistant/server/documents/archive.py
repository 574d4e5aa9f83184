"""One tenant's documents, as its operators see to them."""

import hashlib
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from assistant.conversation.documents import EVERYBODY, Document, DocumentKind
from assistant.memory.library import Shelved
from assistant.ports import Clock
from assistant.server.documents.expiry import until
from assistant.server.documents.intake import Intake
from assistant.server.documents.names import file_name
from assistant.server.documents.refusal import Refusal
from assistant.server.documents.shelf import Shelf
from assistant.server.documents.shown import shown

PATH = "/v1/documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """One tenant's documents, as its operators see to them."""

    tenant: str
    shelf: Shelf
    intake: Intake
    clock: Clock

    async def put(self, request: Request, name: str, *, title: str, customer: str, expires: str) -> Response:
        """Keep a file under its name, in the place of the one that had it."""
        file = file_name(name)
        expires_ms = until(expires, self.clock) if expires else None
        read, _ = await self.intake.take(request, file)
        ref = document_ref(customer, name)
        await self.shelf.keep(
            Document(
                ref=ref,
                tenant=self.tenant,
                customer=customer or EVERYBODY,
                kind="upload" if customer else "knowledge",
                title=title.strip() or read.title,
                text=read.text,
                mime=read.mime,
                origin=f"{PATH}/{name}",
                kept_ms=self.clock.now_ms(),
                expires_ms=expires_ms,
            )
        )
        return JSONResponse(shown(await self._one(ref)), 202, {"Location": f"{PATH}/{ref}"})

    async def all(self, customer: str | None, kind: DocumentKind | None) -> Response:
        """The documents, newest first: those of one kind, or all but what tools gave."""
        every = await self.shelf.documents(self.tenant, customer)
        wanted = [one for one in every if (one.kind == kind if kind else one.kind != "result")]
        newest = sorted(wanted, key=lambda one: (-one.kept_ms, one.ref))
        return JSONResponse({"documents": [shown(one) for one in newest]})

    async def one(self, ref: str) -> Response:
        """How one document stands."""
        return JSONResponse(shown(await self._one(ref)))

    async def delete(self, ref: str) -> Response:
        """Delete one for good."""
        if not await self.shelf.delete(self.tenant, ref):
            raise _unknown(ref)
        return Response(status_code=204)

    async def _one(self, ref: str) -> Shelved:
        for one in await self.shelf.documents(self.tenant):
            if one.ref == ref:
                return one
        raise _unknown(ref)


def document_ref(customer: str, name: str) -> str:
    """The same for the same name, so that putting a file again replaces it.

    >>> document_ref("", "returns.md") == document_ref("", "returns.md") != document_ref("ana", "returns.md")
    True
    """
    named = hashlib.sha256("\0".join((customer, name)).encode())
    return f"document:{named.hexdigest()[:24]}"


def _unknown(ref: str) -> Refusal:
    return Refusal(
        404, "unknown_document", f"there is no document {ref!r}; GET {PATH} lists those that there are"
    )
