"""The token and the file addresses of an erased customer open nothing."""

from pathlib import Path
from typing import Any

import aiohttp
import orjson

from assistant.app import open_assistant
from assistant.commands.serve_context import server_context
from assistant.settings import Settings
from tests.server.client import Client
from tests.server.running_server import FakeSessions, ManualClock, RunningServer, opened

WORD = "orchid"
PHOTO = f'''
from assistant import Media, ToolResult, tool


@tool(waiting_hint="fetching your note", narration="Here is your note.", examples=["show my note"])
def show_note() -> ToolResult[str]:
    """Show the customer's note."""
    return ToolResult("a note", media=(Media.of(b"{WORD}", name="note.txt", mime="text/plain"),))
'''


async def test_tokens_and_addresses_of_an_erased_customer_open_nothing(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "notes.py").write_text(PHOTO)
    settings = Settings(
        data_dir=tmp_path / "data", tools_dir=tmp_path / "tools", voice=False, hot_reload=False, demo=False
    )
    async with open_assistant(settings) as assistant:
        context = server_context(assistant)
        server = RunningServer(context=context, sessions=FakeSessions(), clock=ManualClock())
        async with opened(server), aiohttp.ClientSession(f"http://127.0.0.1:{server.port}") as web:
            ana = Client(server)
            await ana.enter()
            assert ana.token is not None
            visit = context.tokens.read(ana.token)
            bearer = {"Authorization": f"Bearer {ana.token}"}
            async with web.post("/v1/uploads?name=letter.txt", data=WORD, headers=bearer) as answer:
                upload = f"/v1/uploads/{(await answer.json())['ref']}"
            await ana.says("m1", f"Show my note, {WORD}")
            frames = await ana.hears_until("turn.completed")
            (note,) = [
                one["url"]
                for frame in frames
                for one in frame.get("attachments", [])
                if frame["type"] == "message.completed"
            ]

            async def status(path: str) -> int:
                async with web.get(path, headers=bearer) as answer:
                    return answer.status

            assert [await status(upload), await status(note)] == [200, 200]
            await assistant.customers.erase(visit.customer.tenant, visit.customer.id)
            await ana.reads_to_the_end()

            assert [await status(upload), await status(note)] == [404, 404]
            for known in ({}, {"epoch": None, "last_seq": 0}, {"conversation_id": visit.conversation}):
                again = Client(server)
                again.token, again.epoch, again.cursor = ana.token, ana.epoch, ana.cursor
                welcome = await again.enter(**known)
                heard: dict[str, Any] = {"welcome": welcome}
                assert (welcome["resumed"], welcome["seq"]) == ("new", 0)
                assert await again.hears_nothing_more()
                assert WORD not in orjson.dumps(heard).decode()
            assert await assistant.storage.log.read(visit.key) == []
