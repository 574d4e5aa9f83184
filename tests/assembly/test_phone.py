"""How the phone is configured, and the errors for wrong settings."""

from typing import Any

import pytest
from pydantic import SecretStr

from assistant.assembly.phone import phone_of, with_phone
from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.server.phone.phone_context import PhoneContext
from assistant.settings import Settings
from tests.support.memory_used_tokens import MemoryUsedTokens, call_registry
from tests.support.rows import check_rows

TOKEN = SecretStr("the account's auth token")
URL = "https://talk.example.com"


def made_of(**given: Any) -> PhoneContext | None:
    calls = call_registry(SystemClock(), MemoryUsedTokens())
    return phone_of(Settings.model_construct(**given), shipped_book, calls, "shop")


def test_without_settings_there_is_no_phone() -> None:
    assert made_of() is None


def test_an_address_and_a_token_make_a_phone() -> None:
    phone = made_of(phone_url=URL + "/", phone_auth_token=TOKEN)
    assert phone is not None
    assert (phone.url, phone.via, phone.transfer, phone.tenant) == (URL, "relay", None, "shop")
    assert phone.book() is not None


def test_calls_are_transferred_if_agents_can_read_tickets() -> None:
    phone = made_of(
        phone_url=URL,
        phone_auth_token=TOKEN,
        phone_transfer_number="+4681234567",
        operator_token=SecretStr("x" * 32),
    )
    assert phone is not None
    assert phone.transfer == "+4681234567"


@check_rows(
    ("given", "cure"),
    [
        ({"phone_url": URL}, "ASSISTANT_PHONE_AUTH_TOKEN is not set"),
        ({"phone_auth_token": TOKEN}, "ASSISTANT_PHONE_URL is not set"),
        ({"phone_transfer_number": "+4681234567"}, "ASSISTANT_PHONE_URL is not set"),
        ({"phone_url": "http://talk.example.com", "phone_auth_token": TOKEN}, "write one such as 'https://"),
        ({"phone_url": URL + "?a=b", "phone_auth_token": TOKEN}, "write one such as 'https://"),
        (
            {"phone_url": URL, "phone_auth_token": TOKEN, "phone_transfer_number": "08-123 45 67"},
            "such as '\\+4681234567'",
        ),
        (
            {"phone_url": URL, "phone_auth_token": TOKEN, "phone_transfer_number": "+4681234567"},
            "set ASSISTANT_OPERATOR_TOKEN or ASSISTANT_HANDOFF_WEBHOOK_URL",
        ),
        (
            {"phone_url": URL, "phone_auth_token": TOKEN, "phone_mode": "media", "voice": False},
            "ASSISTANT_VOICE is false; set it to true; or set ASSISTANT_PHONE_MODE='relay'",
        ),
    ],
)
def test_missing_or_wrong_settings_are_reported_with_the_solution(given: dict[str, Any], cure: str) -> None:
    with pytest.raises(DeclarationError, match=cure):
        made_of(**given)


def test_twilio_may_call_the_server_by_its_name() -> None:
    settings = Settings.model_construct(phone_url=URL)
    assert with_phone(frozenset({"chat.example"}), settings) == {"chat.example", "talk.example.com"}
    assert with_phone(None, settings) is None
    assert with_phone(frozenset(), Settings.model_construct()) == frozenset()
