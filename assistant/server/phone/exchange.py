"""What the routes for calls work with."""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.ports import Clock, Ids
from assistant.server.phone import twiml
from assistant.server.phone.phone import Phone
from assistant.server.server_context import Door
from assistant.server.session_protocol import Sessions
from assistant.sessions.handoff import Handoffs


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Where calls come in.

    ``locale`` is the language in which calls are answered; ``ready`` says whether somebody can hear and speak.
    """

    phone: Phone
    sessions: Sessions
    handoffs: Handoffs | None
    locale: str
    ready: Callable[[], bool]
    clock: Clock
    ids: Ids

    def connect(self, call_sid: str, greeting: str | None, again: int = 0) -> str:
        """Connect the call to the assistant, over a socket that only this answer lets in."""
        token, now = self.ids.secret(), self.clock.monotonic()
        self.phone.calls.expect(call_sid, token, until=now + self.phone.limits.token_s, now=now)
        return twiml.connect(self.phone, token, locale=self.locale, greeting=greeting, again=again)


def exchange_of(door: Door, phone: Phone) -> Exchange:
    """The exchange behind this door."""
    voice = door.voice
    return Exchange(
        phone=phone,
        sessions=door.sessions,
        handoffs=door.handoffs,
        locale=door.locale_of(None),
        clock=door.clock,
        ids=door.ids,
        ready=lambda: phone.via == "relay" or (voice is not None and voice.voice is not None),
    )
