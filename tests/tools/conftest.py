"""Tools and folders of tools, made for one test."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from textwrap import dedent

import pytest
import structlog

from assistant.conversation.customer import Customer
from assistant.tools.tool import ToolContext

ANA = Customer(tenant="shop", id="ana", level="signed_in")
CONTEXT = ToolContext(
    key="key-1", call_id="c1.1", now=datetime(2026, 11, 21, 12, tzinfo=UTC), log=structlog.get_logger()
)

Folder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Writes ``name=source`` as files of a tools folder."""

    def write(**files: str) -> Path:
        place = tmp_path / "crm-tools"
        place.mkdir(exist_ok=True)
        for name, source in files.items():
            (place / f"{name}.py").write_text(dedent(source), encoding="utf-8")
        return place

    return write
