"""``assistant recall``: what today's rules would have stopped or changed in the past, and which customers to
contact.
"""

import asyncio
import re
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from math import inf
from pathlib import Path
from typing import Final, assert_never

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.assembly.storage import open_conversations
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.record import find_conversation, number_of
from assistant.conversation.customer import ConversationKey
from assistant.errors import DeclarationError
from assistant.recall.conversation import Period
from assistant.recall.findings import (
    Checked,
    Finding,
    LeftOut,
    NotAgreed,
    NotAllowed,
    NotAsked,
    Place,
    Recalled,
    Unchecked,
)
from assistant.recall.log import recall_log
from assistant.settings import Settings
from assistant.tenants import load_settings

NOTHING, FOUND, FAILED = 0, 1, 2
"""Exit codes. ``FAILED``: some conversations could not be checked, and the others had no findings."""

_CHECKED: Final[dict[Checked, tuple[str, str]]] = {
    "conversations": ("conversation", "conversations"),
    "turns": ("turn", "turns"),
    "readings": ("answer to a question", "answers to a question"),
    "writes": ("write", "writes"),
    "answers": ("reply of a model", "replies of a model"),
}
_UNCHECKED: Final[dict[Unchecked, str]] = {
    "shown_only": "replies no longer kept, or lost in a crash: only what was shown of them was checked",
    "shortened_results": "replies checked against results that are no longer kept in full",
    "not_judged": "sentences not judged, because the full results that may support them are no longer kept",
    "tool_gone": "writes whose tool does not exist any more: only the customer's yes was checked",
    "tool_differs": "writes whose tool does not accept those arguments any more: not checked",
    "prompts_gone": "turns whose prompts are no longer kept (all turns are checked with today's prompts)",
    "files_gone": "files of customers whose text is no longer kept",
}
_GROUPS: Final[tuple[tuple[type[Finding], str], ...]] = (
    (NotAgreed, "Writes that ran on an answer that is not a yes to them today"),
    (NotAsked, "Writes that ran without a question, where the customer must be asked today"),
    (NotAllowed, "Writes for a customer who is not known well enough for them"),
    (LeftOut, "Sentences that were shown and would be left out today"),
)
_DAYS = re.compile(r"(\d+)d")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """The options of the command. ``since`` and ``until``: ``30d`` or a date; "" for no limit."""

    since: str = ""
    until: str = ""
    conversation: str = ""
    json: Path | None = None
    processes: int | None = None


def recall(options: RecallOptions) -> int:
    """Check, print the findings, and return the exit code.

    Raises:
        AssistantError: the log, the tools or the prompts cannot be used.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    period = _period(options, clock)
    keys = asyncio.run(_keys(options, settings, period))
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    with _progress(console, len(keys)) as progress:
        found = recall_log(settings, keys, period, processes=options.processes, progress=progress)
    zone = clock.now().tzinfo or UTC
    for line in report(found, zone):
        console.print(line)
    for note in _notes(settings, period, clock):
        console.print(note)
    if options.json is not None:
        _write(options.json, as_json(found))
    if found.findings:
        return FOUND
    return FAILED if found.failures else NOTHING


def report(found: Recalled, zone: tzinfo = UTC) -> Iterator[str]:
    """The findings as lines: a summary, the findings by kind, the customers, and what was not checked."""
    checked = [number_of(found.checked[what], *words) for what, words in _CHECKED.items()]
    yield f"Checked with today's rules: {', '.join(checked)}."
    counts = [(sum(isinstance(one, kind) for one in found.findings), heading) for kind, heading in _GROUPS]
    for number, heading in counts:
        yield f"{number:>6}  {heading}"
    yield from _gains(found)
    for kind, heading in _GROUPS:
        these = [one for one in found.findings if isinstance(one, kind)]
        if these:
            yield f"\n{heading}:"
        for one in these:
            yield from _told(one, zone)
    if found.findings:
        yield "\nCustomers to contact:"
        yield from (f"  {line}" for line in _customers(found.findings))
    unchecked = [(found.unchecked[what], told) for what, told in _UNCHECKED.items() if found.unchecked[what]]
    if unchecked or found.failures:
        yield "\nNot checked, or in part only:"
    for number, told in unchecked:
        yield f"{number:>6}  {told}"
    for failure in found.failures:
        yield f"  conversation {failure.key.conversation} could not be checked to its end: {failure.why}"


def as_json(found: Recalled) -> bytes:
    """The findings as JSON, for programs, with all counts."""
    return orjson.dumps(
        {
            "checked": {what: found.checked[what] for what in _CHECKED},
            "findings": [asdict(one) for one in found.findings],
            "gains": [asdict(one) for one in found.gains],
            "customers": [
                {"tenant": tenant, "customer": customer, "findings": number}
                for (tenant, customer), number in _by_customer(found.findings).items()
            ],
            "unchecked": {what: found.unchecked[what] for what in _UNCHECKED},
            "failures": [asdict(one) for one in found.failures],
        },
        option=orjson.OPT_INDENT_2,
        default=dict,
    )


def _gains(found: Recalled) -> Iterator[str]:
    understood = sum(one.kind == "understood" for one in found.gains)
    shown = len(found.gains) - understood
    if found.gains:
        yield f"{understood:>6}  Answers that were not understood as a yes and are today"
        yield f"{shown:>6}  Sentences that were left out and would be shown today"


def _told(finding: Finding, zone: tzinfo) -> Iterator[str]:
    place = finding.place
    at = datetime.fromtimestamp(place.at_ms / 1000, zone)
    yield f"  {at:%Y-%m-%d %H:%M}  {_customer(place)}  conversation {place.key.conversation}, turn {place.turn}"
    match finding:
        case NotAgreed(question=question, said=said, reading=reading):
            yield f"    Asked: {question}"
            yield f"    Said: {said}"
            yield f"    Today this answer is read as: {reading}"
        case NotAsked(said=said):
            yield f"    Said: {said}"
            yield "    Today the customer must say yes to it first."
        case NotAllowed(requires=requires):
            yield f"    The customer was {place.level}; the tool requires {requires}."
        case LeftOut(sentence=sentence, guardrail=guardrail):
            yield f"    Shown: {sentence}"
            yield f"    Today it is left out by: {guardrail}"
            return
        case _:
            assert_never(finding)
    arguments = orjson.dumps(finding.call.arguments, default=dict).decode()
    yield f"    {finding.call.tool} {arguments}: {finding.outcome or 'no outcome yet'}"


def _customer(place: Place) -> str:
    name = f" ({place.name})" if place.name else ""
    is_visitor = place.level == "anonymous" and place.customer == place.key.customer
    return f"{'visitor' if is_visitor else 'customer'} {place.customer}{name}"


def _customers(findings: Sequence[Finding]) -> Iterator[str]:
    places = {(one.place.key.tenant, one.place.customer): one.place for one in findings}
    for whose, number in _by_customer(findings).items():
        yield f"{_customer(places[whose])}: {number_of(number, 'finding', 'findings')}"


def _by_customer(findings: Sequence[Finding]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for one in findings:
        whose = (one.place.key.tenant, one.place.customer)
        counts[whose] = counts.get(whose, 0) + 1
    return counts


def _period(options: RecallOptions, clock: SystemClock) -> Period:
    return Period(
        since_ms=moment_ms(options.since, "--since", clock) if options.since else -inf,
        until_ms=moment_ms(options.until, "--until", clock) if options.until else inf,
    )


def moment_ms(text: str, option: str, clock: SystemClock) -> float:
    """A number of days ago, or the beginning of a day, in Unix ms. Raises ``typer.BadParameter``."""
    now = clock.now()
    if days := _DAYS.fullmatch(text):
        return (now - timedelta(days=int(days[1]))).timestamp() * 1000
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        cure = "write a number of days such as 30d, or a date such as 2026-11-01"
        raise typer.BadParameter(f"{text!r} is no time; {cure}", param_hint=option) from error
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=now.tzinfo)).timestamp() * 1000


async def _keys(options: RecallOptions, settings: Settings, period: Period) -> list[ConversationKey]:
    async with open_conversations(settings) as conversations:
        if options.conversation:
            return [await find_conversation(options.conversation, conversations)]
        return [one.key for one in await conversations.listed() if one.last_ms >= period.since_ms]


def _notes(settings: Settings, period: Period, clock: SystemClock) -> Iterator[str]:
    """What cannot be counted, because no data is left of it."""
    days = settings.keep_conversations_days
    if days is not None and period.since_ms < clock.now_ms() - days * 86_400_000:
        yield f"\nConversations are kept for {days} days (ASSISTANT_KEEP_CONVERSATIONS_DAYS); older ones are gone."
    if settings.document_store != "embedded":
        yield "\nDocuments are kept on another server, so missing files of customers were not counted."


@contextmanager
def _progress(console: Console, conversations: int) -> Generator[Callable[[int], None]]:
    if not console.is_terminal:
        yield lambda _: None
        return
    columns = TextColumn("checking"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("checking", total=conversations)
        yield lambda number: progress.update(bar, advance=number)


def _write(file: Path, content: bytes) -> None:
    try:
        file.touch(mode=0o600)  # it contains customers' words
        file.write_bytes(content)
    except OSError as error:
        raise DeclarationError(f"{file}: cannot be written: {error.strerror}") from error
