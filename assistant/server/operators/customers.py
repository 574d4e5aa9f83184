"""The operators' HTTP routes that export or erase one customer's data."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import orjson
import structlog
from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse, Response

from assistant.conversation.values import Json
from assistant.errors import LogError, StoreError
from assistant.server.operators.access import Operators, guard

PATH = "/v1/operators/customers"

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class Erased(Protocol):
    """What was erased."""

    @property
    def nothing(self) -> bool:
        """Whether there were no data of this customer."""
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


class CustomerData(Protocol):
    """Exports and erases customers' data. Both raise ``LogError`` or ``StoreError``, which says what is left."""

    async def export(self, tenant: str, customer: str) -> Mapping[str, Json]:
        """All data, as JSON."""
        ...

    async def erase(self, tenant: str, customer: str) -> Erased:
        """Erase all data permanently."""
        ...


def customer_routes(customers: CustomerData, operators: Operators) -> APIRouter:
    """The routes under ``/v1/operators/customers``, for requests with ``Authorization: Bearer`` and the token."""
    router = APIRouter(prefix=PATH, dependencies=[Depends(guard(operators))])
    tenant = operators.tenant

    @router.get("/{customer:path}")
    async def export(customer: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        try:
            everything = await customers.export(tenant, customer)
        except (LogError, StoreError) as error:
            return _failed(error)
        if not any(everything[kind] for kind in ("conversations", "documents", "recordings")):
            return _unknown(customer)
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
            return _unknown(customer)
        log.info("customer erased", conversations=erased.conversations, documents=erased.documents)
        return JSONResponse(
            {
                "conversations": erased.conversations,
                "documents": erased.documents,
                "recordings": len(erased.recordings),
                "left": [str(path) for path in erased.left],
            }
        )

    return router


def _unknown(customer: str) -> JSONResponse:
    told = {"code": "unknown_customer", "message": f"nothing is kept of a customer {customer!r}"}
    return JSONResponse(told, 404)


def _failed(error: LogError | StoreError) -> JSONResponse:
    log.error("customer's data", error=str(error))
    return JSONResponse({"code": "busy", "message": str(error)}, 503, {"Retry-After": "5"})
