"""What all calls share: Twilio's signatures, limits, prompts, and a timer."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from starlette.datastructures import QueryParams

from assistant.conversation.customer import CALL_PREFIX, ConversationKey, Customer
from assistant.errors import DeclarationError, LogError
from assistant.ports import Clock
from assistant.prompts.book import PromptBook
from assistant.server.phone.call_registry import CallRegistry
from assistant.voice.turn_progress import AnswerWaits

if TYPE_CHECKING:
    from twilio.request_validator import RequestValidator


_LONGEST = 64


def caller(tenant: str, call_sid: str, locale: str) -> Customer:
    """The visitor on this call.

    >>> caller("shop", "CA7", "en").known
    False
    """
    return Customer(tenant=tenant, id=f"{CALL_PREFIX}{call_sid}", locale=locale)


def conversation_of(tenant: str, call_sid: str) -> ConversationKey:
    """The key of this call's conversation, so that an interrupted call continues it.

    >>> conversation_of("shop", "CA7").conversation
    'call-CA7'
    """
    id_ = f"{CALL_PREFIX}{call_sid}"
    return ConversationKey(tenant=tenant, customer=id_, conversation=id_)


def is_call_sid(text: str) -> bool:
    """Whether this has the form of a Twilio call id.

    >>> is_call_sid("CA0123"), is_call_sid(""), is_call_sid("../x")
    (True, False, False)
    """
    return text.isascii() and text.isalnum() and 2 <= len(text) <= _LONGEST


HEADER = "X-Twilio-Signature"


class Signatures:
    """Verifies the signatures of requests and handshakes.

    Args:
        token: the account's auth token; two values, with a space between, while it is being replaced.
        url: the public address at which Twilio reaches this server, without a slash at its end. A proxy may
            have changed the address of the request.

    Attributes:
        url: the public address.

    Raises ``DeclarationError`` when the package for the verification is not installed.
    """

    def __init__(self, token: str, url: str) -> None:
        self._validators = [_validator(one) for one in token.split()]
        self.url = url

    def of_request(self, target: str, form: QueryParams, signature: str) -> bool:
        """Whether a POST of this form to ``target`` (path and query) has a valid signature."""
        return self._fits(self.url + target, form, signature)

    def of_socket(self, target: str, signature: str) -> bool:
        """Whether a websocket's handshake has a valid signature.

        Twilio has changed which address is signed, so either scheme is accepted, with or without a trailing
        slash.
        """
        secure = f"wss{self.url.removeprefix('https')}{target}"
        addresses = (secure, secure + "/", self.url + target, self.url + target + "/")
        return any(self._fits(address, QueryParams(), signature) for address in addresses)

    def _fits(self, address: str, form: QueryParams, signature: str) -> bool:
        # The package has no types.
        validators = cast("Any", self._validators)
        return any(validator.validate(address, form, signature) for validator in validators)


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
    """Calls ``ring`` at the time that was set last."""

    def __init__(self, clock: Clock, ring: Callable[[], Awaitable[None]]) -> None:
        self._clock, self._ring = clock, ring
        self._task: asyncio.Task[None] | None = None

    def at(self, when_s: float | None) -> None:
        """Set the time at which to call ``ring``, in seconds of the clock's ``monotonic()``; None: do not
        call it.
        """
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        self._task = None if when_s is None else asyncio.create_task(self._wait(when_s))

    async def close(self) -> None:
        """Stop the timer permanently."""
        task = self._task
        self.at(None)
        if task is not None:
            await asyncio.wait({task})

    async def _wait(self, when_s: float) -> None:
        await self._clock.sleep(max(0.0, when_s - self._clock.monotonic()))
        with suppress(LogError):  # the conversation has ended; its call is notified of that
            await self._ring()


Via: TypeAlias = Literal["relay", "media"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneLimits:
    """The limits of one call. Times are in seconds.

    ``frame_bytes``, ``frames_per_minute``: of its websocket; audio has fifty frames per second. ``idle_s``: the
    call ends after this time without speech or keys. ``again``: how often an interrupted call is resumed.
    ``rings_s``: how long an agent's telephone rings. ``loads``: how often a caller waits ``loads_s`` while
    models are loaded. ``token_s``: how long the token of a call's websocket is valid.
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
    """What all calls use.

    ``url`` is the address under which Twilio reaches this server ("https://talk.example.com"), without a
    trailing slash. ``via``: who does speech recognition and synthesis, Twilio ("relay") or this server
    ("media"). ``transfer`` is the number of the company's agents; None: calls are not transferred. ``book``
    returns the current prompts. ``waits`` remembers how long tools made callers wait.
    """

    url: str
    signatures: Signatures
    tenant: str
    via: Via
    book: Callable[[], PromptBook]
    calls: CallRegistry
    transfer: str | None = None
    limits: PhoneLimits = field(default_factory=PhoneLimits)
    waits: AnswerWaits = field(default_factory=AnswerWaits)
