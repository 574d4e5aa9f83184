"""All conversations that are open in this process."""

import asyncio
from collections.abc import Callable
from weakref import WeakValueDictionary

from assistant.conversation.people import ConversationKey, Customer
from assistant.errors import LogError
from assistant.ports import Log
from assistant.sessions.afterwards import AT_ONCE
from assistant.sessions.editions import Editions, bundle_of
from assistant.sessions.session import Session
from assistant.sessions.worker import SomebodyElse

KEEP_IDLE = 500
"""So many conversations stay open though nobody uses them; more are let go of."""


class Sessions:
    """Opens each conversation once, and lets go of those that nobody uses.

    Args:
        editions: where a conversation's prompts and tools come from.
        epoch: names this numbering of entries; a log that lives on keeps its epoch.
        somebody_else: makes, for each conversation, who may answer a message in the assistant's place.
    """

    def __init__(
        self,
        editions: Editions,
        log: Log,
        epoch: str,
        somebody_else: Callable[[Session], SomebodyElse] | None = None,
    ) -> None:
        self._editions, self._log, self._epoch = editions, log, epoch
        self._somebody_else = somebody_else
        self._places = asyncio.Semaphore(AT_ONCE)
        self._open: dict[ConversationKey, Session] = {}
        # A lock is there as long as somebody holds it or waits for it.
        self._opening: WeakValueDictionary[ConversationKey, asyncio.Lock] = WeakValueDictionary()

    async def open(self, key: ConversationKey, customer: Customer | None) -> Session:
        """The live conversation; read from the log when it is not open, and an unfinished turn goes on.

        Without a ``customer`` the conversation's own is meant, known as well as the log says.
        """
        lock = self._opening.setdefault(key, asyncio.Lock())
        async with lock:
            session = self._open.get(key)
            if session is None or session.failed:
                session = self._open[key] = await self._read(key)
                self._let_go_of_idle(key)
            await session.welcome(customer)
        return session

    async def resume_unfinished(self) -> int:
        """Go on with every conversation that an earlier process left unanswered; gives their number."""
        left = await self._log.unfinished()
        for key in left:
            await self.open(key, None)
        return len(left)

    async def _read(self, key: ConversationKey) -> Session:
        entries = await self._log.read(key)
        bundle = bundle_of(entries)
        return Session(
            key=key,
            entries=entries,
            editions=self._editions,
            edition=await self._editions.of(bundle) if bundle is not None else None,
            log=self._log,
            epoch=self._epoch,
            somebody_else=self._somebody_else,
            places=self._places,
        )

    def _let_go_of_idle(self, keep: ConversationKey) -> None:
        if len(self._open) > KEEP_IDLE:
            for key in [key for key, session in self._open.items() if session.idle and key != keep]:
                del self._open[key]

    async def erase(self, tenant: str, customer: str) -> int:
        """Let go of all conversations of a customer, at once, before they are erased; gives how many were open.

        Who listens is told that the session is over, and may open the conversation anew: it is empty then.
        """
        theirs = [key for key in self._open if (key.tenant, key.customer) == (tenant, customer)]
        for key in theirs:
            session = self._open.pop(key)
            await session.close()
            session.end(LogError("the conversation was erased"))
        return len(theirs)

    async def close(self, patience_s: float = 5.0) -> None:
        """Let running turns end for a while; the log keeps what is left over for the next start."""
        await asyncio.gather(*(session.close(patience_s) for session in self._open.values()))
        self._open.clear()
