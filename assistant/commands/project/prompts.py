"""``assistant prompts``: lists, checks and renders the prompts."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assistant.conversation.entries import ModelRole
    from assistant.prompts.prompt import Prompt
    from assistant.settings import Settings

app = typer.Typer(help="List, check and try the prompts.", no_args_is_help=True)


@app.command("list")
def list_prompts() -> None:
    """Show each prompt: who reads it, its purpose, and its values."""
    from assistant.prompts.compiler import PROMPTS

    _, sources = _sources(_settings())
    for prompt in PROMPTS:
        typer.echo(f"{prompt.template.removesuffix('.j2')}  ({_reader(prompt)}{_locales(prompt, sources)})")
        typer.echo(f"    {purpose(sources[prompt.template])}")
        typer.echo(f"    given: {_inputs(prompt)}")
    templates = {prompt.template for prompt in PROMPTS}
    for name, text in sources.items():
        english = re.sub("^(customers|demo_model)/[^/]+/", r"\1/en/", name)
        if english not in templates and (english == name or english not in sources):
            typer.echo(f"{name}\n    {purpose(text)}")


@app.command()
def check() -> None:
    """Check all prompts, and report each mistake with its file, line and solution."""
    from assistant.assembly.config_builder import Folders
    from assistant.prompts.book import PromptBook, untranslated
    from assistant.prompts.compiler import find_mistakes
    from assistant.prompts.folder import read_folder
    from assistant.shipped import shipped

    settings = _settings()
    folder, sources = _sources(settings)
    mistakes = find_mistakes(sources, folder, read_folder(shipped("prompts")))
    if mistakes:
        typer.echo("\n".join(mistakes))
        raise typer.Exit(1)
    book = PromptBook(sources, folder)
    bundle = Folders.of(settings).contents().bundle(book.bundle)
    typer.echo(f"{len(sources)} files, no mistakes. Bundle {bundle}.")
    for locale, missing in untranslated(book).items():
        if missing:
            typer.echo(f"{locale}: still said in English: {', '.join(missing)}")


@app.command()
def render(
    name: Annotated[str, typer.Argument(help="the prompt's name, such as narrator")],
    conversation: Annotated[
        str | None,
        typer.Option(
            help="show it as a model received it in this conversation: an id, the beginning of an id, or last"
        ),
    ] = None,
    turn: Annotated[str | None, typer.Option(help="the turn (t1, t2, ...); default: the last one")] = None,
    edited: Annotated[
        bool, typer.Option("--edited", help="use the current prompts, not those of the conversation")
    ] = False,
    values: Annotated[
        list[str] | None, typer.Option("--set", help="a value to try, as name=value; may be repeated")
    ] = None,
    locale: Annotated[str, typer.Option(help="the language, if the prompt has several")] = "en",
) -> None:
    """Show the text of a prompt: with sample values, or as a model received it in a conversation."""
    prompt = _named(name)
    if conversation is None:
        if turn is not None or edited:
            raise typer.BadParameter("goes with --conversation ID", param_hint="--turn, --edited")
        typer.echo(_tried(prompt, _pairs(values or ()), locale))
        return
    if values:
        raise typer.BadParameter("a conversation brings its own values", param_hint="--set")
    from assistant.commands.project.prompt_trials import given_to_model

    typer.echo(given_to_model(_settings(), _role(prompt), conversation, turn, edited=edited))


@app.command()
def copy(
    name: Annotated[
        str, typer.Argument(help="the file's name, such as narrator, de/apology or locales/en.toml")
    ],
) -> None:
    """Copy one of the package's files into your own folder, so that you can edit it."""
    from assistant.errors import DeclarationError
    from assistant.prompts.folder import display_path, read_folder
    from assistant.prompts.locale import file_named
    from assistant.shipped import shipped

    folder, ours = _folder(_settings()), read_folder(shipped("prompts"))
    file = file_named(name, ours)
    if file is None:
        raise typer.BadParameter(f"no file is called {name!r}; `assistant prompts list` shows all")
    place = folder / file
    if place.exists():
        raise DeclarationError(f"{display_path(folder)}/{file}: there already; edit it, or remove it first")
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(ours[file], encoding="utf-8")
    typer.echo(f"Written: {display_path(folder)}/{file}.")


@app.command("try")
def try_edit(
    name: Annotated[str, typer.Argument(help="the prompt's name, such as narrator or de/narration")],
    edit: Annotated[Path, typer.Option(help="the file with the edited text")],
    paths: Annotated[
        list[Path] | None, typer.Argument(help="recorded conversations, or folders of them")
    ] = None,
    ask: Annotated[
        bool,
        typer.Option("--ask", help="send both versions to the configured model, and compare the answers"),
    ] = False,
    trials: Annotated[int, typer.Option(min=1, help="with --ask: how many times each version is sent")] = 1,
) -> None:
    """Show what an edit would change in recorded conversations: for models, and for customers."""
    from assistant.commands.project.prompt_trials import PromptTrialOptions
    from assistant.commands.project.prompt_trials import try_edit as run

    options = PromptTrialOptions(name=name, edit=edit, paths=tuple(paths or ()), ask=ask, trials=trials)
    raise typer.Exit(run(options))


def _settings() -> "Settings":
    from assistant.tenants import load_settings

    return load_settings()


def _sources(settings: "Settings") -> "tuple[str, Mapping[str, str]]":
    from assistant.prompts.folder import display_path, read_prompts

    folder = _folder(settings)
    return display_path(folder), read_prompts(folder)


def _folder(settings: "Settings") -> Path:
    from assistant.shipped import own_or_shipped

    return own_or_shipped(settings.prompts_dir, "prompts")


def _reader(prompt: "type[Prompt]") -> str:
    from assistant.prompts.prompt import Utterance

    return "customers" if issubclass(prompt, Utterance) else "models"


def _locales(prompt: "type[Prompt]", sources: "Mapping[str, str]") -> str:
    pattern = re.escape(prompt.template).replace("/en/", "/(?!en/)(.+)/")
    found = {match[1] for name in sources if (match := re.fullmatch(pattern, name)) and match.groups()}
    if "shared" in found:
        # The shared template describes the content of the locales' own files.
        told = (
            re.fullmatch(r"locales/(.+)\.toml", name)
            for name, text in sources.items()
            if "[sentences" in text
        )
        found = (found | {match[1] for match in told if match}) - {"shared"}
    return f", also in {', '.join(sorted(found))}" if found else ""


def purpose(text: str) -> str:
    """The first sentence of a file's first comment, without the name before it."""
    comment = re.match(r"\{#(.*?)#\}|((?:#.*\n)+)", text, re.DOTALL)
    said = re.sub(r"\s*\n#?\s*", " ", (comment[1] or comment[2]).strip("# \n")) if comment else ""
    purpose = re.split(r"\s(?:given|macros):\s|(?<=\.)\s", said, maxsplit=1)[0]
    return re.sub(r"^[a-z_]+:\s+", "", purpose)


def _inputs(prompt: "type[Prompt]") -> str:
    from assistant.prompts.prompt import inputs_of

    return ", ".join(f"{name} ({kind})" for name, kind in inputs_of(prompt).items()) or "nothing"


def _named(name: str) -> "type[Prompt]":
    from assistant.prompts.compiler import PROMPTS
    from assistant.prompts.locale import file_named

    by_file = {prompt.template: prompt for prompt in PROMPTS}
    file = file_named(name, by_file)
    if file is None:
        names = ", ".join(template.removesuffix(".j2") for template in by_file)
        raise typer.BadParameter(f"no prompt is called {name!r}; there are: {names}")
    return by_file[file]


def _role(prompt: "type[Prompt]") -> "ModelRole":
    from assistant.prompts.instructions import Decider, Narrator

    if prompt is Decider:
        return "decider"
    if prompt is Narrator:
        return "narrator"
    raise typer.BadParameter("only decider and narrator can be shown so", param_hint="--conversation")


def _pairs(values: "Sequence[str]") -> dict[str, str]:
    pairs = [value.partition("=") for value in values]
    for name, equals, _ in pairs:
        if not equals:
            raise typer.BadParameter(f"{name!r} has no '='; write name=value", param_hint="--set")
    return {name: text for name, _, text in pairs}


def _tried(prompt: "type[Prompt]", values: dict[str, str], locale: str) -> str:
    from assistant.prompts.book import PromptBook
    from assistant.prompts.prompt import sample_prompt

    folder, sources = _sources(_settings())
    return PromptBook(sources, folder).render(sample_prompt(prompt, values), locale)
