"""The composed assistant erases its open data, and keeps nothing longer than it may."""

from pathlib import Path

from pydantic import SecretStr

from assistant.app import DEMO_CUSTOMER, open_assistant
from assistant.conversation.customer import ConversationKey
from assistant.settings import Settings
from assistant.store.sqlite.log import SqliteLog
from tests.privacy.planted import Words, conversation, raw

KEY = ConversationKey(tenant="demo", customer="demo", conversation="c-1")


async def test_old_and_erased_conversations_are_closed_immediately(tmp_path: Path) -> None:
    old, new = Words("old"), Words("new")
    log = SqliteLog(tmp_path / "log.db")
    await log.append(ConversationKey(tenant="demo", customer="ana", conversation="c-2"), conversation(old))
    await log.close()
    settings = Settings(
        data_dir=tmp_path, model="offline", keep_conversations_days=1, operator_token=SecretStr("x" * 32)
    )

    async with open_assistant(settings) as assistant:
        session = await assistant.sessions.open(KEY, DEMO_CUSTOMER)
        await session.say(client_message_id="m1", text=new("message"), locale="en")
        await session.answered()
        while await assistant.storage.log.conversations("demo", "ana"):
            await assistant.clock.sleep(0.01)
        assert assistant.handoffs is not None
        assert assistant.customers.others == (assistant.handoffs,)
        assert assistant.handoffs.find_handoff("demo", "c-1") is not None

        erased = await assistant.customers.erase("demo", "demo")

        assert erased.conversations == 1
        assert session.failed
        assert assistant.handoffs.find_handoff("demo", "c-1") is None
        assert (await assistant.sessions.open(KEY, DEMO_CUSTOMER)).entries == []

    left = raw(tmp_path)
    assert (old.found_in(left), new.found_in(left)) == (set(), set())
