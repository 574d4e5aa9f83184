"""``assistant sample``: adds the example conversations of the demo shop, or removes them."""

import asyncio

import typer

from assistant.assembly.storage import open_conversations, open_storage
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stored.recorded import recorded
from assistant.conversation.customer import ConversationKey
from assistant.ids import SystemIds
from assistant.privacy.customer_data import customer_data_in
from assistant.replay.player.environment import environment_of
from assistant.sample.sample import add_sample, play_sample, remove_sample
from assistant.settings import Settings
from assistant.tenants import load_settings


def add() -> None:
    """Play the examples and store them."""
    set_up_logging("ERROR")
    settings = load_settings()
    clock, ids = SystemClock(settings.time_zone, settings.now), SystemIds()
    # Before a loop runs, because the replay needs one of its own.
    played = play_sample(environment_of(settings), clock.now(), settings.tenant)

    async def store() -> int:
        async with (
            open_storage(settings, clock, ids, exclusive=False) as storage,
            recorded(storage, clock, settings.tenant, "sample.add", kind="sample"),
        ):
            return await add_sample(storage.log, played)

    added = asyncio.run(store())
    told = f"{added} example conversations added" if added else "the example conversations are there already"
    typer.echo(f"{told}; `assistant sample remove` removes them")


def remove() -> None:
    """Erase the examples. Raises ``StorageInUse`` if a server uses the data folder."""
    set_up_logging("ERROR")
    typer.echo(f"{asyncio.run(_remove(load_settings()))} example conversations removed")


async def _remove(settings: Settings) -> int:
    async def listed() -> list[ConversationKey]:
        async with open_conversations(settings) as conversations:
            return [one.key for one in await conversations.listed()]

    async with (
        customer_data_in(settings, exclusive=True) as data,
        recorded(data.storage, data.clock, settings.tenant, "sample.remove", kind="sample"),
    ):
        return await remove_sample(listed, settings.tenant, data.erase)
