"""The composition root: a whole assistant on the embedded model, from an empty data folder."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistant
from assistant.conversation.customer import ConversationKey
from assistant.conversation.transcript import transcript
from assistant.errors import DeclarationError
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.shipped import shipped
from assistant.tenants import load_settings

ACKNOWLEDGED = "Sure, I'll look up your appointments and check your billing."


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the embedded model has made of the tools' sentences: the first start makes it, the others find it."""
    return tmp_path_factory.mktemp("embedded")


@pytest.fixture
def settings(tmp_path: Path, embedded: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Settings]:
    now = datetime(2026, 11, 21, 10, 0)  # noqa: DTZ001 - a setting without a zone is read in the company's
    for name in ("ASSISTANT_DATA_DIR", "ASSISTANT_NOW", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(embedded, tmp_path, dirs_exist_ok=True)
    yield Settings(data_dir=tmp_path, now=now, time_zone="UTC")
    for vectors in tmp_path.glob("*.npy"):
        shutil.copy(vectors, embedded)


@pytest.fixture
async def assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    async with open_assistant(settings) as assistant:
        yield assistant


def key(conversation: str) -> ConversationKey:
    return ConversationKey(tenant=DEMO_CUSTOMER.tenant, customer=DEMO_CUSTOMER.id, conversation=conversation)


async def test_the_shops_documents_are_known_without_a_setting(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSISTANT_KNOWLEDGE_DIR")
    shop, pages = DEMO_CUSTOMER.tenant, len(list(shipped("knowledge").iterdir()))
    async with open_assistant(Settings(data_dir=settings.data_dir, now=settings.now)) as assistant:
        while len(await assistant.library.documents(shop)) < pages:
            await assistant.clock.sleep(0.02)
        await assistant.library.written()

        found = await assistant.library.search(shop, "anybody", "How long may I send a purchase back?")

    assert {one.kind for one in found} == {"knowledge"}
    assert "30 days" in found[0].passage.text


async def test_the_demo_answers_two_requests_at_once_from_a_real_crm(assistant: Assistant) -> None:
    # A busy machine, late with the answer, would say so first; how fast it is is not asked here.
    limits = replace(assistant.deps.limits, silence_s=60, calls_s=60)
    patient = FixedConfig(replace(assistant.deps, limits=limits))
    session = await SessionRegistry(patient, assistant.storage.log, epoch="1").open(key("c1"), DEMO_CUSTOMER)

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
        assert after.storage.secret


async def test_the_note_is_honest_about_the_demo_model(assistant: Assistant) -> None:
    assert "English only" in assistant.note
    assert assistant.configs.newest.doing("get_open_invoices", "en-US") == "checking your billing"
    assert assistant.configs.newest.doing("nobody_knows", "en") == ""


async def test_an_unusable_data_folder_stops_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(DeclarationError, match="ASSISTANT_DATA_DIR"):
        async with open_assistant(Settings(data_dir=tmp_path / "file")):
            pass


async def test_a_hosted_model_is_asked_in_its_roles(settings: Settings) -> None:
    hosted = settings.model_copy(update={"narrator_model": "openai/gpt"})

    with pytest.raises(DeclarationError, match="OPENAI_API_KEY"):
        async with open_assistant(hosted):
            pass


async def test_the_demo_shop_uses_the_folder_and_the_clock_of_the_env_file(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("ASSISTANT_DATA_DIR=kept\nASSISTANT_NOW=2031-03-08T10:00\n")

    async with open_assistant(load_settings()) as assistant:
        session = await assistant.sessions.open(key("c1"), DEMO_CUSTOMER)
        await session.say(client_message_id="m1", text="When is my next appointment?", locale="en")
        await session.answered()
        # Outside a call, the shop goes by the environment alone.
        told = os.environ["ASSISTANT_DATA_DIR"], os.environ["ASSISTANT_NOW"]

    assert "Tuesday, March 11 at 2 pm" in transcript(session.state)[-1].text
    assert (tmp_path / "kept" / "crm.db").exists()
    assert told == ("kept", "2031-03-08T10:00:00")
    assert "ASSISTANT_DATA_DIR" not in os.environ
    assert "ASSISTANT_NOW" not in os.environ


async def test_the_environment_is_restored_afterwards(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSISTANT_DATA_DIR", "mine")

    async with open_assistant(settings):
        assert os.environ["ASSISTANT_DATA_DIR"] == str(settings.data_dir)

    assert os.environ["ASSISTANT_DATA_DIR"] == "mine"


async def test_a_key_in_the_env_file_is_used_by_the_models(settings: Settings, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("OPENAI_API_KEY=sk-file\n")
    hosted = settings.model_copy(update={"model": "openai/decides", "narrator_model": "openai/narrates"})

    async with open_assistant(hosted) as assistant:
        names = [role.model.name for role in assistant.deps.models.values()]

    assert names == ["openai/decides", "openai/narrates"]
    assert assistant.note == ""


async def test_two_processes_cannot_share_a_data_folder(settings: Settings) -> None:
    async with open_assistant(settings):
        with pytest.raises(DeclarationError, match="is in use by process"):
            async with open_assistant(settings):
                pass


async def test_everything_is_closed_even_if_the_start_fails(settings: Settings) -> None:
    (settings.data_dir / "log.db").write_text("no database, and long enough to be looked at as one")
    with pytest.raises(DeclarationError, match=r"log\.db"):
        async with open_assistant(settings):
            pass

    (settings.data_dir / "log.db").unlink()
    async with open_assistant(settings):
        pass


async def test_a_folder_without_tools_is_mentioned_and_is_no_mistake(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()

    with capture_logs() as logged:
        async with open_assistant(settings.model_copy(update={"tools_dir": tmp_path / "empty"})):
            pass

    assert [(line["log_level"], line["event"], line["folder"]) for line in logged] == [
        ("warning", "no tools, so nothing can be looked up", str(tmp_path / "empty"))
    ]


async def test_a_message_chooses_the_shops_policy_by_its_meaning(assistant: Assistant) -> None:
    session = await assistant.sessions.open(key("c1"), DEMO_CUSTOMER)

    await session.say(client_message_id="m1", text="Hi. I want to send my glasses back, please.", locale="en")
    await session.answered()
    await session.say(client_message_id="m2", text="When are you open?", locale="en")
    await session.answered()

    assert [turn.policies for turn in session.state.turns] == [("returns",), ()]


async def test_a_policy_that_contradicts_the_tools_stops_the_start(
    settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    rule = '[[rules]]\ntool = "cancel_order"\nconfirm = false\nonly_after = "talk_to_a_person"'
    (folder / "orders.md").write_text(f'+++\ntools = "cancel_order"\ntenants = "other"\n{rule}\n+++\nDo it.')

    with pytest.raises(DeclarationError) as error:
        async with open_assistant(settings.model_copy(update={"policies_dir": folder})):
            pass
    assert str(error.value).splitlines() == [
        "own/orders.md:1: tenants: there is no tenant 'other'; there is: demo",
        "own/orders.md:4: tool 'cancel_order': only_after: 'talk_to_a_person' is turned off on this server, so "
        "'cancel_order' could never run",
        "own/orders.md:4: tool 'cancel_order': confirm = false, and the tool itself asks the customer first; "
        "leave it out",
    ]


async def test_servers_with_one_database_share_edits_of_prompts(
    settings: Settings, tmp_path: Path, database: str
) -> None:
    servers = list[Assistant]()
    async with AsyncExitStack() as opened:
        for name in ("one", "two"):
            shutil.copytree(shipped("prompts"), tmp_path / name)
            own = {"database": SecretStr(database), "prompts_dir": tmp_path / name, "hot_reload": False}
            servers.append(await opened.enter_async_context(open_assistant(settings.model_copy(update=own))))
        one, two = servers
        voice = tmp_path / "one" / "voice.toml"
        voice.write_text(re.sub("(?m)^tone = .*$", 'tone = "dry"', voice.read_text()))
        await one.configs.look()
        await two.configs.look()

        assert one.configs.newest.bundle == two.configs.newest.bundle
        assert 'tone = "dry"' in two.deps.book.sources["voice.toml"]


def test_search_and_token_counting_are_imported_later(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from assistant.app import open_assistant\n"
        "from assistant.settings import Settings\n"
        "async def main():\n"
        "    async with open_assistant(Settings()) as assistant:\n"
        "        await asyncio.sleep(1)\n"
        "        print(len(list(assistant.deps.policies)) > 0)\n"
        "        print({'numpy', 'onnxruntime', 'tokenizers', 'tiktoken', 'litellm'} & set(sys.modules))\n"
        "asyncio.run(main())\n"
    )
    hosted = {"ASSISTANT_MODEL": "openai/gpt-6-luna", "OPENAI_API_KEY": "none"}
    environ = {**os.environ, **hosted, "ASSISTANT_DATA_DIR": str(tmp_path)}
    told = subprocess.run(
        [sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=True
    )

    assert told.stdout == "True\nset()\n"
