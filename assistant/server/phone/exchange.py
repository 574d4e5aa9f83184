"""What the routes for calls work with."""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.server.door import Door
from assistant.server.live import Sessions
from assistant.server.phone.phone import Phone
from assistant.sessions.handoffs import Handoffs


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


def exchange_of(door: Door, phone: Phone) -> Exchange:
    """The exchange behind this door."""
    voice = door.voice
    return Exchange(
        phone=phone,
        sessions=door.sessions,
        handoffs=door.handoffs,
        locale=door.locale_of(None),
        ready=lambda: phone.via == "relay" or (voice is not None and voice.voice is not None),
    )
