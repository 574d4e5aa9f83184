"""The composition root: the only place that knows which parts are real."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from assistant.clock import SystemClock
from assistant.conversation.entries import ModelRole
from assistant.conversation.people import Customer
from assistant.errors import DeclarationError
from assistant.formats.names import check_names
from assistant.ids import SystemIds
from assistant.models.choose import choose_model
from assistant.models.openai.connections import Connections
from assistant.ports import Clock, Log, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.prompts.offline import OfflineNote
from assistant.sessions.sessions import Sessions
from assistant.settings import Settings
from assistant.shipped import own_or_shipped
from assistant.store.secret import load_or_make_secret
from assistant.store.sqlite_log import SqliteLog
from assistant.tooling.discover import discover
from assistant.tooling.registry import Tools
from assistant.turn.parts import Limits, Parts, RoleModel

TENANT = "demo"
DEMO_CUSTOMER = Customer(tenant=TENANT, id="demo", level="verified", name="Ana Lindqvist")


@dataclass(frozen=True, slots=True, kw_only=True)
class Assistant:
    """The assistant, put together and running.

    ``note`` is a line of fine print about the embedded demo model, "" with any other.
    """

    settings: Settings
    parts: Parts
    sessions: Sessions
    log: Log
    clock: Clock
    ids: SystemIds
    secret: str
    note: str

    def doing(self, tool: str, locale: str) -> str:
        """What a tool's chip says: "looking up your appointments"; "" for a tool without a hint."""
        if tool not in self.parts.tools:
            return ""
        hint = self.parts.tools.get(tool).spec.hint(locale)
        return hint.doing if hint is not None else ""


@asynccontextmanager
async def open_assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    """Put everything together, go on with what an earlier process left, and tidy up in the end.

    Raises ``DeclarationError`` when a setting, tool or template is wrong.
    """
    # The demo CRM keeps its file beside the log and lives by our clock; a tool only has the environment.
    os.environ.setdefault("ASSISTANT_DATA_DIR", str(settings.data_dir))
    if settings.now is not None:
        os.environ.setdefault("ASSISTANT_NOW", settings.now.isoformat())
    _make_folder(settings.data_dir)
    clock, ids = SystemClock(settings.time_zone, settings.now), SystemIds()
    parts = build_parts(settings, clock)
    secret = load_or_make_secret(settings.data_dir, ids.secret)
    log = SqliteLog(settings.data_dir / "log.db")
    sessions = Sessions(parts, log, epoch="1")
    warming = asyncio.create_task(_warm(parts))
    try:
        await sessions.resume_unfinished()
        yield Assistant(
            settings=settings,
            parts=parts,
            sessions=sessions,
            clock=clock,
            ids=ids,
            log=log,
            secret=secret,
            note=parts.book.render(OfflineNote()) if is_embedded(settings.model) else "",
        )
    finally:
        await sessions.close()
        await warming
        for role in parts.models.values():
            await role.model.close()
        await log.close()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DeclarationError(
            f"ASSISTANT_DATA_DIR={str(folder)!r} cannot be used: {error.strerror}; "
            "name a folder that can be written"
        ) from error


def build_parts(settings: Settings, clock: Clock) -> Parts:
    """Tools, prompts and models, as the settings name them."""
    book = PromptBook.load(own_or_shipped(settings.prompts_dir, "prompts"))
    tools = discover(own_or_shipped(settings.tools_dir, "tools"))
    check_names(tools.specs)
    narration = Narration(book)
    models = _models(settings, tools, book, narration, clock)
    return Parts(
        models=models,
        tools=tools,
        book=book,
        narrate=narration.narrate_outcomes,
        clock=clock,
        limits=Limits(tools_s=settings.turn_s),
        confirm_every_write=is_embedded(settings.model),
    )


def is_embedded(model: str) -> bool:
    """Whether a model setting means the embedded demo model."""
    return model.strip() in ("", "offline")


def _models(
    settings: Settings, tools: Tools, book: PromptBook, narration: Narration, clock: Clock
) -> Mapping[ModelRole, RoleModel]:
    def offline() -> Model:
        from assistant.models.offline.model import OfflineModel

        specs = {spec.name: spec for spec in tools.specs}
        return OfflineModel(
            tools.specs,
            book.render,
            narrate=lambda outcomes: narration.narrate_outcomes(outcomes, specs),
            clock=clock,
            cache_dir=settings.data_dir,
        )

    # One pool of connections for the process: a narrator mostly asks the server that has just decided.
    connections = Connections(clock)

    def model(name: str) -> Model:
        return choose_model(name, clock=clock, environ=os.environ, offline=offline, connections=connections)

    decider = model(settings.model)
    same = settings.narrator_model in (None, settings.model)
    narrator = decider if same else model(settings.narrator_model or "")
    return {
        "decider": RoleModel(
            model=decider,
            options=ModelOptions(
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                first_token_s=settings.first_token_s,
                next_token_s=settings.next_token_s,
            ),
        ),
        "narrator": RoleModel(
            model=narrator,
            options=ModelOptions(
                max_tokens=settings.narrator_max_tokens,
                temperature=settings.narrator_temperature,
                first_token_s=settings.first_token_s,
                next_token_s=settings.next_token_s,
            ),
        ),
    }


async def _warm(parts: Parts) -> None:
    """Let the embedded model load while the first customer is still typing."""
    warm = getattr(parts.models["decider"].model, "warm", None)
    if warm is not None:
        await warm()
