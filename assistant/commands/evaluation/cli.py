"""The command line of ``assistant evaluate``. Each command imports its modules only when it is called."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup


class _RunByDefault(TyperGroup):
    """A group that runs the command "run" if no command is named."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        named = args and args[0] in self.commands
        return super().parse_args(ctx, args if named else ["run", *args])


app = typer.Typer(
    help="Measure how often a model does its tasks correctly, and compare models.", cls=_RunByDefault
)


@app.command("run")
def evaluate(
    tasks: Annotated[list[str] | None, typer.Argument(help="files, folders or ids of tasks")] = None,
    suite: Annotated[
        Path | None,
        typer.Option(help="a folder with tasks, and maybe tools, prompts, policies and knowledge"),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="how many times each task is run")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="the file for results; trials that it already contains are not run again"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="continue the last evaluation")] = False,
    model: Annotated[str | None, typer.Option(help="the model to try instead of the configured one")] = None,
    simulator: Annotated[
        str | None, typer.Option(help="the model that plays simulated customers; default: the decision model")
    ] = None,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="repeat the trials in which a provider failed")
    ] = False,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="how many trials run at the same time")] = 4,
    min_pass_rate: Annotated[
        float, typer.Option(min=0, max=1, help="exit with 0 if pass^1 is at least this")
    ] = 1.0,
) -> None:
    """Try the model on tasks, and say how often it did what it should.

    The word "run" may be left out. There are also "import" (a benchmark's tasks) and "report" (compare results).
    """
    from assistant.commands.evaluation.evaluate import EvaluateOptions
    from assistant.commands.evaluation.evaluate import evaluate as run

    options = EvaluateOptions(
        tasks=tuple(tasks or ()),
        suite=suite,
        trials=trials,
        out=out,
        resume=resume,
        model=model,
        simulator=simulator,
        retry_failed=retry_failed,
        concurrency=concurrency,
        min_pass_rate=min_pass_rate,
    )
    raise typer.Exit(run(options))


class Benchmark(StrEnum):
    """The benchmarks whose tasks can be imported."""

    TAU2 = "tau2"


@app.command("import")
def import_suite(
    benchmark: Annotated[Benchmark, typer.Argument(help="the benchmark to import")],
    domain: Annotated[str, typer.Option(help="retail or airline")],
    out: Annotated[Path, typer.Option(help="the folder to write to; new or empty")],
    split: Annotated[str, typer.Option(help="the benchmark's own name for a subset of its tasks")] = "base",
) -> None:
    """Write a benchmark's tasks as a suite; its package must be installed."""
    from assistant.commands.evaluation.import_tasks import import_tau2

    match benchmark:
        case Benchmark.TAU2:
            import_tau2(domain, out, split)


@app.command("report")
def evaluation_report(
    results: Annotated[
        list[Path], typer.Argument(help="files of results (*.json for results of tau2); several are compared")
    ],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="the page to write")] = None,
) -> None:
    """Write a page with the figures and plots of results; no task is run."""
    from assistant.commands.evaluation.evaluate import write_report

    write_report(results, out)
