"""What every call is given: Twilio's signatures, limits, the prompts, a timer, and the registry of calls."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from starlette.datastructures import QueryParams

from assistant.conversation.customer import ConversationKey, Customer
from assistant.errors import DeclarationError, LogError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.voice.turn_progress import AnswerWaits

if TYPE_CHECKING:
    from twilio.request_validator import RequestValidator


_LONGEST = 64


def caller(tenant: str, call_sid: str, locale: str) -> Customer:
    """The visitor on this call.

    >>> caller("shop", "CA7", "en").known
    False
    """
    return Customer(tenant=tenant, id=f"call-{call_sid}", locale=locale)


def conversation_of(tenant: str, call_sid: str) -> ConversationKey:
    """Where this call's conversation lives, so that a line that was cut goes on with it.

    >>> conversation_of("shop", "CA7").conversation
    'call-CA7'
    """
    return ConversationKey(tenant=tenant, customer=f"call-{call_sid}", conversation=f"call-{call_sid}")


def is_call_sid(text: str) -> bool:
    """Whether this can be Twilio's id of a call.

    >>> is_call_sid("CA0123"), is_call_sid(""), is_call_sid("../x")
    (True, False, False)
    """
    return text.isascii() and text.isalnum() and 2 <= len(text) <= _LONGEST


class CallRegistry:
    """The calls of this process, by Twilio's id of each. A call has one socket: the newest."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[str, float]] = {}
        self._open: dict[str, asyncio.Event] = {}
        self._over: set[str] = set()

    def __len__(self) -> int:
        return len(self._open)

    def expect(self, call_sid: str, token: str, *, until: float, now: float) -> None:
        """The call's next socket will show this token. It is valid once, and until then, by a monotonic clock.

        An earlier token of the call is no longer valid.
        """
        self._tokens = {sid: known for sid, known in self._tokens.items() if known[1] > now}
        self._tokens[call_sid] = token, until

    def admit(self, call_sid: str, token: str, *, now: float) -> bool:
        """Whether a socket with this token is the call's; if so, the token is used up."""
        expected, until = self._tokens.get(call_sid, ("", 0.0))
        if not expected or now >= until or not compare_digest(expected.encode(), token.encode()):
            return False
        del self._tokens[call_sid]
        return True

    def enter(self, call_sid: str) -> asyncio.Event:
        """A socket has come for this call; what it gives is set when a newer one takes its place."""
        before = self._open.get(call_sid)
        if before is not None:
            before.set()
        self._over.discard(call_sid)
        replaced = self._open[call_sid] = asyncio.Event()
        return replaced

    def leave(self, call_sid: str, replaced: asyncio.Event) -> None:
        """The socket that was given this is gone."""
        if self._open.get(call_sid) is replaced:
            del self._open[call_sid]

    def mark_ended(self, call_sid: str) -> None:
        """We let the call end: its line is not to be taken up again."""
        self._over.add(call_sid)

    def was_ended(self, call_sid: str) -> bool:
        """Whether we did; said once."""
        ended = call_sid in self._over
        self._over.discard(call_sid)
        return ended


HEADER = "X-Twilio-Signature"


class Signatures:
    """Checks requests and handshakes.

    Args:
        token: the account's auth token.
        url: where Twilio reaches this server, without a slash at its end: not what a proxy made of it.

    Raises ``DeclarationError`` when the package that can tell is not installed.
    """

    def __init__(self, token: str, url: str) -> None:
        self._validator = _validator(token)
        self._url = url

    def of_request(self, target: str, form: QueryParams, signature: str) -> bool:
        """Whether a POST of this form to ``target`` (path and query) is signed."""
        return self._fits(self._url + target, form, signature)

    def of_socket(self, target: str, signature: str) -> bool:
        """Whether a websocket's handshake is.

        Which address is signed has changed over time: either scheme, with a slash at the end or without.
        """
        secure = f"wss{self._url.removeprefix('https')}{target}"
        addresses = (secure, secure + "/", self._url + target, self._url + target + "/")
        return any(self._fits(address, QueryParams(), signature) for address in addresses)

    def _fits(self, address: str, form: QueryParams, signature: str) -> bool:
        # The package has no types.
        validator = cast("Any", self._validator)
        return bool(validator.validate(address, form, signature))


def _validator(token: str) -> "RequestValidator":
    try:
        from twilio.request_validator import RequestValidator
    except ImportError as error:
        raise DeclarationError(
            "ASSISTANT_PHONE_AUTH_TOKEN is set, but the package that checks Twilio's signatures is not installed; "
            "pip install 'meanwhile-assistant[phone]'"
        ) from error
    return cast("Any", RequestValidator)(token)


class Timer:
    """Calls ``ring`` at the time it was last set to."""

    def __init__(self, clock: Clock, ring: Callable[[], Awaitable[None]]) -> None:
        self._clock, self._ring = clock, ring
        self._task: asyncio.Task[None] | None = None

    def at(self, when_s: float | None) -> None:
        """Ring at this moment of the clock's ``monotonic()``, and not before; None: not at all."""
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None if when_s is None else asyncio.create_task(self._wait(when_s))

    async def close(self) -> None:
        """Never ring again."""
        task = self._task
        self.at(None)
        if task is not None:
            await asyncio.wait({task})

    async def _wait(self, when_s: float) -> None:
        await self._clock.sleep(max(0.0, when_s - self._clock.monotonic()))
        with suppress(LogError):  # the conversation is over; its call is notified of that
            await self._ring()


Via: TypeAlias = Literal["relay", "media"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneLimits:
    """How much one call may ask. Times are in seconds.

    ``frame_bytes``, ``frames_per_minute``: of its socket; sound comes in fifty frames a second. ``idle_s``: the
    call ends after so long without speech or keys. ``again``: how often a line that was cut is taken up.
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
class PhoneContext:
    """What every call uses.

    ``url`` is where Twilio reaches this server ("https://talk.example.com"), without a slash at its end.
    ``via``: who hears and speaks, Twilio ("relay") or the server's own voice ("media"). ``transfer`` is the number
    of the company's people; None: calls are not passed on. ``book`` gives the prompts as they are now. ``waits``
    remembers how long tools let callers wait.
    """

    url: str
    signatures: Signatures
    tenant: str
    via: Via
    book: Callable[[], PromptBook]
    transfer: str | None = None
    limits: PhoneLimits = field(default_factory=PhoneLimits)
    calls: CallRegistry = field(default_factory=CallRegistry)
    waits: AnswerWaits = field(default_factory=AnswerWaits)
