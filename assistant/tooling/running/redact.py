"""Keeps a customer's credential out of everything that a call leaves behind: its outcome and the log lines."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast
from urllib.parse import quote

from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallDenied, CallEmpty, CallFailed, CallSucceeded, Outcome
from assistant.conversation.values import Json
from assistant.text.masked import SECRETS_IN_USE

_SHOWN = "[secret]"

_LEAST_CLAIM = 4
"""Shorter claims would be found in words that have nothing to do with them."""


def secrets_of(customer: Customer) -> tuple[str, ...]:
    """The secret texts that a call for this customer carries, also as an address spells them; longest first."""
    if customer.credential is None:
        return ()
    spelled = {form for secret in customer.credential.secrets for form in (secret, quote(secret, safe=""))}
    return tuple(sorted(spelled, key=len, reverse=True))


@contextmanager
def kept_out_of_logs(customer: Customer) -> Generator[None]:
    """Mask the customer's credential and claims in every line that this context logs, by any library."""
    claims = customer.credential.claims.values() if customer.credential is not None else ()
    said = [claim for claim in claims if isinstance(claim, str) and len(claim) >= _LEAST_CLAIM]
    before = SECRETS_IN_USE.set((*SECRETS_IN_USE.get(), *secrets_of(customer), *said))
    try:
        yield
    finally:
        SECRETS_IN_USE.reset(before)


def redacted(outcome: Outcome, secrets: Sequence[str]) -> Outcome:
    """The outcome without these texts: a system may repeat in its answer what it was sent."""
    if not secrets:
        return outcome
    match outcome:
        case CallSucceeded(value=value) | CallEmpty(value=value):
            return replace(outcome, value=_without(value, secrets))
        case CallFailed(say=say, for_model=for_model) | CallDenied(say=say, for_model=for_model):
            return replace(outcome, say=_text(say, secrets), for_model=_text(for_model, secrets))
        case _:
            return outcome


def _without(value: Json, secrets: Sequence[str]) -> Json:
    match value:
        case str():
            return _text(value, secrets)
        case Mapping():
            parts = cast("Mapping[str, Json]", value).items()
            return {_text(key, secrets): _without(part, secrets) for key, part in parts}
        case list() | tuple():
            return [_without(part, secrets) for part in cast("Sequence[Json]", value)]
        case _:
            return value


def _text(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, _SHOWN)
    return text
