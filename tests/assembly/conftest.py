"""A server whose prompts and tools are edited while customers talk, in virtual time."""

import re
import shutil
from asyncio import AbstractEventLoop
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assistant.assembly.config_builder import ConfigBuilder, Models
from assistant.assembly.hot_reload import READING_S, LiveConfig
from assistant.conversation.customer import ConversationKey
from assistant.sessions.listeners import Notice
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.shipped import shipped
from assistant.staff.live_pauses import LivePauses
from assistant.staff.store import PauseStore
from assistant.store.sqlite.bundles import SqliteBundles
from assistant.store.sqlite.log import SqliteLog
from assistant.store.storage import SharedEdits
from assistant.testing.chat import ANA
from assistant.testing.scene import scene_of
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, VirtualLoop
from assistant.turn.context import RoleModel

TOOL = '''"""One tool."""

from assistant import tool
from tools import _crm


@tool(waiting_hint="counting your points", narration="You have {{{{ value }}}} points.")
def {name}() -> int:
    """Count the customer's points."""
    return _crm.POINTS
'''


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


class LoadedModel(ScriptedModel):
    """A scripted model that is slow to load; ``warmed`` counts how often it was asked to."""

    warmed = 0

    async def warm(self) -> None:
        """Note it."""
        self.warmed += 1


@dataclass(slots=True)
class Open:
    """A process that serves; ``notices`` has what an editor was told."""

    builder: ConfigBuilder
    configs: LiveConfig
    sessions: SessionRegistry
    log: SqliteLog
    model: LoadedModel
    notices: list[Notice] = field(default_factory=list[Notice])

    async def conversation(self, name: str) -> Session:
        """Ana's conversation of this name."""
        key = ConversationKey(tenant=ANA.tenant, customer=ANA.id, conversation=name)
        return await self.sessions.open(key, ANA)

    async def hears(self, name: str, text: str = "Hi") -> str:
        """Say something in a conversation and give the whole turn as a scene."""
        session = await self.conversation(name)
        number = len(session.state.said) + 1
        await session.say(client_message_id=f"m{number}", text=text, locale="en")
        await session.answered()
        return scene_of(session.state.turns[-1])

    @property
    def told(self) -> str:
        """What the model was told last."""
        return self.model.requests[-1].view.instructions

    @property
    def offered(self) -> list[str]:
        """The tools that the model was offered last."""
        return [spec.name for spec in self.model.requests[-1].tools]


@dataclass(slots=True)
class AppFolder:
    """Folders of its own, in which processes come and go."""

    folder: Path
    processes: list[Open] = field(default_factory=list[Open])
    broken: Exception | None = None
    """What goes wrong when the next version is made."""
    reading_s: float = READING_S
    """How long a version may take to be made."""
    edited_meanwhile: Callable[[], None] | None = None
    """What an editor does while it is made."""
    edits: SharedEdits | None = None
    """What servers with folders of their own share."""
    pauses: PauseStore | None = None
    """What staff have paused."""
    shared_log: Path | None = None
    """Another folder's log, which this one's processes use."""

    @property
    def voice(self) -> Path:
        """The file of the company's voice."""
        return self.folder / "prompts" / "voice.toml"

    @property
    def tools(self) -> Path:
        """The folder of tools."""
        return self.folder / "tools"

    @property
    def log_file(self) -> Path:
        """The log, with the bundles in it."""
        return self.shared_log or self.folder / "log.db"

    @property
    def settings(self) -> Settings:
        """A well-known model name is a hosted model."""
        return Settings(
            prompts_dir=self.folder / "prompts",
            tools_dir=self.tools,
            model="openai/scripted",
            tenant=ANA.tenant,
        )

    def speaks(self, tone: str) -> None:
        """Give the assistant another tone."""
        self.edit("prompts/voice.toml", lambda text: re.sub("(?m)^tone = .*$", f'tone = "{tone}"', text))

    def edit(self, name: str, change: Callable[[str], str]) -> None:
        """Change a file."""
        file = self.folder / name
        file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        """Add a file, or write it anew."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(text, encoding="utf-8")

    async def starts(self, *lines: Line) -> Open:
        """A process that serves; its model follows these lines. Whatever ran before was killed."""
        clock = VirtualClock()
        log, model = SqliteLog(self.log_file), LoadedModel(*lines, clock=clock)
        role = RoleModel(model=model)

        def models(*_: object) -> Models:
            if self.broken is not None:
                raise self.broken
            if self.edited_meanwhile is not None:
                edit, self.edited_meanwhile = self.edited_meanwhile, None
                edit()
            return {"decider": role, "narrator": role}

        pauses = LivePauses(ANA.tenant, self.pauses, clock) if self.pauses is not None else None
        builder = ConfigBuilder(self.settings, clock, models, pauses=pauses)
        configs = await LiveConfig.open(
            builder, SqliteBundles(self.log_file), clock, reading_s=self.reading_s, edits=self.edits
        )
        process = Open(builder, configs, SessionRegistry(configs, log, epoch="1"), log, model)
        configs.notices.listen(process.notices.append)
        self.processes.append(process)
        return process


@pytest.fixture
async def app_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[AppFolder]:
    """An installation with the shipped prompts, in English only, and a tool that counts points."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(shipped("prompts"), tmp_path / "prompts", ignore=shutil.ignore_patterns("de", "de.toml"))
    app_folder = AppFolder(tmp_path)
    app_folder.tools.mkdir()
    app_folder.write("tools/_crm.py", "POINTS = 7")
    app_folder.write("tools/points.py", TOOL.format(name="count_points"))
    yield app_folder
    for process in app_folder.processes:
        await process.sessions.close()
        await process.log.close()
