"""Runs one trial: prepares the database, runs the conversation, and judges and measures the result."""

import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Literal, TypeAlias, assert_never

import structlog

from assistant.app import DEMO_CUSTOMER, known_to_tools
from assistant.assembly.config_builder import ConfigBuilder
from assistant.assembly.hot_reload import warm
from assistant.assembly.knowledge_folder import Knowledge, documents_in
from assistant.assembly.library import library_in
from assistant.clock import SystemClock
from assistant.conversation.calls import Call
from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import CallStarted
from assistant.conversation.outcomes import (
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    Outcome,
    outcome_name,
)
from assistant.conversation.transcript import TranscriptLine, transcript
from assistant.conversation.usage import usage_of
from assistant.errors import DeclarationError
from assistant.evaluation.judge import judge
from assistant.evaluation.measures import (
    cost_in,
    model_errors,
    response_repetitions,
    turn_times,
    withheld,
    writes,
)
from assistant.evaluation.results import Row
from assistant.evaluation.simulated_customer import (
    CustomerLeft,
    How,
    SimulatorFailed,
    SimulatorModel,
    customer_model,
    next_message,
    simulator_of,
)
from assistant.evaluation.solution import SOLUTIONS, SolutionModel, play_solution, solution_models
from assistant.evaluation.state import (
    Difference,
    Snapshot,
    differences,
    reset_records,
    take_snapshot,
)
from assistant.evaluation.tasks import Confirms, Message, Says, Task
from assistant.ids import SystemIds
from assistant.memory.file_reader import read_file
from assistant.memory.library import Library
from assistant.ports import Clock
from assistant.sessions.config_version import ConfigVersion, FixedConfig
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.settings import Settings
from assistant.store.memory_log import MemoryLog
from assistant.store.sqlite.storage import open_sqlite_storage
from assistant.tools.execute import prepare, run_call
from assistant.tools.tool import PreparedCall, ToolContext
from assistant.turn.context import RoleModel, TurnDependencies


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueEnd:
    """The end of a simulated customer's part: how they ``left``, or why their model ``failed``."""

    left: How | None = None
    failed: str | None = None


async def say_all(task: Task, session: Session) -> None:
    """Send the task's messages, each after the answer to the one before."""
    for number, message in enumerate(task.messages, 1):
        await _say(message, f"m{number}", task.locale, session)


async def play(task: Task, actor: SimulatorModel, session: Session) -> DialogueEnd:
    """Let a model play the task's customer until they leave.

    A failure of the model ends it and is not raised.
    """
    assert task.simulated is not None  # noqa: S101 - only such a task has a simulator
    deps = session.config.deps
    for number in count(1):
        lines, today = transcript(session.state), deps.clock.now().date()
        try:
            said = await next_message(
                task.simulated, lines, actor, deps.book, today=today, locale=task.locale
            )
        except SimulatorFailed as error:
            return DialogueEnd(failed=str(error))
        if isinstance(said, CustomerLeft):
            return DialogueEnd(left=said.how)
        await session.say(client_message_id=f"m{number}", text=said, locale=task.locale)
        await session.answered()
    raise AssertionError  # count() has no end


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


ConfigFactory: TypeAlias = Callable[[Settings, Clock], ConfigVersion]
PlayerFor: TypeAlias = Callable[[Settings, Clock], RoleModel]

_EPOCH = "evaluation"


def model_name(settings: Settings) -> str:
    """Returns the name of the tested model: the decision model, and the narrator if it is different."""
    narrator = settings.narrator_model
    return settings.model if narrator in (None, settings.model) else f"{settings.model} + {narrator}"


def latest_config(settings: Settings, clock: Clock, library: Library | None = None) -> ConfigVersion:
    """Returns the configured prompts, tools and models. Raises ``DeclarationError`` for mistakes."""
    models = solution_models if settings.model == SOLUTIONS else None
    return ConfigBuilder(settings, clock, models, library=library).build_first().version


@asynccontextmanager
async def _documents(settings: Settings, clock: Clock) -> AsyncGenerator[Library | None]:
    """A context manager with the library of the documents in the folder that the settings name, or with None
    if there are none.

    The library is stored in the settings' data folder, so a process stores the documents once for all its
    trials.
    """
    if settings.knowledge_dir is None or not any(documents_in(settings.knowledge_dir)):
        yield None
        return
    # An id that no setting uses, because a task's documents are not the company's.
    async with (
        open_sqlite_storage(settings.data_dir, clock, SystemIds(), exclusive=False) as storage,
        library_in(settings, storage, clock) as library,
    ):
        library.start()
        read = partial(read_file, clock=clock)
        await Knowledge(settings.knowledge_dir, settings.tenant, library, read, clock).look()
        await library.written()
        yield library


def configured_player(settings: Settings, clock: Clock) -> RoleModel:
    """Returns the configured model that plays customers. Raises ``DeclarationError`` for mistakes."""
    return customer_model(simulator_of(settings), settings, clock)


async def run_trial(
    task: Task,
    trial: int,
    settings: Settings,
    make_config: ConfigFactory | None = None,
    player_for: PlayerFor = configured_player,
) -> Row:
    """Run the conversation and judge the result.

    All data of the tools are in a folder of this trial, which is removed afterwards. Tools find it in the
    environment, so a process runs one trial at a time.

    Args:
        task: the messages and the expectations.
        trial: its number, from 1.
        settings: the settings. Caches of models go to their data folder.
        make_config: makes the prompts, tools and models; by default those of the settings.
        player_for: makes the model that plays a simulated customer.

    Raises:
        DeclarationError: the settings are wrong, or the task's preparation failed.
    """
    settings = settings.model_copy(update={"now": task.now})
    with tempfile.TemporaryDirectory(prefix="meanwhile-trial-", ignore_cleanup_errors=True) as folder:
        data = Path(folder)
        with known_to_tools(settings.model_copy(update={"data_dir": data})):
            clock = SystemClock(settings.time_zone, task.now)
            async with AsyncExitStack() as in_the_end:
                library = await in_the_end.enter_async_context(_documents(settings, clock))
                version = (
                    latest_config(settings, clock, library)
                    if make_config is None
                    else make_config(settings, clock)
                )
                in_the_end.push_async_callback(close_models, version)
                actor, decider = None, version.deps.models["decider"].model
                if isinstance(decider, SolutionModel):
                    decider.take(task)
                elif task.simulated is not None:
                    player = player_for(settings, clock)
                    in_the_end.push_async_callback(player.model.close)
                    actor = SimulatorModel(player)
                await warm(version)  # the time to load a model must not count as a customer's wait
                return await _judged_trial(task, trial, model_name(settings), version, actor, data)


async def close_models(version: ConfigVersion) -> None:
    """Close the connections of a configuration's models."""
    for role in version.deps.models.values():
        await role.model.close()


async def _judged_trial(
    task: Task, trial: int, model: str, version: ConfigVersion, actor: SimulatorModel | None, data: Path
) -> Row:
    customer = _customer(task)
    await reset_records()
    await prepare_database(task, customer, version.deps)
    before = await take_snapshot(data)
    session, part = await _conversation(task, customer, version, actor)
    after = await take_snapshot(data)
    changes = differences(before.tables, after.tables, task.ignore_tables)
    lines, used = transcript(session.state), usage_of(logged.entry for logged in session.entries)
    ran = [logged.entry.tool for logged in session.entries if isinstance(logged.entry, CallStarted)]
    said = [line.text for line in lines if line.speaker == "assistant"]
    from_solution = await _differences_from_solution(task, customer, version.deps, after, data)
    changing = [spec for spec in version.deps.tools.specs if spec.effect == "write"]
    return Row(
        task=task.id,
        digest=task.digest,
        trial=trial,
        model=model,
        bundle=version.bundle,
        unmet=tuple(judge(task, changes, said, ran, after.digest, from_solution))
        if part.failed is None
        else (),
        turns=tuple(turn_times(session.entries)),
        cost=cost_in(used),
        ran=tuple(ran),
        asked=used.models,
        model_errors=tuple(model_errors(session.entries)),
        transcript=tuple(_shown(line) for line in lines),
        again=tuple(response_repetitions(session.state.turns, version.deps.book)),
        withheld=tuple(withheld(session.entries)),
        writes=writes(
            session.entries,
            {spec.name for spec in changing},
            {spec.name for spec in changing if version.deps.needs_confirmation(spec)},
        ),
        state_hash=after.digest,
        simulator=actor.name if actor is not None else None,
        customer_left=part.left,
        customer_cost=cost_in(actor.usage) if actor is not None else None,
        customer_failed=part.failed,
    )


async def _conversation(
    task: Task, customer: Customer, version: ConfigVersion, actor: SimulatorModel | None
) -> tuple[Session, DialogueEnd]:
    """Send all messages, and wait for calls that are still running."""
    sessions = SessionRegistry(FixedConfig(version.deps), MemoryLog(), epoch=_EPOCH)
    key = ConversationKey(tenant=customer.tenant, customer=customer.id, conversation=task.id)
    session = await sessions.open(key, customer)
    decider = version.deps.models["decider"].model
    part = DialogueEnd()
    try:
        if task.simulated is None:
            await say_all(task, session)
        elif isinstance(decider, SolutionModel):
            await play_solution(task, decider, session)
        elif actor is not None:
            part = await play(task, actor, session)
    finally:
        await sessions.close(version.deps.limits.tools_s)
    return session, part


def _customer(task: Task) -> Customer:
    name = DEMO_CUSTOMER.name if task.customer == DEMO_CUSTOMER.id else None
    return Customer(
        tenant=DEMO_CUSTOMER.tenant, id=task.customer, level=task.level, name=name, locale=task.locale
    )


def _shown(line: TranscriptLine) -> tuple[str, str]:
    return (line.kind or line.speaker, line.text)


async def prepare_database(task: Task, customer: Customer, deps: TurnDependencies) -> None:
    """Run the task's ``before``, step by step. Writes run without a confirmation.

    Raises:
        DeclarationError: a step failed, so the task would begin with other records.
    """
    for number, step in enumerate(task.before, 1):
        call = Call(id=f"c0.{number}", tool=step.tool, arguments=dict(step.arguments))
        outcome = await _run(call, customer, deps)
        if not isinstance(outcome, CallSucceeded | CallEmpty):
            raise DeclarationError(f"task {task.id!r}: before: {step.tool} did not work: {_why(outcome)}")


async def _differences_from_solution(
    task: Task, customer: Customer, deps: TurnDependencies, after: Snapshot, data: Path
) -> list[Difference]:
    """Returns the differences from the records after the task's solution, or None if they are unknown.

    It is called only if the records are wrong. The differences are known only if the tools can reset their
    records.
    """
    if task.state_hash in (None, after.digest) or not task.solution or not await reset_records():
        return []
    await prepare_database(task, customer, deps)
    for number, step in enumerate(task.solution, 1):
        await _run(Call(id=f"c9.{number}", tool=step.tool, arguments=step.arguments), customer, deps)
    wanted = await take_snapshot(data)
    return differences(wanted.tables, after.tables) if wanted.digest == task.state_hash else []


async def _run(call: Call, customer: Customer, deps: TurnDependencies) -> Outcome:
    ready = prepare(call, deps.tools, customer)
    if not isinstance(ready, PreparedCall):
        return ready
    context = ToolContext(
        key=f"before-{call.id}", call_id=call.id, now=deps.clock.now(), log=structlog.get_logger()
    )
    timeout_s = ready.tool.spec.timeout_s
    return await run_call(ready, customer=customer, context=context, timeout_s=timeout_s, clock=deps.clock)


def _why(outcome: Outcome) -> str:
    if isinstance(outcome, CallFailed | CallDenied):
        return outcome.for_model
    return outcome_name(outcome)


_LABELS: dict[Literal["yes", "no"], str] = {"yes": "Yes", "no": "No"}
