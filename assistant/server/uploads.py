"""Customers' files: the routes under ``/v1/uploads``, and the limits of kind, size, number and time."""

import asyncio
import unicodedata
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Protocol

import structlog
from fastapi import APIRouter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Attached, Document
from assistant.errors import DocumentRefused, IdentityError, StoreError
from assistant.memory.file_reader import ReadFile
from assistant.memory.library import LibraryDocument
from assistant.ports import Clock, Ids
from assistant.server.auth import Visit, VisitorTokens
from assistant.server.frames.client_frames import MOST_FILES
from assistant.server.frames.frame import JsonFrame
from assistant.server.limits import ClientRates, Limits, SharedRates, visitor_key
from assistant.server.operators.access import bearer
from assistant.server.origins import origin_allowed
from assistant.server.proxies import client_address

_CLIENT_GONE = 499
"""No client reads this answer; a separate number distinguishes it from server errors."""


log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)


class RequestRefused(Exception):
    """A request that is refused.

    Args:
        status: the HTTP status.
        code: for the client program.
        message: what is wrong, which value, and what would have worked.
    """

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        self.status, self.code, self.headers = status, code, headers
        super().__init__(message)


async def respond(work: Awaitable[Response], headers: Mapping[str, str] | None = None) -> Response:
    """The response of ``work``, or its refusal as a response; ``headers`` are added to either."""
    try:
        response = await work
    except RequestRefused as refusal:
        told = {"code": refusal.code, "message": str(refusal)}
        response = JSONResponse(told, refusal.status, refusal.headers)
    except StoreError as error:
        log.warning("documents cannot be reached", error=str(error))
        told = {"code": "busy", "message": "documents cannot be reached just now; try again in a moment"}
        response = JSONResponse(told, 503, {"Retry-After": "5"})
    except ClientDisconnect:
        response = Response(status_code=_CLIENT_GONE)
    response.headers.update(headers or {})
    return response


LONGEST = 120
"""The maximum number of characters of a name; a longer name is cut before its suffix."""


def file_name(said: str) -> str:
    r"""The last part of a path, in one line. Raises ``RequestRefused`` if nothing is left.

    >>> file_name("C:\\letters\\May.pdf"), file_name("../../etc/notes.md"), file_name("Rechnung\u2028 Mai .txt")
    ('May.pdf', 'notes.md', 'Rechnung Mai .txt')
    >>> len(file_name("a" * 500 + ".txt")), file_name("a" * 500 + ".txt")[-5:]
    (120, 'a.txt')
    """
    last = said.replace("\\", "/").rpartition("/")[2]
    signs = (" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in last)
    name = " ".join("".join(signs).split()).strip()
    if not name.strip("."):
        raise RequestRefused(
            422, "bad_name", f"a file needs a name with an ending such as 'May.pdf'; got {said[:60]!r}"
        )
    ending = ending_of(name)
    return name[: LONGEST - len(ending)].rstrip() + ending if len(name) > LONGEST else name


def ending_of(name: str) -> str:
    """The suffix that identifies a file's kind, in lower case; "" for none.

    >>> ending_of("May.PDF"), ending_of("README"), ending_of("archive.tar.gz")
    ('.pdf', '', '.gz')
    """
    return PurePosixPath(name).suffix.lower()


class DocumentKeeper(Protocol):
    """All documents of all tenants.

    Each method raises ``StoreError`` if the store is not available.
    """

    async def keep(self, document: Document) -> None:
        """Store a document and replace the one with its ``ref``. It is on disk when this returns."""
        ...

    async def documents(self, tenant: str, customer: str | None = None) -> Sequence[LibraryDocument]:
        """A tenant's documents; with ``customer``, only this customer's."""
        ...

    async def delete(self, tenant: str, ref: str) -> bool:
        """Delete a document permanently; False if there is none."""
        ...


AT_ONCE = 16
"""Files that may be received at the same time: each is in memory until its text is read."""

AT_ONCE_OF_VISITOR = MOST_FILES
"""Files of one visitor that may be received at the same time: as many as a message may have."""

AT_ONCE_OF_ADDRESS = 8
"""Files of one address that may be received at the same time. Several visitors may share an address."""

PATIENCE_S = 120.0
"""A file that takes longer to arrive is refused."""

STALLED_S = 15.0
"""A file that receives no data for this time is refused, too: it holds a slot that others need."""

AT_A_TIME = 2
"""Files that are read at the same time: each may take one core for a while."""


class UploadReader:
    """Receives files. Nothing is stored before a file is complete and readable.

    Args:
        read: extracts the text of a file from its name and content; raises ``DocumentRefused``.
        endings: the kinds of files that it reads, such as ``.pdf``.
        most_bytes: the maximum size.
        clock: measures how long one takes.
    """

    def __init__(
        self,
        read: Callable[[str, bytes], Awaitable[ReadFile]],
        endings: Collection[str],
        most_bytes: int,
        clock: Clock,
    ) -> None:
        self.endings, self.most_bytes = tuple(sorted(endings)), most_bytes
        self._read, self._clock = read, clock
        self._coming = 0
        self._reading = asyncio.Semaphore(AT_A_TIME)

    @property
    def receiving(self) -> int:
        """The number of files that are being received now."""
        return self._coming

    async def read_upload(self, request: Request, name: str) -> tuple[ReadFile, int]:
        """A file's text and its size in bytes.

        Raises:
            Refusal: 415 for its kind, 413 for its size, 408 for its speed, 422 for its content, 503 if too many
                files are being received.
            ClientDisconnect: the client disconnected before the end.
        """
        self.check(name, request.headers.get("content-length"))
        with self.place():
            try:
                async with self._clock.timeout(PATIENCE_S):
                    content = await self._receive(request, name)
            except TimeoutError as error:
                problem = f"{name!r} took longer than {PATIENCE_S:.0f} seconds; send it over a faster line"
                raise RequestRefused(408, "too_slow", problem) from error
            return await self._text_of(name, content), len(content)

    def check(self, name: str, length: str | None) -> None:
        """Refuse a file by its name and announced size, before reading it. Raises ``RequestRefused``."""
        ending = ending_of(name)
        if ending not in self.endings:
            known = ", ".join(self.endings)
            raise RequestRefused(
                415, "unknown_kind", f"files like {name!r} cannot be read; these can: {known}"
            )
        if length is not None and length.isdecimal() and int(length) > self.most_bytes:
            raise self._too_large(name, f"has {int(length)} bytes")

    @contextmanager
    def place(self) -> Generator[None]:
        """Hold one of the slots for uploads that are in progress. Raises ``RequestRefused`` if all are in use."""
        if self._coming >= AT_ONCE:
            problem = f"{AT_ONCE} files are on their way in already; try again in a moment"
            raise RequestRefused(503, "busy", problem, **{"Retry-After": "5"})
        self._coming += 1
        try:
            yield
        finally:
            self._coming -= 1

    async def _receive(self, request: Request, name: str) -> bytes:
        content = bytearray()
        pieces = request.stream()
        while (piece := await self._next_piece(pieces, name)) is not None:
            content += piece
            if len(content) > self.most_bytes:
                raise self._too_large(name, f"has more than {self.most_bytes} bytes")
        return bytes(content)

    async def _next_piece(self, pieces: AsyncGenerator[bytes], name: str) -> bytes | None:
        try:
            async with self._clock.timeout(STALLED_S):
                return await anext(pieces, None)
        except TimeoutError as error:
            problem = f"nothing came of {name!r} for {STALLED_S:.0f} seconds; send it again"
            raise RequestRefused(408, "too_slow", problem) from error

    def _too_large(self, name: str, size: str) -> RequestRefused:
        return RequestRefused(413, "too_large", f"{name!r} {size}; at most {self.most_bytes} are taken")

    async def _text_of(self, name: str, content: bytes) -> ReadFile:
        try:
            async with self._reading:
                read = await self._read(name, content)
        except DocumentRefused as error:
            raise RequestRefused(422, "unreadable", str(error)) from error
        except Exception as error:
            # The file may be made to break its reader. The error text does not belong in the log.
            log.warning("a file broke its reader", ending=ending_of(name), error=type(error).__name__)
            raise RequestRefused(422, "unreadable", f"{name!r} cannot be read; is it whole?") from error
        if not read.text.strip():
            raise RequestRefused(
                422, "unreadable", f"there is no text in {name!r}; scanned pages cannot be read"
            )
        return read


class Uploads:
    """Customers' files. Other customers do not learn that a file exists.

    Args:
        keeper: stores the files.
        reader: receives and reads them.
        clock: gives their time and expiry.
        ids: gives their names, which cannot be guessed.
        most: the maximum number of files of one customer.
    """

    def __init__(
        self, keeper: DocumentKeeper, reader: UploadReader, clock: Clock, ids: Ids, *, most: int = 50
    ) -> None:
        self.reader, self.most = reader, most
        self._keeper, self._clock, self._ids = keeper, clock, ids
        self._coming: Counter[tuple[str, str]] = Counter()

    async def keep_upload(
        self, request: Request, key: ConversationKey, said: str
    ) -> tuple[LibraryDocument, int]:
        """Store a file; returns it and its size in bytes. Raises ``RequestRefused``."""
        name = file_name(said)
        self.reader.check(name, request.headers.get("content-length"))
        came_ms = self._clock.now_ms()
        with self._counted(key):
            await self._check_room(key)
            read, size = await self.reader.read_upload(request, name)
            ref = f"document:{self._ids.new()}"
            document = Document(
                ref=ref,
                tenant=key.tenant,
                customer=key.customer,
                kind="upload",
                title=name,
                text=read.text,
                mime=read.mime,
                conversation=key.conversation,
                kept_ms=came_ms,  # a customer who is erased after this moment keeps no file here
            )
            try:
                await self._keeper.keep(document)
            except DocumentRefused as error:
                raise RequestRefused(409, "erased", str(error)) from error
        return await self.find(key, ref), size

    async def find(self, key: ConversationKey, ref: str) -> LibraryDocument:
        """The state of one of this customer's files. Raises ``RequestRefused``."""
        for one in await self._own(key):
            if one.ref == ref:
                return one
        raise RequestRefused(404, "unknown_file", f"there is no file {ref!r} of yours here")

    async def delete(self, key: ConversationKey, ref: str) -> None:
        """Delete one of this customer's files permanently. Raises ``RequestRefused``."""
        await self.find(key, ref)
        await self._keeper.delete(key.tenant, ref)

    async def attached(self, key: ConversationKey, refs: Sequence[str]) -> tuple[Attached, ...] | None:
        """This customer's files with these references, each once, with their real names; None if one does not
        exist.
        """
        own = {one.ref: one.title for one in await self._own(key)}
        wanted = dict.fromkeys(refs)
        if not wanted.keys() <= own.keys():
            return None
        return tuple(Attached(ref=ref, name=own[ref]) for ref in wanted)

    async def _own(self, key: ConversationKey) -> list[LibraryDocument]:
        every = await self._keeper.documents(key.tenant, key.customer)
        now_ms = self._clock.now_ms()
        own = (one for one in every if _is_theirs(one, key))
        return [one for one in own if one.expires_ms is None or one.expires_ms > now_ms]

    async def _check_room(self, key: ConversationKey) -> None:
        coming = self._coming[key.tenant, key.customer]
        if len(await self._own(key)) + coming > self.most:
            problem = (
                f"you have {self.most} files here already, which is as many as are kept; remove one first"
            )
            raise RequestRefused(409, "too_many", problem)

    @contextmanager
    def _counted(self, key: ConversationKey) -> Generator[None]:
        """Count this file before it is stored: otherwise any number could arrive at the same time."""
        whose = (key.tenant, key.customer)
        self._coming[whose] += 1
        try:
            yield
        finally:
            self._coming[whose] -= 1
            if not self._coming[whose]:
                del self._coming[whose]


def _is_theirs(one: LibraryDocument, key: ConversationKey) -> bool:
    """Whether the customer uploaded it; a document that operators added for them has an origin."""
    return (one.customer, one.kind, one.origin) == (key.customer, "upload", "")


UPLOADS_PATH = "/v1/uploads"
_DAY_S = "86400"


class _Entrance:
    """Admits customers: checks the page's origin, the token, and the rate.

    A token comes in a header that no other site's page can send on behalf of a customer, never in an address.
    """

    def __init__(
        self,
        uploads: Uploads | None,
        tokens: VisitorTokens,
        origins: Collection[str],
        limits: Limits,
        clock: Clock,
        rates: SharedRates | None,
    ) -> None:
        self._uploads, self._tokens, self._origins, self._limits = uploads, tokens, origins, limits
        per_address = limits.visitors_per_address
        self._rates = ClientRates("uploads", limits.uploads_per_minute, per_address, clock, rates)
        self._coming: Counter[tuple[str, str]] = Counter()

    async def answer(self, request: Request, work: Callable[[], Awaitable[Response]]) -> Response:
        """The answer with the headers for an allowed page, without which a browser does not pass it on."""
        origin = request.headers.get("origin")
        if not origin_allowed(origin, request.headers.get("host", ""), self._origins):
            return await respond(_refused_origin(origin))
        let_in = {"Access-Control-Allow-Origin": origin} if origin is not None else {}
        return await respond(work(), {"Vary": "Origin", "Cache-Control": "no-store", **let_in})

    def uploads(self) -> Uploads:
        """The storage for customers' files. Raises ``RequestRefused`` if uploads are off."""
        if self._uploads is None:
            raise RequestRefused(
                404, "off", "uploads are off here; the operator turns them on with ASSISTANT_UPLOADS=true"
            )
        return self._uploads

    def visit(self, request: Request) -> Visit:
        """The visit of this token. Raises ``RequestRefused``."""
        try:
            return self._tokens.read(bearer(request.headers.get("authorization")))
        except IdentityError as error:
            problem = f"{error}; send 'Authorization: Bearer' and the newest welcome.token"
            raise RequestRefused(401, "token_invalid", problem, **{"WWW-Authenticate": "Bearer"}) from error

    async def count(self, request: Request, visit: Visit) -> None:
        """Count one request of this visitor and their address. Raises ``RequestRefused``."""
        whence = client_address(request)
        if not await self._rates.allow(visit.customer.tenant, visitor_key(visit), whence):
            problem = f"more than {self._limits.uploads_per_minute} files in a minute; wait one"
            raise RequestRefused(429, "rate_limited", problem, **{"Retry-After": "60"})

    @contextmanager
    def slot(self, request: Request, visit: Visit) -> Generator[None]:
        """Hold a slot of this visitor and one of their address. Raises ``RequestRefused`` if none is free."""
        most = {("visitor", visitor_key(visit)): AT_ONCE_OF_VISITOR}
        if (address := client_address(request)) is not None:
            most["address", address] = AT_ONCE_OF_ADDRESS
        for whose, slots in most.items():
            if self._coming[whose] >= slots:
                problem = f"{slots} files of this {whose[0]} are on their way in already; wait for one"
                raise RequestRefused(429, "busy", problem, **{"Retry-After": "5"})
        self._coming.update(most.keys())
        try:
            yield
        finally:
            self._coming.subtract(most.keys())
            self._coming += Counter()  # drops the clients without any


def upload_routes(
    uploads: Uploads | None,
    tokens: VisitorTokens,
    *,
    origins: Collection[str],
    limits: Limits,
    clock: Clock,
    rates: SharedRates | None = None,
) -> APIRouter:
    """The routes under ``/v1/uploads``. Each wants ``Authorization: Bearer <welcome.token>``."""
    router = APIRouter(prefix=UPLOADS_PATH)
    entrance = _Entrance(uploads, tokens, origins, limits, clock, rates)
    one = "/{ref:path}"

    @router.post("")
    async def upload(request: Request, name: str = "") -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            files, visit = entrance.uploads(), entrance.visit(request)
            await entrance.count(request, visit)
            with entrance.slot(request, visit):
                kept, size = await files.keep_upload(request, visit.key, name)
            return JSONResponse({**_shown(kept), "bytes": size}, 201)

        return await entrance.answer(request, work)

    @router.get(one)
    async def status(request: Request, ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            files, visit = entrance.uploads(), entrance.visit(request)
            return JSONResponse(_shown(await files.find(visit.key, ref)))

        return await entrance.answer(request, work)

    @router.delete(one)
    async def delete(request: Request, ref: str) -> Response:  # pyright: ignore[reportUnusedFunction]
        async def work() -> Response:
            files, visit = entrance.uploads(), entrance.visit(request)
            await files.delete(visit.key, ref)
            return Response(status_code=204)

        return await entrance.answer(request, work)

    @router.options("")
    @router.options(one)
    async def options(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        return await entrance.answer(request, _may_ask)

    return router


def _shown(file: LibraryDocument) -> JsonFrame:
    """The data about a file that its customer gets."""
    return {
        "ref": file.ref,
        "name": file.title,
        "state": file.state,
        "problem": file.problem or None,
        "expires_at": file.expires_ms,
    }


async def _may_ask() -> Response:
    """The answer to a browser's preflight request, before a page of another origin sends a file."""
    return Response(
        status_code=204,
        headers={
            "Access-Control-Allow-Methods": "POST, GET, DELETE",
            "Access-Control-Allow-Headers": "Authorization, Content-Type",
            "Access-Control-Max-Age": _DAY_S,
        },
    )


async def _refused_origin(origin: str | None) -> Response:
    lists = "its operator lists them in ASSISTANT_ALLOWED_ORIGINS"
    problem = f"pages of {origin} may not upload to this server; {lists}"
    raise RequestRefused(403, "origin", problem)
