"""``assistant evaluate``: runs tasks with the configured model, each several times, and prints success rates."""

import asyncio
import os
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from assistant.assembly.models import is_embedded
from assistant.clock import SystemClock
from assistant.commands.replay import single_model_settings
from assistant.commands.stop_signal import run_until, stop_requested
from assistant.conversation.documents import LOAD_IN_FULL, SEARCH_DOCUMENTS
from assistant.errors import DeclarationError
from assistant.evaluation.html_report import html_report, runs_of
from assistant.evaluation.report import report, skipping
from assistant.evaluation.results import ResultsFile, Row, only_writer, read_results
from assistant.evaluation.simulated_customer import can_play, simulator_of
from assistant.evaluation.solution import SOLUTIONS
from assistant.evaluation.summary import summarise
from assistant.evaluation.tasks import Task, load_tasks
from assistant.evaluation.tau2_results import read_tau2_results
from assistant.evaluation.trial import close_models, configured_player, latest_config, model_name
from assistant.evaluation.worker_pool import Plan, check_tools, plan, run_jobs
from assistant.replay.live_trials import counted
from assistant.settings import Settings
from assistant.tenants import load_settings

STOPPED = 130
"""The exit code after Ctrl-C, as usual in shells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """The options of the command."""

    tasks: Sequence[str] = ()
    suite: Path | None = None
    trials: int = 1
    out: Path | None = None
    resume: bool = False
    model: str | None = None
    simulator: str | None = None
    retry_failed: bool = False
    concurrency: int = 4
    min_pass_rate: float = 1.0


def evaluate(options: EvaluateOptions) -> int:
    """Evaluate; returns the exit code: 0 if enough trials passed, 1 if not, 130 after Ctrl-C.

    Raises:
        DeclarationError: the tasks, the settings or the file of results are wrong.
    """
    given = _settings_from_options(options)
    settings, environ = load_settings().model_copy(update=given), dict(os.environ)
    environ |= {f"ASSISTANT_{name.upper()}": str(value) for name, value in given.items()}
    wanted = load_tasks(options.tasks, options.suite)
    solving = settings.model == SOLUTIONS
    tasks = [task for task in wanted if task.simulated is None or solving or can_play(simulator_of(settings))]
    played = any(task.simulated for task in tasks) and not solving
    bundle = asyncio.run(_checked(settings, wanted, played=played))
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    path, skipped = _out(options, settings), len(wanted) - len(tasks)
    with only_writer(path):
        results = ResultsFile(path)
        todo = plan(
            tasks,
            options.trials,
            model=model_name(settings),
            simulator=simulator_of(settings),
            bundle=bundle,
            rows=results.rows,
            retry_failed=options.retry_failed,
        )
        _announce(console, todo, tasks, skipped, settings, path)
        rows = list(todo.done)
        ended = asyncio.run(
            _run(todo, options.concurrency, model_name(settings), environ, results, rows, console)
        )
    summary = summarise(rows, options.trials)
    for line in report(summary, rows, skipped):
        console.print(line)
    console.print(f"results  {path}")
    if rows:
        console.print(f"report   {_write_page(rows, path.with_suffix('.html'), path.stem)}")
    if not ended:
        console.print(f"Stopped. Finished trials are kept; the same command with --out {path} continues.")
        return STOPPED
    first = summary.passes.get(1)
    return 0 if first is not None and first.share >= options.min_pass_rate else 1


def write_report(results: Sequence[Path], out: Path | None) -> None:
    """Write the page of these files of results; next to the first file if ``out`` is not given.

    Raises:
        DeclarationError: a file is missing, or is no file of results.
    """
    rows = [row for file in results for row in _rows_in(file)]
    page = out or results[0].with_suffix(".html")
    typer.echo(f"report   {_write_page(rows, page, ', '.join(file.stem for file in results))}")


def _rows_in(file: Path) -> list[Row]:
    """The rows of a file of results, in our format or in tau2's."""
    return read_tau2_results(file) if file.suffix == ".json" else read_results(file)


def _write_page(rows: Sequence[Row], page: Path, title: str) -> Path:
    try:
        page.write_text(html_report(runs_of(rows), title), encoding="utf-8")
    except OSError as error:
        raise DeclarationError(f"{page} cannot be written: {error.strerror}") from error
    return page


@contextmanager
def trial_progress(console: Console, trials: int) -> Generator[Callable[[Row], None]]:
    """Yields a function that shows one more row of ``trials``. The bar is removed at the end."""
    if not console.is_terminal:
        yield _lines(console, trials)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[failed]} failed"),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        bar, failed = progress.add_task("trials", total=trials, failed=0), 0

        def show(row: Row) -> None:
            nonlocal failed
            failed += row.judged and not row.passed
            progress.update(bar, advance=1, description=row.task, failed=failed)

        yield show


def _lines(console: Console, trials: int) -> Callable[[Row], None]:
    number = 0

    def show(row: Row) -> None:
        nonlocal number
        number += 1
        console.print(f"[{number}/{trials}] {row.task} #{row.trial}: {_how(row)}")

    return show


def _how(row: Row) -> str:
    if not row.judged:
        return "not judged"
    return "passed" if row.passed else "FAILED" if row.broke is None else "BROKE"


_Given: TypeAlias = str | list[str] | Path

_FOLDERS = ("tools", "prompts", "knowledge", "policies")


def _settings_from_options(options: EvaluateOptions) -> dict[str, _Given]:
    """The settings from the command line. A suite's folders replace those of the settings."""
    given: dict[str, _Given] = {}
    if options.model is not None:
        given |= single_model_settings(options.model)
    if options.simulator is not None:
        given["simulator_model"] = options.simulator
    if options.suite is not None:
        folders = {f"{name}_dir": options.suite.resolve() / name for name in _FOLDERS}
        known = Settings.model_fields
        given |= {name: folder for name, folder in folders.items() if name in known and folder.is_dir()}
    return given


async def _checked(settings: Settings, tasks: Sequence[Task], *, played: bool) -> str:
    """Check that the configuration can be built and that the tasks fit; returns the version's bundle."""
    clock = SystemClock(settings.time_zone, settings.now)
    version = latest_config(settings, clock)
    try:
        if played:
            await configured_player(settings, clock).model.close()
        searching = [] if settings.knowledge_dir is None else [SEARCH_DOCUMENTS, LOAD_IN_FULL]
        check_tools(tasks, [spec.name for spec in version.deps.tools.specs] + searching)
        return version.bundle
    finally:
        await close_models(version)


def _out(options: EvaluateOptions, settings: Settings) -> Path:
    """The file of results: the named file, the last file with this model, or a new one."""
    if options.out is not None:
        if options.out.suffix in (".html", ".log"):
            raise DeclarationError(
                f"--out {str(options.out)!r}: the report and the log are written next to it; name it *.jsonl"
            )
        if options.resume and not options.out.exists():
            raise DeclarationError(f"--out {str(options.out)!r}: there is no such file to continue")
        return options.out
    folder, model = settings.data_dir / "evaluations", re.sub(r"[^\w.]+", "-", model_name(settings))
    name = model if options.suite is None else f"{options.suite.resolve().name}-{model}"
    if not options.resume:
        at = SystemClock(settings.time_zone).now()
        return folder / f"{name}-{at:%Y%m%d-%H%M%S}.jsonl"
    earlier = sorted(folder.glob(f"{name}-????????-??????.jsonl"))
    if not earlier:
        raise DeclarationError(f"{folder} has no results of {model_name(settings)!r} to continue")
    return earlier[-1]


def _announce(
    console: Console, todo: Plan, tasks: Sequence[Task], skipped: int, settings: Settings, out: Path
) -> None:
    kept = f" ({len(todo.done)} already in {out})" if todo.done else ""
    left = f"; skipped: {skipping(skipped)}" if skipped else ""
    console.print(
        f"{counted(len(tasks), 'task')} with {model_name(settings)}:"
        f" {counted(len(todo.jobs), 'trial')} to run{kept}{left}."
    )
    if settings.model == SOLUTIONS:
        return
    if todo.jobs and not is_embedded(settings.model):
        asked = counted(sum(job.task.most_messages for job in todo.jobs), "message")
        console.print(f"Up to {asked} for this model; its provider may charge for them.")
    if played := [job for job in todo.jobs if job.task.simulated is not None]:
        asked = counted(sum(job.task.most_messages for job in played), "request")
        console.print(
            f"{simulator_of(settings)} plays the customer in {len(played)} of them: up to {asked} more."
        )


async def _run(
    todo: Plan,
    concurrency: int,
    model: str,
    environ: Mapping[str, str],
    results: ResultsFile,
    rows: list[Row],
    console: Console,
) -> bool:
    """Run the remaining trials; False if it was stopped before the end."""
    with stop_requested() as told, trial_progress(console, len(todo.jobs)) as show:

        def took(row: Row) -> None:
            results.add(row)
            rows.append(row)
            show(row)

        errors = results.path.with_suffix(".log")
        running = run_jobs(todo.jobs, concurrency, took, model=model, environ=environ, errors=errors)
        await run_until(told, running)
        if errors.is_file() and not errors.stat().st_size:
            errors.unlink()
        return not told.is_set()
