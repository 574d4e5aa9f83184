"""``assistant memory``: what is stored about a conversation, and what models would receive of it.

It works while a server runs, and prints tables, text or JSON.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias, assert_never

import orjson
import typer
from rich.console import Console
from rich.table import Table

from assistant.app import known_to_tools
from assistant.assembly.context_inspector import NextSummary, inspection_dependencies, next_summary
from assistant.assembly.storage import open_conversations
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.record import find_conversation
from assistant.commands.stored.documents import open_library
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged, Snapshot, Summary
from assistant.conversation.state import ConversationState
from assistant.conversation.turn_state import TurnState
from assistant.conversation.values import Json
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, View, ViewMessage
from assistant.errors import AssistantError, DeclarationError
from assistant.formats.json_text import json_text
from assistant.formats.tools import PICTURES, text_with_captions
from assistant.language.sanitize import sanitize
from assistant.memory.budget import Budget
from assistant.memory.library import DocumentState
from assistant.ports import Clock, ModelRequest
from assistant.sessions.config_version import bundle_of
from assistant.sessions.context_report import (
    ContextReport,
    TurnReport,
    budget_of,
    context_report,
    running_or_next,
    snapshots_of,
)
from assistant.settings import Settings
from assistant.store.storage import StoredBundle
from assistant.tenants import load_settings
from assistant.turn.context import TurnDependencies

_Documents: TypeAlias = tuple[Mapping[DocumentState, int], str]
"""The number of documents in each state; or why it is unknown."""

_NONE: _Documents = {}, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summariser:
    """The summary model and its next request; None: there is nothing to summarise now."""

    model: str
    budget: Budget
    next: NextSummary | None

    @property
    def used(self) -> int:
        """The tokens of its next request."""
        if self.next is None:
            return 0
        view, sizes = self.next.request.view, self.budget.sizes
        return sizes.frame(view.system, view.late, ()) + sum(map(sizes.turn, view.turns))


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """All data that the command shows.

    ``given`` is for the decision model and the narrator. ``summariser`` is None if only rules write summaries.
    ``snapshots`` are by turn. ``documents`` says how many of this customer's documents are stored, and how many
    wait; ``problem`` says why that is unknown.
    """

    key: ConversationKey
    turns: int
    running: bool
    bundle: str
    given: tuple[ContextReport, ...]
    summariser: Summariser | None
    summary: Summary | None
    snapshots: tuple[tuple[str, Snapshot], ...]
    documents: Mapping[DocumentState, int]
    problem: str = ""


def show(conversation: str, *, as_json: bool, full: bool) -> None:
    """Print the data about a conversation.

    Args:
        conversation: its id, the beginning of an id, or "last".
        as_json: as one JSON object.
        full: also the text of each request.

    Raises:
        AssistantError: some data cannot be read, or a setting is wrong.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    found = asyncio.run(remembered(settings, clock, conversation))
    if as_json:
        typer.echo(memory_as_json(found, full=full))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    print_tables(console, found)
    if full:
        print_texts(console, found)


async def remembered(settings: Settings, clock: Clock, conversation: str) -> Remembered:
    """Collect the data; asks no model and changes nothing. Raises the same errors as :func:`show`."""
    async with open_conversations(settings) as conversations:
        key = await find_conversation(conversation, conversations)
        entries = await conversations.read(key)
        bundle = bundle_of(entries) or ""
        kept = await conversations.bundle(key.tenant, bundle)
        has_documents = conversations.keeps_documents
    with known_to_tools(settings):
        deps = _deps(settings, clock, kept)
    state = ConversationState(entries)
    documents, problem = await _documents(settings, clock, key) if has_documents else _NONE
    turn = running_or_next(key, entries, deps)
    return Remembered(
        key=key,
        turns=len(state.turns),
        running=state.unfinished is not None,
        bundle=bundle,
        given=(context_report("decider", turn, deps), context_report("narrator", turn, deps)),
        summariser=await _summariser(key, entries, deps),
        summary=state.summary,
        snapshots=tuple(
            (each.id, snapshot)
            for each in state.turns
            for snapshot in snapshots_of(each, key.conversation).values()
        ),
        documents=documents,
        problem=problem,
    )


def _deps(settings: Settings, clock: Clock, kept: StoredBundle | None) -> TurnDependencies:
    """Dependencies with the conversation's prompts; with today's if this release cannot use those, like the
    server.
    """
    if kept is not None:
        with suppress(DeclarationError):
            return inspection_dependencies(settings, clock, kept)
    return inspection_dependencies(settings, clock, None)


async def _summariser(
    key: ConversationKey, entries: Sequence[Logged], deps: TurnDependencies
) -> Summariser | None:
    if deps.summariser is None:
        return None
    return Summariser(
        model=deps.summariser.model.name,
        budget=budget_of("summariser", deps),
        next=await next_summary(key, entries, deps),
    )


async def _documents(settings: Settings, clock: Clock, key: ConversationKey) -> _Documents:
    """The documents of this customer alone."""
    try:
        async with open_library(settings, clock) as at:
            listed = await at.library.documents(key.tenant, key.customer)
    except AssistantError as error:
        return {}, str(error)
    return Counter(one.state for one in listed), ""


def print_texts(console: Console, found: Remembered) -> None:
    """Print the exact text of each request, without wrapping or shortening."""
    for role, request in requests_of(found):
        console.print(f"\nWhat the {role} would be given", style="bold")
        for who, text in messages_of(request.view):
            console.print(f"--- {who}", style="dim")
            console.out(text)


def requests_of(found: Remembered) -> Iterator[tuple[str, ModelRequest]]:
    """All requests by role."""
    yield from ((given.role, given.request) for given in found.given)
    if found.summariser is not None and found.summariser.next is not None:
        yield "summariser", found.summariser.next.request


def messages_of(view: View) -> Iterator[tuple[str, str]]:
    """Speaker and text of each message, in order."""
    yield "instructions", view.system
    for message in view.messages:
        yield from _said(message)
    if view.late:
        yield "instructions, last of all", view.late


def _said(message: ViewMessage) -> Iterator[tuple[str, str]]:
    match message:
        case FromCustomer(text=text):
            yield "customer", text
        case FromAssistant(text=text, calls=calls):
            if text:
                yield "assistant", text
            for call in calls:
                yield f"call {call.id}", f"{call.tool} {json_text(call.arguments)}"
        case FromTools(outcomes=outcomes):
            for outcome in outcomes:
                yield f"result of {outcome.call.id}", text_with_captions(outcome, PICTURES)
        case _:
            assert_never(message)


def print_tables(console: Console, found: Remembered) -> None:
    """Print a table for each model, and one of the snapshots; then the summary and the number of documents."""
    key = found.key
    console.print(f"Conversation {key.conversation}", style="bold")
    turns = f"{found.turns} {'turn' if found.turns == 1 else 'turns'}"
    console.print(
        f"{turns}, customer {key.customer} of {key.tenant}, bundle {found.bundle or 'not chosen yet'}"
    )
    for one in found.given:
        _headed(console, one.role, one.model, one.budget, one.used)
        console.print(_request(one, found))
    _print_summariser(console, found.summariser)
    if found.snapshots:
        console.print(f"\nSnapshots, each of result:{key.conversation}/...", style="bold")
        console.print(_snapshots(found.snapshots))
    if found.summary is not None:
        by = "a rule" if found.summary.made_by == "rule" else "the summary model"
        console.print(f"\nSummary of all turns up to {found.summary.last_turn_id}, by {by}", style="bold")
        console.print(sanitize(found.summary.text))
    console.print(f"\nDocuments of this customer: {_documents_line(found)}")


def _headed(console: Console, role: str, model: str, budget: Budget, used: int) -> None:
    console.print(f"\n{role}: {model}", style="bold")
    share = f"{used:,} of {budget.tokens:,} tokens ({used / budget.tokens:.0%})"
    console.print(f"{share}, counted by {budget.counter.name}")


def _request(given: ContextReport, found: Remembered) -> Table:
    table = _table("tokens", "part", "results", "")
    table.columns[0].justify = "right"
    table.add_row(f"{given.instructions:,}", "instructions")
    table.add_row(f"{given.tools:,}", f"{len(given.request.tools)} tools on offer")
    if given.summarised:
        table.add_row(f"{given.earlier:,}", _span(given.summarised), "", "replaced by the summary")
    if given.no_room:
        table.add_row("-", _span(given.no_room), "", "left out: no room", style="dim")
    for turn in given.turns:
        running = ("", " now" if found.running else " next")[turn is given.turns[-1]]
        results = _results(turn, found.key.conversation)
        table.add_row(f"{turn.tokens:,}", f"{turn.turn.id}{running}", results, _words(turn.turn))
    return table


def _table(*names: str) -> Table:
    """A table with these columns; the last column gets the rest of the terminal's width."""
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    for name in names:
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=1 if name is names[-1] else None)
    return table


def _print_summariser(console: Console, summariser: Summariser | None) -> None:
    if summariser is None:
        console.print("\nsummariser: none", style="bold")
        console.print("Rules alone write summaries.")
        return
    coming = summariser.next
    _headed(console, "summariser", summariser.model, summariser.budget, summariser.used)
    console.print(
        "Nothing is to be summarised now." if coming is None else f"Next it is given a {coming.of}."
    )


def _words(turn: TurnState) -> str:
    if turn.unasked:
        return "(no message: late results)" if turn.turn.cause == "late_result" else "(a handoff)"
    text = " ".join(sanitize(turn.message.text).split())
    return f'"{text}"' if text else "(no words yet)"


def _results(given: TurnReport, conversation: str) -> str:
    """The form in which the results of its calls are in the request; "" if there are none."""
    if not given.calls:
        return ""
    kinds = Counter(map(_kind, snapshots_of(given.turn, conversation).values()))
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or f"{given.calls} in full"


def _kind(snapshot: Snapshot) -> str:
    if snapshot.made_by == "model":
        return "by a model"
    return "complete" if snapshot.complete else "shortened"


def _snapshots(snapshots: Sequence[tuple[str, Snapshot]]) -> Table:
    table = _table("call", "tool", "kept", "arguments", "what later turns are given")
    for place, most in enumerate((9, 20, 10, 16)):
        table.columns[place].max_width = most
    for turn_id, one in snapshots:
        summary = one.result_summary
        text = summary if isinstance(summary, str) else json_text(summary)
        table.add_row(
            f"{turn_id}/{one.call_id}",
            one.tool_name,
            _kind(one),
            sanitize(json_text(one.arguments)) if one.arguments else "-",
            " ".join(sanitize(text).split()),
        )
    return table


def _span(ids: Sequence[str]) -> str:
    """A range of turn ids that follow one another.

    >>> _span(["t1", "t2", "t3"]), _span(["t4"])
    ('t1 to t3', 't4')
    """
    return ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"


def _documents_line(found: Remembered) -> str:
    if found.problem:
        return f"not to be had: {found.problem}"
    return ", ".join(_counts(found.documents)) or "none"


def _counts(documents: Mapping[DocumentState, int]) -> Iterator[str]:
    wordings: dict[DocumentState, str] = {
        "kept": "in the library",
        "waiting": "wait to be written",
        "failed": "failed permanently",
    }
    return (f"{documents[state]} {words}" for state, words in wordings.items() if documents.get(state))


def memory_as_json(found: Remembered, *, full: bool) -> str:
    """One JSON object; with ``full``, the messages of each request are in ``texts``."""
    data: dict[str, Json] = {
        "conversation": found.key.conversation,
        "tenant": found.key.tenant,
        "customer": found.key.customer,
        "turns": found.turns,
        "running": found.running,
        "bundle": found.bundle,
        "models": {given.role: _given_as_json(given) for given in found.given},
        "summariser": _summariser_as_json(found.summariser),
        "summary": None,
        "snapshots": [_snapshot_as_json(turn_id, snapshot) for turn_id, snapshot in found.snapshots],
        "documents": {state: found.documents.get(state, 0) for state in ("kept", "waiting", "failed")},
        "problem": found.problem or None,
    }
    if found.summary is not None:
        summary = found.summary
        data["summary"] = {"up_to": summary.last_turn_id, "text": summary.text, "made_by": summary.made_by}
    if full:
        data["texts"] = {
            role: [{"from": who, "text": text} for who, text in messages_of(request.view)]
            for role, request in requests_of(found)
        }
    return orjson.dumps(orjson.loads(json_text(data)), option=orjson.OPT_INDENT_2).decode()


def _given_as_json(given: ContextReport) -> Json:
    turns: list[Json] = [
        {
            "turn": one.turn.id,
            "tokens": one.tokens,
            "message": "" if one.turn.unasked else one.turn.message.text,
            "calls": one.calls,
        }
        for one in given.turns
    ]
    return {
        "model": given.model,
        "counter": given.budget.counter.name,
        "budget": given.budget.tokens,
        "used": given.used,
        "instructions": given.instructions,
        "tools": given.tools,
        "tools_on_offer": len(given.request.tools),
        "earlier": given.earlier,
        "turns": turns,
        "in_summary": list(given.summarised),
        "no_room": list(given.no_room),
    }


def _summariser_as_json(summariser: Summariser | None) -> Json:
    if summariser is None:
        return None
    coming = summariser.next
    return {
        "model": summariser.model,
        "counter": summariser.budget.counter.name,
        "budget": summariser.budget.tokens,
        "used": summariser.used,
        "next": None if coming is None else coming.of,
    }


def _snapshot_as_json(turn_id: str, one: Snapshot) -> Mapping[str, Json]:
    return {
        "turn": turn_id,
        "call": one.call_id,
        "tool": one.tool_name,
        "arguments": one.arguments,
        "result_summary": one.result_summary,
        "full_result_ref": one.full_result_ref,
        "complete": one.complete,
        "made_by": one.made_by,
    }
