"""Customers' own files: who may keep which, how many, and how long."""

from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from starlette.requests import Request

from assistant.conversation.customer import ConversationKey
from assistant.conversation.documents import Attached, Document
from assistant.errors import DocumentRefused
from assistant.memory.library import Shelved
from assistant.ports import Clock, Ids
from assistant.server.documents.intake import Intake
from assistant.server.documents.names import file_name
from assistant.server.documents.refusal import Refusal
from assistant.server.documents.shelf import Shelf


class Uploads:
    """Customers' own files. Nobody but the customer whose file it is learns that there is one.

    Args:
        shelf: where they are kept.
        intake: what reads them.
        clock: what their time is measured by.
        ids: names them, so that nobody can guess one.
        most: so many a customer may have.
    """

    def __init__(self, shelf: Shelf, intake: Intake, clock: Clock, ids: Ids, *, most: int = 50) -> None:
        self.intake, self.most = intake, most
        self._shelf, self._clock, self._ids = shelf, clock, ids
        self._coming: Counter[tuple[str, str]] = Counter()

    async def take(self, request: Request, key: ConversationKey, said: str) -> tuple[Shelved, int]:
        """Keep one more file; what is kept, and its size in bytes. Raises ``Refusal``."""
        name = file_name(said)
        self.intake.check(name, request.headers.get("content-length"))
        came_ms = self._clock.now_ms()
        with self._counted(key):
            await self._check_room(key)
            read, size = await self.intake.take(request, name)
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
                kept_ms=came_ms,  # nothing of whoever is erased from now on is to be kept
            )
            try:
                await self._shelf.keep(document)
            except DocumentRefused as error:
                raise Refusal(409, "erased", str(error)) from error
        return await self.find(key, ref), size

    async def find(self, key: ConversationKey, ref: str) -> Shelved:
        """How one of this customer's files stands. Raises ``Refusal``."""
        for one in await self._own(key):
            if one.ref == ref:
                return one
        raise Refusal(404, "unknown_file", f"there is no file {ref!r} of yours here")

    async def delete(self, key: ConversationKey, ref: str) -> None:
        """Delete one of this customer's files for good. Raises ``Refusal``."""
        await self.find(key, ref)
        await self._shelf.delete(key.tenant, ref)

    async def attached(self, key: ConversationKey, refs: Sequence[str]) -> tuple[Attached, ...] | None:
        """This customer's files with these names, each once, as they are really called; None: one is not there."""
        own = {one.ref: one.title for one in await self._own(key)}
        wanted = dict.fromkeys(refs)
        if not wanted.keys() <= own.keys():
            return None
        return tuple(Attached(ref=ref, name=own[ref]) for ref in wanted)

    async def _own(self, key: ConversationKey) -> list[Shelved]:
        every = await self._shelf.documents(key.tenant, key.customer)
        now_ms = self._clock.now_ms()
        own = (one for one in every if _is_theirs(one, key))
        return [one for one in own if one.expires_ms is None or one.expires_ms > now_ms]

    async def _check_room(self, key: ConversationKey) -> None:
        coming = self._coming[key.tenant, key.customer]
        if len(await self._own(key)) + coming > self.most:
            problem = (
                f"you have {self.most} files here already, which is as many as are kept; remove one first"
            )
            raise Refusal(409, "too_many", problem)

    @contextmanager
    def _counted(self, key: ConversationKey) -> Generator[None]:
        """Count this file before it is there: otherwise any number could come at once."""
        whose = (key.tenant, key.customer)
        self._coming[whose] += 1
        try:
            yield
        finally:
            self._coming[whose] -= 1
            if not self._coming[whose]:
                del self._coming[whose]


def _is_theirs(one: Shelved, key: ConversationKey) -> bool:
    """Whether the customer brought it; what operators have put there for them has an origin."""
    return (one.customer, one.kind, one.origin) == (key.customer, "upload", "")
