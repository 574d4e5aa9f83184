"""The command line. Each command imports what it needs only when it is called."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from assistant.commands.evaluation.cli import app as evaluations
from assistant.commands.project.policies import app as policies
from assistant.commands.project.prompts import app as prompts
from assistant.commands.project.tools import app as tools
from assistant.commands.stored.cli import (
    conversations,
    customers,
    data,
    documents,
    memories,
    samples,
    secrets,
    webhooks,
)
from assistant.commands.stored.users_cli import app as users
from assistant.errors import AssistantError
from assistant.shipped import release

app = typer.Typer(
    help="Meanwhile: a customer-service assistant that says what it is looking up while it looks it up.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(tools, name="tools")
app.add_typer(prompts, name="prompts")
app.add_typer(policies, name="policies")
app.add_typer(conversations, name="conversations")
app.add_typer(customers, name="customer")
app.add_typer(documents, name="documents")
app.add_typer(memories, name="memory")
app.add_typer(data, name="data")
app.add_typer(secrets, name="secrets")
app.add_typer(users, name="users")
app.add_typer(samples, name="sample")
app.add_typer(webhooks, name="webhooks")
app.add_typer(evaluations, name="evaluate")


def _say_release(wanted: bool) -> None:
    if wanted:
        typer.echo(f"meanwhile {release()}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="print the release of this program", callback=_say_release, is_eager=True
        ),
    ] = False,
    tenant: Annotated[str | None, typer.Option(help="the tenant, if the installation has several")] = None,
) -> None:
    """Options of all commands."""
    del version  # has been said
    if tenant is not None:
        os.environ["ASSISTANT_TENANT"] = tenant  # for processes that the command starts, too


@app.command()
def new(
    folder: Annotated[Path, typer.Argument(help="a new or empty folder with the name of your company")],
) -> None:
    """Begin a project of your own: a tool, prompts, settings and tests that run."""
    from assistant.commands.project.new import new as run

    run(folder)


@app.command()
def serve(
    port: Annotated[int, typer.Option(help="the port to listen on; 0 uses any free port")] = 8000,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
    console_link: Annotated[
        bool,
        typer.Option(
            "--console-link",
            help="print a link that opens the console once, as the account 'admin', within fifteen minutes; it is"
            " printed in any case while there are no accounts",
        ),
    ] = False,
    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="add example conversations, if this is the demo shop and there are none of its own",
        ),
    ] = False,
) -> None:
    """Serve the demo page, the websocket, and the console for staff."""
    from assistant.commands.serve import serve as run

    run(host, port, console_link=console_link, sample=sample)


_Kind = Annotated[str, typer.Argument(help="assistant, channel, tool or version")]
_Name = Annotated[str, typer.Argument(help="which one: chat, voice or phone; a tool's name; a version's id")]


@app.command()
def pause(
    kind: _Kind = "assistant",
    name: _Name = "",
    why: Annotated[str, typer.Option(help="the reason, for your colleagues")] = "",
    unchecked: Annotated[
        bool,
        typer.Option(
            "--unchecked",
            help="accept a name that is not in the tools' folder, such as a tool of an MCP server",
        ),
    ] = False,
) -> None:
    """Stop the assistant, a channel, a tool or a version, on every server within two seconds.

    Customers are told so. See docs/guides/launch.md.
    """
    from assistant.commands.stored.pause import pause as run

    run(kind, name, why, unchecked=unchecked)


@app.command()
def resume(kind: _Kind = "assistant", name: _Name = "") -> None:
    """Let go on what was paused."""
    from assistant.commands.stored.pause import resume as run

    run(kind, name)


@app.command()
def pauses() -> None:
    """List what is paused, since when, by whom and why."""
    from assistant.commands.stored.pause import list_pauses as run

    run()


@app.command()
def launch(
    mode: Annotated[
        str, typer.Argument(help="usual, shadow or approval; without it, the mode is printed")
    ] = "",
    percent: Annotated[int, typer.Option(help="the share of customers that get the assistant")] = 100,
    level: Annotated[
        list[str] | None, typer.Option(help="only customers of this level: anonymous, verified or signed_in")
    ] = None,
    locale: Annotated[
        list[str] | None, typer.Option(help="only customers who write in this language")
    ] = None,
    wait: Annotated[
        int, typer.Option(help="seconds that a reply waits for a colleague, in the mode approval")
    ] = 120,
    why: Annotated[str, typer.Option(help="the reason, for your colleagues")] = "",
) -> None:
    """Choose how the assistant answers, and whom, on every server within two seconds.

    See docs/guides/launch.md.
    """
    from assistant.commands.stored.pause import choose_launch as run

    run(mode, percent, level or [], locale or [], wait, why)


@app.command()
def worker() -> None:
    """Run background work on a machine of its own, if several servers share a database.

    `assistant serve` does this work, too, unless ASSISTANT_RUN_JOBS=false.
    """
    from assistant.commands.worker import worker as run

    run()


@app.command()
def jobs(
    retry: Annotated[bool, typer.Option("--retry", help="queue all failed jobs once more")] = False,
) -> None:
    """List background work that was given up after its last try; exit with 1 if there is any."""
    from assistant.commands.jobs import jobs as run

    raise typer.Exit(run(retry=retry))


@app.command()
def chat(
    new: Annotated[bool, typer.Option("--new", help="begin a new conversation")] = False,
) -> None:
    """Talk to the assistant in this terminal."""
    from assistant.commands.chat import chat as run

    run(new=new)


@app.command()
def embed(
    server: Annotated[
        str,
        typer.Option(
            help="the address at which customers reach the assistant, such as https://chat.example.com"
        ),
    ] = "http://127.0.0.1:8000",
    origin: Annotated[
        str | None, typer.Option(help="the origin of your site, to check whether it may connect")
    ] = None,
    frame: Annotated[bool, typer.Option("--frame", help="print an iframe instead of a script")] = False,
) -> None:
    """Print the HTML that adds the chat to your site."""
    from assistant.commands.embed import embed as run

    raise typer.Exit(run(server=server, site=origin, framed=frame))


@app.command()
def doctor(
    offline: Annotated[bool, typer.Option("--offline", help="ask no model")] = False,
) -> None:
    """Show what is configured, whether it works, and how to fix each problem."""
    from assistant.commands.doctor import doctor as run

    raise typer.Exit(run(offline=offline))


@app.command()
def upgrade(
    check: Annotated[
        bool, typer.Option("--check", help="change nothing; exit with 1 if a step is missing")
    ] = False,
) -> None:
    """Bring the data in a data folder or a database to this release, and print each step. Make a backup first.

    A server does so itself when it starts. Run this before, if you want to see what will change, or if the account
    of your servers may not create tables.
    """
    from assistant.commands.stored.upgrade import upgrade as run

    raise typer.Exit(run(check=check))


@app.command()
def backup(
    to: Annotated[Path, typer.Argument(help="a new or empty folder")],
) -> None:
    """Write a backup of everything that is stored, also while servers run.

    It is a folder that only its owner can read, with checksums in a manifest. The installation's secret is in it.
    """
    from assistant.commands.stored.backup import backup as run

    run(to, release())


@app.command()
def restore(
    backup: Annotated[Path, typer.Argument(help="the folder that `assistant backup` wrote")],
) -> None:
    """Restore a backup into the empty data folder or database that the settings name. Stop the servers first."""
    from assistant.commands.stored.backup import restore as run

    run(backup)


@app.command()
def receipt(
    call_id: Annotated[
        str,
        typer.Argument(
            help="CONVERSATION/TURN/CALL, the idempotency key that the tool received, such as 'last/t2/c1.1'; or "
            "'verify'"
        ),
    ],
    file: Annotated[Path | None, typer.Argument(help="with 'verify': the file of the receipt")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="the file to write")] = None,
) -> None:
    """Prove from the log what a customer agreed to; 'assistant receipt verify FILE' checks such a proof offline."""
    from assistant.commands.stored.receipt import make, verify

    if call_id != "verify":
        make(call_id, out)
    elif file is None:
        raise typer.BadParameter("which receipt? assistant receipt verify FILE", param_hint="FILE")
    else:
        raise typer.Exit(verify(file))


@app.command()
def record(
    conversation: Annotated[
        str,
        typer.Argument(
            help="the conversation's id, or the beginning of it; 'last' is the newest conversation"
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="the file to write; default: <id>.conversation.yaml")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="overwrite an existing file")] = False,
    unmasked: Annotated[
        bool, typer.Option("--no-mask", help="keep names, addresses and numbers as they are")
    ] = False,
    keep: Annotated[list[str] | None, typer.Option(help="a word that is not masked; may be repeated")] = None,
    mask: Annotated[
        list[str] | None,
        typer.Option(help="one more word to mask, as WORD or WORD=KIND, such as phone; may be repeated"),
    ] = None,
) -> None:
    """Write a conversation of the log into a file that can be replayed, with the customer's personal data
    masked.
    """
    from assistant.commands.record import RecordOptions
    from assistant.commands.record import record as run

    run(
        RecordOptions(
            conversation=conversation,
            out=out,
            force=force,
            masked=not unmasked,
            keep=tuple(keep or ()),
            also=tuple(mask or ()),
        )
    )


@app.command()
def recall(
    since: Annotated[str, typer.Option(help="the beginning: 30d for the last 30 days, or a date")] = "",
    until: Annotated[str, typer.Option(help="the end, in the same form; it is not included")] = "",
    conversation: Annotated[
        str,
        typer.Option(
            help="check only this conversation: its id, or the beginning of it; 'last' is the newest"
        ),
    ] = "",
    json: Annotated[Path | None, typer.Option(help="also write all findings into this file")] = None,
    processes: Annotated[
        int | None,
        typer.Option(min=1, help="how many processes share the work; default: one for each processor"),
    ] = None,
) -> None:
    """Apply today's rules to past conversations: what would they have stopped or changed, and for which
    customers?
    """
    from assistant.commands.recall import RecallOptions
    from assistant.commands.recall import recall as run

    options = RecallOptions(
        since=since, until=until, conversation=conversation, json=json, processes=processes
    )
    raise typer.Exit(run(options))


@app.command()
def report(
    since: Annotated[str, typer.Option(help="the beginning: 30d for the last 30 days, or a date")] = "7d",
    until: Annotated[str, typer.Option(help="the end, in the same form; it is not included")] = "",
    json: Annotated[bool, typer.Option("--json", help="print all figures and groups as JSON")] = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="print one line for each day, for a spreadsheet")
    ] = False,
    sample: Annotated[bool, typer.Option("--sample", help="count the example conversations, too")] = False,
) -> None:
    """Report how conversations ended, day by day, with unanswered requests, tools, latency and cost.

    Conversations that have not changed since the last report are not read again. You can use this while a
    server is running.
    """
    if json and csv:
        raise typer.BadParameter("choose one of them", param_hint="--json, --csv")
    from assistant.commands.stored.report import ReportOptions
    from assistant.commands.stored.report import report as run

    run(ReportOptions(since=since, until=until, as_json=json, as_csv=csv, sample=sample))


@app.command()
def replay(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="files *.conversation.yaml, or folders of them")
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="write the new result into the files, after an intended change")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="print all conversations, not only those that differ")
    ] = False,
    live: Annotated[
        int | None,
        typer.Option(
            min=1, help="run each conversation this many times with the configured model, in real time"
        ),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="with --live: the model to try instead of the configured one")
    ] = None,
    min_pass_rate: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="with --live: exit with 0 if at least this share of the trials passed"
        ),
    ] = None,
) -> None:
    """Replay recorded conversations, and show where they differ from the file."""
    if live is not None:
        if update or show:
            raise typer.BadParameter("does not go with --live", param_hint="--update, --show")
        from assistant.commands.replay import LiveReplayOptions, replay_live

        share = 1.0 if min_pass_rate is None else min_pass_rate
        raise typer.Exit(
            replay_live(
                LiveReplayOptions(trials=live, paths=tuple(paths or ()), model=model, min_pass_rate=share)
            )
        )
    if model is not None or min_pass_rate is not None:
        raise typer.BadParameter("goes with --live N", param_hint="--model, --min-pass-rate")
    from assistant.commands.replay import ReplayOptions
    from assistant.commands.replay import replay as run

    raise typer.Exit(run(ReplayOptions(paths=tuple(paths or ()), update=update, show=show)))


def main() -> None:
    """Run a command. An error is printed in one line, without a traceback."""
    try:
        app()
    except AssistantError as error:
        print(error, file=sys.stderr)  # noqa: T201
        sys.exit(2)
