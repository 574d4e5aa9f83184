"""Serves the page and the websocket until it is told to stop."""

import asyncio
import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from assistant.app import DEMO_CUSTOMER, TENANT, Assistant, open_assistant
from assistant.commands.logging import set_up_logging
from assistant.server.about import About
from assistant.server.door import Door
from assistant.server.identity import VisitorIdentity
from assistant.server.server import build_server
from assistant.server.serving import serving
from assistant.server.tokens import Tokens
from assistant.settings import load_settings
from assistant.shipped import shipped

if TYPE_CHECKING:
    import uvicorn


def serve(host: str, port: int) -> None:
    """Serve until interrupted. Raises ``DeclarationError`` when something is set up wrong."""
    set_up_logging()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(host, port))


async def _serve(host: str, port: int) -> None:
    import uvicorn

    async with open_assistant(load_settings()) as assistant:
        server = uvicorn.Server(
            serving(build_server(door_of(assistant), web_dir=shipped("web")), host=host, port=port)
        )
        serving_task = asyncio.create_task(server.serve())
        while not server.started and not serving_task.done():
            await assistant.clock.sleep(0.01)
        if server.started:
            _say_where(server, assistant)
            # What was imported so far is never garbage: later collections need not look at it.
            gc.collect()
            gc.freeze()
        await serving_task


def door_of(assistant: Assistant) -> Door:
    """The door to this assistant."""
    settings, voice = assistant.settings, assistant.parts.book.voice
    tokens = Tokens(assistant.secret.encode(), assistant.clock)

    return Door(
        sessions=assistant.sessions,
        identity=VisitorIdentity(
            tokens=tokens,
            ids=assistant.ids,
            tenant=TENANT,
            demo_customer=DEMO_CUSTOMER if settings.demo else None,
        ),
        tokens=tokens,
        clock=assistant.clock,
        ids=assistant.ids,
        about=About(
            name=voice.name,
            greeting=voice.greeting,
            disclosure=voice.disclosure,
            starters=tuple(voice.starters),
            note=assistant.note or None,
            model=settings.model,
            demo=bool(assistant.note),
        ),
        hints=assistant.doing,
        developer_allowed=settings.developer,
        origins=frozenset(settings.origins),
    )


def _say_where(server: "uvicorn.Server", assistant: Assistant) -> None:
    port = server.servers[0].sockets[0].getsockname()[1]
    note = f" ({assistant.note})" if assistant.note else ""
    print(f"Meanwhile is ready: http://127.0.0.1:{port}  model: {assistant.settings.model}{note}", flush=True)  # noqa: T201


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
