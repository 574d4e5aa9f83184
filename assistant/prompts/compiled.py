"""From the texts of a prompts folder to what can be used, with every mistake found on the way."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType

from jinja2 import Template, nodes

from assistant.errors import DeclarationError, PromptError
from assistant.prompts.acknowledgement import AcknowledgementWords, acknowledgement_words
from assistant.prompts.catalogue import PROMPTS
from assistant.prompts.check import check_includes, check_names, names_used, parse
from assistant.prompts.filters import Filters
from assistant.prompts.sandbox import Sandbox, Sources, fill
from assistant.prompts.trial import trials
from assistant.prompts.voice import Voice, read_voice
from assistant.prompts.words import Words, read_words

DEFAULT_LOCALE = "en"
_ACKNOWLEDGEMENT = "acknowledgement"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What a prompts folder holds, ready for use. ``templates`` go by file name, the others by locale."""

    voice: Voice
    words: Mapping[str, Words]
    filters: Filters
    sandbox: Sandbox
    templates: Mapping[str, Template]
    acknowledgements: Mapping[str, AcknowledgementWords]


def compile_prompts(sources: Mapping[str, str], folder: str) -> Compiled:
    """Compile every file and try every template. Raises ``DeclarationError`` for the first mistake."""
    voice = read_voice(_file(sources, "voice.toml", folder), f"{folder}/voice.toml")
    words = {
        name.removeprefix("locales/").removesuffix(".toml"): read_words(text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.startswith("locales/")
    }
    if DEFAULT_LOCALE not in words:
        _file(sources, f"locales/{DEFAULT_LOCALE}.toml", folder)
    filters = Filters(words[DEFAULT_LOCALE].formats, voice.currency)
    sandbox = Sandbox(Sources(sources, folder), filters.by_name(), {"voice": voice})
    trees = {
        name: parse(sandbox, name, text, f"{folder}/{name}")
        for name, text in sources.items()
        if name.endswith(".j2")
    }
    check_includes(trees, folder)
    return Compiled(
        voice=voice,
        words=MappingProxyType(words),
        filters=filters,
        sandbox=sandbox,
        templates=MappingProxyType(_templates(sandbox, sources, trees, folder)),
        acknowledgements=MappingProxyType(_acknowledgements(sandbox, sources, trees, folder)),
    )


def _templates(
    sandbox: Sandbox, sources: Mapping[str, str], trees: dict[str, nodes.Template], folder: str
) -> dict[str, Template]:
    templates: dict[str, Template] = {}
    for prompt in PROMPTS:
        _file(sources, prompt.template, folder)
        given = [field.name for field in fields(prompt)]
        check_names(names_used(sandbox, prompt.template, trees), prompt.template, given, folder)
        template = templates[prompt.template] = sandbox.get_template(prompt.template)
        for sample in trials(prompt):
            try:
                fill(template, {name: getattr(sample, name) for name in given})
            except PromptError as error:
                raise DeclarationError(f"{error}; found with {sample!r}") from error
    for name in trees:
        if not name.startswith("_") and not name.startswith(_ACKNOWLEDGEMENT) and name not in templates:
            known = ", ".join(sorted(templates))
            raise DeclarationError(
                f"{folder}/{name}:1: no prompt is called this; begin the name with '_' if others include it;"
                f" the prompts are: {known}"
            )
    return templates


def _acknowledgements(
    sandbox: Sandbox, sources: Mapping[str, str], trees: dict[str, nodes.Template], folder: str
) -> dict[str, AcknowledgementWords]:
    _file(sources, f"{_ACKNOWLEDGEMENT}.j2", folder)
    found: dict[str, AcknowledgementWords] = {}
    for name in (name for name in trees if name.startswith(_ACKNOWLEDGEMENT)):
        check_names(names_used(sandbox, name, trees), name, (), folder)
        locale = name.removeprefix(_ACKNOWLEDGEMENT).removesuffix(".j2").removeprefix(".") or DEFAULT_LOCALE
        found[locale] = acknowledgement_words(sandbox.get_template(name).module, f"{folder}/{name}")
    return found


def _file(sources: Mapping[str, str], name: str, folder: str) -> str:
    if name not in sources:
        raise DeclarationError(
            f"{folder}/{name}:1: the file is missing; copy it from the prompts that come with the package"
        )
    return sources[name]
