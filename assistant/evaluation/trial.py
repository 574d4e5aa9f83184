"""One trial: a task's customer talks to the assistant, on books of its own, at the task's own time."""

import tempfile
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TypeAlias

from assistant.app import DEMO_CUSTOMER, TENANT, known_to_tools
from assistant.assembly.config_builder import Press
from assistant.assembly.hot_reload import warm
from assistant.clock import SystemClock
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.transcript import Line, transcript
from assistant.evaluation.books import differences, read_books
from assistant.evaluation.judge import judge
from assistant.evaluation.measure import (
    cost_in,
    cost_of,
    model_errors,
    models_asked,
    tools_run,
    turn_times,
    withheld,
)
from assistant.evaluation.preparation import prepare_books
from assistant.evaluation.row import Row
from assistant.evaluation.said_twice import said_twice
from assistant.evaluation.speak import Part, play, say_all
from assistant.evaluation.task import Task
from assistant.ports import Clock
from assistant.replay.simulated.actor import Actor
from assistant.replay.simulated.model import customer_model, simulator_of
from assistant.sessions.config_version import Edition, OneEdition
from assistant.sessions.session import Session
from assistant.sessions.session_registry import Sessions
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.turn.context import RoleModel

EditionFor: TypeAlias = Callable[[Settings, Clock], Edition]
PlayerFor: TypeAlias = Callable[[Settings, Clock], RoleModel]

BOOKS = "crm.db"
"""The file in the data folder whose tables are looked at."""

_EPOCH = "evaluation"


def model_name(settings: Settings) -> str:
    """Who is tried: the decision model, and the narrator where that is another one."""
    narrator = settings.narrator_model
    return settings.model if narrator in (None, settings.model) else f"{settings.model} + {narrator}"


def newest_edition(settings: Settings, clock: Clock) -> Edition:
    """Prompts, tools and models as they are configured. Raises ``DeclarationError`` for what is wrong."""
    return Press(settings, clock).first().edition


def configured_player(settings: Settings, clock: Clock) -> RoleModel:
    """The model that plays customers, as configured. Raises ``DeclarationError`` for what is wrong."""
    return customer_model(simulator_of(settings), settings, clock)


async def run_trial(
    task: Task,
    trial: int,
    settings: Settings,
    edition_for: EditionFor = newest_edition,
    player_for: PlayerFor = configured_player,
) -> Row:
    """Have the conversation and judge what came of it.

    Everything the tools keep goes to a folder that is made for this trial and removed after it; they find it
    in the environment, so a process runs one trial at a time.

    Args:
        task: what to say, and what to expect.
        trial: its number, from 1.
        settings: as configured. What models keep for themselves goes to its data folder.
        edition_for: makes the prompts, tools and models that are tried.
        player_for: makes the model that plays a simulated customer.

    Raises:
        DeclarationError: the settings are wrong, or the task's preparation did not work.
    """
    settings = settings.model_copy(update={"now": task.now})
    with tempfile.TemporaryDirectory(prefix="meanwhile-trial-", ignore_cleanup_errors=True) as folder:
        data = Path(folder)
        with known_to_tools(settings.model_copy(update={"data_dir": data})):
            clock = SystemClock(settings.time_zone, task.now)
            async with AsyncExitStack() as in_the_end:
                edition = edition_for(settings, clock)
                in_the_end.push_async_callback(close_models, edition)
                actor = None
                if task.simulated is not None:
                    player = player_for(settings, clock)
                    in_the_end.push_async_callback(player.model.close)
                    actor = Actor(player)
                await warm(edition)  # what a model loads once is not a customer's wait
                return await _held(task, trial, model_name(settings), edition, actor, data / BOOKS)


async def close_models(edition: Edition) -> None:
    """Give back the connections of an edition's models."""
    for role in edition.parts.models.values():
        await role.model.close()


async def _held(task: Task, trial: int, model: str, edition: Edition, actor: Actor | None, file: Path) -> Row:
    customer = _customer(task)
    await prepare_books(task, customer, edition.parts)
    before = read_books(file)
    session, part = await _conversation(task, customer, edition, actor)
    changes = differences(before, read_books(file), task.ignore_tables)
    lines, ran = transcript(session.state), tools_run(session.entries)
    said = [line.text for line in lines if line.speaker == "assistant"]
    return Row(
        task=task.id,
        digest=task.digest,
        trial=trial,
        model=model,
        bundle=edition.bundle,
        unmet=tuple(judge(task, changes, said, ran)) if part.failed is None else (),
        turns=tuple(turn_times(session.entries)),
        cost=cost_of(session.entries),
        ran=tuple(ran),
        asked=models_asked(session.entries),
        model_errors=tuple(model_errors(session.entries)),
        transcript=tuple(_shown(line) for line in lines),
        again=tuple(said_twice(session.state.turns, edition.parts.book)),
        withheld=tuple(withheld(session.entries)),
        simulator=actor.name if actor is not None else None,
        customer_left=part.left,
        customer_cost=cost_in(actor.usage) if actor is not None else None,
        customer_failed=part.failed,
    )


async def _conversation(
    task: Task, customer: Customer, edition: Edition, actor: Actor | None
) -> tuple[Session, Part]:
    """Say everything, and wait for what is still under way."""
    sessions = Sessions(OneEdition(edition.parts), MemoryLog(), epoch=_EPOCH)
    key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation=task.id)
    session = await sessions.open(key, customer)
    try:
        part = await say_all(task, session) if actor is None else await play(task, actor, session)
    finally:
        await sessions.close(edition.parts.limits.tools_s)
    return session, part


def _customer(task: Task) -> Customer:
    name = DEMO_CUSTOMER.name if task.customer == DEMO_CUSTOMER.id else None
    return Customer(tenant=TENANT, id=task.customer, level=task.level, name=name, locale=task.locale)


def _shown(line: Line) -> tuple[str, str]:
    return (line.kind or line.speaker, line.text)
