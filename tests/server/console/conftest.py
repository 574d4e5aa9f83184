"""An office for every test here."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.server.console.browser import Office
from tests.server.console.inbox_office import open_inbox_office


@pytest.fixture
async def office(tmp_path: Path) -> AsyncGenerator[Office, None]:
    """Ana is admin, Kim is agent, Lee is analyst. No customer has written."""
    async with open_inbox_office(tmp_path) as scene:
        yield scene.office
