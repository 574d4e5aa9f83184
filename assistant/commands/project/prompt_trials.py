"""``assistant prompts try`` and ``prompts render --conversation``: prompts with recorded conversations."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import typer
from rich.console import Console

from assistant.app import known_to_tools
from assistant.assembly.config_builder import Folders
from assistant.assembly.context_inspector import (
    ModelCall,
    capture_request,
    inspection_dependencies,
    model_calls_of,
)
from assistant.assembly.models import is_embedded, names_of
from assistant.assembly.storage import open_conversations
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.record import find_conversation
from assistant.commands.replay import configured_models, find_recordings, without_fallback_models
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import ModelRole
from assistant.errors import DeclarationError
from assistant.prompts.folder import display_path
from assistant.replay.live_trials import counted
from assistant.replay.player.environment import ReplayEnvironment, environment_of
from assistant.replay.prompt_answers import AnsweredPair, answer_lines, ask, mean_lines, requests_to_ask
from assistant.replay.prompt_diff import (
    Comparison,
    RequestPair,
    compare,
    edited_environment,
    report,
    source_named,
)
from assistant.sessions.config_version import bundle_of
from assistant.settings import Settings
from assistant.store.storage import StoredBundle
from assistant.tenants import load_settings

WRONG = 2
"""The exit code if some conversation could not be replayed; the others were."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTrialOptions:
    """The options of the command. ``ask``: both versions are sent to the configured model."""

    name: str
    edit: Path
    paths: Sequence[Path] = ()
    ask: bool = False
    trials: int = 1


def try_edit(options: PromptTrialOptions) -> int:
    """Try an edit; returns the exit code: 0 if it could be tried, 2 if a conversation could not be replayed.

    Raises:
        DeclarationError: a path or a prompt does not exist, or the edit has a mistake.
    """
    set_up_logging("CRITICAL")
    settings = without_fallback_models(load_settings())
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    files = find_recordings(options.paths)
    today = environment_of(settings)
    source = source_named(options.name, today.book.sources)
    edited = edited_environment(today, source, options.edit, display_path(Folders.of(settings).prompts))
    done, unplayable = _compared(files, today, edited)
    wanted = requests_to_ask(done, options.trials) if options.ask else []
    _check_models(wanted, settings)
    for line in (*report(done, source), *unplayable):
        console.print(line)
    if options.ask:
        console.print(f"\n{_announcement(wanted, settings)}")
        asyncio.run(_ask(wanted, settings, today, edited, console))
    return WRONG if unplayable else 0


def given_to_model(
    settings: Settings, role: ModelRole, conversation: str, turn: str | None, *, edited: bool
) -> str:
    """The instructions of the last request to the model in this role.

    Args:
        settings: select the log, the prompts and the tools.
        role: the role of the model.
        conversation: its id, the beginning of an id, or "last".
        turn: the turn (t1, t2, ...); default: the last turn that asked the model.
        edited: use the current prompts instead of the recorded ones.

    Raises:
        AssistantError: the folders have a mistake, or the log cannot be read.
    """
    with known_to_tools(settings):
        return asyncio.run(_given_to_model(settings, role, conversation, turn, edited=edited))


async def _given_to_model(
    settings: Settings, role: ModelRole, conversation: str, turn: str | None, *, edited: bool
) -> str:
    async with open_conversations(settings) as conversations:
        key = await find_conversation(conversation, conversations)
        calls = model_calls_of(await conversations.read(key), role, turn)
        if not calls:
            where = f"turn {turn!r} of this conversation" if turn else "this conversation"
            raise typer.BadParameter(f"no {role} was asked in {where}", param_hint="NAME")
        call = calls[-1]
        bundle = bundle_of(call.before) or ""
        kept = await conversations.bundle(key.tenant, bundle)
        if kept is None and not edited:
            typer.echo(f"The prompts of then (bundle {bundle}) were not kept; these are today's.", err=True)
    return await _given(call, key, settings, None if edited else kept)


async def _given(call: ModelCall, key: ConversationKey, settings: Settings, kept: StoredBundle | None) -> str:
    then = datetime.fromtimestamp(call.asked.at_ms / 1000, UTC)
    deps = inspection_dependencies(settings, SystemClock(settings.time_zone, then), kept)
    return (await capture_request(call, key, deps)).view.instructions


def _compared(
    files: Sequence[Path], today: ReplayEnvironment, edited: ReplayEnvironment
) -> tuple[list[Comparison], list[str]]:
    """The result of each conversation, and why some could not be replayed."""
    done: list[Comparison] = []
    unplayable: list[str] = []
    for file in files:
        try:
            done.append(compare(file, today, edited))
        except DeclarationError as error:
            unplayable.append(str(error))
    return done, unplayable


def _check_models(wanted: Sequence[tuple[Comparison, RequestPair]], settings: Settings) -> None:
    for _, given in wanted:
        if is_embedded(names_of(settings)[given.role][0]):
            raise DeclarationError(
                f"--ask: the {given.role} is the embedded demo model, which reads no prompts;"
                " name another one in ASSISTANT_MODEL, or leave out --ask"
            )


def _announcement(wanted: Sequence[tuple[Comparison, RequestPair]], settings: Settings) -> str:
    if not wanted:
        return "Nothing to ask: every model would read what it reads today."
    asked = sorted({names_of(settings)[given.role][0] for _, given in wanted})
    requests = counted(2 * len(wanted), "request")
    return f"{requests} for {' and '.join(asked)}; the provider may charge for them."


async def _ask(
    wanted: Sequence[tuple[Comparison, RequestPair]],
    settings: Settings,
    today: ReplayEnvironment,
    edited: ReplayEnvironment,
    console: Console,
) -> None:
    clock = SystemClock(settings.time_zone)
    done: list[AnsweredPair] = []
    async with (
        configured_models(settings, today, clock) as models,
        aclosing(ask(wanted, models, today, edited, clock)) as answers,
    ):
        async for one in answers:
            done.append(one)
            for line in answer_lines(one):
                console.print(line)
    for line in mean_lines(done):
        console.print(line)
