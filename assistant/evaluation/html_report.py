"""The report of one or several evaluations as an HTML page with plots, in one file that needs no network.

The template ``report.html.j2`` draws; this module computes the values.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log10
from pathlib import Path

import jinja2

from assistant.evaluation.measures import TurnTimes
from assistant.evaluation.report import figures, reasons_of
from assistant.evaluation.results import Row
from assistant.evaluation.summary import Summary, compare, summarise

_WAITS = (
    ("first_ms", "first words"),
    ("response_ms", "response"),
    ("fact_ms", "first fact"),
    ("whole_ms", "end of the turn"),
)
_TEMPLATE = Path(__file__).with_name("report.html.j2")


@dataclass(frozen=True)
class Run:
    """The rows of one model with one version of prompts and tools. ``name`` is its name on the page."""

    name: str
    rows: tuple[Row, ...]

    @cached_property
    def times(self) -> int:
        """The number of trials of each task: the highest of all tasks."""
        return max((row.trial for row in self.rows), default=1)

    @cached_property
    def summary(self) -> Summary:
        """The figures."""
        return summarise(self.rows, self.times)

    @cached_property
    def figures(self) -> Mapping[str, str]:
        """The figures as text, by their names."""
        return {line[:9].strip(): line[9:] for line in figures(self.summary)}

    @cached_property
    def tasks(self) -> Mapping[str, tuple[Row, ...]]:
        """The trials of each task, in order."""
        names = dict.fromkeys(row.task for row in self.rows)
        ordered = sorted(self.rows, key=lambda row: row.trial)
        return {name: tuple(row for row in ordered if row.task == name) for name in names}

    @cached_property
    def failed(self) -> list[tuple[Row, list[str]]]:
        """The trials that did not pass, with the reasons."""
        wrong = [row for row in self.rows if not row.passed]
        return [(row, [*reasons_of(row), *filter(None, [row.customer_failed])]) for row in wrong]


def runs_of(rows: Sequence[Row]) -> list[Run]:
    """Returns the runs in the rows: one for each model with one version of prompts and tools.

    The newest row of a trial counts.
    """
    by_run: dict[tuple[str, str], dict[tuple[str, int], Row]] = {}
    for row in rows:
        by_run.setdefault((row.model, row.bundle), {})[row.task, row.trial] = row
    versions = Counter(model for model, _ in by_run)
    return [
        Run(f"{model} ({bundle[:6]})" if versions[model] > 1 else model, tuple(kept.values()))
        for (model, bundle), kept in by_run.items()
    ]


def curve(values: Sequence[int], low: float, high: float) -> str:
    """Returns the cumulative share of the values as points of a polyline. The horizontal axis is logarithmic.

    >>> curve([10, 1000], 10, 1000)
    '0.0,100.0 0.0,50.0 100.0,50.0 100.0,0.0'
    """
    ordered, drawn, height = sorted(values), list[str](), 100.0
    for number, value in enumerate(ordered, 1):
        at = _place(value, low, high)
        drawn.append(f"{at:.1f},{height:.1f}")
        height = 100 - 100 * number / len(ordered)
        drawn.append(f"{at:.1f},{height:.1f}")
    return " ".join(drawn)


def _place(value: float, low: float, high: float) -> float:
    return 100 * (log10(max(value, 1)) - log10(low)) / (log10(high) - log10(low))


@dataclass(frozen=True, slots=True)
class Waits:
    """One plot of waiting times.

    ``curves`` has the number of each run and its points. ``marks`` are the positions of powers of ten.
    """

    title: str
    curves: tuple[tuple[int, str], ...]
    marks: tuple[tuple[float, str], ...]


def waits_of(runs: Sequence[Run]) -> Iterator[Waits]:
    """Yields the plots of waiting times, all with the same horizontal axis."""
    every = [value for run in runs for row in run.rows for turn in row.turns for value in _all(turn)]
    if not every:
        return
    low = 10 ** int(log10(max(min(every), 1)))
    high = 10 ** (int(log10(max(*every, 10))) + 1)
    decades = [10**power for power in range(int(log10(low)), int(log10(high)) + 1)]
    marks = tuple((_place(ms, low, high), f"{ms} ms" if ms < 1000 else f"{ms // 1000} s") for ms in decades)
    for field, title in _WAITS:
        found = {
            number: [
                value for row in run.rows for turn in row.turns if (value := getattr(turn, field)) is not None
            ]
            for number, run in enumerate(runs)
        }
        curves = tuple((number, curve(values, low, high)) for number, values in found.items() if values)
        yield Waits(title, curves, marks)


def _all(turn: TurnTimes) -> Iterator[int]:
    waits = (turn.first_ms, turn.response_ms, turn.fact_ms, turn.whole_ms)
    yield from (value for value in waits if value is not None)


def html_report(runs: Sequence[Run], title: str) -> str:
    """Returns the page."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    kinds = dict.fromkeys(kind for run in runs for kind in run.summary.missed)
    return template.render(
        title=title,
        runs=runs,
        names=list(dict.fromkeys(name for run in runs for name in run.figures)),
        waits=list(waits_of(runs)),
        comparisons=[(run, compare(run.rows, runs[0].rows)) for run in runs[1:]],
        ks=sorted({k for run in runs for k in run.summary.passes}),
        kinds=list(kinds),
        tasks=list(dict.fromkeys(task for run in runs for task in run.tasks)),
    )
