"""Builds the phone service from the settings."""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.models.speech.choose import missing
from assistant.prompts.book import PromptBook
from assistant.server.phone.call_registry import CallRegistry
from assistant.server.phone.phone_context import PhoneContext, Signatures
from assistant.settings import Settings

_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")


def phone_of(
    settings: Settings, book: Callable[[], PromptBook], calls: CallRegistry, tenant: str
) -> PhoneContext | None:
    """The phone service; None if it is not configured. ``book`` returns the current prompts.

    Raises ``DeclarationError`` in the same cases as :func:`signatures_of`.
    """
    signatures = signatures_of(settings)
    if signatures is None:
        return None
    return PhoneContext(
        url=signatures.url,
        signatures=signatures,
        tenant=tenant,
        via=settings.phone_mode,
        book=book,
        calls=calls,
        transfer=settings.phone_transfer_number,
    )


def signatures_of(settings: Settings) -> Signatures | None:
    """Check the phone's settings; returns what verifies Twilio's signatures. None if the phone is not configured.

    Raises ``DeclarationError`` if a setting is missing or wrong, or a package is not installed.
    """
    url, token, transfer = settings.phone_url, settings.phone_auth_token, settings.phone_transfer_number
    if url is None and token is None and transfer is None:
        return None
    if url is None or token is None:
        absent = "ASSISTANT_PHONE_URL" if url is None else "ASSISTANT_PHONE_AUTH_TOKEN"
        raise DeclarationError(
            f"the phone needs both ASSISTANT_PHONE_URL and ASSISTANT_PHONE_AUTH_TOKEN, and {absent} is not set; "
            "set it, or none of ASSISTANT_PHONE_*"
        )
    if settings.phone_mode == "media":
        _can_speak(settings)
    address = _address(url)
    if transfer is not None:
        _check_number(settings, transfer)
    return Signatures(token.get_secret_value(), address)


def with_phone(hosts: frozenset[str] | None, settings: Settings) -> frozenset[str] | None:
    """These host names plus the name through which Twilio calls the server; None: any host, as before."""
    name = urlsplit(settings.phone_url).hostname if settings.phone_url is not None else None
    return hosts if hosts is None or name is None else hosts | {name}


def _address(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.hostname or parts.username or parts.query or parts.fragment:
        raise DeclarationError(
            f"ASSISTANT_PHONE_URL={url!r} is not an address that Twilio can reach securely; write one such as "
            "'https://talk.example.com'"
        )
    return url.rstrip("/")


def _check_number(settings: Settings, number: str) -> None:
    if not _NUMBER.fullmatch(number):
        raise DeclarationError(
            f"ASSISTANT_PHONE_TRANSFER_NUMBER={number!r} is not a number that can be dialled from "
            "everywhere; write it "
            "with a plus, the country and no spaces, such as '+4681234567'"
        )
    if settings.operator_token is None and settings.handoff_webhook_url is None:
        raise DeclarationError(
            "ASSISTANT_PHONE_TRANSFER_NUMBER transfers callers who ask for a person, and leaves a message for your"
            " people if no one picks up; set ASSISTANT_OPERATOR_TOKEN "
            "or ASSISTANT_HANDOFF_WEBHOOK_URL, too, so that"
            " they can read it"
        )


def _can_speak(settings: Settings) -> None:
    problem = (
        missing(settings.transcription_model, settings.speech_model)
        if settings.voice
        else "ASSISTANT_VOICE is false; set it to true"
    )
    if problem is not None:
        raise DeclarationError(
            f"ASSISTANT_PHONE_MODE='media' needs speech models of our own: {problem}; "
            "or set ASSISTANT_PHONE_MODE='relay', where Twilio hears and speaks"
        )
