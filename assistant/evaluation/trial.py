"""One trial: a task's customer talks to the assistant, on books of its own, at the task's own time."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

from assistant.app import DEMO_CUSTOMER, TENANT, known_to_tools
from assistant.assembly.editions import warm
from assistant.assembly.press import Press
from assistant.clock import SystemClock
from assistant.conversation.people import ConversationKey, Customer
from assistant.conversation.transcript import Line, transcript
from assistant.evaluation.books import Books, differences, read_books
from assistant.evaluation.judge import judge
from assistant.evaluation.measure import cost_of, model_errors, models_asked, tools_run, turn_times
from assistant.evaluation.preparation import prepare_books
from assistant.evaluation.row import Row
from assistant.evaluation.task import Confirms, Message, Says, Task
from assistant.ports import Clock
from assistant.sessions.editions import Edition, OneEdition
from assistant.sessions.session import Session
from assistant.sessions.sessions import Sessions
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog

EditionFor: TypeAlias = Callable[[Settings, Clock], Edition]

BOOKS = "crm.db"
"""The file in the data folder whose tables are looked at."""

_EPOCH = "evaluation"
_LABELS: dict[Literal["yes", "no"], str] = {"yes": "Yes", "no": "No"}


def model_name(settings: Settings) -> str:
    """Who is tried: the decision model, and the narrator where that is another one."""
    narrator = settings.narrator_model
    return settings.model if narrator in (None, settings.model) else f"{settings.model} + {narrator}"


def newest_edition(settings: Settings, clock: Clock) -> Edition:
    """Prompts, tools and models as they are configured. Raises ``DeclarationError`` for what is wrong."""
    return Press(settings, clock).first().edition


async def run_trial(
    task: Task, trial: int, settings: Settings, edition_for: EditionFor = newest_edition
) -> Row:
    """Have the conversation and judge what came of it.

    Everything the tools keep goes to a folder that is made for this trial and removed after it; they find it
    in the environment, so a process runs one trial at a time.

    Args:
        task: what to say, and what to expect.
        trial: its number, from 1.
        settings: as configured. What models keep for themselves goes to its data folder.
        edition_for: makes the prompts, tools and models that are tried.

    Raises:
        DeclarationError: the settings are wrong, or the task's preparation did not work.
    """
    settings = settings.model_copy(update={"now": task.now})
    with tempfile.TemporaryDirectory(prefix="meanwhile-trial-", ignore_cleanup_errors=True) as folder:
        data = Path(folder)
        with known_to_tools(settings.model_copy(update={"data_dir": data})):
            edition = edition_for(settings, SystemClock(settings.time_zone, task.now))
            try:
                await warm(edition)  # what a model loads once is not a customer's wait
                return await _held(task, trial, model_name(settings), edition, data / BOOKS)
            finally:
                await close_models(edition)


async def close_models(edition: Edition) -> None:
    """Give back the connections of an edition's models."""
    for role in edition.parts.models.values():
        await role.model.close()


async def _held(task: Task, trial: int, model: str, edition: Edition, file: Path) -> Row:
    customer = _customer(task)
    await prepare_books(task, customer, edition.parts)
    before = read_books(file)
    session = await _conversation(task, customer, edition)
    after: Books = read_books(file)
    lines, ran = transcript(session.state), tools_run(session.entries)
    said = [line.text for line in lines if line.speaker == "assistant"]
    return Row(
        task=task.id,
        digest=task.digest,
        trial=trial,
        model=model,
        bundle=edition.bundle,
        unmet=tuple(judge(task, differences(before, after, task.ignore_tables), said, ran)),
        turns=tuple(turn_times(session.entries)),
        cost=cost_of(session.entries),
        ran=tuple(ran),
        asked=models_asked(session.entries),
        model_errors=tuple(model_errors(session.entries)),
        transcript=tuple(_shown(line) for line in lines),
    )


async def _conversation(task: Task, customer: Customer, edition: Edition) -> Session:
    """Say everything, and wait for what is still under way."""
    sessions = Sessions(OneEdition(edition.parts), MemoryLog(), epoch=_EPOCH)
    key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation=task.id)
    session = await sessions.open(key, customer)
    try:
        for number, message in enumerate(task.messages, 1):
            await _say(message, f"m{number}", task.locale, session)
    finally:
        await sessions.close(edition.parts.limits.tools_s)
    return session


async def _say(message: Message, name: str, locale: str, session: Session) -> None:
    asked = session.question is not None
    match message:
        case Confirms(confirm=answer):
            if not asked:
                return
            await session.say(client_message_id=name, text=_LABELS[answer], locale=locale, button=answer)
        case Says(say=text, when=when):
            if when not in ("always", "asked" if asked else "not asked"):
                return
            await session.say(client_message_id=name, text=text, locale=locale)
        case _:
            assert_never(message)
    await session.answered()


def _customer(task: Task) -> Customer:
    name = DEMO_CUSTOMER.name if task.customer == DEMO_CUSTOMER.id else None
    return Customer(tenant=TENANT, id=task.customer, level=task.level, name=name, locale=task.locale)


def _shown(line: Line) -> tuple[str, str]:
    return (line.kind or line.speaker, line.text)
