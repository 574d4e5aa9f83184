"""Which models can play a customer."""

import pytest

from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.evaluation.simulated_customer import can_play, customer_model
from assistant.settings import Settings


def test_the_embedded_model_cannot_play() -> None:
    assert not can_play("offline")
    assert not can_play(" ")
    assert can_play("openai/gpt-4o-mini")
    with pytest.raises(
        DeclarationError, match="the embedded model cannot play a customer; name a provider's"
    ):
        customer_model("offline", Settings(), SystemClock("UTC"))


async def test_a_providers_model_is_asked_with_the_configured_timeouts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    settings = Settings(first_token_timeout_s=3, next_token_timeout_s=2)

    role = customer_model("openai/gpt-4o-mini", settings, SystemClock("UTC"))

    assert role.model.name == "openai/gpt-4o-mini"
    assert (role.options.first_token_s, role.options.next_token_s) == (3, 2)
    await role.model.close()
