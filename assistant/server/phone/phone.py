"""What every call is handed: how Twilio is believed, and which way calls go."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.prompts.book import PromptBook
from assistant.server.phone.calls import Calls
from assistant.server.phone.signatures import Signatures
from assistant.voice.turn_progress import AnswerWaits

Via: TypeAlias = Literal["relay", "media"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneLimits:
    """How much one call may ask. Times are in seconds.

    ``frame_bytes``, ``frames_per_minute``: of its socket; sound comes in fifty frames a second. ``idle_s``: so long
    nobody says anything before the call is ended. ``again``: how often a line that was cut is taken up.
    ``rings_s``: how long your people's telephone rings. ``loads``: how often a caller waits ``loads_s`` for the
    models to be loaded. ``token_s``: how long the token that lets a call's socket in is valid.
    """

    frame_bytes: int = 64 * 1024
    frames_per_minute: int = 6_000
    idle_s: float = 300.0
    again: int = 3
    rings_s: int = 25
    loads: int = 10
    loads_s: int = 3
    token_s: float = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Phone:
    """The telephone's part of the door.

    ``url`` is where Twilio reaches this server ("https://talk.example.com"), without a slash at its end.
    ``via``: who hears and speaks, Twilio ("relay") or the door's own voice ("media"). ``transfer`` is the number of
    the company's people; None: calls are not passed on. ``book`` gives the prompts as they are now. ``waits``
    remembers how long tools let callers wait.
    """

    url: str
    signatures: Signatures
    tenant: str
    via: Via
    book: Callable[[], PromptBook]
    transfer: str | None = None
    limits: PhoneLimits = field(default_factory=PhoneLimits)
    calls: Calls = field(default_factory=Calls)
    waits: AnswerWaits = field(default_factory=AnswerWaits)
