"""Shows what an edit of the prompts changes in the requests to models and in the texts for customers.

The conversations are replayed with the current and the edited prompts, and the requests are compared.
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import TypeAlias

from assistant.assembly.context_inspector import ModelCall, capture_request, model_calls_of
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import ModelRole
from assistant.conversation.values import Json
from assistant.errors import AssistantError, DeclarationError
from assistant.ports import ModelRequest
from assistant.prompts.book import PromptBook
from assistant.prompts.compiler import find_mistakes
from assistant.prompts.locale import file_named
from assistant.prompts.narration import Narration
from assistant.replay.cassette import Cassette
from assistant.replay.cassette_file import SUFFIX, load
from assistant.replay.checks.transcript import played_turns
from assistant.replay.live_trials import counted
from assistant.replay.played import Mismatches, Played
from assistant.replay.player.cassette_tool import CassetteRuns
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay, turn_dependencies
from assistant.testing.scene import scene_of
from assistant.testing.virtual_time import VirtualClock, run_virtually

_CONTEXT = 1
"""How many unchanged lines are shown around changed ones."""

Where: TypeAlias = tuple[str, int]
"""A conversation's name, and the turn."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Changed lines, each beginning with ``-``, ``+`` or a space, and the places where they occur."""

    lines: tuple[str, ...]
    where: tuple[Where, ...]


def changed_lines(today: Sequence[str], edited: Sequence[str], context: int = 0) -> list[str]:
    """Returns the lines that differ: today's with ``-``, the edited ones with ``+``.

    >>> changed_lines(["Hello.", "Be brief."], ["Hello.", "Be very brief."])
    ['- Be brief.', '+ Be very brief.']
    """
    lines = list(difflib.unified_diff(today, edited, n=context, lineterm=""))[2:]
    hunks = [f"{line[0]} {line[1:]}".rstrip() if line[0] in "-+ " else "..." for line in lines]
    return hunks[1:]  # the first line separates hunks, and the first hunk needs none


def group_differences(texts: Iterable[tuple[Where, str, str]]) -> list[Difference]:
    """Returns the differences between the two texts of each place. Places with the same changes are grouped.

    The order is that of the first occurrence. Surrounding lines are those of the first place.
    """
    shown: dict[tuple[str, ...], list[str]] = {}
    places: dict[tuple[str, ...], dict[Where, None]] = {}
    for where, today, edited in texts:
        before, after = today.splitlines(), edited.splitlines()
        key = tuple(changed_lines(before, after))
        if key:
            shown.setdefault(key, changed_lines(before, after, _CONTEXT))
            places.setdefault(key, {})[where] = None
    return [Difference(tuple(lines), tuple(places[key])) for key, lines in shown.items()]


_NOT_PLAYED = ("demo_model/", "models/simulated_customer.j2")
"""Prompts of the embedded demo model and of simulated customers. Recorded conversations use neither."""


def source_named(name: str, sources: Iterable[str]) -> str:
    """Returns the file of a prompt by its name; see :func:`assistant.prompts.locale.file_named`.

    Raises ``DeclarationError`` if there is no such file (it lists the known names), or if no recording uses
    it.
    """
    files = list(sources)
    found = file_named(name, files)
    if found is not None and not found.startswith(_NOT_PLAYED):
        return found
    if found is not None:
        raise DeclarationError(
            f"{name!r} is read by the embedded demo model or by simulated customers, and recorded conversations"
            " have neither; try it with 'assistant prompts render'"
        )
    known = ", ".join(file.rpartition(".")[0] for file in files if not file.startswith(_NOT_PLAYED))
    raise DeclarationError(f"no prompt is called {name!r}; there are: {known}")


def edited_environment(
    environment: ReplayEnvironment, source: str, edit: Path, folder: str
) -> ReplayEnvironment:
    """Returns the environment with the text of ``edit`` in place of ``source``; error messages name
    ``folder``.

    Raises ``DeclarationError`` if the file is unreadable, or with one line ``file:line: problem; what would
    work`` for each mistake.
    """
    sources = {**environment.book.sources, source: _text(edit)}
    try:
        book = PromptBook(sources, folder)
    except DeclarationError as error:
        here = f"{folder}/{source}:"
        mistakes = find_mistakes(sources, folder, environment.book.sources)
        told = [f"{edit}:{line.removeprefix(here)}" if line.startswith(here) else line for line in mistakes]
        raise DeclarationError("\n".join(told)) from error
    return replace(environment, book=book, narrate=Narration(book).narrate_outcomes, bundle=book.bundle)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{file}:1: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise DeclarationError(f"--edit {file}: cannot be read: {error.strerror}") from error


ROLES: tuple[ModelRole, ...] = ("decider", "narrator")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPair:
    """A request to a model in the cassette's ``turn``-th turn, with today's and with the edited prompts.

    ``round`` is the number of the decision in the turn, from 1.
    """

    turn: int
    round: int
    role: ModelRole
    today: ModelRequest
    edited: ModelRequest

    @property
    def differs(self) -> bool:
        """Whether the two versions differ."""
        return self.today.view.instructions != self.edited.view.instructions


@dataclass(frozen=True, slots=True, kw_only=True)
class NotAsked:
    """A request that a turn does not reach with one of the versions; ``why`` is the reason."""

    turn: int
    role: ModelRole
    why: str


def request_pairs_of(
    cassette: Cassette, played: Played, today: ReplayEnvironment, edited: ReplayEnvironment
) -> Iterator[RequestPair | NotAsked]:
    """Yields all requests of a conversation that was replayed with ``today``, oldest first.

    Sends and runs nothing.
    """
    numbers = {turn.state.id: turn.number for turn in played_turns(played)}
    calls: list[tuple[ModelCall, ModelRole]] = [
        (call, role) for role in ROLES for call in model_calls_of(played.entries, role)
    ]
    for call, role in sorted(calls, key=lambda one: one[0].asked.seq):
        number = numbers[call.asked.turn_id]
        try:
            yield RequestPair(
                turn=number,
                round=getattr(call.asked.entry, "round", 1),
                role=role,
                today=_request(call, cassette, today),
                edited=_request(call, cassette, edited),
            )
        except AssistantError as error:
            yield NotAsked(turn=number, role=role, why=str(error))


def _request(call: ModelCall, cassette: Cassette, environment: ReplayEnvironment) -> ModelRequest:
    then = datetime.fromtimestamp(call.asked.at_ms / 1000, UTC)
    clock = VirtualClock(then, cassette.now.tzinfo)
    who = cassette.customer
    key = ConversationKey(tenant=who.tenant, customer=who.id, conversation="replayed")
    # The cassette's tools, because the clauses of questions are asked for again.
    mismatches = Mismatches()
    runs = CassetteRuns(cassette, mismatches, reusable_from=0)
    deps = turn_dependencies(cassette, environment, {}, runs, clock, mismatches)
    return run_virtually(capture_request(call, key, deps))


def transcript_changes(today: Played, edited: Played) -> list[str]:
    """Returns the lines of the transcript that differ, with ``-`` and ``+``, or empty if there are none."""
    return changed_lines(list(_lines(today)), list(_lines(edited)))


def _lines(played: Played) -> Iterator[str]:
    welcome = next((one.frame for one in played.frames if one.frame["type"] == "welcome"), None)
    for name, value in _about(welcome["assistant"] if welcome is not None else None):
        yield f"{name}: {value}"
    for number, turn in enumerate(played.state.turns, 1):
        yield from (f"turn {number}  {line.strip()}" for line in scene_of(turn).splitlines())
        yield f"turn {number}  {turn.how or 'unfinished'}"


def _about(assistant: Json) -> Iterator[tuple[str, str]]:
    """Yields the texts above the conversation: a name, a greeting, a line of fine print, some starters."""
    for name, value in assistant.items() if isinstance(assistant, dict) else ():
        for each in value if isinstance(value, list) else [value]:
            if each is not None:
                yield name, str(each)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The result of a comparison. ``heard`` are the lines that would differ for the customer."""

    name: str
    cassette: Cassette
    played: Played
    given: tuple[RequestPair, ...]
    not_asked: tuple[NotAsked, ...]
    heard: tuple[str, ...]


def compare(path: Path, today: ReplayEnvironment, edited: ReplayEnvironment) -> Comparison:
    """Replay the file with both versions. Raises ``DeclarationError`` if it cannot be read or replayed."""
    cassette = load(path).cassette
    try:
        played = replay(cassette, today)
        heard = transcript_changes(played, replay(cassette, edited))
        found = list(request_pairs_of(cassette, played, today, edited))
    except AssistantError as error:
        raise DeclarationError(f"{path}: cannot be played: {error}") from error
    return Comparison(
        name=path.name.removesuffix(SUFFIX),
        cassette=cassette,
        played=played,
        given=tuple(one for one in found if isinstance(one, RequestPair)),
        not_asked=tuple(one for one in found if isinstance(one, NotAsked)),
        heard=tuple(heard),
    )


_PLACES = 6
"""How many conversations are listed by name; of the others only the number is shown."""


def report(compared: Sequence[Comparison], source: str) -> Iterator[str]:
    """Yields the lines of the report: first the changes for models, then the changes for customers.

    ``source`` is the prompt's file.
    """
    named: tuple[ModelRole, ...] = tuple(role for role in ROLES if source == f"models/{role}.j2")
    for role in ROLES:
        given = [(one.name, each) for one in compared for each in one.given if each.role == role]
        if role in named or any(each.differs for _, each in given):
            yield from _given(role, given)
    yield from _heard(compared)
    for one in compared:
        for missed in one.not_asked:
            yield f"{one.name} {missed.turn}: {missed.role} not compared: {missed.why}"


def _given(role: ModelRole, given: Sequence[tuple[str, RequestPair]]) -> Iterator[str]:
    turns = {(name, each.turn) for name, each in given}
    names, differ = {name for name, _ in turns}, {(name, each.turn) for name, each in given if each.differs}
    told = f"{role}: {counted(len(turns), 'turn')} in {counted(len(names), 'conversation')}"
    if not given:
        yield f"{told}; nothing to compare"
        return
    before = fmean(len(each.today.view.instructions.split()) for _, each in given)
    after = fmean(len(each.edited.view.instructions.split()) for _, each in given)
    yield f"{told}; {len(differ)} {'differs' if len(differ) == 1 else 'differ'};" + (
        f" {before:,.0f} -> {after:,.0f} words on average"
    )
    texts = [
        ((name, each.turn), each.today.view.instructions, each.edited.view.instructions)
        for name, each in given
    ]
    for difference in group_differences(texts):
        yield f"\n  {_places(difference.where)}"
        yield from (f"    {line}".rstrip() for line in difference.lines)


def _heard(compared: Sequence[Comparison]) -> Iterator[str]:
    otherwise = [one for one in compared if one.heard]
    yield f"\ncustomers would hear something else in {len(otherwise)} of {counted(len(compared), 'conversation')}"
    alike: dict[tuple[str, ...], list[str]] = {}
    for one in otherwise:
        alike.setdefault(one.heard, []).append(one.name)
    for lines, names in alike.items():
        yield f"\n  {_listed(names, ', ')}"
        yield from (f"    {line}" for line in lines)


def _places(where: Sequence[Where]) -> str:
    """Returns the turns of each conversation.

    >>> _places([("one_lookup", 1), ("two_lookups", 1), ("two_lookups", 2)])
    '3 turns: one_lookup 1; two_lookups 1, 2'
    """
    named = [
        f"{name} {', '.join(str(turn) for _, turn in turns)}"
        for name, turns in groupby(where, key=lambda one: one[0])
    ]
    return f"{counted(len(where), 'turn')}: {_listed(named, '; ')}"


def _listed(names: Sequence[str], between: str) -> str:
    more = [f"and {len(names) - _PLACES} more"] if len(names) > _PLACES else []
    return between.join([*names[:_PLACES], *more])
