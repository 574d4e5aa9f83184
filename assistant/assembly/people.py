"""Puts together how people are asked to take conversations over, as the settings name them."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from assistant.handoff.own_desk import OwnDesk
from assistant.ports import Clock, Ids, Log
from assistant.sessions.handoffs import Handoffs
from assistant.settings import Settings


@asynccontextmanager
async def handoffs_of(
    settings: Settings, log: Log, clock: Clock, ids: Ids
) -> AsyncGenerator[Handoffs | None]:
    """All handoffs, over the desks that are set up; None where there is none.

    Raises ``DeclarationError`` when a setting is missing or a secret can be guessed.
    """
    if settings.operator_token is None and settings.handoff_url is None:
        yield None
        return
    del log, clock
    yield Handoffs(OwnDesk(), ids, settings.handoff_wait_s)
