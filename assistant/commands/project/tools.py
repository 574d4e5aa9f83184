"""``assistant tools``: lists, checks and runs the tools, and drafts new ones, also from OpenAPI."""

import asyncio
import keyword
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from assistant.commands.project.mcp_approval import approve, hints_to_write, with_mcp

if TYPE_CHECKING:
    from assistant.conversation.customer import Customer, CustomerCredential
    from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Outcome
    from assistant.conversation.tool_spec import ToolSpec
    from assistant.conversation.values import Json, JsonObject
    from assistant.prompts.book import PromptBook
    from assistant.settings import Settings
    from assistant.tools.registry import Tools


def drafts_of(tools: "Tools") -> frozenset[str]:
    """The names of tools that are still drafts."""
    from assistant.tools.http.tool import drafts

    return frozenset(drafts(tools))


def to_be_done(tools: "Tools") -> Iterator[str]:
    """A line for each reason why an HTTP tool is not offered, or does not work."""
    from assistant.tools.http.tool import drafts, unset_secrets

    unreviewed = drafts(tools)
    if unreviewed:
        yield f"not offered before they are reviewed and 'draft = true' is taken out: {', '.join(unreviewed)}"
    for name, service in unset_secrets(tools):
        yield f"{name} is not set, and {service} needs it; put it into the environment or into .env"


def import_openapi(
    description: Annotated[Path, typer.Argument(help="the OpenAPI file, 3.0 or 3.1, JSON or YAML")],
    only: Annotated[str, typer.Option(help="only these operations: their ids, separated by commas")] = "",
    out: Annotated[
        Path | None, typer.Option(help="the file to write; default: <name>.http.toml in the tools' folder")
    ] = None,
) -> None:
    """Draft a tool for each operation of an API. No draft is offered to customers before you have reviewed it."""
    from assistant.errors import DeclarationError
    from assistant.shipped import own_or_shipped
    from assistant.tenants import load_settings
    from assistant.tools.openapi.document import read_document
    from assistant.tools.openapi.draft_file import draft_file

    names = [name.strip() for name in only.split(",") if name.strip()]
    drafted = draft_file(read_document(description), names)
    folder = Path("tools") if out is None else out.parent
    settings = load_settings()
    if out is None and settings.tools_dir is not None:
        folder = own_or_shipped(settings.tools_dir, "tools")
    file = out or folder / f"{_stem(description)}.http.toml"
    if file.exists():
        raise DeclarationError(f"{file} is there already; name another one with --out")
    folder.mkdir(parents=True, exist_ok=True)
    file.write_text(drafted.text, encoding="utf-8")
    typer.echo(f"{file}: {len(drafted.names)} drafts: {', '.join(drafted.names)}")
    for one in drafted.left_out:
        typer.echo(f"left out: {one}")
    if drafted.own:
        typer.echo(f"act for the customer who is signed in, with their own token: {', '.join(drafted.own)}")
        typer.echo(
            "    your site gives that token along when it introduces the customer: docs/guides/identity.md"
        )
    typer.echo(
        "Read it, answer each 'review:', and take 'draft = true' out of the tools that customers may use."
    )
    typer.echo("Next: assistant tools check, assistant tools call NAME")


def _stem(description: Path) -> str:
    """The file's name without its suffix, in plain letters; "api" for a name that only says what kind of file
    it is.

    >>> _stem(Path("My Shop.v2.yaml")), _stem(Path("openapi.json"))
    ('my_shop_v2', 'api')
    """
    from assistant.tools.openapi.document import snake

    name = snake(description.stem)
    return "api" if name in ("", "openapi", "open_api", "swagger") else name


_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_TAKEN = re.compile("assistant|asyncio|calls|customer|found|returns|number|one|says|tool|tools|turn")
"""Names that the tool's file and its test use themselves."""


def new_tool(
    name: Annotated[str, typer.Argument(help="the name of the tool's function, such as track_refund")],
) -> None:
    """Write a working tool with made-up data, and its test."""
    from assistant.commands.project.new import fill_templates, write_new_files
    from assistant.errors import DeclarationError
    from assistant.tenants import load_settings
    from assistant.tools.hints import infinitive, read_hints
    from assistant.tools.options import Options

    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or _TAKEN.fullmatch(name) or len(name) > 64:
        cure = "write small letters, digits and underscores, as 'track_refund'"
        raise DeclarationError(f"{name!r} cannot be a tool's name; {cure}")
    words = name.replace("_", " ")
    doing = _doing(name)
    problems = read_hints(Options(waiting_hint=doing))[1]
    if problems:
        raise DeclarationError(f"{name!r} cannot be a tool's name, customers would hear it: {problems[0]}")
    values = {"name": name, "words": words, "doing": doing, "will": infinitive(doing)}
    texts = fill_templates("tool", values)
    tools = load_settings().tools_dir or Path("tools")
    files = {
        tools / f"{name}.py": texts[Path("tool.py")],
        Path(f"tests/test_{name}.py"): texts[Path("test.py")],
    }
    write_new_files(files)
    typer.echo(f"Written: {', '.join(map(str, files))}.")
    typer.echo(f"Next: assistant tools call {name}, pytest tests/test_{name}.py")


def _doing(name: str) -> str:
    """A waiting hint made from the name.

    >>> _doing("track_refund"), _doing("opening_hours")
    ('tracking your refund', 'looking up your opening hours')
    """
    from assistant.tools.openapi.draft_file import wording

    return wording([name], theirs=True).doing or f"looking up your {name.replace('_', ' ')}"


_NEVER_MS = 2**53
"""A token for a manual test does not expire here; its own system may refuse it."""

app = typer.Typer(help="List, check and call the tools.", no_args_is_help=True)
app.command("approve")(approve)
app.command("import")(import_openapi)
app.command("new")(new_tool)


@app.command("list")
def list_tools() -> None:
    """Show each tool: its name, its description, and the place of its declaration."""
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
    """Check all declarations, and show the sentence that customers hear for each waiting hint."""
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
    arguments: Annotated[str, typer.Option("--json", help="the arguments, as a JSON object")] = "{}",
    customer: Annotated[str, typer.Option(help="the id of the customer")] = "demo",
    token_from: Annotated[
        str, typer.Option(help="the variable (in the environment or .env) with the customer's own token")
    ] = "",
    claim: Annotated[
        list[str] | None,
        typer.Option(help="a claim of the site about the customer, as NAME=VALUE; may be repeated"),
    ] = None,
) -> None:
    """Run one tool alone, without model and conversation. A write is really performed.

    The result is written to standard output as JSON; the question to the customer, and the text that they would
    receive, to standard error.
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
    from assistant.shipped import own_or_shipped
    from assistant.tenants import load_settings
    from assistant.tools.discovery import discover

    settings = load_settings()
    book = PromptBook.load(own_or_shipped(settings.prompts_dir, "prompts"))
    folder = _folder(settings)
    return with_mcp(discover(folder, drafts=True), folder, settings), book, settings


def _folder(settings: "Settings") -> "Path":
    from assistant.shipped import own_or_shipped

    return own_or_shipped(settings.tools_dir, "tools")


def _sentences(specs: "Sequence[ToolSpec]", book: "PromptBook") -> Iterator[str]:
    """Each tool's acknowledgement, alone and together with the next tool's; at the end all of them together."""
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
            yield f"{spec.name}  has no English texts"


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
    """The customer of a manual test, who counts as signed in for any tool."""
    from assistant.app import DEMO_CUSTOMER

    return replace(DEMO_CUSTOMER, id=id_, name=None, level="signed_in", credential=credential)


def _credential(token_from: str, claims: "Sequence[str]") -> "CustomerCredential | None":
    """The credential that a site would send. A token in the command itself would stay in the shell's history."""
    from assistant.conversation.customer import CustomerCredential
    from assistant.settings_sources import environment

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
    from assistant.tools.execute import prepare, read_back, run_call
    from assistant.tools.tool import PreparedCall, ToolContext

    # A tool that identifies customers runs for anonymous ones.
    if name in tools and tools.get(name).spec.role == "identifies":
        customer = replace(customer, level="anonymous")
    ready = prepare(Call(id="c1.1", tool=name, arguments=arguments), tools, customer)
    if not isinstance(ready, PreparedCall):
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
    """Print the outcome; any outcome without a result ends the command with 1."""
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
    """A line for each picture or file that came with a result, and for each that could not be stored."""
    from assistant.conversation.outcomes import CallSucceeded

    if isinstance(outcome, CallSucceeded):
        for media in outcome.media:
            yield f"with it: {media.name or 'no name'}, {media.mime}, {len(media.content)} bytes"
        yield from (f"left out: {clause}" for clause in outcome.omitted)


def _told(spec: "ToolSpec", value: "Json", arguments: "JsonObject", book: "PromptBook") -> str:
    """The text of the tool's narration template for a result. Raises ``PromptError`` with the place of the
    declaration.
    """
    from assistant.errors import PromptError
    from assistant.prompts.narration import Narration

    try:
        return Narration(book).render(spec.narration or "", value=value, arguments=arguments)
    except PromptError as error:
        why = str(error).replace("<template>:", "line ", 1)
        cure = "name what the result above has"
        raise PromptError(f"{spec.where}: tool {spec.name!r}: narration, {why}; {cure}") from error
