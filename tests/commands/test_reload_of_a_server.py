"""A whole server, with files in its folders that could stop the reload, the server, or its shutdown."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from tests.commands.conftest import ProjectFolder

pytestmark = pytest.mark.slow

GOOD = '''from assistant import tool


@tool(waiting_hint="counting your points")
def count_{name}() -> int:
    """Count the points."""
    return 7
'''
ENDLESS = "while True:\n    try:\n        while True: pass\n    except BaseException: pass\n"


async def test_no_file_stops_the_reload_or_the_server(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=openai/none\nOPENAI_API_KEY=none\n", encoding="utf-8")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "first.py").write_text(GOOD.format(name="first"))
    os.mkfifo(tools / "before.py")

    async with ProjectFolder(tmp_path).serving() as served:
        errors = served.process.stderr
        assert errors is not None

        async def says(*words: str) -> None:
            async with asyncio.timeout(60):
                line = "-"
                while not all(word in line for word in words):
                    assert line, "the server has ended"
                    line = (await errors.readline()).decode()

        os.mkfifo(tools / "pipe.py")
        await says("left out", "tools/pipe.py")
        (tools / "odd.py").write_text("raise KeyboardInterrupt\n")
        await says("refused", "tools/odd.py:1", "KeyboardInterrupt")
        (tools / "odd.py").write_text("import asyncio\nraise asyncio.CancelledError\n")
        await says("refused", "tools/odd.py:2", "CancelledError")
        (tools / "odd.py").write_text(ENDLESS)
        await says("refused", "tools/odd.py:3", "too long")
        (tools / "odd.py").write_text(GOOD.format(name="second"))
        await says("loaded", "tools/odd.py")

        served.tell(signal.SIGTERM)
        code, said = await served.end()
        assert code == 0, said
