"""An operator's options reach the provider, and a refusal is reported in the provider's words."""

import re
from dataclasses import replace

import pytest

from assistant.conversation.values import Json
from assistant.errors import ModelRefused
from assistant.ports import ModelOptions
from tests.models.contract.adapters import Behind, direct
from tests.models.contract.conversations import CONVERSATIONS
from tests.models.contract.talk import hold
from tests.support.fake_model.replies import Provider

EXTRA: dict[Provider, dict[str, Json]] = {
    "openai": {"seed": 7},
    "openai-responses": {"service_tier": "flex"},
    "anthropic": {"top_k": 5},
    "xai": {"top_p": 0.5},
}
REFUSED = {
    "openai": "Unrecognized request argument supplied: colour",
    "openai-responses": "Unknown parameter: 'colour'.",
    "anthropic": "colour: Extra inputs are not permitted",
    "xai": "Unrecognized request argument supplied: colour",
}


@pytest.mark.parametrize("provider", EXTRA)
async def test_extra_fields_are_passed_on(provider: Provider) -> None:
    asked = replace(CONVERSATIONS["one call"], options=ModelOptions(extra=EXTRA[provider]))
    held = await hold(asked, direct(provider))

    assert [EXTRA[provider].items() <= body.items() for body in held.bodies] == [True, True]


@pytest.mark.parametrize("provider", EXTRA)
async def test_a_field_that_the_provider_does_not_know_is_reported(provider: Provider) -> None:
    asked = replace(CONVERSATIONS["no call"], options=ModelOptions(extra={"colour": "red"}))

    with pytest.raises(ModelRefused, match=re.escape(REFUSED[provider])):
        await hold(asked, direct(provider))


@pytest.mark.parametrize("provider", EXTRA)
async def test_unformatted_messages_are_accepted_only_without_calls(provider: Provider) -> None:
    plain = ModelOptions(formatted=False)

    await hold(replace(CONVERSATIONS["no call"], options=plain), direct(provider))
    with pytest.raises(ModelRefused, match=r"messages[.\[]|input\["):
        await hold(replace(CONVERSATIONS["one call"], options=plain), direct(provider))


async def test_single_calls_and_the_length_limit_are_requested(behind: Behind) -> None:
    options = ModelOptions(parallel_calls=False, max_tokens=77)
    held = await hold(replace(CONVERSATIONS["one call"], options=options), behind)

    for body in held.bodies:
        names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
        limit = next(body[name] for name in names if name in body)
        choice = body.get("tool_choice", {})
        assert limit == 77
        assert body.get("parallel_tool_calls") is False or choice.get("disable_parallel_tool_use") is True
