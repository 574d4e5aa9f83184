"""``assistant conversations``: finds conversations, and prints the messages and calls of one."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from math import inf
from typing import Literal

import orjson
import typer
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from assistant.assembly.reports import open_report_maker
from assistant.assembly.storage import open_conversations
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.recall import moment_ms
from assistant.commands.record import find_conversation, number_of
from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    ConfirmationAnswered,
    CustomerMessage,
    Handoff,
    Identified,
    Logged,
    MessageClosed,
    MessageText,
    Rated,
    SentenceSuppressed,
    TurnEnded,
)
from assistant.conversation.outcomes import CallCancelled, CallDenied, CallFailed, outcome_name
from assistant.conversation.state import ConversationState
from assistant.conversation.transcript import delivered_text
from assistant.conversation.views import with_files
from assistant.errors import LogError
from assistant.language.personal_data import mask_secrets
from assistant.reports.collect import names_in
from assistant.reports.summary import VISIT_OUTCOMES, JudgedVisit
from assistant.settings import Settings
from assistant.tenants import load_settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """The options of the list: which visits, and how many of the newest. "" for any."""

    since: str = "7d"
    until: str = ""
    customer: str = ""
    outcome: str = ""
    rating: str = ""
    handoff: bool = False
    limit: int = 50
    as_json: bool = False
    masked: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVisit:
    """One row of the list. ``request`` is the customer's first message."""

    began_at: int
    conversation: str
    customer: str
    turns: int
    outcome: str
    rating: str | None
    handoff: str | None
    cost_usd: float | None
    request: str


def list_conversations(options: ListOptions) -> None:
    """Print the matching visits, the newest first.

    Raises:
        AssistantError: the log cannot be used.
    """
    if options.outcome not in ("", *VISIT_OUTCOMES):
        known = ", ".join(VISIT_OUTCOMES)
        raise typer.BadParameter(f"{options.outcome!r} is none; there are {known}", param_hint="--outcome")
    if options.rating not in ("", "up", "down"):
        raise typer.BadParameter(f"{options.rating!r} is none; there are up, down", param_hint="--rating")
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    zone = clock.now().tzinfo or UTC
    since = moment_ms(options.since, "--since", clock) if options.since else -inf
    until = moment_ms(options.until, "--until", clock) if options.until else inf
    rows, left = asyncio.run(_rows(options, settings, (since, until), zone, clock.now_ms()))
    if options.as_json:
        typer.echo(orjson.dumps([asdict(row) for row in rows], option=orjson.OPT_INDENT_2))
        return
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(Group(*_listing(rows, zone)) if rows else "none")
    if left:
        console.print(f"and {left} older ones; --limit shows more", style="dim")


async def _rows(
    options: ListOptions, settings: Settings, period: tuple[float, float], zone: tzinfo, now_ms: int
) -> tuple[list[ListedVisit], int]:
    async with open_report_maker(settings) as maker:
        found = [
            one
            for one in await maker.judged(zone, now_ms)
            if period[0] <= one.visit.last_ms and one.visit.began_ms < period[1] and _fits(one, options)
        ]
        shown = found[: -options.limit - 1 : -1]
        rows = list[ListedVisit]()
        for one in shown:
            entries = list[Logged]()
            with suppress(LogError):  # the conversation may have been erased since
                entries = await maker.conversations.read(one.key)
            rows.append(_row(one, entries, masked=options.masked))
        return rows, len(found) - len(shown)


def _fits(one: JudgedVisit, options: ListOptions) -> bool:
    return (
        options.customer in ("", one.visit.customer, one.key.customer)
        and options.outcome in ("", one.outcome)
        and options.rating in ("", one.visit.rating)
        and (not options.handoff or one.visit.handoff is not None)
    )


def _row(one: JudgedVisit, entries: Sequence[Logged], *, masked: bool) -> ListedVisit:
    visit = one.visit
    said = (logged.entry for logged in entries if visit.first_seq <= logged.seq <= visit.last_seq)
    text = " ".join(next((entry.text for entry in said if isinstance(entry, CustomerMessage)), "").split())
    costs = [turn.usage.cost_usd for turn in visit.turns]
    return ListedVisit(
        began_at=visit.began_ms,
        conversation=one.key.conversation,
        customer=visit.customer,
        turns=len(visit.turns),
        outcome=one.outcome,
        rating=visit.rating,
        handoff=visit.handoff.state if visit.handoff is not None else None,
        cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
        request=mask_secrets(text, names_in(entries)) if masked else text,
    )


def _listing(rows: Sequence[ListedVisit], zone: tzinfo) -> Iterator[Text]:
    """Each visit with its facts, and the customer's first message."""
    for row in rows:
        at = f"{datetime.fromtimestamp(row.began_at / 1000, zone):%Y-%m-%d %H:%M}"
        facts = [row.outcome, number_of(row.turns, "turn", "turns")]
        if row.rating is not None:
            facts.append(f"rated {row.rating}")
        if row.handoff is not None and row.outcome != "handed_over":
            facts.append(f"handoff {row.handoff}")
        yield Text(f"{at}  {row.conversation}  {row.customer}")
        yield Text(f"    {', '.join(facts)}", style="dim")
        if row.request:
            yield Text(f"    {row.request}")


LineKind = Literal[
    "customer", "acknowledgement", "status", "response", "agent", "tool", "handoff", "rating", "answer",
    "suppressed", "identified", "turn",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLine:
    """One line of a conversation. ``text`` is a message, or an event; ``turn`` is "" between turns."""

    at_ms: int
    turn: str
    kind: LineKind
    text: str


def show(conversation: str, *, as_json: bool, masked: bool) -> None:
    """Print the messages and events of a conversation.

    Raises:
        typer.BadParameter: there is no such conversation, or more than one.
        AssistantError: the log cannot be read.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    key, entries = asyncio.run(_read(settings, conversation))
    lines = shown_lines(entries, masked=masked)
    if as_json:
        told = {"conversation": key.conversation, "lines": [asdict(line) for line in lines]}
        typer.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2))
        return
    zone = SystemClock(settings.time_zone).now().tzinfo or UTC
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(f"conversation {key.conversation}, customer {key.customer}", style="bold")
    _print(console, lines, zone)


async def _read(settings: Settings, asked: str) -> tuple[ConversationKey, list[Logged]]:
    async with open_conversations(settings) as conversations:
        key = await find_conversation(asked, conversations)
        return key, await conversations.read(key)


def shown_lines(entries: Sequence[Logged], *, masked: bool) -> list[ShownLine]:
    """The lines of a conversation, in order. ``masked``: without personal data that has a recognisable form,
    and without the names with which the customer identified themselves.
    """
    lines = list(_lines(entries))
    if not masked:
        return lines
    names = names_in(entries)
    return [
        ShownLine(at_ms=line.at_ms, turn=line.turn, kind=line.kind, text=mask_secrets(line.text, names))
        for line in lines
    ]


def _lines(entries: Sequence[Logged]) -> Iterator[ShownLine]:
    state, begun = ConversationState(entries), dict[str, int]()
    for logged in entries:
        told = _told(logged, state)
        if isinstance(logged.entry, MessageText):
            begun.setdefault(logged.entry.message_id, logged.at_ms)
        if told is not None:
            kind, text = told
            at_ms = logged.at_ms
            if isinstance(logged.entry, MessageClosed):
                at_ms = begun.get(logged.entry.message_id, at_ms)
            yield ShownLine(at_ms=at_ms, turn=logged.turn_id, kind=kind, text=text)


def _told(logged: Logged, state: ConversationState) -> tuple[LineKind, str] | None:
    match entry := logged.entry:
        case CustomerMessage(text=text, attachments=attachments, button=button):
            return "customer", f"[{button}] {text}" if button else with_files(text, attachments)
        case MessageClosed(message_id=message_id, kind=kind, interrupted=interrupted):
            message = state.message(message_id)
            text = delivered_text(message) if message is not None else ""
            return kind, f"{text} [interrupted]" if interrupted else text
        case AgentMessage(name=name, text=text):
            return "agent", f"{name}: {text}"
        case CallEnded():
            return "tool", _call(entry)
        case Handoff(state=step, name=name, ticket=ticket, why=why):
            return "handoff", " ".join(filter(None, (step, name, ticket, f"({why})" if why else "")))
        case Rated(message_id=message_id, rating=rating, text=text):
            return "rating", " ".join(filter(None, (rating or "taken back", f"for {message_id}", text)))
        case ConfirmationAnswered(answer=answer):
            return "answer", f"read as {answer}"
        case SentenceSuppressed(guardrail=guardrail, text=text):
            return "suppressed", f"by {guardrail}: {text}"
        case Identified(level=level, customer=customer):
            return "identified", " ".join(filter(None, (level, customer)))
        case TurnEnded(turn_id=turn_id, how=how):
            return ("turn", f"{turn_id} {how}") if how != "answered" else None
        case _:
            return None


def _call(entry: CallEnded) -> str:
    outcome = entry.outcome
    arguments = orjson.dumps(outcome.call.arguments, default=dict).decode()
    why = ""
    match outcome:
        case CallFailed(for_model=reason) | CallDenied(for_model=reason) | CallCancelled(why=reason):
            why = f": {reason}"
        case _:
            pass
    how = f"{outcome_name(outcome)}, {entry.duration_ms} ms{', late' if entry.late else ''}"
    return f"{outcome.call.tool} {arguments} -> {how}{why}"


def _print(console: Console, lines: Sequence[ShownLine], zone: tzinfo) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    day = ""
    for line in lines:
        at = datetime.fromtimestamp(line.at_ms / 1000, zone)
        if f"{at:%Y-%m-%d}" != day:
            day = f"{at:%Y-%m-%d}"
            table.add_row("", "", Text(day, style="dim"))
        style = "bold" if line.kind == "customer" else "dim" if line.kind in _ASIDE else ""
        table.add_row(f"{at:%H:%M:%S}", Text(line.kind, style=style), Text(line.text, style=style))
    console.print(table)


_ASIDE = ("tool", "answer", "suppressed", "identified", "turn")
