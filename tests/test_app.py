"""The composition root: a whole assistant on the embedded model, from an empty data folder."""

from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path

import pytest

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistant
from assistant.conversation.people import ConversationKey
from assistant.conversation.transcript import transcript
from assistant.errors import DeclarationError
from assistant.settings import Settings

ACKNOWLEDGED = "Sure, I'll look up your appointments and check your billing."


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    now = datetime(2026, 11, 21, 10, 0)  # noqa: DTZ001 - a setting without a zone is read in the company's
    monkeypatch.setenv("ASSISTANT_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ASSISTANT_NOW", now.isoformat())
    return Settings(data_dir=tmp_path, now=now, time_zone="UTC")


@pytest.fixture
async def assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    async with open_assistant(settings) as assistant:
        yield assistant


def key(conversation: str) -> ConversationKey:
    return ConversationKey(tenant=DEMO_CUSTOMER.tenant, customer=DEMO_CUSTOMER.id, conversation=conversation)


async def test_the_demo_answers_two_requests_at_once_from_a_real_crm(assistant: Assistant) -> None:
    session = await assistant.sessions.open(key("c1"), DEMO_CUSTOMER)

    await session.say(client_message_id="m1", text="Check my appointments and billing", locale="en")
    await session.answered()

    _, acknowledgement, response = transcript(session.state)
    assert acknowledgement.text == ACKNOWLEDGED
    assert "Tuesday, November 24 at 2 pm" in response.text
    assert "$150" in response.text


async def test_a_conversation_is_there_again_after_a_restart(settings: Settings) -> None:
    async with open_assistant(settings) as before:
        session = await before.sessions.open(key("c1"), DEMO_CUSTOMER)
        await session.say(client_message_id="m1", text="Cancel my Tuesday appointment", locale="en")
        await session.answered()

    async with open_assistant(settings) as after:
        session = await after.sessions.open(key("c1"), None)
        assert session.question is not None
        assert session.customer.known
        await session.say(client_message_id="m2", text="yes", locale="en")
        await session.answered()
        assert transcript(session.state)[-1].text.endswith("cancelled.")
        assert after.secret


async def test_the_fine_print_is_honest_about_the_demo_model(assistant: Assistant) -> None:
    assert "English only" in assistant.note
    assert assistant.doing("get_open_invoices", "en-US") == "checking your billing"
    assert assistant.doing("nobody_knows", "en") == ""


async def test_a_data_folder_that_cannot_be_used_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        async with open_assistant(Settings(data_dir=tmp_path / "file")):
            pass


async def test_a_hosted_model_is_asked_by_the_roles_that_name_it(settings: Settings) -> None:
    hosted = settings.model_copy(update={"narrator_model": "openai/gpt"})

    with pytest.raises(DeclarationError, match="OPENAI_API_KEY"):
        async with open_assistant(hosted):
            pass
