"""``assistant report``: how conversations ended, in the terminal, as JSON or as CSV."""

import asyncio
import csv
import io
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, tzinfo
from math import inf
from typing import Final

import orjson
import typer
from rich.console import Console, Group
from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from assistant.assembly.reports import open_report_maker
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.recall import moment_ms
from assistant.reports.collect import Period
from assistant.reports.summary import Figures, Latency, Report, RequestGroup, VisitOutcome
from assistant.settings import Settings
from assistant.tenants import load_settings

_OUTCOMES: Final[dict[VisitOutcome, str]] = {
    "confirmed": "resolved, confirmed by the customer",
    "not_contradicted": "resolved, not contradicted in 7 days",
    "waiting": "answered, 7 days not over",
    "returned": "answered, came back within 7 days",
    "unresolved": "not resolved",
    "abandoned": "abandoned",
    "handed_over": "handed over to an agent",
    "ticket": "no agent came, ticket",
    "running": "still running",
}
_REASONS: Final[dict[str, str]] = {
    "no_answer": "no answer",
    "nothing_found": "nothing found",
    "rated_down": "rated down",
    "no_lookup": "words alone",
}
_BLOCKS = " ▏▎▍▌▋▊▉█"
_BAR, _GROUPS, _TOOLS, _DAYS = 24, 10, 12, 31


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The options of the command. ``since`` and ``until``: ``30d`` or a date; "" for no limit. ``sample``: count
    the example conversations, too.
    """

    since: str = "7d"
    until: str = ""
    as_json: bool = False
    as_csv: bool = False
    sample: bool = False


def report(options: ReportOptions) -> None:
    """Print the report.

    Raises:
        AssistantError: the log or the stored facts cannot be used.
    """
    set_up_logging("ERROR")
    settings = load_settings()
    clock = SystemClock(settings.time_zone, settings.now)
    zone = clock.now().tzinfo or UTC
    period = Period(
        since_ms=moment_ms(options.since, "--since", clock) if options.since else 0,
        until_ms=moment_ms(options.until, "--until", clock) if options.until else inf,
        zone=zone,
    )
    made = asyncio.run(_made(settings, period, clock.now_ms(), sample=options.sample))
    if options.as_json:
        typer.echo(report_as_json(made))
    elif options.as_csv:
        typer.echo(report_as_csv(made), nl=False)
    else:
        console = Console(highlight=False, markup=False, emoji=False)
        console.print(report_as_text(made, zone))


async def _made(settings: Settings, period: Period, now_ms: int, *, sample: bool) -> Report:
    with _progress() as progress:
        async with open_report_maker(settings, progress, sample=sample) as maker:
            return await maker.report(period, now_ms)


@contextmanager
def _progress() -> Generator[Callable[[int, int], None]]:
    """A bar on standard error while conversations are read, if it is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _all, _read: None
        return
    columns = TextColumn("reading conversations"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("reading", total=None)
        yield lambda all_, read: progress.update(bar, total=all_, advance=read)


def report_as_json(made: Report) -> bytes:
    """The report as one JSON object."""
    return orjson.dumps(asdict(made), option=orjson.OPT_INDENT_2, default=dict)


def report_as_csv(made: Report) -> str:
    """A header line, and one line for each day."""
    text = io.StringIO()
    lines = [_row(each.day, each.figures) for each in made.days]
    writer = csv.DictWriter(text, [*_row("", made.total)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def _row(day: str, of: Figures) -> dict[str, object]:
    return {
        "day": day,
        "visits": of.visits,
        "customers": of.customers,
        "turns": of.turns,
        **of.outcomes,
        "returned_within_7_days": of.returned,
        "deleted": of.deleted,
        "rated_up": of.rated_up,
        "rated_down": of.rated_down,
        "unanswered": of.unanswered,
        "first_words_median_ms": of.first_words.median_ms,
        "first_words_p95_ms": of.first_words.p95_ms,
        "first_fact_median_ms": of.first_fact.median_ms,
        "first_fact_p95_ms": of.first_fact.p95_ms,
        "answer_median_ms": of.answer.median_ms,
        "answer_p95_ms": of.answer.p95_ms,
        "tool_calls": sum(tool.calls for tool in of.tools),
        "tool_failures": sum(sum(tool.failures.values()) for tool in of.tools),
        "cost_usd": of.cost.usd,
        "turns_with_unknown_cost": of.cost.unknown_turns,
        "input_tokens": of.cost.input_tokens,
        "output_tokens": of.cost.output_tokens,
    }


def report_as_text(made: Report, zone: tzinfo) -> Group:
    """The report for a terminal of 80 columns or more."""
    of = made.total
    since = _date(made.since_ms, zone) if made.since_ms else "the beginning"
    head = f"{made.tenant}, from {since} to {_date(made.until_ms, zone)}: {of.visits} visits"
    return Group(
        Text(f"{head} of {of.customers} customers, {of.turns} turns", style="bold"),
        *_section("How visits ended", _outcomes(of)),
        *_section("By day", _days(made)),
        *_section("Customers", _ratings(of)),
        *_section("Latency after the customer's message", _latency(of)),
        *_section("Cost", _cost(of)),
        *_section("Tools", _tools(of)),
        *_section(f"Unanswered requests: {of.unanswered}", _groups(made.unanswered)),
        *_section("Reasons of handoffs", _groups(made.handoff_reasons)),
        *(Text(note, style="dim") for note in _notes(made, zone)),
    )


def _section(title: str, content: Table | Text | None) -> Iterator[Text | Padding]:
    if content is not None:
        yield Text(f"\n{title}", style="bold")
        yield Padding(content, (0, 0, 0, 2))


def _plain_table(*numbers: int) -> Table:
    """A table without lines, in which the columns with these numbers are aligned to the right."""
    table = Table(box=None, pad_edge=False, show_header=False)
    for column in range(max(numbers, default=0) + 1):
        table.add_column(justify="right" if column in numbers else "left", no_wrap=column in numbers)
    return table


def _outcomes(of: Figures) -> Table | Text:
    if not of.visits:
        return Text("none")
    table = _plain_table(1, 2)
    most = max(of.outcomes.values())
    for name, told in _OUTCOMES.items():
        if number := of.outcomes[name]:
            table.add_row(told, str(number), f"{100 * number / of.visits:.0f} %", bar(number, most))
    return table


def _days(made: Report) -> Table | None:
    if len(made.days) < 2:
        return None
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("day")
    for name in ("visits", "resolved", "handed over", "up", "down", "words ms", "cost $"):
        table.add_column(name, justify="right")
    table.add_column("")
    most = max(each.figures.visits for each in made.days)
    for each in made.days[-_DAYS:]:
        of = each.figures
        resolved = of.outcomes["confirmed"] + of.outcomes["not_contradicted"]
        cost = f"{of.cost.usd:.2f}" if of.cost.known_turns else "-"
        numbers = (of.visits, resolved, of.outcomes["handed_over"], of.rated_up, of.rated_down)
        words = of.first_words.median_ms
        table.add_row(
            each.day, *map(str, numbers), "-" if words is None else str(words), cost, bar(of.visits, most, 16)
        )
    return table


def _ratings(of: Figures) -> Table:
    table = _plain_table(1)
    table.add_row("rated up", str(of.rated_up))
    table.add_row("rated down", str(of.rated_down))
    table.add_row("came back within 7 days, after any outcome", str(of.returned))
    return table


def _latency(of: Figures) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("", "median ms", "p95 ms", "turns"):
        table.add_column(name, justify="right" if name else "left")
    rows: Mapping[str, Latency] = {
        "first words": of.first_words,
        "first fact": of.first_fact,
        "whole answer": of.answer,
    }
    for told, one in rows.items():
        table.add_row(told, _number(one.median_ms), _number(one.p95_ms), str(one.number))
    return table


def _cost(of: Figures) -> Table:
    table, cost = _plain_table(1), of.cost
    table.add_row("models, in total", f"${cost.usd:.2f}" if cost.known_turns else "unknown")
    table.add_row("for each turn", _usd(cost.per_turn_usd))
    table.add_row("for each confirmed resolution", _usd(cost.per_confirmed_usd))
    if cost.unknown_turns:
        table.add_row("turns whose cost is unknown", str(cost.unknown_turns))
    return table


def _tools(of: Figures) -> Table | None:
    if not of.tools:
        return None
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("tool", "calls", "failed", "median ms", "p95 ms"):
        table.add_column(name, justify="left" if name == "tool" else "right")
    table.add_column("")
    for one in of.tools[:_TOOLS]:
        failed = sum(one.failures.values())
        table.add_row(
            one.tool,
            str(one.calls),
            str(failed),
            _number(one.duration.median_ms),
            _number(one.duration.p95_ms),
            ", ".join(f"{name.replace('_', ' ')} {number}" for name, number in one.failures.items()),
        )
    return table


def _groups(groups: Sequence[RequestGroup]) -> Table | None:
    if not groups:
        return None
    table = _plain_table(0)
    table.add_column()
    table.add_column()
    for one in groups[:_GROUPS]:
        reasons = ", ".join(f"{_REASONS.get(name, name)} {number}" for name, number in one.reasons.items())
        table.add_row(str(one.number), one.examples[0], Text(reasons, style="dim"))
        for example in one.examples[1:2]:
            table.add_row("", Text(example, style="dim"), "")
    if len(groups) > _GROUPS:
        left = groups[_GROUPS:]
        table.add_row(
            str(sum(one.number for one in left)), f"in {len(left)} smaller groups; --json has all", ""
        )
    return table


def _notes(made: Report, zone: tzinfo) -> Iterator[str]:
    if made.total.deleted:
        yield f"\n{made.total.deleted} more visits were deleted: nothing else is known of them."
    if made.kept_since_ms is not None and made.since_ms < made.kept_since_ms:
        yield (
            f"\nConversations before {_date(made.kept_since_ms, zone)} are deleted"
            " (ASSISTANT_KEEP_CONVERSATIONS_DAYS). Figures of those days are incomplete."
        )
    if made.unreadable:
        yield f"\n{made.unreadable} conversations could not be read; run `assistant doctor`."
    if made.ungrouped:
        yield f"\nThe oldest {made.ungrouped} unanswered requests are not in the groups."


def bar(number: int, most: int, width: int = _BAR) -> str:
    """A bar with the length of the number's share of the largest.

    >>> bar(3, 4, 4), bar(1, 16, 4), bar(0, 4, 4)
    ('███', '▎', '')
    """
    eighths = round(8 * width * number / most) if most else 0
    eighths = max(eighths, 1) if number else 0
    return ("█" * (eighths // 8) + _BLOCKS[eighths % 8]).strip()


def _number(value: int | None) -> str:
    return "-" if value is None else str(value)


def _usd(value: float | None) -> str:
    return "unknown" if value is None else f"${value:.4f}"


def _date(at_ms: int, zone: tzinfo) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, zone):%Y-%m-%d}"
