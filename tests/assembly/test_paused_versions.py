"""A configuration version is paused: conversations go on with the newest one that is not."""

from assistant.conversation.entries import TurnStarted
from assistant.sessions.session import Session
from assistant.staff.live_pauses import FRESH_S
from assistant.staff.pauses import Pause
from assistant.testing.script import says
from tests.assembly.conftest import AppFolder, Open
from tests.support.memory_pauses import MemoryPauses


def bundles(session: Session) -> list[str]:
    """The version of each turn."""
    return [one.entry.bundle for one in session.entries if isinstance(one.entry, TurnStarted)]


async def pause(serving: Open, store: MemoryPauses, bundle: str) -> None:
    tenant = serving.builder.tenant
    await store.add_pause(
        Pause(tenant=tenant, kind="version", name=bundle, account="a1", by="Kim", since_ms=1, why="rude")
    )
    await serving.builder.clock.sleep(FRESH_S)


async def test_conversations_leave_a_paused_version_and_stay_with_the_next(app_folder: AppFolder) -> None:
    store = app_folder.pauses = MemoryPauses()
    app_folder.speaks("warm")
    serving = await app_folder.starts(*(says(f"Answer {n}.") for n in range(5)))
    warm = serving.configs.newest.bundle
    await serving.builder.clock.sleep(1)
    app_folder.speaks("dry")
    await serving.configs.look()
    dry = serving.configs.newest.bundle
    await serving.hears("open")
    assert "Your tone is dry." in serving.told

    await pause(serving, store, dry)

    await serving.hears("open")
    assert "Your tone is warm." in serving.told
    await serving.hears("new")
    assert "Your tone is warm." in serving.told
    await serving.configs.look()
    assert serving.configs.newest.bundle == warm  # what pages show before a conversation begins
    assert serving.configs.own.bundle == dry

    await store.end_pause(serving.builder.tenant, "version", dry)
    await serving.builder.clock.sleep(FRESH_S)
    await serving.hears("open")
    await serving.configs.look()
    await serving.hears("newest")

    assert bundles(await serving.conversation("open")) == [dry, warm, warm]
    assert bundles(await serving.conversation("new")) == [warm]
    assert bundles(await serving.conversation("newest")) == [dry]


async def test_a_pause_of_the_only_version_stops_the_assistant(app_folder: AppFolder) -> None:
    store = app_folder.pauses = MemoryPauses()
    serving = await app_folder.starts()

    await pause(serving, store, serving.configs.newest.bundle)

    assert "switched off at the moment" in await serving.hears("new")
    assert serving.model.requests == []


async def test_a_paused_version_stays_paused_after_a_restart(app_folder: AppFolder) -> None:
    store = app_folder.pauses = MemoryPauses()
    app_folder.speaks("warm")
    before = await app_folder.starts()
    await before.builder.clock.sleep(1)
    app_folder.speaks("dry")
    await before.configs.look()
    await pause(before, store, before.configs.own.bundle)

    after = await app_folder.starts(says("Hello."))
    await after.hears("new")

    assert "Your tone is warm." in after.told
