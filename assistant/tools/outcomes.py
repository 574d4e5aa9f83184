"""The outcome of a call, made from the value or exception of the tool, for the log, the model and the
customer.

Results have a size limit, unexpected errors get a neutral text, the customer's identification is read from
the result, and the customer's credential is removed.
"""

import asyncio
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import cast
from urllib.parse import quote

import structlog

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    Media,
    Outcome,
)
from assistant.conversation.values import Json, JsonObject
from assistant.errors import NO_REASON, AssistantError, CredentialError, ToolError
from assistant.language.personal_data import SECRETS_IN_USE
from assistant.tools.concurrency import NoThreadAvailable
from assistant.tools.retry import AttemptResult, is_retryable
from assistant.tools.tool import (
    LOST_NUMBERS,
    MOST_RESULT_BYTES,
    NotSerializable,
    PreparedCall,
    ResultTooLarge,
    Serialized,
    ToolResult,
    refuse_too_large,
    serialize,
)

log = structlog.get_logger(__name__)

MOST_MEDIA = 20_000_000
"""The most characters of base64 of a call's media, before they are transformed. With more, the call has failed."""

LARGE_BYTES = 64_000
"""A warning is logged for a larger result, because models must read all of it."""

UNEXPECTED = NO_REASON

_LONGEST_TEXT = 20_000
_GAVE_UP = "something within the tool was cancelled"


def outcome_of_result(call: Call, result: ToolResult, key: str, left_out: Sequence[str] = ()) -> Outcome:
    """Returns the outcome of a call that returned a result.

    ``left_out`` lists the media that were not stored.

    Raises ``NotSerializable``.
    """
    media = media_of(result)
    written = serialize_result(call, result.value, key)
    if is_empty(written.value) and not media:
        if left_out:
            raise NotSerializable(f"Nothing of the result could be kept: {'; '.join(left_out)}.")
        return CallEmpty(call=call, value=written.value)
    return CallSucceeded(call=call, value=written.value, media=media, omitted=tuple(left_out))


def serialize_result(call: Call, value: object, key: str) -> Serialized:
    """Returns the value in a form that the log can store.

    Raises ``NotSerializable``, also if it is too large.
    """
    refuse_too_large(value)
    written = serialize(value)
    if written.size > MOST_RESULT_BYTES:
        raise ResultTooLarge(value, written.size)
    if written.size > LARGE_BYTES:
        log.warning("a tool's result is large", tool=call.tool, call=key, bytes=written.size)
    if written.lost_numbers:
        log.warning(LOST_NUMBERS, tool=call.tool, call=key)
    return written


def outcome_of_error(call: Call, error: BaseException, key: str, after_s: float) -> Outcome:
    """Returns the outcome of a call that raised this, ``after_s`` seconds after its start."""
    if isinstance(error, asyncio.CancelledError):
        return CallCancelled(call=call, why=_GAVE_UP)
    if isinstance(error, TimeoutError):
        return CallTimedOut(call=call, after_s=after_s)
    if isinstance(error, NoThreadAvailable):
        log.error("tool could not be served", tool=call.tool, call=key, why=str(error))
    if isinstance(error, CredentialError):
        return CallDenied(call=call, say=error.say, for_model=error.for_model)
    if isinstance(error, AssistantError):
        return _refused(call, error)
    _log_error(call, error, key)
    return CallFailed(
        call=call, say=UNEXPECTED, for_model=_text(f"{type(error).__name__} inside the tool.", UNEXPECTED)
    )


_DONE_UNSEEN = "it was sent off, but I can't see what came of it"


def unkept_outcome(ready: PreparedCall, error: NotSerializable, key: str) -> CallFailed:
    """Returns the outcome of a call that ran, and whose result cannot be kept."""
    log.error("a tool's result is not kept", tool=ready.call.tool, call=key, why=str(error))
    if ready.tool.spec.effect == "write":
        return CallFailed(call=ready.call, say=_DONE_UNSEEN, for_model=f"It ran. {error}")
    return CallFailed(call=ready.call, say=error.say, for_model=str(error))


def missing_credential(call: Call) -> CallDenied:
    """Returns the outcome of a call that needs the customer's credential, if there is no valid one."""
    error = CredentialError(refused=False)
    return CallDenied(call=call, say=error.say, for_model=error.for_model)


def is_empty(value: Json) -> bool:
    """Whether a tool's value means "nothing was found": None, or an empty text, list or mapping.

    >>> is_empty([]), is_empty(None), is_empty(0), is_empty(False)
    (True, True, False, False)
    """
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def media_of(result: ToolResult) -> tuple[Media, ...]:
    """Returns a result's media. The tool may have set them to anything. Raises ``NotSerializable``."""
    media: object = result.media
    if not isinstance(media, tuple | list):
        raise NotSerializable("The result's media are no tuple of Media.")
    for one in media:  # pyright: ignore[reportUnknownVariableType]
        if not isinstance(one, Media):
            raise NotSerializable("The result's media are no tuple of Media.")
        serialize([one.mime, one.name])
        if not isinstance(one.mime, str) or not isinstance(one.data, str):
            raise NotSerializable("The mime and the data of the result's media are no texts.")
        if not one.data.isascii():
            raise NotSerializable("The data of the result's media are no base64.")
    if (size := sum(len(one.data) for one in media)) > MOST_MEDIA:
        raise NotSerializable(
            f"The result's media have {size} characters of base64; at most {MOST_MEDIA} are taken. "
            "Return fewer or smaller ones."
        )
    return tuple(media)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _refused(call: Call, error: AssistantError) -> CallFailed:
    say, for_model = UNEXPECTED, UNEXPECTED
    try:
        say = _text(error.say, UNEXPECTED)
        for_model = _text(error.for_model, say)
    except Exception:
        # An error class of the tool's own, whose texts raise an exception.
        _log_error(call, error, call.id)
    return CallFailed(call=call, say=say, for_model=for_model)


def _text(text: object, otherwise: str) -> str:
    """Returns a text that can be encoded and is not too long; anything else is replaced."""
    if not isinstance(text, str) or not text:
        return otherwise
    return _encodable(text[:_LONGEST_TEXT])


def _encodable(text: str) -> str:
    """Returns the text with a question mark for each half of a surrogate pair."""
    return text.encode("utf-8", "replace").decode()


def _log_error(call: Call, error: BaseException, key: str) -> None:
    try:
        log.error("tool raised", tool=call.tool, call=key, exc_info=error)
    except Exception:
        # The error's own text cannot be encoded.
        log.error("tool raised", tool=call.tool, call=key, error=_encodable(type(error).__name__))


_NO_MATCH = "I can't confirm who you are with what you gave me"
_NO_MATCH_FOR_MODEL = "It does not match. Nobody may know what of it does not; ask for all of it once more."


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutedCall:
    """How a call ended, and what it found out about the customer's identity.

    ``matched`` says whether the given data match the company's records, or is None if the call did not check
    this. ``identified`` is the customer whom the call identified, or None if it identified no customer.
    """

    outcome: Outcome
    matched: bool | None = None
    identified: Customer | None = None


def identification_result(call: Call, came: AttemptResult, key: str) -> ExecutedCall | None:
    """Returns the result of a tool that identifies, or None if it ended without an answer.

    The text is the same for all reasons of a failure, so that an attacker does not learn which part was
    right.
    """
    if not isinstance(came, ToolResult):
        refused = isinstance(came.error, ToolError) and not is_retryable(came)
        return identity_not_matched(call) if refused else None
    if came.identified is None:
        return identity_not_matched(call)
    try:
        serialize(came.identified.id)
        outcome = outcome_of_result(call, ToolResult(_identity_for_model(came.identified)), key)
    except NotSerializable:
        return identity_not_matched(call)
    return ExecutedCall(outcome=outcome, matched=True, identified=came.identified)


def identified_outcome(call: Call, customer: Customer) -> CallSucceeded:
    """Returns the outcome of a call that has identified the customer."""
    return CallSucceeded(call=call, value=_identity_for_model(customer))


def identity_not_matched(call: Call) -> ExecutedCall:
    """Returns the result of an identification whose data did not match."""
    failed = CallFailed(call=call, say=_NO_MATCH, for_model=_NO_MATCH_FOR_MODEL)
    return ExecutedCall(outcome=failed, matched=False)


def _identity_for_model(customer: Customer) -> JsonObject:
    """Returns the data about the identification for models.

    They never contain the company's number of the customer.
    """
    return {"verified": True, "name": customer.name}


def identified_customer(result: object) -> Customer | None:
    """Returns the customer that an identifying function returned.

    Raises ``TypeError`` for anything but a customer or None.
    """
    if result is None or (isinstance(result, Customer) and isinstance(result.id, str) and result.id):
        return result
    raise TypeError(
        f"a tool that identifies gives a Customer with an id, or None, not a {type(result).__name__}"
    )


_SHOWN = "[secret]"

_LEAST_CLAIM = 4
"""Shorter claims would be found in unrelated words."""


def secrets_of(customer: Customer) -> tuple[str, ...]:
    """Returns the secret texts of a call for this customer, also in their URL-encoded form; longest first."""
    if customer.credential is None:
        return ()
    spelled = {form for secret in customer.credential.secrets for form in (secret, quote(secret, safe=""))}
    return tuple(sorted(spelled, key=len, reverse=True))


@contextmanager
def mask_in_logs(customer: Customer) -> Generator[None]:
    """Mask the customer's credential and claims in each line that is logged in this context, by any library."""
    claims = customer.credential.claims.values() if customer.credential is not None else ()
    said = [claim for claim in claims if isinstance(claim, str) and len(claim) >= _LEAST_CLAIM]
    before = SECRETS_IN_USE.set((*SECRETS_IN_USE.get(), *secrets_of(customer), *said))
    try:
        yield
    finally:
        SECRETS_IN_USE.reset(before)


def redact(outcome: Outcome, secrets: Sequence[str]) -> Outcome:
    """Returns the outcome without these texts, because a system may repeat in its answer what was sent to it."""
    if not secrets:
        return outcome
    match outcome:
        case CallSucceeded(value=value) | CallEmpty(value=value):
            return replace(outcome, value=_without(value, secrets))
        case CallFailed(say=say, for_model=for_model) | CallDenied(say=say, for_model=for_model):
            return replace(outcome, say=_redacted(say, secrets), for_model=_redacted(for_model, secrets))
        case _:
            return outcome


def _without(value: Json, secrets: Sequence[str]) -> Json:
    match value:
        case str():
            return _redacted(value, secrets)
        case Mapping():
            parts = cast("Mapping[str, Json]", value).items()
            return {_redacted(key, secrets): _without(part, secrets) for key, part in parts}
        case list() | tuple():
            return [_without(part, secrets) for part in cast("Sequence[Json]", value)]
        case _:
            return value


def _redacted(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return text
