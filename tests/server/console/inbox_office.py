"""An office with an inbox: customers who talk with a scripted assistant, and colleagues in their browsers."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import Logged
from assistant.handoff.backends import BuiltinInbox
from assistant.policies.escalation import NO_ESCALATION, Escalation
from assistant.prompts.book import PromptBook, shipped_book
from assistant.server.console.inbox import ConversationTopic, Inbox
from assistant.server.console.live import PATH, SUBPROTOCOL
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.handoff_tool import with_handoff_tool
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff.workforce import Workforce
from assistant.store.sqlite.conversation_list import SqliteConversationList
from assistant.store.sqlite.log import SqliteLog
from assistant.store.sqlite.profiles import PROFILES_FILE, SqliteProfiles
from assistant.testing.chat import Chat, deps_for
from assistant.testing.counted_ids import CountedIds
from assistant.testing.script import Line, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from tests.server.console.browser import Answer, Browser, Office, open_office

ASKED = (calls("talk_to_a_person"), says("I've asked my colleagues."))
ANA = Customer(tenant="demo", id="ana", level="verified", name="Ana Silva")


class PageLine:
    """A page's live line."""

    def __init__(self, ws: ClientConnection) -> None:
        self._ws = ws

    async def sends(self, **frame: Any) -> None:
        await self._ws.send(orjson.dumps(frame).decode())

    async def hears(self) -> dict[str, Any]:
        return orjson.loads(await self._ws.recv())

    async def follows(self, topic: str, **more: Any) -> dict[str, Any]:
        await self.sends(type="follow", topic=topic, **more)
        return await self.hears()

    async def hears_row(self, state: str) -> dict[str, Any]:
        """The next news about a row in this state."""
        while True:
            frame = await self.hears()
            if frame["type"] == "news" and frame["row"]["state"] == state:
                return frame

    async def hears_item(self, **wanted: str) -> dict[str, Any]:
        """The next item of a conversation with these fields."""
        while True:
            frame = await self.hears()
            for item in frame.get("items", ()):
                if all(item.get(name) == value for name, value in wanted.items()):
                    return item


@asynccontextmanager
async def live_line(browser: Browser) -> AsyncGenerator[PageLine]:
    """The live line of a page, after the welcome."""
    async with connect(
        browser.home.replace("http", "ws") + PATH,
        proxy=None,
        origin=Origin(browser.home),
        subprotocols=[Subprotocol(SUBPROTOCOL)],
        additional_headers={"Cookie": f"meanwhile_console={browser.cookie}"},
    ) as ws:
        line = PageLine(ws)
        await line.sends(type="hello")
        assert await line.hears() == {"type": "welcome"}
        yield line


@dataclass
class InboxOffice:
    """The office, and its customers."""

    office: Office
    log: SqliteLog
    sessions: SessionRegistry
    model: ScriptedModel
    inbox: Inbox

    async def customer(self, name: str = "c-1", who: Customer = ANA) -> Chat:
        """A customer's conversation."""
        key = ConversationKey(tenant="demo", customer=who.id, conversation=name)
        return Chat(await self.sessions.open(key, who))

    async def entries(self, name: str = "c-1", who: Customer = ANA) -> list[Logged]:
        return await self.log.read(ConversationKey(tenant="demo", customer=who.id, conversation=name))

    async def rows(self, browser: Browser, view: str = "waiting") -> list[tuple[str, str, str | None]]:
        """Name, state and person of each row of a list."""
        answer = await browser.asks("GET", f"inbox?view={view}")
        assert answer.status == 200, answer.body
        return [(row["id"], row["state"], row["by"]) for row in answer.body["rows"]]


async def acts(browser: Browser, action: str, name: str = "c-1", **body: object) -> Answer:
    """What a person does with a conversation."""
    return await browser.asks("POST", f"inbox/{name}/{action}", body)


@asynccontextmanager
async def open_inbox_office(
    folder: Path,
    *lines: Line,
    tools: tuple[Tool, ...] = (),
    escalation: Escalation = NO_ESCALATION,
    book: PromptBook | None = None,
    assigns: bool = False,
    **options: Any,
) -> AsyncGenerator[InboxOffice]:
    """An office in which Ana is admin, Kim is agent, and Lee is analyst. ``assigns``: automatically."""
    async with AsyncExitStack() as end:
        clock, log = VirtualClock(), SqliteLog(folder / "log.db")
        end.push_async_callback(log.close)
        handoffs = HandoffRegistry(BuiltinInbox(), CountedIds("n"), 60.0)
        model = ScriptedModel(*lines, clock=clock)
        book = book or shipped_book()
        deps = deps_for(model, list(with_handoff_tool(Tools(tools), book, handoffs)), book, clock)
        deps = replace(deps, escalation=escalation)
        sessions = SessionRegistry(FixedConfig(deps), log, "test", takeover=handoffs.attach)
        end.push_async_callback(sessions.close)
        end.push_async_callback(handoffs.close)
        inbox = Inbox(
            tenant="demo",
            stored=SqliteConversationList(log),
            sessions=sessions,
            handoffs=handoffs,
            clock=clock,
            epoch="e1",
            assigns=assigns,
        )
        office = await end.enter_async_context(
            open_office(
                folder,
                inbox=inbox,
                topics={"inbox": inbox, "conversation": ConversationTopic(inbox)},
                **options,
            )
        )
        profiles = SqliteProfiles(folder / PROFILES_FILE)
        end.push_async_callback(profiles.close)
        inbox.workforce = office.console.workforce = Workforce(office.staff, profiles, clock)
        await office.hires("ana", "admin")
        await office.hires("kim", "agent")
        await office.hires("lee", "analyst")
        yield InboxOffice(office, log, sessions, model, inbox)
