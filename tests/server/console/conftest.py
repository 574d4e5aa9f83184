"""An office for every test here."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.server.console.browser import Office, open_office


@pytest.fixture
async def office(tmp_path: Path) -> AsyncGenerator[Office, None]:
    """Ana is admin, Kim is agent, Lee is analyst."""
    async with open_office(tmp_path) as office:
        await office.hires("ana", "admin")
        await office.hires("kim", "agent")
        await office.hires("lee", "analyst")
        yield office
