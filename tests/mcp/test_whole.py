"""MCP servers in the whole program: they end with it, a replay needs none, and without one nothing is loaded."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.clock import SystemClock
from assistant.mcp.approval import Definition, write_approved
from assistant.replay.player.environment import environment_of
from assistant.replay.suite import AsExpected, play_file
from assistant.settings import Settings
from tests.commands.conftest import ProjectFolder
from tests.mcp.conftest import SERVERS, until
from tests.mcp.test_rogues import is_there

pytestmark = pytest.mark.slow

PING = Definition(name="ping", description="Ping.", input={"type": "object", "properties": {}})

CASSETTE = """\
format: 2
about: A tool that a server runs is replayed without the server.
now: 2026-11-23 09:00:00+01:00
turns:
  - customer: Is the warehouse there?
    replies:
      - decider: {calls: [{crm_ping: {}}]}
      - narrator: "Yes, it says pong."
    results:
      - crm_ping: {returns: pong, after_ms: 60}
    expect:
      scene: |
        Assistant (acknowledgement): Let me see. I'll check the warehouse.
          [crm_ping ok]
        Assistant: Yes, it says pong.
"""


def crm(folder: Path, how: str, note: Path) -> Path:
    """A folder of tools with a server that leaves a note of itself."""
    tools = folder / "tools"
    tools.mkdir()
    toml = [
        "[servers.crm]",
        f"command = {json.dumps(sys.executable)}",
        f"args = {json.dumps([str(SERVERS / 'rogue.py'), how, str(note)])}",
        "[servers.crm.tools.ping]",
        'effect = "read"',
        'waiting_hint = "checking the warehouse"',
    ]
    (tools / "mcp.toml").write_text("\n".join(toml), encoding="utf-8")
    write_approved(tools, {"crm": {"ping": PING}})
    return tools


def test_a_replay_needs_no_server(tmp_path: Path) -> None:
    note = tmp_path / "note"
    environment = environment_of(Settings(tools_dir=crm(tmp_path, "started", note)))
    file = tmp_path / "ping.conversation.yaml"
    file.write_text(CASSETTE, encoding="utf-8")

    result = play_file(file, environment, SystemClock())

    assert isinstance(result, AsExpected), result
    assert not note.exists()


async def test_stopping_the_program_stops_its_servers(tmp_path: Path) -> None:
    note = tmp_path / "pids"
    crm(tmp_path, "parent", note)

    # Another model than the embedded one, which takes seconds to load.
    (tmp_path / ".env").write_text("ASSISTANT_MODEL=openai/none\nOPENAI_API_KEY=none\n", encoding="utf-8")
    async with ProjectFolder(tmp_path).serving() as served:
        await until(lambda: note.exists() and len(note.read_text().split()) == 2)
        pids = [int(pid) for pid in note.read_text().split()]
        served.tell(signal.SIGTERM)
        code, errors = await served.end()
    assert code == 0, errors

    await until(lambda: not any(is_there(pid) for pid in pids))


WITHOUT = """
import asyncio, sys
from pathlib import Path
from assistant.app import open_assistant
from assistant.settings import Settings

async def main():
    async with open_assistant(Settings(data_dir=Path("data"), model="openai/none")):
        print(sorted(name for name in ("mcp", "mcp_types", "httpx2", "jsonschema") if name in sys.modules))

asyncio.run(main())
"""


def test_without_a_server_the_sdk_is_not_imported(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=tmp_path,
        env={**os.environ, "OPENAI_API_KEY": "none", "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "[]\n", done.stderr
