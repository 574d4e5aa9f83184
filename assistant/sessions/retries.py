"""Continues conversations whose entries the log did not store, without waiting for a client or a restart."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

import structlog

from assistant.conversation.customer import ConversationKey, Customer
from assistant.errors import AssistantError, BeingErased, LogError
from assistant.ports import Clock
from assistant.sessions.session import Session
from assistant.storage_ports import Log

log = structlog.get_logger(__name__)

FIRST_PAUSE_S = 1.0
"""The pause after the first attempt to continue a conversation; each further one is twice as long."""

MOST_PAUSE_S = 60.0
"""The longest pause between two attempts to continue a conversation whose entries the log refuses."""


@dataclass(frozen=True, slots=True)
class _Retry:
    due: float
    pause_s: float
    turn: str


@dataclass(slots=True)
class Retries:
    """When each conversation may be tried again.

    If the same turn fails repeatedly, the pauses grow to a minute, because each attempt may ask a model. Once the
    conversation works again, its earlier failures do not count.
    """

    clock: Clock
    _retries: dict[ConversationKey, _Retry] = field(default_factory=dict[ConversationKey, _Retry])

    def __len__(self) -> int:
        return len(self._retries)

    def may_try(self, key: ConversationKey, turn: str = "") -> bool:
        """Whether the next attempt is due. If it is, this call counts as the attempt.

        ``turn``: the id of the last turn, if it is known. A turn after that of the last attempt has not failed
        yet.
        """
        now = self.clock.monotonic()
        self._retries = {key: one for key, one in self._retries.items() if now < one.due + 2 * MOST_PAUSE_S}
        retry = self._retries.get(key)
        if retry is None or (turn and retry.turn and turn != retry.turn):
            retry = _Retry(now, FIRST_PAUSE_S, turn)
        if now < retry.due:
            return False
        pause_s = min(2 * retry.pause_s, MOST_PAUSE_S)
        self._retries[key] = _Retry(now + retry.pause_s, pause_s, turn or retry.turn)
        return True

    def forget_what_works(self, working: Mapping[ConversationKey, Session]) -> None:
        """Forget the attempts at conversations that work again: everything is stored, or another turn has begun.

        ``working``: the open conversations that have not failed.
        """
        for key, retry in list(self._retries.items()):
            if (session := working.get(key)) is None:
                continue
            turn = last_turn(session)
            if session.rests or (retry.turn and retry.turn != turn):
                del self._retries[key]
            elif not retry.turn:
                self._retries[key] = replace(retry, turn=turn)


def last_turn(session: Session) -> str:
    """The id of a conversation's last turn; "" if it has none."""
    return session.state.turns[-1].id if session.state.turns else ""


class OpenSessions(Protocol):
    """Finds and opens the conversations of this process."""

    def open_sessions(self) -> Mapping[ConversationKey, Session]:
        """Returns the conversations that are open now."""
        ...

    async def open(self, key: ConversationKey, customer: Customer | None) -> Session:
        """Open a conversation, and continue the turns that it has not finished."""
        ...


async def continue_failed_sessions(sessions: OpenSessions, stored: Log, clock: Clock) -> None:
    """Until cancelled, reopen failed conversations when the log can be written.

    For a process that alone writes the log; for several servers see :mod:`assistant.sessions.cluster`.
    """
    retries = Retries(clock)
    while True:
        await clock.sleep(FIRST_PAUSE_S)
        failed = {
            key: last_turn(session)
            for key, session in sessions.open_sessions().items()
            if session.failed and not isinstance(session.failure, BeingErased)
        }
        if not failed:
            continue
        try:
            await stored.check_writable()
        except LogError as error:
            log.warning("conversations wait for the log", number=len(failed), why=str(error))
            continue
        for key, turn in failed.items():
            if retries.may_try(key, turn):
                try:
                    await sessions.open(key, None)
                except AssistantError as error:
                    log.warning("conversation not continued", conversation=key.conversation, why=str(error))
                except Exception:
                    # Our own bug must not delay the other conversations.
                    log.exception("conversation not continued", conversation=key.conversation)
