"""``assistant tools``: what tools there are, what customers will hear of them, and running one alone."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, cast

import typer

from assistant.commands.tools_http import drafts_of, to_be_done
from assistant.commands.tools_import import import_openapi
from assistant.commands.tools_mcp import approve, hints_to_write, with_mcp
from assistant.commands.tools_new import new_tool

if TYPE_CHECKING:
    from pathlib import Path

    from assistant.conversation.customer import Customer, CustomerCredential
    from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Outcome
    from assistant.conversation.tool_spec import ToolSpec
    from assistant.conversation.values import Json, JsonObject
    from assistant.prompts.book import PromptBook
    from assistant.settings import Settings
    from assistant.tooling.registry import Tools

_NEVER_MS = 2**53
"""A token that is tried by hand does not expire here; its own system may refuse it."""

app = typer.Typer(help="See, check and try the tools.", no_args_is_help=True)
app.command("approve")(approve)
app.command("import")(import_openapi)
app.command("new")(new_tool)


@app.command("list")
def list_tools() -> None:
    """Show every tool: what it is called, what it does, where it is declared."""
    tools, _, settings = _loaded()
    if not len(tools):
        typer.echo(f"There are no tools in {_folder(settings)}.")
    drafts = drafts_of(tools)
    for spec in tools.specs:
        first_line = spec.description.partition("\n")[0]
        kind = f"draft, {spec.effect}" if spec.name in drafts else spec.effect
        typer.echo(f"{spec.name}  ({kind}, {spec.where})\n    {first_line}")


@app.command()
def check() -> None:
    """Check all declarations, and show the sentence that a customer will hear for each waiting hint."""
    from assistant.assembly.tool_warnings import tool_warnings

    tools, book, _ = _loaded()
    for line in _sentences(tools.specs, book):
        typer.echo(line)
    warnings = [f"warning: {one}" for one in tool_warnings(tools, book)]
    for line in (*hints_to_write(tools), *to_be_done(tools), *warnings):
        typer.echo(line)
    count = f", {len(warnings)} warning{'s' if len(warnings) > 1 else ''}" if warnings else ""
    typer.echo(f"{len(tools) - len(drafts_of(tools))} tools, no mistakes{count}.")


@app.command()
def call(
    name: Annotated[str, typer.Argument(help="the tool's name")],
    arguments: Annotated[str, typer.Option("--json", help="its arguments, as a JSON object")] = "{}",
    customer: Annotated[str, typer.Option(help="the id of the customer it is for")] = "demo",
    token_from: Annotated[
        str, typer.Option(help="a variable of the environment or of .env that has the customer's own token")
    ] = "",
    claim: Annotated[
        list[str] | None, typer.Option(help="what the site says of the customer, as NAME=VALUE; repeatable")
    ] = None,
) -> None:
    """Run one tool alone: no model, no conversation. A write is really done.

    The result goes to the standard output as JSON; what a customer would be asked and told, to the other.
    """
    from assistant.app import known_to_tools
    from assistant.commands.logging import set_up_logging

    tools, book, settings = _loaded()
    set_up_logging(traces_from=_folder(settings))
    with known_to_tools(settings):
        whom = _customer(customer, _credential(token_from, claim or []))
        outcome = asyncio.run(_run(name, _parsed(arguments), whom, tools, book, settings))
    _show(outcome, tools, book)


def _loaded() -> "tuple[Tools, PromptBook, Settings]":
    from assistant.prompts.book import PromptBook
    from assistant.settings import load_settings
    from assistant.shipped import own_or_shipped
    from assistant.tooling.discovery import discover

    settings = load_settings()
    book = PromptBook.load(own_or_shipped(settings.prompts_dir, "prompts"))
    folder = _folder(settings)
    return with_mcp(discover(folder, drafts=True), folder, settings), book, settings


def _folder(settings: "Settings") -> "Path":
    from assistant.shipped import own_or_shipped

    return own_or_shipped(settings.tools_dir, "tools")


def _sentences(specs: "Sequence[ToolSpec]", book: "PromptBook") -> Iterator[str]:
    """Each tool's acknowledgement, alone and beside the next tool's; at last all of them together."""
    spoken = [spec for spec in specs if "en" in spec.hints]
    for number, spec in enumerate(spoken):
        yield f"{spec.name}  ({spec.hints['en'].doing})"
        yield f"    {_acknowledged([spec], book)}"
        if len(spoken) > 1:
            yield f"    {_acknowledged([spec, spoken[(number + 1) % len(spoken)]], book)}"
    if len(spoken) > 2:
        yield "all of them"
        yield f"    {_acknowledged(spoken, book)}"
    for spec in specs:
        if spec not in spoken:
            yield f"{spec.name}  has no words of its own in English"


def _acknowledged(specs: "Sequence[ToolSpec]", book: "PromptBook") -> str:
    from assistant.turn.acknowledge import acknowledge

    words = book.acknowledgement("en")
    lead = words.lead("effect" if any(spec.effect == "write" for spec in specs) else "request")
    return acknowledge([spec.hints["en"].will for spec in specs], lead, words)


def _parsed(text: str) -> "JsonObject":
    import orjson

    try:
        arguments = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise typer.BadParameter(f"{text!r} is no JSON: {error}", param_hint="--json") from error
    if not isinstance(arguments, dict):
        raise typer.BadParameter(
            f'{text!r} is no JSON object; write {{"day": "2026-11-24"}}', param_hint="--json"
        )
    return cast("JsonObject", arguments)


def _customer(id_: str, credential: "CustomerCredential | None") -> "Customer":
    """By hand every tool may be tried: whoever it is for is known as well as any tool wants."""
    from assistant.app import DEMO_CUSTOMER

    return replace(DEMO_CUSTOMER, id=id_, name=None, level="signed_in", credential=credential)


def _credential(token_from: str, claims: "Sequence[str]") -> "CustomerCredential | None":
    """What a site would give along. A token in the command itself would stay in the shell's history."""
    from assistant.conversation.customer import CustomerCredential
    from assistant.settings import environment

    if not token_from and not claims:
        return None
    token = environment().get(token_from, "").strip() if token_from else ""
    if token_from and not token:
        problem = f"{token_from} is not set; put the token into the environment or into .env"
        raise typer.BadParameter(problem, param_hint="--token-from")
    named = {name: value for name, _, value in (one.partition("=") for one in claims)}
    return CustomerCredential(token=token, claims=named, expires_ms=_NEVER_MS)


async def _run(
    name: str,
    arguments: "JsonObject",
    customer: "Customer",
    tools: "Tools",
    book: "PromptBook",
    settings: "Settings",
) -> "Outcome":
    import structlog

    from assistant.clock import SystemClock
    from assistant.conversation.calls import Call
    from assistant.ids import SystemIds
    from assistant.tooling.execute import Ready, prepare, read_back, run_call
    from assistant.tooling.tool import ToolContext

    # A tool that finds out who somebody is is for those who are not known.
    if name in tools and tools.get(name).spec.role == "identifies":
        customer = replace(customer, level="anonymous")
    ready = prepare(Call(id="c1.1", tool=name, arguments=arguments), tools, customer)
    if not isinstance(ready, Ready):
        return ready
    clause = await read_back(ready, customer, book) if ready.tool.spec.confirm else None
    if clause is not None and not isinstance(clause, str):
        return clause
    if clause:
        typer.echo(f"asked first: {clause}", err=True)
    clock = SystemClock(settings.time_zone, settings.now)
    key = f"command-{SystemIds().new()}"
    context = ToolContext(key=key, call_id=ready.call.id, now=clock.now(), log=structlog.get_logger())
    timeout_s = ready.tool.spec.timeout_s
    return await run_call(ready, customer=customer, context=context, timeout_s=timeout_s, clock=clock)


def _show(outcome: "Outcome", tools: "Tools", book: "PromptBook") -> None:
    """Print what came of it; anything but a result ends the command with 1."""
    import orjson

    from assistant.conversation.outcomes import (
        CallDenied,
        CallEmpty,
        CallFailed,
        CallSucceeded,
        CallTimedOut,
        outcome_name,
    )

    match outcome:
        case CallSucceeded(value=value) | CallEmpty(value=value):
            typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
            for line in _beside(outcome):
                typer.echo(line, err=True)
            spec = tools.get(outcome.call.tool).spec
            if spec.narration:
                typer.echo(f"told: {_told(spec, value, outcome.call.arguments, book)}", err=True)
            return
        case CallFailed(say=say, for_model=for_model) | CallDenied(say=say, for_model=for_model):
            typer.echo(f"{outcome_name(outcome)}: {say}\nfor the model: {for_model}", err=True)
        case CallTimedOut(after_s=after_s):
            typer.echo(f"timed_out: no result after {after_s:g} s", err=True)
        case _:
            typer.echo(outcome_name(outcome), err=True)
    raise typer.Exit(1)


def _beside(outcome: "CallSucceeded | CallEmpty") -> "Iterator[str]":
    """A line for each picture or file that came beside a result, and for each that could not be kept."""
    from assistant.conversation.outcomes import CallSucceeded

    if isinstance(outcome, CallSucceeded):
        for media in outcome.media:
            yield f"beside it: {media.name or 'no name'}, {media.mime}, {len(media.content)} bytes"
        yield from (f"left out: {clause}" for clause in outcome.left_out)


def _told(spec: "ToolSpec", value: "Json", arguments: "JsonObject", book: "PromptBook") -> str:
    """What the tool's narration makes of a result. Raises ``PromptError`` with the place of the declaration."""
    from assistant.errors import PromptError
    from assistant.prompts.narration import Narration

    try:
        return Narration(book).render(spec.narration or "", value=value, arguments=arguments)
    except PromptError as error:
        why = str(error).replace("<template>:", "line ", 1)
        cure = "name what the result above has"
        raise PromptError(f"{spec.where}: tool {spec.name!r}: narration, {why}; {cure}") from error
